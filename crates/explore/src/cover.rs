//! Antichains: for every key, the maximal bit vectors that were added.

/// A node of a [`CoverSet`].
pub type NodeId = u32;

const NONE: u32 = u32::MAX;

/// A set of (key, bits) pairs in which a pair is *covered* by one with the same key and more bits.
///
/// A node is one contiguous record (header and bits), so reading it costs one cache miss.
#[derive(Debug)]
pub struct CoverSet {
    /// How many words each vector has.
    width: usize,
    heads: Vec<u32>,
    touched: Vec<u32>,
    /// By node: its key and the next node of that key (NONE at the end); its tag and whether it is covered; the bits.
    records: Vec<u64>,
    len: usize,
}

const HEADER: usize = 2;
const COVERED: u64 = 1 << 32;

impl CoverSet {
    /// An empty set for keys below `keys` (it grows for larger keys) and vectors of `width` words.
    pub fn new(keys: usize, width: usize) -> Self {
        Self { width, heads: vec![NONE; keys], touched: Vec::new(), records: Vec::new(), len: 0 }
    }

    /// Empties the set, in time proportional to its size.
    pub fn clear(&mut self) {
        for key in self.touched.drain(..) {
            self.heads[key as usize] = NONE;
        }
        self.records.clear();
        self.len = 0;
    }

    /// How many nodes were added since the last clear.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.heads.capacity() * 4 + self.records.len() * 8 + self.touched.len() * 4
    }

    #[inline]
    fn record(&self, node: NodeId) -> &[u64] {
        let stride = HEADER + self.width;
        &self.records[node as usize * stride..][..stride]
    }

    /// The bits of a node.
    #[inline]
    pub fn bits(&self, node: NodeId) -> &[u64] {
        &self.record(node)[HEADER..]
    }

    /// The key and tag of a node.
    #[inline]
    pub fn get(&self, node: NodeId) -> (u32, u32) {
        let record = self.record(node);
        (record[0] as u32, record[1] as u32)
    }

    /// Whether a larger vector was added later, so that this node need not be expanded.
    #[inline]
    pub fn is_covered(&self, node: NodeId) -> bool {
        self.record(node)[1] & COVERED != 0
    }

    #[inline]
    fn next(&self, node: NodeId) -> u32 {
        (self.record(node)[0] >> 32) as u32
    }

    fn set_next(&mut self, node: NodeId, next: u32) {
        let stride = HEADER + self.width;
        let word = &mut self.records[node as usize * stride];
        *word = *word & 0xFFFF_FFFF | u64::from(next) << 32;
    }

    /// Adds a vector unless it is covered, and marks the nodes that it covers. Returns the new node.
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
            let next = self.next(at);
            if above {
                let stride = HEADER + self.width;
                self.records[at as usize * stride + 1] |= COVERED;
                match previous {
                    NONE => self.heads[key as usize] = next,
                    before => self.set_next(before, next),
                }
            } else {
                previous = at;
            }
            at = next;
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
        let id = u32::try_from(self.len).expect("fewer than 2^32 nodes");
        self.len += 1;
        self.records.push(u64::from(key) | u64::from(self.heads[key as usize]) << 32);
        self.records.push(u64::from(tag));
        self.records.extend_from_slice(bits);
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
        assert!(set.insert(1, &[0b01], 0).is_some(), "other keys are independent");
        let large = set.insert(0, &[0b11], 0).unwrap();
        assert!(set.is_covered(small) && !set.is_covered(large));
        assert!(set.insert(0, &[0b10], 0).is_none());
        assert!(set.insert(0, &[0b100], 0).is_some());
        set.clear();
        assert!(set.insert(0, &[0b10], 0).is_some());
    }
}
