//! `ThreadSanitizer`'s interface, as gcc and clang emit calls to it.

pub(crate) mod atomics;
pub(crate) mod entry;
pub(crate) mod plain;
pub(crate) mod shim;
mod trusted;
pub(crate) mod word;
