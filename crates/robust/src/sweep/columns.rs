//! The columns of one search, numbered, and the steps between them.
//!
//! Columns are few, and so are the kinds of edges, so every step is computed once. All workers use the same numbers, which are given out under a lock ([`Columns`]);
//! everything that a worker looks up again and again it keeps to itself ([`View`]).

use super::{Caught, Story};
use rustc_hash::FxHashMap;
use std::sync::Mutex;

/// The number of a column.
pub(super) type Number = u32;
/// In place of a number: nothing can come of it.
pub(super) const LOST: Number = Number::MAX;
const UNKNOWN: Number = Number::MAX - 1;
/// Numbers from here on stand for lists of several columns.
const LISTS: Number = 1 << 30;
/// Steps of columns below this number are found without hashing.
const FIRST: usize = 256;

/// All columns that were met.
pub(super) struct Columns<C> {
    numbered: Mutex<Numbered<C>>,
}

struct Numbered<C> {
    columns: Vec<C>,
    numbers: FxHashMap<C, Number>,
}

impl<C: Clone + Eq + std::hash::Hash> Columns<C> {
    pub(super) fn new() -> Self {
        Self { numbered: Mutex::new(Numbered { columns: Vec::new(), numbers: FxHashMap::default() }) }
    }

    pub(super) fn number(&self, column: C) -> Number {
        let mut numbered = self.numbered.lock().expect("no panic while locked");
        let Numbered { columns, numbers } = &mut *numbered;
        if let Some(&number) = numbers.get(&column) {
            return number;
        }
        columns.push(column.clone());
        let number = columns.len() as Number - 1;
        numbers.insert(column, number);
        number
    }
}

/// What one worker remembers.
pub(super) struct View<'c, S: Story> {
    story: &'c S,
    shared: &'c Columns<S::Column>,
    memory: S::Memory,
    columns: Vec<S::Column>,
    /// By kind of edge: the column with which the search begins there.
    starts: Vec<Number>,
    /// By kind of edge and number of the column before it: the number of the column after it, or of a list.
    rows: Vec<Vec<Number>>,
    /// The same for columns with large numbers.
    others: FxHashMap<(u32, Number), Number>,
    lists: Vec<Box<[Number]>>,
    /// By site: the columns that have been judged there to be harmless.
    harmless: Vec<Vec<u64>>,
}

/// The columns after an edge.
pub(super) enum After {
    /// Just this one, or none if it is lost.
    One(Number),
    /// Those of a list.
    List(usize),
}

impl<'c, S: Story> View<'c, S> {
    pub(super) fn new(story: &'c S, shared: &'c Columns<S::Column>, kinds: usize, sites: usize) -> Self {
        Self {
            story,
            shared,
            memory: story.memory(),
            columns: Vec::new(),
            starts: vec![UNKNOWN; kinds],
            rows: vec![Vec::new(); kinds],
            others: FxHashMap::default(),
            lists: Vec::new(),
            harmless: vec![Vec::new(); sites],
        }
    }

    /// A column that some worker has numbered.
    #[inline]
    fn column(&mut self, number: Number) -> &S::Column {
        if number as usize >= self.columns.len() {
            self.catch_up();
        }
        &self.columns[number as usize]
    }

    #[cold]
    fn catch_up(&mut self) {
        let numbered = self.shared.numbered.lock().expect("no panic while locked");
        self.columns.extend_from_slice(&numbered.columns[self.columns.len()..]);
    }

    /// Whether the first column can do everything that the second can.
    #[inline]
    pub(super) fn covers(&mut self, larger: Number, smaller: Number) -> bool {
        self.column(larger.max(smaller));
        self.story.covers(&self.columns[larger as usize], &self.columns[smaller as usize])
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

    /// The columns after an edge of this kind.
    #[inline]
    pub(super) fn after(&mut self, kind: u32, before: Number) -> Result<After, Caught> {
        let known = match self.rows[kind as usize].get(before as usize) {
            Some(&next) => next,
            None if before as usize >= FIRST => self.others.get(&(kind, before)).copied().unwrap_or(UNKNOWN),
            None => UNKNOWN,
        };
        let next = if known == UNKNOWN { self.learn(kind, before)? } else { known };
        Ok(if (LISTS..UNKNOWN).contains(&next) { After::List((next - LISTS) as usize) } else { After::One(next) })
    }

    pub(super) fn list(&self, list: usize) -> &[Number] {
        &self.lists[list]
    }

    #[cold]
    fn learn(&mut self, kind: u32, before: Number) -> Result<Number, Caught> {
        self.column(before);
        let columns = self.story.after(&mut self.memory, &self.columns[before as usize], kind)?;
        let numbers: Vec<Number> = columns.into_iter().map(|column| self.shared.number(column)).collect();
        let next = match numbers[..] {
            [] => LOST,
            [one] => one,
            _ => {
                self.lists.push(numbers.into());
                LISTS + self.lists.len() as Number - 1
            }
        };
        if before as usize >= FIRST {
            self.others.insert((kind, before), next);
            return Ok(next);
        }
        let row = &mut self.rows[kind as usize];
        if row.len() <= before as usize {
            row.resize(before as usize + 1, UNKNOWN);
        }
        row[before as usize] = next;
        Ok(next)
    }

    /// Looks for a violation at a site, unless the column is known to be harmless there.
    #[inline]
    pub(super) fn judge(&mut self, site: u32, number: Number) -> Result<(), Caught> {
        let known = self.harmless[site as usize].get(number as usize / 64);
        if known.is_some_and(|word| word >> (number % 64) & 1 == 1) { Ok(()) } else { self.judge_anew(site, number) }
    }

    #[cold]
    fn judge_anew(&mut self, site: u32, number: Number) -> Result<(), Caught> {
        self.column(number);
        if self.story.violates(&mut self.memory, &self.columns[number as usize], site) {
            return Err(Caught);
        }
        let known = &mut self.harmless[site as usize];
        let word = number as usize / 64;
        if known.len() <= word {
            known.resize(word + 1, 0);
        }
        known[word] |= 1 << (number % 64);
        Ok(())
    }
}
