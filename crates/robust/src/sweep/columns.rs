//! The columns of one search, numbered, and the steps between them.
//!
//! Columns are few, and so are the kinds of edges, so every step is computed once. All workers use the same columns, with numbers that are given out under locks ([`Columns`]);
//! the steps that a worker looks up again and again it keeps to itself ([`View`]).

use super::judged::Judged;
use super::shelf::Shelf;
use super::steps::Steps;
use super::{Caught, Story};
use crate::flow::Flow;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};
use std::sync::Mutex;

/// The number of a column.
pub(super) type Number = u32;
/// In place of a number: nothing can come of it.
pub(super) const LOST: Number = Number::MAX;
/// In place of a number: nobody has asked yet.
pub(super) const UNKNOWN: Number = Number::MAX - 1;
/// In place of a number: look at the kind of the edge, its group does not suffice.
const DETAIL: Number = Number::MAX - 2;
/// Numbers from here on stand for lists of several columns.
const LISTS: Number = 1 << 30;
/// Steps of columns below this number are found without hashing.
const FIRST: usize = 256;

/// All columns that were met, in several parts so that workers seldom wait for each other; a column's number is `place * parts + part`.
pub(super) struct Columns<C> {
    parts: Vec<Part<C>>,
    /// None if there is one worker.
    steps: Option<Steps>,
}

/// How many parts there are for several workers.
const PARTS: usize = 32;

struct Part<C> {
    columns: Shelf<C>,
    /// The places of all columns, by their hashes.
    places: Mutex<HashTable<u32>>,
}

impl<C: Eq + Hash> Columns<C> {
    /// No columns yet, for a flow and so many workers.
    pub(super) fn new(flow: &Flow, workers: usize) -> Self {
        let part = |_| Part { columns: Shelf::new(), places: Mutex::new(HashTable::new()) };
        let shared = workers > 1;
        Self {
            parts: (0..if shared { PARTS } else { 1 }).map(part).collect(),
            // Groups and kinds have numbers of their own.
            steps: shared.then(|| Steps::new(flow.kinds.len() * 2, flow.len() / 2)),
        }
    }

    /// The bytes that are in use before any column is met.
    pub(super) fn bytes(&self) -> u64 {
        self.steps.as_ref().map_or(0, Steps::bytes) as u64
    }

    /// The column with a number. The number of parts is a power of two.
    #[inline]
    fn get(&self, number: Number) -> &C {
        let parts = self.parts.len();
        self.parts[number as usize & (parts - 1)].columns.get(number >> parts.trailing_zeros())
    }

    /// The number of a column, which it gets if it has none.
    pub(super) fn number(&self, column: C) -> Number {
        let count = self.parts.len();
        let hash = FxBuildHasher.hash_one(&column);
        // The table inside uses the other bits.
        let part = (hash >> 32) as usize & (count - 1);
        let Part { columns, places } = &self.parts[part];
        let mut places = places.lock().expect("no panic while locked");
        let number = |place: u32| place * count as Number + part as Number;
        if let Some(&place) = places.find(hash, |&place| *columns.get(place) == column) {
            return number(place);
        }
        let place = places.len() as u32;
        columns.put(place, column);
        places.insert_unique(hash, place, |&place| FxBuildHasher.hash_one(columns.get(place)));
        number(place)
    }
}

/// What one worker remembers.
pub(super) struct View<'c, S: Story> {
    story: &'c S,
    shared: &'c Columns<S::Column>,
    memory: S::Memory,
    /// By kind of edge: the column with which the search begins there.
    starts: Vec<Number>,
    /// By group of edges and number of the column before it: the number of the column after it, or of a list.
    rows: Vec<Vec<Number>>,
    /// The same for columns with large numbers.
    others: FxHashMap<(u32, Number), Number>,
    /// By kind of edge, where its group does not suffice.
    details: FxHashMap<(u32, Number), Number>,
    lists: Vec<Box<[Number]>>,
    harmless: Judged,
    /// How many steps were learned since somebody asked.
    learned: u64,
}

/// The columns after an edge.
pub(super) enum After {
    /// Just this one, or none if it is lost.
    One(Number),
    /// Those of a list.
    List(usize),
}

impl<'c, S: Story> View<'c, S> {
    pub(super) fn new(story: &'c S, shared: &'c Columns<S::Column>, flow: &Flow) -> Self {
        let kinds = flow.kinds.len();
        Self {
            story,
            shared,
            memory: story.memory(),
            starts: vec![UNKNOWN; kinds],
            rows: vec![Vec::new(); kinds],
            others: FxHashMap::default(),
            details: FxHashMap::default(),
            lists: Vec::new(),
            harmless: Judged::new(flow.len()),
            learned: 0,
        }
    }

