//! The columns of one search, numbered, and the steps between them.
//!
//! Columns are few, and so are the kinds of edges, so nearly every step is computed once. All workers use the same columns and steps ([`Columns`]); numbers are given out under locks, and
//! everything else is read and written without. The steps of the first columns, which are looked up again and again, a worker also keeps to itself ([`View`]).

use super::judged::Judged;
use super::steps::{Steps, Table};
use super::{Caught, Story};
use crate::flow::Flow;
use crate::shelf::Shelf;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

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
const FIRST: usize = 512;

/// All columns that were met, in several parts so that workers seldom wait for each other; a column's number is `place * parts + part`. The later half of the parts is for those whose
/// steps depend on the kind of an edge, so that their numbers say so.
pub(super) struct Columns<C> {
    parts: Vec<Part<C>>,
    steps: Steps,
    /// Columns that come of one step together.
    lists: Shelf<Box<[Number]>>,
    list_count: AtomicU32,
    harmless: Judged,
}

/// So many steps and what belongs to them fit a cache.
const LARGE: usize = 1 << 13;
/// After how many new steps a worker says so, at most.
const TOLD: usize = 64;
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
        Self {
            parts: (0..if workers > 1 { PARTS } else { 2 }).map(part).collect(),
            // Groups and kinds have numbers of their own.
            steps: Steps::new(flow.kinds.len() * 2, flow.len() / 2),
            lists: Shelf::new(),
            list_count: AtomicU32::new(0),
            harmless: Judged::new(flow.len()),
        }
    }

    /// The bytes that are in use before any column is met.
    pub(super) fn bytes(&self) -> u64 {
        self.steps.newest().bytes() + self.harmless.bytes()
    }

    /// The column with a number. The number of parts is a power of two.
    #[inline]
    fn get(&self, number: Number) -> &C {
        let parts = self.parts.len();
        self.parts[number as usize & (parts - 1)].columns.get(number >> parts.trailing_zeros())
    }

    /// Whether the steps of the column with a number depend on the kind of an edge.
    #[inline]
    fn looks_at_kinds(&self, number: Number) -> bool {
        number as usize & (self.parts.len() / 2) != 0
    }

    /// The number of a column, which it gets if it has none, and whether it is new.
    fn number(&self, column: C, looks_at_kinds: bool) -> (Number, bool) {
        let count = self.parts.len();
        let hash = FxBuildHasher.hash_one(&column);
        // The table inside uses the other bits.
        let part = (hash >> 32) as usize & (count / 2 - 1) | if looks_at_kinds { count / 2 } else { 0 };
        let Part { columns, places } = &self.parts[part];
        let mut places = places.lock().expect("no panic while locked");
        let number = |place: u32| place * count as Number + part as Number;
        if let Some(&place) = places.find(hash, |&place| *columns.get(place) == column) {
            return (number(place), false);
        }
        let place = places.len() as u32;
        assert!(place < LISTS / count as Number, "there are more columns than numbers");
        columns.put(place, column);
        places.insert_unique(hash, place, |&place| FxBuildHasher.hash_one(columns.get(place)));
        (number(place), true)
    }
}

/// The number of a column of a story, and how many bytes were taken for it.
pub(super) fn number<S: Story>(story: &S, columns: &Columns<S::Column>, column: S::Column) -> (Number, u64) {
    let looks_at_kinds = story.looks_at_kinds(&column);
    let elsewhere = story.heap_bytes(&column);
    let (number, new) = columns.number(column, looks_at_kinds);
    // A shelf, and a table of places, may have room for twice as many.
    let here = 2 * (size_of::<OnceLock<S::Column>>() + size_of::<u64>());
    (number, if new { (here + elsewhere) as u64 } else { 0 })
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
    /// The same for columns with large numbers, and by kind of edge where its group does not suffice.
    steps: &'c Table,
    /// The bytes that were taken for columns, lists and tables since somebody asked.
    bytes: u64,
    /// How many bytes the memory had then.
    memory_bytes: usize,
    /// How many steps were put into tables, and of how many of them nobody was told.
    put: usize,
    untold: usize,
}

