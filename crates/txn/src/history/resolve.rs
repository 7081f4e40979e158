//! Reads resolved to the transactions that wrote the values.

use super::violation::{Reason, Violation};
use super::{History, Id, Operation, Transaction, TransactionStatus};
use rustc_hash::{FxHashMap, FxHashSet};

/// An external read: who reads which key from whom; nobody is the initial value.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) reader: usize,
    pub(super) key: u32,
    pub(super) source: Option<usize>,
    /// For a list: everybody who appended to what was read, in order; the last one is the source.
    pub(super) list: Option<Vec<usize>>,
}

/// A history with those transactions that count, in one list; those of a session are neighbours.
pub(super) struct Resolved {
    pub(super) ids: Vec<Id>,
    /// The session of each, and its place among those that count.
    pub(super) places: Vec<(u32, u32)>,
    /// Where the transactions of each session begin in the list.
    pub(super) first: Vec<usize>,
    /// In the order of their readers.
    pub(super) reads: Vec<Read>,
    /// Per key: the sessions that write it, each with the places of the transactions that do.
    pub(super) writers: Vec<Vec<(u32, Vec<u32>)>>,
    /// Per transaction, the keys that it writes.
    pub(super) writes: Vec<Vec<u32>>,
}

/// Who wrote a value, and the values that the transaction wrote to the key.
struct Written<'a> {
    by: FxHashMap<(u32, i64), Id>,
    history: &'a History,
}

impl Written<'_> {
    fn new(history: &History) -> Result<Written<'_>, Violation> {
        let mut by = FxHashMap::default();
        for (id, one) in all(history) {
            for operation in &one.operations {
                let &Operation::Write { key, value } = operation else { continue };
                if let Some(other) = by.insert((key, value), id) {
                    return Err(Violation::WrittenTwice { key, value, writers: [other, id] });
                }
            }
        }
        Ok(Written { by, history })
    }

    /// All that a transaction wrote to a key, in order.
    fn values(&self, id: Id, key: u32) -> Vec<i64> {
        let written = |operation: &Operation| match operation {
            Operation::Write { key: written, value } if *written == key => Some(*value),
            _ => None,
        };
        self.history.transaction(id).operations.iter().filter_map(written).collect()
    }

    /// Who wrote a value that can be read outside; an error if it is nobody's to read.
    fn source(&self, reader: Id, key: u32, value: Option<i64>) -> Result<Option<Id>, Violation> {
        let wrong = Violation::WrongValue { reader, key, value };
        let Some(known) = value else { return Ok(None) };
        match self.by.get(&(key, known)) {
            None if known == 0 => Ok(None),
            Some(&id) if id != reader && self.is_seen(id) && self.values(id, key).last() == Some(&known) => {
                Ok(Some(id))
            }
            _ => Err(wrong),
        }
    }

    /// Whoever wrote something that can be seen.
    fn is_seen(&self, id: Id) -> bool {
        self.history.transaction(id).status != TransactionStatus::Aborted
    }

    /// The writers of a list, each of which must have appended all that it appends, at once.
    fn blocks(&self, reader: Id, key: u32, values: &[i64]) -> Result<Vec<Id>, Violation> {
        let (mut blocks, mut known) = (Vec::new(), FxHashSet::default());
        let mut rest = values;
        while let Some(&value) = rest.first() {
            let wrong = Violation::WrongValue { reader, key, value: Some(value) };
            let Some(&id) = self.by.get(&(key, value)) else { return Err(wrong) };
            let whole = self.values(id, key);
            if id == reader || !self.is_seen(id) || !rest.starts_with(&whole) || !known.insert(id) {
                return Err(wrong);
            }
            rest = &rest[whole.len()..];
            blocks.push(id);
        }
        Ok(blocks)
    }
}

fn all(history: &History) -> impl Iterator<Item = (Id, &Transaction)> {
    history.sessions.iter().enumerate().flat_map(|(session, content)| {
        let place = move |place| Id { session: session as u32, place: place as u32 };
        content.transactions.iter().enumerate().map(move |(at, one)| (place(at), one))
    })
}

/// A read from outside, before transactions have numbers.
type External = (Id, u32, Option<Id>, Option<Vec<Id>>);

