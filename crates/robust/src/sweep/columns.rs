//! The columns of one search, numbered, and the steps between them.
//!
//! Columns are few, and so are the kinds of edges, so every step is computed once. All workers use the same numbers, which are given out under a lock ([`Columns`]);
//! everything that a worker looks up again and again it keeps to itself ([`View`]).

use super::{Caught, Story};
use crate::flow::Flow;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard};

/// The number of a column.
pub(super) type Number = u32;
/// In place of a number: nothing can come of it.
pub(super) const LOST: Number = Number::MAX;
const UNKNOWN: Number = Number::MAX - 1;
/// In place of a number: look at the kind of the edge, its group does not suffice.
const DETAIL: Number = Number::MAX - 2;
/// Numbers from here on stand for lists of several columns.
const LISTS: Number = 1 << 30;
/// Steps of columns below this number are found without hashing.
const FIRST: usize = 256;

/// All columns that were met, and the steps between them.
pub(super) struct Columns<C> {
    numbered: Mutex<Numbered<C>>,
    /// Steps that some worker has computed, so that no other has to, in several tables so that workers seldom wait for each other. None if there is one worker.
    steps: Vec<Mutex<Steps>>,
}

/// By group or kind of edge and number of the column before it.
type Steps = FxHashMap<(u32, Number), Number>;

/// How many tables of steps there are.
const TABLES: usize = 64;

struct Numbered<C> {
    columns: Vec<C>,
    numbers: FxHashMap<C, Number>,
}

impl<C: Clone + Eq + std::hash::Hash> Columns<C> {
    pub(super) fn new(shared: bool) -> Self {
        Self {
            numbered: Mutex::new(Numbered { columns: Vec::new(), numbers: FxHashMap::default() }),
            steps: (0..if shared { TABLES } else { 0 }).map(|_| Mutex::default()).collect(),
        }
    }

    fn steps(&self, before: Number) -> MutexGuard<'_, Steps> {
        self.steps[before as usize % TABLES].lock().expect("no panic while locked")
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
    /// By group of edges and number of the column before it: the number of the column after it, or of a list.
    rows: Vec<Vec<Number>>,
    /// The same for columns with large numbers.
    others: FxHashMap<(u32, Number), Number>,
    /// By kind of edge, where its group does not suffice.
    details: FxHashMap<(u32, Number), Number>,
    lists: Vec<Box<[Number]>>,
    /// By site: the columns that have been judged there to be harmless.
    harmless: Vec<Vec<u64>>,
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
            columns: Vec::new(),
            starts: vec![UNKNOWN; kinds],
            rows: vec![Vec::new(); kinds],
            others: FxHashMap::default(),
            details: FxHashMap::default(),
            lists: Vec::new(),
            harmless: vec![Vec::new(); flow.sites()],
            learned: 0,
        }
    }

    /// About how many bytes were taken for what was learned since this was last asked: a step here and in the shared table, and often a column.
    pub(super) fn bytes_learned(&mut self) -> u64 {
        std::mem::take(&mut self.learned) * (48 + 2 * size_of::<S::Column>() as u64)
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
        let next = self.shared_step((group, before), |view| {
            view.column(before);
            let detail = view.story.depends_on_label(&mut view.memory, &view.columns[before as usize], kind);
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
        let next = self.shared_step((self.rows.len() as u32 + kind, before), |view| view.step(kind, before))?;
        self.details.insert((kind, before), next);
        Ok(next)
    }

    /// A step that another worker may have computed already.
    fn shared_step(
        &mut self,
        key: (u32, Number),
        compute: impl FnOnce(&mut Self) -> Result<Number, Caught>,
    ) -> Result<Number, Caught> {
        if self.shared.steps.is_empty() {
            return compute(self);
        }
        if let Some(&known) = self.shared.steps(key.1).get(&key) {
            return Ok(known);
        }
        let next = compute(self)?;
        // The numbers of lists are a worker's own.
        if !(LISTS..DETAIL).contains(&next) {
            self.shared.steps(key.1).insert(key, next);
        }
        Ok(next)
    }

    fn step(&mut self, kind: u32, before: Number) -> Result<Number, Caught> {
        self.learned += 1;
        self.column(before);
        let columns = self.story.after(&mut self.memory, &self.columns[before as usize], kind)?;
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
