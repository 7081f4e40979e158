//! The binary as users meet it: arguments in, text and exit codes out.

mod commands;
mod documentation;
mod formats;
mod inputs;
mod internal_errors;
mod links;
mod pages;
mod prove;
mod repair;
mod schedulers;
mod schema;
mod signals;
mod steadfast;
mod txn;
mod verdicts;
