//! Antichains: for every key, the largest bit vectors seen so far.

/// A node of a [`CoverSet`].
pub type NodeId = u32;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    key: u32,
    /// Whatever the owner wants to remember.
    tag: u32,
    /// The next node of the same key, or NONE.
    next: u32,
    covered: bool,
}

/// A set of (key, bits) pairs in which a pair is *covered* by one with the same key and more bits.
#[derive(Debug)]
pub struct CoverSet {
    /// How many words each vector has.
    width: usize,
    heads: Vec<u32>,
    touched: Vec<u32>,
    nodes: Vec<Node>,
    bits: Vec<u64>,
}

impl CoverSet {
    /// An empty set for keys below `keys` and vectors of `width` words.
    pub fn new(keys: usize, width: usize) -> Self {
        Self { width, heads: vec![NONE; keys], touched: Vec::new(), nodes: Vec::new(), bits: Vec::new() }
    }

    /// Empties the set in time proportional to what was in it.
    pub fn clear(&mut self) {
        for key in self.touched.drain(..) {
            self.heads[key as usize] = NONE;
        }
        self.nodes.clear();
        self.bits.clear();
    }

    /// How many nodes were ever added since the last clear.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.heads.capacity() * 4 + self.nodes.len() * (size_of::<Node>() + self.width * 8) + self.touched.len() * 4
    }

    /// The bits of a node.
    #[inline]
    pub fn bits(&self, node: NodeId) -> &[u64] {
        &self.bits[node as usize * self.width..][..self.width]
    }

    /// The key and tag of a node.
    #[inline]
    pub fn get(&self, node: NodeId) -> (u32, u32) {
        let node = &self.nodes[node as usize];
        (node.key, node.tag)
    }

    /// Whether a larger vector was added after this one, so that it need not be expanded.
    #[inline]
    pub fn is_covered(&self, node: NodeId) -> bool {
        self.nodes[node as usize].covered
    }

    /// Adds a vector unless it is covered; nodes that it covers are marked. Returns the new node.
    #[inline]
    pub fn insert(&mut self, key: u32, bits: &[u64], tag: u32) -> Option<NodeId> {
        let mut previous = NONE;
        let mut at = self.head(key);
        while at != NONE {
            let (mut below, mut above) = (true, true);
            for (mine, theirs) in bits.iter().zip(self.bits(at)) {
                below &= mine & !theirs == 0;
                above &= theirs & !mine == 0;
            }
            if below {
                return None;
            }
            let next = self.nodes[at as usize].next;
            if above {
                self.nodes[at as usize].covered = true;
                match previous {
                    NONE => self.heads[key as usize] = next,
                    before => self.nodes[before as usize].next = next,
                }
            } else {
                previous = at;
            }
            at = next;
        }
        Some(self.push(key, bits, tag))
    }

    /// Adds a vector unless the very same one is there: covering switched off.
    pub fn insert_exact(&mut self, key: u32, bits: &[u64], tag: u32) -> Option<NodeId> {
        let mut at = self.head(key);
        while at != NONE {
            if self.bits(at) == bits {
                return None;
            }
            at = self.nodes[at as usize].next;
        }
        Some(self.push(key, bits, tag))
    }

    #[inline]
    fn head(&mut self, key: u32) -> u32 {
        if key as usize >= self.heads.len() {
            self.heads.resize(key as usize + 1, NONE);
        }
        let head = self.heads[key as usize];
        if head == NONE {
            self.touched.push(key);
        }
        head
    }

    #[inline]
    fn push(&mut self, key: u32, bits: &[u64], tag: u32) -> NodeId {
        let id = u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes");
        self.nodes.push(Node { key, tag, next: self.heads[key as usize], covered: false });
        self.bits.extend_from_slice(bits);
        self.heads[key as usize] = id;
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_vectors_cover_smaller_ones() {
        let mut set = CoverSet::new(2, 1);
        let small = set.insert(0, &[0b01], 0).unwrap();
        assert!(set.insert(0, &[0b01], 0).is_none());
        assert!(set.insert(1, &[0b01], 0).is_some(), "another key is another world");
        let large = set.insert(0, &[0b11], 0).unwrap();
        assert!(set.is_covered(small) && !set.is_covered(large));
        assert!(set.insert(0, &[0b10], 0).is_none());
        assert!(set.insert(0, &[0b100], 0).is_some());
        set.clear();
        assert!(set.insert(0, &[0b10], 0).is_some());
        assert!(set.insert_exact(0, &[0b10], 0).is_none());
        assert!(set.insert_exact(0, &[0b11], 0).is_some());
    }
}
