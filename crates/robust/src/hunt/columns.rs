//! The columns of one hunt, numbered, and the steps between them.
//!
//! Columns are few, and so are the kinds of edges, so every step is computed once. All workers use the same numbers, which are given out under a lock ([`Columns`]);
//! everything that a worker looks up again and again it keeps to itself ([`View`]).

use rustc_hash::FxHashMap;
use std::sync::Mutex;

/// The number of a column.
pub(super) type Number = u32;
/// In place of a number: nothing can come of it.
pub(super) const LOST: Number = Number::MAX;
const UNKNOWN: Number = Number::MAX - 1;

/// All columns that were met.
pub(super) struct Columns<const P: usize> {
    numbered: Mutex<Numbered<P>>,
}

#[derive(Default)]
struct Numbered<const P: usize> {
    columns: Vec<[u64; P]>,
    numbers: FxHashMap<[u64; P], Number>,
}

impl<const P: usize> Columns<P> {
    pub(super) fn new() -> Self {
        Self { numbered: Mutex::default() }
    }

    fn number(&self, bits: [u64; P]) -> Number {
        let mut numbered = self.numbered.lock().expect("no panic while locked");
        let Numbered { columns, numbers } = &mut *numbered;
        *numbers.entry(bits).or_insert_with(|| {
            columns.push(bits);
            columns.len() as Number - 1
        })
    }
}

/// What one worker remembers.
pub(super) struct View<'c, const P: usize> {
    shared: &'c Columns<P>,
    columns: Vec<[u64; P]>,
    /// By kind of edge: the column with which the hunt begins there.
    starts: Vec<Number>,
    /// By kind of edge and number of the column before it: the number of the column after it.
    rows: Vec<Vec<Number>>,
    /// By site: the columns that have been judged there to be harmless.
    harmless: Vec<Vec<u64>>,
}

impl<'c, const P: usize> View<'c, P> {
    pub(super) fn new(shared: &'c Columns<P>, kinds: usize, sites: usize) -> Self {
        Self {
            shared,
            columns: Vec::new(),
            starts: vec![UNKNOWN; kinds],
            rows: vec![Vec::new(); kinds],
            harmless: vec![Vec::new(); sites],
        }
    }

    /// The bits of a column that some worker has numbered.
    #[inline]
    pub(super) fn column(&mut self, number: Number) -> &[u64; P] {
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

    /// Whether the first column has all the bits of the second.
    #[inline]
    pub(super) fn covers(&mut self, larger: Number, smaller: Number) -> bool {
        let larger = *self.column(larger);
        self.column(smaller).iter().zip(larger).all(|(smaller, larger)| smaller & !larger == 0)
    }

    /// The column with which the hunt begins at an edge of this kind.
    #[inline]
    pub(super) fn start(&mut self, kind: usize, start: impl FnOnce() -> Option<[u64; P]>) -> Number {
        if self.starts[kind] == UNKNOWN {
            self.starts[kind] = start().map_or(LOST, |bits| self.shared.number(bits));
        }
        self.starts[kind]
    }

    /// The column after an edge of this kind.
    #[inline]
    pub(super) fn after(
        &mut self,
        kind: usize,
        before: Number,
        step: impl FnOnce(&[u64; P]) -> Option<[u64; P]>,
    ) -> Number {
        match self.rows[kind].get(before as usize) {
            Some(&next) if next != UNKNOWN => next,
            _ => self.learn(kind, before, step),
        }
    }

    #[cold]
    fn learn(&mut self, kind: usize, before: Number, step: impl FnOnce(&[u64; P]) -> Option<[u64; P]>) -> Number {
        let next = step(self.column(before)).map_or(LOST, |bits| self.shared.number(bits));
        let row = &mut self.rows[kind];
        if row.len() <= before as usize {
            row.resize(before as usize + 1, UNKNOWN);
        }
        row[before as usize] = next;
        next
    }

    /// Whether a column has been judged harmless at a site.
    #[inline]
    pub(super) fn is_harmless(&self, site: usize, number: Number) -> bool {
        self.harmless[site].get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub(super) fn judge_harmless(&mut self, site: usize, number: Number) {
        let known = &mut self.harmless[site];
        let word = number as usize / 64;
        if known.len() <= word {
            known.resize(word + 1, 0);
        }
        known[word] |= 1 << (number % 64);
    }
}
