//! The columns of one search, numbered, and the steps between them.
//!
//! Columns are few, and so are the kinds of edges, so every step is computed once. All workers use the same numbers, which are given out under locks ([`Columns`]);
//! everything that a worker looks up again and again it keeps to itself ([`View`]).

use super::judged::Judged;
use super::steps::Steps;
use super::{Caught, Story};
use crate::flow::Flow;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};
use std::sync::{Mutex, MutexGuard};

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
    parts: Vec<Mutex<Part<C>>>,
    /// None if there is one worker.
    steps: Option<Steps>,
}

/// How many parts there are for several workers.
const PARTS: usize = 32;

/// In which part a column is, and at which place there. The number of parts is a power of two.
#[inline]
fn split(parts: usize, number: Number) -> (usize, usize) {
    (number as usize & (parts - 1), number as usize >> parts.trailing_zeros())
}

struct Part<C> {
    columns: Vec<C>,
    /// The places of all columns, by their hashes.
    places: HashTable<u32>,
}

impl<C: Clone + Eq + Hash> Columns<C> {
    /// No columns yet, for a flow and so many workers.
    pub(super) fn new(flow: &Flow, workers: usize) -> Self {
        let part = |_| Mutex::new(Part { columns: Vec::new(), places: HashTable::new() });
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

    fn part(&self, part: usize) -> MutexGuard<'_, Part<C>> {
        self.parts[part].lock().expect("no panic while locked")
    }

    /// The number of a column, which it gets if it has none.
    pub(super) fn number(&self, column: C) -> Number {
        let count = self.parts.len();
        let hash = FxBuildHasher.hash_one(&column);
        // The table inside uses the other bits.
        let part = (hash >> 32) as usize & (count - 1);
        let Part { columns, places } = &mut *self.part(part);
        let number = |place: u32| place * count as Number + part as Number;
        if let Some(&place) = places.find(hash, |&place| columns[place as usize] == column) {
            return number(place);
        }
        let place = columns.len() as u32;
        columns.push(column);
        places.insert_unique(hash, place, |&place| FxBuildHasher.hash_one(&columns[place as usize]));
        number(place)
    }
}

/// What one worker remembers.
pub(super) struct View<'c, S: Story> {
    story: &'c S,
    shared: &'c Columns<S::Column>,
    memory: S::Memory,
    /// The columns that it has heard of, in parts.
    columns: Vec<Vec<S::Column>>,
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
            columns: vec![Vec::new(); shared.parts.len()],
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

    /// Makes sure that a column, which some worker has numbered, is among those that this one has heard of.
    #[inline]
    fn hear_of(&mut self, number: Number) {
        let (part, place) = split(self.columns.len(), number);
        if place >= self.columns[part].len() {
            self.catch_up(part);
        }
    }

    #[cold]
    fn catch_up(&mut self, part: usize) {
        let known = &mut self.columns[part];
        let all = self.shared.part(part);
        known.extend_from_slice(&all.columns[known.len()..]);
    }

    /// A column that it has heard of.
    #[inline]
    fn column(columns: &[Vec<S::Column>], number: Number) -> &S::Column {
        let (part, place) = split(columns.len(), number);
        &columns[part][place]
    }

    /// Whether the first column can do everything that the second can.
    #[inline]
    pub(super) fn covers(&mut self, larger: Number, smaller: Number) -> bool {
        self.hear_of(larger);
        self.hear_of(smaller);
        self.story.covers(Self::column(&self.columns, larger), Self::column(&self.columns, smaller))
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
            view.hear_of(before);
            let column = Self::column(&view.columns, before);
            let detail = view.story.depends_on_label(&mut view.memory, column, kind);
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
        self.hear_of(before);
        let columns = self.story.after(&mut self.memory, Self::column(&self.columns, before), kind)?;
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
        self.hear_of(number);
        if self.story.violates(&mut self.memory, Self::column(&self.columns, number), site) {
            return Err(Caught);
        }
        self.harmless.insert(site, number);
        Ok(())
    }
}
