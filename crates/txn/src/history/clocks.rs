//! Reads resolved to the transactions that wrote the values, and vector clocks of the causal order.

use super::check::Violation;
use super::{History, Id};
use rustc_hash::FxHashMap;

/// An external read: who reads which key from whom; nobody is the initial value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) reader: usize,
    pub(super) key: u32,
    pub(super) source: Option<usize>,
}

/// For keys and values, who wrote them, and whether that is the last write of the key in its transaction.
type Written = FxHashMap<(u32, i64), (usize, bool)>;

/// A history with its transactions in one list, and the causal past of each.
pub(super) struct Resolved {
    pub(super) ids: Vec<Id>,
    /// Where the transactions of each session begin in the list.
    first: Vec<usize>,
    pub(super) reads: Vec<Read>,
    /// Per key: the sessions that write it, each with the places of the transactions that do.
    pub(super) writers: Vec<Vec<(u32, Vec<u32>)>>,
    /// Per transaction and session, how many transactions of the session are in its causal past.
    clocks: Vec<u32>,
}

impl Resolved {
    pub(super) fn new(history: &History) -> Result<Self, Violation> {
        let mut resolved = Self::listed(history);
        let written = resolved.written(history)?;
        resolved.resolve(history, &written)?;
        resolved.run_clocks()?;
        Ok(resolved)
    }

    fn listed(history: &History) -> Self {
        let (mut ids, mut first) = (Vec::new(), Vec::new());
        for (session, content) in history.sessions.iter().enumerate() {
            first.push(ids.len());
            ids.extend(
                (0..content.transactions.len()).map(|place| Id { session: session as u32, place: place as u32 }),
            );
        }
        Self { ids, first, reads: Vec::new(), writers: vec![Vec::new(); history.keys.len()], clocks: Vec::new() }
    }

    pub(super) fn number(&self, session: u32, place: u32) -> usize {
        self.first[session as usize] + place as usize
    }

    /// How many transactions of the session are in the causal past.
    pub(super) fn past(&self, transaction: usize, session: u32) -> u32 {
        self.clocks[transaction * self.first.len() + session as usize]
    }

    /// Whether the first is in the causal past of the second.
    pub(super) fn before(&self, one: usize, other: usize) -> bool {
        let id = self.ids[one];
        one != other && self.past(other, id.session) > id.place
    }

    /// Who wrote which value last in its transaction; the others are nobody's to read.
    fn written(&mut self, history: &History) -> Result<Written, Violation> {
        let mut written = FxHashMap::default();
        for (number, &id) in self.ids.iter().enumerate() {
            let operations = &history.sessions[id.session as usize].transactions[id.place as usize].operations;
            let mut last: FxHashMap<u32, i64> = FxHashMap::default();
            last.extend(operations.iter().filter(|one| one.write).map(|one| (one.key, one.value)));
            let mut keys: Vec<u32> = last.keys().copied().collect();
            keys.sort_unstable();
            for key in keys {
                let writers = &mut self.writers[key as usize];
                match writers.last_mut().filter(|(session, _)| *session == id.session) {
                    Some((_, places)) => places.push(id.place),
                    None => writers.push((id.session, vec![id.place])),
                }
            }
            for one in operations.iter().filter(|one| one.write) {
                let is_last = last.get(&one.key) == Some(&one.value);
                if let Some((other, _)) = written.insert((one.key, one.value), (number, is_last)) {
                    return Err(Violation::WrittenTwice {
                        key: one.key,
                        value: one.value,
                        writers: [self.ids[other], id],
                    });
                }
            }
        }
        Ok(written)
    }

    fn resolve(&mut self, history: &History, written: &Written) -> Result<(), Violation> {
        for (reader, &id) in self.ids.iter().enumerate() {
            let operations = &history.sessions[id.session as usize].transactions[id.place as usize].operations;
            let mut own: FxHashMap<u32, i64> = FxHashMap::default();
            for one in operations {
                if one.write {
                    own.insert(one.key, one.value);
                    continue;
                }
                let wrong = Violation::WrongValue { reader: id, key: one.key, value: one.value };
                if let Some(&value) = own.get(&one.key) {
                    if value != one.value {
                        return Err(wrong);
                    }
                    continue;
                }
                let source = match written.get(&(one.key, one.value)) {
                    Some(&(writer, true)) if writer != reader => Some(writer),
                    None if one.value == 0 => None,
                    _ => return Err(wrong),
                };
                self.reads.push(Read { reader, key: one.key, source });
            }
        }
        Ok(())
    }

    /// Computes the clocks in an order that respects sessions and reads; there is none if the causal order has a cycle.
    fn run_clocks(&mut self) -> Result<(), Violation> {
        let (count, width) = (self.ids.len(), self.first.len());
        let mut edges: Vec<(usize, usize)> =
            self.reads.iter().filter_map(|read| Some((read.source?, read.reader))).collect();
        edges.extend((1..count).filter(|&at| self.ids[at].place > 0).map(|at| (at - 1, at)));
        let Some(order) = topological(count, &edges) else { return Err(Violation::CausalCycle) };
        let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (from, to) in edges {
            incoming[to].push(from);
        }
        self.clocks = vec![0; count * width];
        for to in order {
            for &from in &incoming[to] {
                for session in 0..width {
                    let seen = self.clocks[from * width + session];
                    let mine = &mut self.clocks[to * width + session];
                    *mine = seen.max(*mine);
                }
                let id = self.ids[from];
                let mine = &mut self.clocks[to * width + id.session as usize];
                *mine = (id.place + 1).max(*mine);
            }
        }
        Ok(())
    }
}

/// An order of the numbers below `count` that all edges agree with.
pub(super) fn topological(count: usize, edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut degree = vec![0_u32; count];
    let mut outgoing: Vec<Vec<u32>> = vec![Vec::new(); count];
    for &(from, to) in edges {
        degree[to] += 1;
        outgoing[from].push(to as u32);
    }
    let mut order: Vec<usize> = (0..count).filter(|&at| degree[at] == 0).collect();
    let mut next = 0;
    while let Some(&from) = order.get(next) {
        next += 1;
        for &to in &outgoing[from] {
            degree[to as usize] -= 1;
            if degree[to as usize] == 0 {
                order.push(to as usize);
            }
        }
    }
    (order.len() == count).then_some(order)
}
