//! Decides whether the fast checker and its slow twins agree about a program.
//!
//! It also makes the random programs ([`random`]) and the smaller ones that show the same ([`shrink()`]); compares the sanitizer's engine with its twins on
//! [`traces`], and `txn` with its own on [`transactions`].
//!
//! The checker (`steadfast-robust`) follows views over an SC state graph; the oracle (`steadfast-graph`) enumerates execution graphs and
//! asks the axioms of *Robustness against release/acquire semantics* (PLDI'19) and *Verifying observational robustness against a
//! C11-style memory model* (POPL'21). They share no idea beyond the definition of robustness, so a mistake in one of them shows up
//! as a random program about which they disagree. The checker is also its own twin: no reduction, no way of following writes
//! and no number of workers may change an answer.
//!
//! # Guarantee
//! [`judge`] says [`Judgement::Agree`] only if every comparison of its [`Question`] was made and came out right. A program that is too large
//! for the oracle is [`Judgement::Skipped`], never guessed.
//!
//! # Deviations from the papers
//! 1. Observational robustness is compared in one direction: the monitor of POPL'21 may report too much, and such programs are counted
//!    as [`Judgement::OverReport`].
//! 2. Under RA and SRA races are decided by racy SC states (PLDI'19), which means something only for programs that are otherwise robust; for others
//!    any violation is accepted.
//!
//! # Example
//! ```
//! use steadfast_robust::Supported;
//! use steadfast_twin::{Depth, Judgement, Question, Subject, judge, sample};
//!
//! let question = Question { model: Supported::Ra, subject: Subject::Graph };
//! let program = sample(7, question.subject);
//! assert!(matches!(judge(&program, question, Depth::Quick), Judgement::Agree(_) | Judgement::Skipped));
//! ```
//!
//! # Invariants
//! - A seed and a subject always mean the same program, and a campaign finds the same disagreements with any number of workers.

mod campaign;
mod edit;
mod guard;
mod indices;
mod judgement;
mod large;
mod question;
pub mod random;
mod sample;
mod shrink;
pub mod traces;
pub mod transactions;
mod variants;
mod vary;
mod witness;
mod workers;

pub use campaign::{Budget, Campaign, Finding, Tally};
pub use edit::insert;
pub use judgement::{Difference, Judgement, judge};
pub use question::{Answer, Question, Subject};
pub use sample::sample;
pub use shrink::shrink;
pub use variants::Depth;
