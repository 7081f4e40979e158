//! The notions of robustness.

use crate::named;

named! {
    /// What must agree with SC.
    pub enum Notion ["notion", "notions"] {
        /// Every execution graph.
        Graph = "graph",
        /// Only what the program can observe: reads whose value is never used may go wrong.
        Observational = "observational",
    }
}
