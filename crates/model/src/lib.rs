//! Names the memory models, the notions of robustness and the kinds of violations, and describes them.
//!
//! Every other crate takes these names from here. What a model *means* stands elsewhere, each time for one purpose: the axioms in `graph`, the rules of the exact search in `robust`,
//! the rules for running programs in `clocks`. An engine that knows only some of the models says so with [`supported!`], and a question about
//! another model is a typed error ([`Unsupported`]). Enums with names, here and elsewhere, are declared with [`named!`].
//!
//! # Guarantee
//! A name means the same model in every command, file format and message, and parsing a name that was printed gives the same model.
//!
//! ```
//! use steadfast_model::{Model, supported};
//!
//! supported! {
//!     /// The models that this example knows.
//!     pub enum Supported: Model in "the example" { Ra, Tso }
//! }
//!
//! assert_eq!("tso".parse(), Ok(Supported::Tso));
//! let error = Supported::try_from(Model::Rc20).unwrap_err();
//! assert_eq!(error.to_string(), "the example does not support rc20; it supports ra and tso");
//! ```

mod memory_model;
mod named;
mod notion;
mod support;
mod violation;

pub use memory_model::{Model, Orderings, ScFences};
pub use named::UnknownName;
pub use notion::Notion;
pub use support::{Unsupported, list};
pub use violation::ViolationKind;
