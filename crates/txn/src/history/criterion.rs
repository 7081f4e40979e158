//! What a history can satisfy.

use steadfast_model::named;

named! {
    /// A promise of a database about its histories. The weakest come first.
    pub enum Criterion ["criterion", "criteria"] {
        /// Weak causal consistency.
        Cc = "cc",
        /// Causal convergence.
        Ccv = "ccv",
        /// Causal memory.
        Cm = "cm",
        /// Snapshot isolation.
        Si = "si",
        /// Serializability.
        Ser = "ser",
    }
}
