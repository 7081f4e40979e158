//! Binary relations over the events of one execution, as bit matrices.
//!
//! The operations are the ones that memory models are written with, and each is the obvious loop. A row holds the successors of
//! an event.

use crate::EventId;
use steadfast_span::Index;

/// A binary relation over the events `0..size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    size: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    /// The empty relation over `size` events.
    pub fn empty(size: usize) -> Self {
        let words = size.div_ceil(64);
        Self { size, words, bits: vec![0; size * words] }
    }

    /// Relates every event that satisfies `keep` to itself: `[S]` in the papers.
    pub fn identity_on(size: usize, keep: impl Fn(EventId) -> bool) -> Self {
        let mut result = Self::empty(size);
        (0..size).map(EventId::new).filter(|&e| keep(e)).for_each(|e| result.insert(e, e));
        result
    }

    /// How many events it is over.
    pub fn size(&self) -> usize {
        self.size
    }

    fn row(&self, event: usize) -> &[u64] {
        &self.bits[event * self.words..(event + 1) * self.words]
    }

    fn row_mut(&mut self, event: usize) -> &mut [u64] {
        &mut self.bits[event * self.words..(event + 1) * self.words]
    }

    /// Adds the pair.
    pub fn insert(&mut self, from: EventId, to: EventId) {
        debug_assert!(to.index() < self.size);
        self.row_mut(from.index())[to.index() / 64] |= 1 << (to.index() % 64);
    }

    /// Whether the pair is in it.
    pub fn contains(&self, from: EventId, to: EventId) -> bool {
        self.row(from.index())[to.index() / 64] >> (to.index() % 64) & 1 == 1
    }

    /// The events that `from` is related to, in order.
    pub fn successors(&self, from: EventId) -> impl Iterator<Item = EventId> + '_ {
        bits_of(self.row(from.index())).map(EventId::new)
    }

    /// All pairs, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (EventId, EventId)> + '_ {
        (0..self.size).map(EventId::new).flat_map(|from| self.successors(from).map(move |to| (from, to)))
    }

    /// Whether nothing is related.
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|&word| word == 0)
    }

    /// Whether every pair is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.bits.iter().zip(&other.bits).all(|(mine, theirs)| mine & !theirs == 0)
    }

    /// `self ∪ other`
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        debug_assert_eq!(self.size, other.size);
        let bits = self.bits.iter().zip(&other.bits).map(|(a, b)| a | b).collect();
        Self { bits, ..*self }
    }

    /// `self ; other`
    #[must_use]
    pub fn compose(&self, other: &Self) -> Self {
        debug_assert_eq!(self.size, other.size);
        let mut result = Self::empty(self.size);
        for from in 0..self.size {
            for middle in bits_of(self.row(from)) {
                let row = &mut result.bits[from * self.words..(from + 1) * self.words];
                row.iter_mut().zip(other.row(middle)).for_each(|(mine, theirs)| *mine |= theirs);
            }
        }
        result
    }

    /// `self?`: the reflexive closure.
    #[must_use]
    pub fn optional(&self) -> Self {
        self.union(&Self::identity_on(self.size, |_| true))
    }

    /// `self⁻¹`
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut result = Self::empty(self.size);
        self.pairs().for_each(|(from, to)| result.insert(to, from));
        result
    }

    /// `self⁺`: the transitive closure, by Warshall's algorithm.
    #[must_use]
    pub fn closure(&self) -> Self {
        let mut result = self.clone();
        let mut through = vec![0; self.words];
        for middle in 0..self.size {
            through.copy_from_slice(result.row(middle));
            for from in 0..self.size {
                let row = result.row_mut(from);
                if row[middle / 64] >> (middle % 64) & 1 == 1 {
                    row.iter_mut().zip(&through).for_each(|(mine, theirs)| *mine |= theirs);
                }
            }
        }
        result
    }

    /// The pairs that satisfy `keep`.
    #[must_use]
    pub fn filter(&self, keep: impl Fn(EventId, EventId) -> bool) -> Self {
        let mut result = Self::empty(self.size);
        self.pairs().filter(|&(from, to)| keep(from, to)).for_each(|(from, to)| result.insert(from, to));
        result
    }

    /// `[S] ; self ; [S]`
    #[must_use]
    pub fn restrict(&self, keep: impl Fn(EventId) -> bool) -> Self {
        self.filter(|from, to| keep(from) && keep(to))
    }

    /// Whether no event is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        (0..self.size).map(EventId::new).all(|e| !self.contains(e, e))
    }

    /// Whether no path leads from an event back to it.
    pub fn is_acyclic(&self) -> bool {
        self.closure().is_irreflexive()
    }

    /// A shortest path of at least one step from `from` to `to`, both included.
    pub fn shortest_path(&self, from: EventId, to: EventId) -> Option<Vec<EventId>> {
        let mut parent: Vec<Option<EventId>> = vec![None; self.size];
        let mut unseen = vec![u64::MAX; self.words];
        let mut frontier = vec![from];
        while !frontier.is_empty() {
            let mut next = Vec::new();
            for at in frontier {
                let fresh: Vec<u64> =
                    self.row(at.index()).iter().zip(&unseen).map(|(row, unseen)| row & unseen).collect();
                unseen.iter_mut().zip(&fresh).for_each(|(unseen, fresh)| *unseen &= !fresh);
                for successor in bits_of(&fresh) {
                    parent[successor] = Some(at);
                    next.push(EventId::new(successor));
                }
            }
            if parent[to.index()].is_some() {
                return Some(trace_back(&parent, from, to));
            }
            frontier = next;
        }
        None
    }

    /// A shortest cycle through `event`: its events in order, starting with `event`.
    pub fn shortest_cycle_through(&self, event: EventId) -> Option<Vec<EventId>> {
        let mut path = self.shortest_path(event, event)?;
        path.pop();
        Some(path)
    }

    /// A shortest cycle, the first one in the order of events if there are several.
    pub fn shortest_cycle(&self) -> Option<Vec<EventId>> {
        // An event is on a cycle iff the closure relates it to itself; only those need a search.
        let closure = self.closure();
        let on_cycle = (0..self.size).map(EventId::new).filter(|&e| closure.contains(e, e));
        on_cycle.filter_map(|e| self.shortest_cycle_through(e)).min_by_key(Vec::len)
    }
}