/// The columns after an edge.
pub(super) enum After {
    /// Just this one, or none if it is lost.
    One(Number),
    /// Those of a list.
    List(Number),
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
            steps: shared.steps.newest(),
            bytes: 0,
            memory_bytes: 0,
            put: 0,
            untold: 0,
        }
    }

    /// About how many bytes were taken for what was learned since this was last asked.
    pub(super) fn bytes_learned(&mut self) -> u64 {
        let before = std::mem::replace(&mut self.memory_bytes, self.story.memory_bytes(&self.memory));
        std::mem::take(&mut self.bytes) + self.memory_bytes.saturating_sub(before) as u64
    }

    /// The number of a column.
    fn number(&mut self, column: S::Column) -> Number {
        let (number, bytes) = number(self.story, self.shared, column);
        self.bytes += bytes;
        number
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
            self.starts[at] = self.story.start(kind).map_or(LOST, |column| self.number(column));
        }
        self.starts[at]
    }

    /// The columns after an edge of this kind, which is in this group.
    #[inline]
    pub(super) fn after(&mut self, kind: u32, group: u32, before: Number) -> Result<After, Caught> {
        let mut next = if self.shared.looks_at_kinds(before) {
            DETAIL
        } else {
            let known = if (before as usize) < FIRST {
                self.rows[group as usize].get(before as usize).copied().filter(|&next| next != UNKNOWN)
            } else {
                self.steps.get(group, before)
            };
            match known {
                Some(next) => next,
                None => self.learn(kind, group, before)?,
            }
        };
        if next == DETAIL {
            let edge = self.detail(kind);
            next = match self.steps.get(edge, before) {
                Some(next) => next,
                None => self.learn_step(edge, before, |view| view.step(kind, before))?,
            };
        }
        Ok(if (LISTS..DETAIL).contains(&next) { After::List(next - LISTS) } else { After::One(next) })
    }

    /// The number under which steps of one kind of edge are remembered.
    #[inline]
    fn detail(&self, kind: u32) -> u32 {
        self.rows.len() as u32 + kind
    }

    /// Whether so much is known that no cache has room for it.
    pub(super) fn is_large(&self) -> bool {
        self.put > LARGE
    }

    /// Says that a step will soon be asked for.
    #[inline]
    pub(super) fn expect_step(&self, kind: u32, group: u32, before: Number) {
        if self.shared.looks_at_kinds(before) {
            self.steps.expect(self.detail(kind), before);
        } else if before as usize >= FIRST {
            self.steps.expect(group, before);
        }
    }

    /// Says that a judgement will soon be asked for.
    #[inline]
    pub(super) fn expect_judgement(&self, site: u32, number: Number) {
        self.shared.harmless.expect(site, number);
    }

    pub(super) fn list(&self, list: Number) -> &'c [Number] {
        self.shared.lists.get(list)
    }

    #[cold]
    fn learn(&mut self, kind: u32, group: u32, before: Number) -> Result<Number, Caught> {
        let next = self.learn_step(group, before, |view| {
            let detail = view.story.depends_on_label(&mut view.memory, view.shared.get(before), kind);
            if detail { Ok(DETAIL) } else { view.step(kind, before) }
        })?;
        if (before as usize) < FIRST {
            let row = &mut self.rows[group as usize];
            if row.len() <= before as usize {
                let room = row.capacity();
                row.resize(before as usize + 1, UNKNOWN);
                self.bytes += ((row.capacity() - room) * size_of::<Number>()) as u64;
            }
            row[before as usize] = next;
        }
        Ok(next)
    }

    /// A step that is not in the table; another worker may have noted it down in a newer one.
    #[cold]
    fn learn_step(
        &mut self,
        edge: u32,
        before: Number,
        compute: impl FnOnce(&mut Self) -> Result<Number, Caught>,
    ) -> Result<Number, Caught> {
        let steps = &self.shared.steps;
        self.steps = steps.newest();
        let known = self.steps.get(edge, before).or_else(|| steps.get_from_older(self.steps, edge, before));
        if let Some(known) = known {
            return Ok(known);
        }
        let next = compute(self)?;
        if self.steps.put(edge, before, next) {
            self.put += 1;
            self.untold += 1;
            if self.untold >= TOLD.min(self.steps.len() / 16).max(1) {
                self.bytes += steps.note(self.steps, std::mem::take(&mut self.untold));
            }
        }
        Ok(next)
    }

    fn step(&mut self, kind: u32, before: Number) -> Result<Number, Caught> {
        let columns = self.story.after(&mut self.memory, self.shared.get(before), kind)?;
        let numbers: Vec<Number> = columns.into_iter().map(|column| self.number(column)).collect();
        Ok(match numbers[..] {
            [] => LOST,
            [one] => one,
            _ => {
                let list = self.shared.list_count.fetch_add(1, Relaxed);
                self.bytes += (size_of_val(&numbers[..]) + 2 * size_of::<OnceLock<Box<[Number]>>>()) as u64;
                self.shared.lists.put(list, numbers.into());
                LISTS + list
            }
        })
    }

    /// Looks for a violation at a site, unless the column is known to be harmless there.
    #[inline]
    pub(super) fn judge(&mut self, site: u32, number: Number) -> Result<(), Caught> {
        if self.shared.harmless.contains(site, number) { Ok(()) } else { self.judge_anew(site, number) }
    }

    #[cold]
    fn judge_anew(&mut self, site: u32, number: Number) -> Result<(), Caught> {
        if self.story.violates(&mut self.memory, self.shared.get(number), site) {
            return Err(Caught);
        }
        self.shared.harmless.insert(site, number);
        Ok(())
    }
}
