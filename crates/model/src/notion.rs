//! The notions of robustness.

use crate::named::named;
use std::str::FromStr;

named! {
    /// What must agree with SC.
    pub enum Notion {
        /// Every execution graph.
        Graph = "graph",
        /// Only what the program can observe: reads whose value is never used may go wrong.
        Observational = "observational",
    }
}

impl FromStr for Notion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::named(text).ok_or_else(|| format!("unknown notion `{text}`"))
    }
}