/// The path that a breadth-first search found. `from` may equal `to`, so the last step is taken before comparing.
fn trace_back(parent: &[Option<EventId>], from: EventId, to: EventId) -> Vec<EventId> {
    let mut path = vec![to];
    let mut at = to;
    while let Some(previous) = parent[at.index()] {
        path.push(previous);
        at = previous;
        if at == from {
            break;
        }
    }
    path.reverse();
    path
}

fn bits_of(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(at, &word)| {
        std::iter::successors((word != 0).then_some(word), |rest| {
            let rest = rest & (rest - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |rest| at * 64 + rest.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(size: usize, pairs: &[(usize, usize)]) -> Relation {
        let mut result = Relation::empty(size);
        for &(from, to) in pairs {
            result.insert(EventId::new(from), EventId::new(to));
        }
        result
    }

    #[test]
    fn algebra_over_more_than_one_word() {
        let chain: Vec<_> = (0..99).map(|i| (i, i + 1)).collect();
        let r = relation(100, &chain);
        assert!(r.closure().contains(EventId::new(0), EventId::new(99)));
        assert!(r.is_acyclic());
        assert!(r.compose(&r).contains(EventId::new(63), EventId::new(65)));
        assert_eq!(r.inverse().inverse(), r);
        assert!(!r.union(&relation(100, &[(99, 0)])).is_acyclic());
        assert_eq!(r.restrict(|e| e.index() < 3).pairs().count(), 2);
    }

    #[test]
    fn the_shortest_cycle_is_found() {
        let r = relation(6, &[(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 3), (5, 0)]);
        let ids = |v: Vec<EventId>| v.into_iter().map(Index::index).collect::<Vec<_>>();
        assert_eq!(ids(r.shortest_cycle().unwrap()), [3, 4]);
        assert_eq!(ids(r.shortest_cycle_through(EventId::new(1)).unwrap()), [1, 2, 3, 0]);
        assert_eq!(r.shortest_cycle_through(EventId::new(5)), None);
        assert_eq!(ids(relation(2, &[(1, 1)]).shortest_cycle().unwrap()), [1]);
    }
}
