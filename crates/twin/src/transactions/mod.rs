//! Transactions: what `txn` says about programs and histories, against the papers' machines and the definitions.

mod agree;
mod histories;
mod sample;

pub use agree::{TransactionTally, compare, compare_serializable};
pub use histories::{HistoryShape, compare_histories};
pub use sample::TransactionSample;