    /// About how many bytes were taken for what was learned since this was last asked: a step, and often a column.
    pub(super) fn bytes_learned(&mut self) -> u64 {
        std::mem::take(&mut self.learned) * (48 + 2 * size_of::<S::Column>() as u64)
    }

    /// Whether the first column can do everything that the second can.
    #[inline]
    pub(super) fn covers(&self, larger: Number, smaller: Number) -> bool {
        self.story.covers(self.shared.get(larger), self.shared.get(smaller))
    }

    /// The column with which the search begins at an edge of this kind.
    #[inline]
    pub(super) fn start(&mut self, kind: u32) -> Number {
        let at = kind as usize;
        if self.starts[at] == UNKNOWN {
            self.starts[at] = self.story.start(kind).map_or(LOST, |column| self.shared.number(column));
        }
        self.starts[at]
    }

    /// The columns after an edge of this kind, which is in this group.
    #[inline]
    pub(super) fn after(&mut self, kind: u32, group: u32, before: Number) -> Result<After, Caught> {
        let known = match self.rows[group as usize].get(before as usize) {
            Some(&next) => next,
            None if before as usize >= FIRST => self.others.get(&(group, before)).copied().unwrap_or(UNKNOWN),
            None => UNKNOWN,
        };
        let mut next = if known == UNKNOWN { self.learn(kind, group, before)? } else { known };
        if next == DETAIL {
            next = match self.details.get(&(kind, before)) {
                Some(&next) => next,
                None => self.learn_detail(kind, before)?,
            };
        }
        Ok(if (LISTS..DETAIL).contains(&next) { After::List((next - LISTS) as usize) } else { After::One(next) })
    }

    pub(super) fn list(&self, list: usize) -> &[Number] {
        &self.lists[list]
    }

    #[cold]
    fn learn(&mut self, kind: u32, group: u32, before: Number) -> Result<Number, Caught> {
        let next = self.shared_step(group, before, |view| {
            let detail = view.story.depends_on_label(&mut view.memory, view.shared.get(before), kind);
            if detail { Ok(DETAIL) } else { view.step(kind, before) }
        })?;
        if before as usize >= FIRST {
            self.others.insert((group, before), next);
            return Ok(next);
        }
        let row = &mut self.rows[group as usize];
        if row.len() <= before as usize {
            row.resize(before as usize + 1, UNKNOWN);
        }
        row[before as usize] = next;
        Ok(next)
    }

    #[cold]
    fn learn_detail(&mut self, kind: u32, before: Number) -> Result<Number, Caught> {
        let next = self.shared_step(self.rows.len() as u32 + kind, before, |view| view.step(kind, before))?;
        self.details.insert((kind, before), next);
        Ok(next)
    }

    /// A step that another worker may have computed already.
    fn shared_step(
        &mut self,
        edge: u32,
        before: Number,
        compute: impl FnOnce(&mut Self) -> Result<Number, Caught>,
    ) -> Result<Number, Caught> {
        let Some(steps) = &self.shared.steps else { return compute(self) };
        if let Some(known) = steps.get(edge, before) {
            return Ok(known);
        }
        let next = compute(self)?;
        // The numbers of lists are a worker's own.
        if !(LISTS..DETAIL).contains(&next) {
            steps.put(edge, before, next);
        }
        Ok(next)
    }

    fn step(&mut self, kind: u32, before: Number) -> Result<Number, Caught> {
        self.learned += 1;
        let columns = self.story.after(&mut self.memory, self.shared.get(before), kind)?;
        let numbers: Vec<Number> = columns.into_iter().map(|column| self.shared.number(column)).collect();
        Ok(match numbers[..] {
            [] => LOST,
            [one] => one,
            _ => {
                self.lists.push(numbers.into());
                LISTS + self.lists.len() as Number - 1
            }
        })
    }

    /// Looks for a violation at a site, unless the column is known to be harmless there.
    #[inline]
    pub(super) fn judge(&mut self, site: u32, number: Number) -> Result<(), Caught> {
        if self.harmless.contains(site, number) { Ok(()) } else { self.judge_anew(site, number) }
    }

    #[cold]
    fn judge_anew(&mut self, site: u32, number: Number) -> Result<(), Caught> {
        if self.story.violates(&mut self.memory, self.shared.get(number), site) {
            return Err(Caught);
        }
        self.harmless.insert(site, number);
        Ok(())
    }
}
