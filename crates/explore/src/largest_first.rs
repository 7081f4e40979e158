//! A queue that hands out the node with the most bits first.
//!
//! Expanding large vectors first means that most small ones are covered before their turn comes.

use crate::NodeId;

/// Buckets by the number of bits.
#[derive(Debug, Default)]
pub struct LargestFirst {
    buckets: Vec<Vec<NodeId>>,
    top: usize,
}

impl LargestFirst {
    /// Adds a node with this many bits.
    pub fn push(&mut self, node: NodeId, bits: u32) {
        let bucket = bits as usize;
        if bucket >= self.buckets.len() {
            self.buckets.resize_with(bucket + 1, Vec::new);
        }
        self.buckets[bucket].push(node);
        self.top = self.top.max(bucket);
    }

    /// Takes the node with the most bits; among equals the youngest.
    pub fn pop(&mut self) -> Option<NodeId> {
        loop {
            match self.buckets.get_mut(self.top)?.pop() {
                Some(node) => return Some(node),
                None if self.top == 0 => return None,
                None => self.top -= 1,
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.iter_mut().for_each(Vec::clear);
        self.top = 0;
    }
}