impl Resolved {
    pub(super) fn new(history: &History) -> Result<Self, Violation> {
        let written = Written::new(history)?;
        let mut external: Vec<External> = Vec::new();
        for (id, one) in all(history) {
            if one.status == TransactionStatus::Committed {
                reads_of(id, one, &written, &mut external)?;
            }
        }
        let mut resolved = Self::listed(history, &external);
        let numbers: FxHashMap<Id, usize> = resolved.ids.iter().enumerate().map(|(number, &id)| (id, number)).collect();
        resolved.reads = external
            .into_iter()
            .map(|(reader, key, source, list)| Read {
                reader: numbers[&reader],
                key,
                source: source.map(|source| numbers[&source]),
                list: list.map(|list| list.iter().map(|id| numbers[id]).collect()),
            })
            .collect();
        Ok(resolved)
    }

    /// Lists what counts: what has committed, as far as anybody knows.
    fn listed(history: &History, external: &[External]) -> Self {
        let mut seen: FxHashSet<Id> = external.iter().filter_map(|external| external.2).collect();
        seen.extend(external.iter().filter_map(|external| external.3.as_ref()).flatten());
        let mut listed = Self {
            ids: Vec::new(),
            places: Vec::new(),
            first: vec![0; history.sessions.len()],
            reads: Vec::new(),
            writers: vec![Vec::new(); history.keys.len()],
            writes: Vec::new(),
        };
        let mut now = None;
        for (id, one) in all(history) {
            if now != Some(id.session) {
                now = Some(id.session);
                listed.first[id.session as usize] = listed.ids.len();
            }
            if one.status == TransactionStatus::Committed
                || (one.status == TransactionStatus::Unknown && seen.contains(&id))
            {
                let place = (listed.ids.len() - listed.first[id.session as usize]) as u32;
                listed.ids.push(id);
                listed.places.push((id.session, place));
                listed.note_writes(id.session, place, one);
            }
        }
        listed
    }

    fn note_writes(&mut self, session: u32, place: u32, one: &Transaction) {
        let key = |operation: &Operation| match operation {
            Operation::Write { key, .. } => Some(*key),
            _ => None,
        };
        let mut keys: Vec<u32> = one.operations.iter().filter_map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        for &key in &keys {
            let writers = &mut self.writers[key as usize];
            match writers.last_mut().filter(|(other, _)| *other == session) {
                Some((_, places)) => places.push(place),
                None => writers.push((session, vec![place])),
            }
        }
        self.writes.push(keys);
    }

    pub(super) fn number(&self, session: u32, place: u32) -> usize {
        self.first[session as usize] + place as usize
    }

    /// Of each session, the last transaction that writes the key and is among the first so many of the session; `count` says how many.
    pub(super) fn last_writers(&self, key: u32, count: impl Fn(u32) -> u32) -> impl Iterator<Item = usize> {
        self.writers[key as usize].iter().filter_map(move |(session, places)| {
            let known = count(*session);
            let last = places.partition_point(|&place| place < known).checked_sub(1)?;
            Some(self.number(*session, places[last]))
        })
    }

    /// Session order is not listed: it is there anyway.
    pub(super) fn reads_from(&self) -> impl Iterator<Item = (usize, usize, Reason)> {
        self.reads.iter().flat_map(|read| {
            let all = read.list.iter().flatten().copied().chain(read.source.filter(|_| read.list.is_none()));
            all.map(|source| (source, read.reader, Reason::Reads(read.key)))
        })
    }
}

/// What a transaction reads from others. Its own writes it has to see itself.
fn reads_of(id: Id, one: &Transaction, written: &Written<'_>, external: &mut Vec<External>) -> Result<(), Violation> {
    let mut own: FxHashMap<u32, Vec<i64>> = FxHashMap::default();
    for operation in &one.operations {
        match operation {
            Operation::Write { key, value } => own.entry(*key).or_default().push(*value),
            Operation::Read { key, value } => match own.get(key).and_then(|values| values.last()) {
                None => external.push((id, *key, written.source(id, *key, *value)?, None)),
                Some(last) if Some(*last) == *value => {}
                Some(_) => return Err(Violation::WrongValue { reader: id, key: *key, value: *value }),
            },
            Operation::List { key, values } => {
                let mine = own.get(key).map_or(&[][..], |mine| mine);
                let Some(others) = values.strip_suffix(mine) else {
                    return Err(Violation::WrongValue { reader: id, key: *key, value: values.last().copied() });
                };
                let blocks = written.blocks(id, *key, others)?;
                external.push((id, *key, blocks.last().copied(), Some(blocks)));
            }
        }
    }
    Ok(())
}
