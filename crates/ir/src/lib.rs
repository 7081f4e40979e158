//! The program representation, which every front end produces and every analysis uses.
//!
//! A [`Program`] is a fixed set of threads over shared locations. Values are bytes; arithmetic is done in `i32`, and results are reduced when they are
//! stored ([`Program::reduce`]). The control flow of a thread is a flat list of instructions with explicit targets; every
//! instruction has the span that it came from. Orderings have a type per kind of access, so a release load cannot be written down.
//!
//! Analyses: [`cfg`](mod@cfg) (successors), [`liveness`], [`values`] (the values that a register or location can hold, and which of them are
//! *critical* for staleness), [`dataflow`] (what an instruction reads, writes and observes).
//!
//! Invariants, checked by [`Program::validate`]: every target is in range; the last instruction of a thread is [`Instr::Halt`];
//! atomic instructions name atomic locations and plain ones plain locations; an array access stays inside its array,
//! or is an error of the program at run time, never of the tool.
//!
//! ```
//! use steadfast_ir::{Expr, ProgramBuilder, ReadOrder, WriteOrder};
//!
//! let mut b = ProgramBuilder::new("message-passing");
//! let (x, y) = (b.atomic("x", 0), b.atomic("y", 0));
//! b.thread("writer", |t| {
//!     t.store(x, Expr::Const(1), WriteOrder::Relaxed);
//!     t.store(y, Expr::Const(1), WriteOrder::Release);
//! });
//! b.thread("reader", |t| {
//!     let (r, s) = (t.register("r"), t.register("s"));
//!     t.load(r, y, ReadOrder::Acquire);
//!     t.load(s, x, ReadOrder::Relaxed);
//! });
//! let program = b.finish();
//! assert!(program.validate().is_ok());
//! ```

mod bits;
mod builder;
pub mod cfg;
pub mod dataflow;
mod exclusive;
mod expr;
mod instr;
pub mod liveness;
mod order;
mod print;
mod program;
mod regset;
pub mod values;

pub use builder::{Label, ProgramBuilder, ThreadBuilder};
pub use exclusive::exclusive_at;
pub use expr::{BinaryOp, EvalError, Expr, UnaryOp};
pub use instr::{Instr, Instruction, Place};
pub use order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
pub use program::{
    LocId, LocKind, Location, Pc, Program, RegId, Register, Thread, ThreadId, UNBOUNDED, ValidationError, Value, Wrap,
};
pub use regset::RegSet;
