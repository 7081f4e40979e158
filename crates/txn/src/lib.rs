//! Decides whether database transactions behave as if they ran one after the other, although the database promises less than that.
//!
//! A program is *robust* against a consistency model if every behaviour under the model is serializable: the transactional happens-before of every
//! trace is acyclic (Beillahi, Bouajjani and Enea, *Robustness against transactional causal consistency*, definition 4.2).
//!
//! - [`text`] reads programs and templates; [`program`] is what a program is; [`run`] runs one transaction.
//! - [`decide()`] decides programs exactly against CC, CCv, CM and SI, with loops, by reachability over serial runs. It never runs the weak model.
//! - [`fix`] finds the smallest changes that make a program robust.
//! - [`template`] decides templates at READ COMMITTED, SI and SSI, and finds levels; [`history`] checks recorded histories.
//! - [`oracle`] runs the weak models by brute force, to hold the decision against.
//!
//! Guarantee: "robust" means that every state of the reduction was visited or is covered by one that was; a bound that was hit is reported. The
//! reduction in the form used here is ours (deviations are listed in `decide/rules.rs`); it agrees with the machines of the paper on all
//! random programs that were tried, and a test tries more each time.
//!
//! ```
//! use steadfast_txn::{ProgramModel, Subject, Verdict, decide, parse};
//! use steadfast_explore::{Budget, Limits};
//! use steadfast_span::SourceFile;
//!
//! let file = SourceFile::new("counter.txn", "shared x; process p[2] { txn increment { x := x + 1; } }");
//! let Some(Subject::Program(program)) = parse(&file).subject else { panic!() };
//! let answer = decide(&program, ProgramModel::Ccv, &Budget::new(Limits::default(), None, None));
//! assert!(matches!(answer.verdict, Verdict::NotRobust(_)));
//! ```
//!
//! Invariants: nothing here prints or reads files; verdicts and witnesses are the same on every run.

#![allow(clippy::doc_markdown, reason = "CCv and PostgreSQL are names, not code")]

pub mod decide;
pub mod fix;
pub mod history;
pub mod model;
pub mod oracle;
pub mod program;
pub mod run;
pub mod template;
pub mod text;
mod varset;
pub mod witness_text;

pub use decide::{Answer, Verdict, Witness, decide, find_race};
pub use model::{Model, ProgramModel};
pub use program::Program;
pub use text::{Expectation, Parsed, Subject, parse};
pub use varset::VarSet;
