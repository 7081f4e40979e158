//! The columns of one hunt, numbered, and the steps between them.
//!
//! Relevance clears the bits that cannot matter any more, so the states with one outlook see only a few columns, and a set of
//! columns fits a word or two. All workers use the same numbers: they are given out under a lock ([`Columns`]); everything that a worker looks up again and again it
//! keeps to itself ([`View`]).

use rustc_hash::FxHashMap;
use std::sync::Mutex;

/// The number of a column among those with its outlook.
pub(super) type Number = u32;
/// In every outlook, the number that stands for "the hunt has not begun".
pub(super) const START: Number = 0;
/// In place of a number: nothing can come of it.
pub(super) const LOST: Number = Number::MAX;
const UNKNOWN: Number = Number::MAX - 1;

/// All columns that were met, by outlook.
pub(super) struct Columns<const P: usize> {
    outlooks: Mutex<Vec<Numbered<P>>>,
}

#[derive(Clone)]
struct Numbered<const P: usize> {
    columns: Vec<[u64; P]>,
    numbers: FxHashMap<[u64; P], Number>,
}

impl<const P: usize> Columns<P> {
    pub(super) fn new(outlooks: usize) -> Self {
        let none = Numbered { columns: vec![[0; P]], numbers: FxHashMap::default() };
        Self { outlooks: Mutex::new(vec![none; outlooks]) }
    }

    fn number(&self, outlook: u32, bits: [u64; P]) -> Number {
        let mut outlooks = self.outlooks.lock().expect("no panic while locked");
        let Numbered { columns, numbers } = &mut outlooks[outlook as usize];
        *numbers.entry(bits).or_insert_with(|| {
            columns.push(bits);
            columns.len() as Number - 1
        })
    }
}

/// What a worker knows about the columns of one outlook.
#[derive(Clone, Default)]
pub(super) struct Catalogue<const P: usize> {
    pub(super) columns: Vec<[u64; P]>,
    /// For every column, the set of those that cover it, itself included.
    above: Vec<u64>,
    /// For every column, the set of those that it covers, itself included.
    below: Vec<u64>,
}

impl<const P: usize> Catalogue<P> {
    fn add(&mut self, bits: [u64; P], width: usize, covering: bool) {
        let number = self.columns.len();
        self.columns.push(bits);
        self.above.resize(self.columns.len() * width, 0);
        self.below.resize(self.columns.len() * width, 0);
        put(&mut self.above, number * width, number);
        put(&mut self.below, number * width, number);
        if !covering || number == START as usize {
            return;
        }
        for other in 1..number {
            let (larger, smaller) = match (covers(&bits, &self.columns[other]), covers(&self.columns[other], &bits)) {
                (true, _) => (number, other),
                (_, true) => (other, number),
                _ => continue,
            };
            put(&mut self.above, smaller * width, larger);
            put(&mut self.below, larger * width, smaller);
        }
    }

    #[inline]
    pub(super) fn above(&self, number: usize, width: usize) -> &[u64] {
        &self.above[number * width..][..width]
    }

    #[inline]
    pub(super) fn below(&self, number: usize, width: usize) -> &[u64] {
        &self.below[number * width..][..width]
    }
}

fn put(words: &mut [u64], start: usize, bit: usize) {
    words[start + bit / 64] |= 1 << (bit % 64);
}

fn covers<const P: usize>(larger: &[u64; P], smaller: &[u64; P]) -> bool {
    larger.iter().zip(smaller).all(|(larger, smaller)| smaller & !larger == 0)
}

/// What one worker remembers.
pub(super) struct View<const P: usize> {
    pub(super) catalogues: Vec<Catalogue<P>>,
    /// By kind of edge and number of the column before it: the number of the column after it.
    rows: Vec<Vec<Number>>,
    /// By site: the columns that have been judged there to be harmless.
    harmless: Vec<Vec<u64>>,
    /// How many words a set of columns has.
    width: usize,
    covering: bool,
}

/// Sets of columns must become wider before the hunt can go on.
#[derive(Debug)]
pub(super) struct TooNarrow;

impl<const P: usize> View<P> {
    pub(super) fn new((kinds, sites, outlooks): (usize, usize, usize), width: usize, covering: bool) -> Self {
        Self {
            catalogues: vec![Catalogue::default(); outlooks],
            rows: vec![Vec::new(); kinds],
            harmless: vec![Vec::new(); sites],
            width,
            covering,
        }
    }

    /// The set of columns after an edge of some kind; `step` computes a single one.
    #[inline]
    pub(super) fn image(
        &mut self,
        columns: &Columns<P>,
        (kind, from, to): (usize, u32, u32),
        before: &[u64],
        after: &mut [u64],
        step: impl Fn(Number, &[u64; P]) -> Option<[u64; P]>,
    ) -> Result<u64, TooNarrow> {
        after.fill(0);
        let mut steps = 0;
        for (word, &bits) in before.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let number = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let mut next = self.rows[kind].get(number).copied().unwrap_or(UNKNOWN);
                if next == UNKNOWN {
                    next = self.learn(columns, (kind, from, to), number, &step)?;
                }
                if next != LOST {
                    steps += 1;
                    after[next as usize / 64] |= 1 << (next % 64);
                }
            }
        }
        Ok(steps)
    }

    #[cold]
    fn learn(
        &mut self,
        columns: &Columns<P>,
        (kind, from, to): (usize, u32, u32),
        number: usize,
        step: impl Fn(Number, &[u64; P]) -> Option<[u64; P]>,
    ) -> Result<Number, TooNarrow> {
        let bits = self.column(columns, from, number)?;
        let next = match step(number as Number, &bits) {
            None => LOST,
            Some(bits) => {
                let next = columns.number(to, bits);
                self.column(columns, to, next as usize)?;
                next
            }
        };
        let row = &mut self.rows[kind];
        if row.len() <= number {
            row.resize(number + 1, UNKNOWN);
        }
        row[number] = next;
        Ok(next)
    }

    /// The bits of a column that some worker has numbered.
    pub(super) fn column(&mut self, columns: &Columns<P>, outlook: u32, number: usize) -> Result<[u64; P], TooNarrow> {
        let mine = &mut self.catalogues[outlook as usize];
        if number >= self.width * 64 {
            return Err(TooNarrow);
        }
        if number >= mine.columns.len() {
            let outlooks = columns.outlooks.lock().expect("no panic while locked");
            let all = &outlooks[outlook as usize].columns;
            for &bits in &all[mine.columns.len()..all.len().min(self.width * 64)] {
                mine.add(bits, self.width, self.covering);
            }
        }
        Ok(mine.columns[number])
    }

    /// Whether all these columns have been judged harmless at a site.
    #[inline]
    pub(super) fn is_harmless(&self, site: usize, set: &[u64]) -> bool {
        let known = &self.harmless[site];
        set.iter().enumerate().all(|(word, bits)| bits & !known.get(word).copied().unwrap_or(0) == 0)
    }

    pub(super) fn judge_harmless(&mut self, site: usize, set: &[u64]) {
        let known = &mut self.harmless[site];
        known.resize(set.len(), 0);
        known.iter_mut().zip(set).for_each(|(known, bits)| *known |= bits);
    }

    /// Makes room for wider sets.
    pub(super) fn widen(&mut self, width: usize) {
        self.width = width;
        for catalogue in &mut self.catalogues {
            let columns = std::mem::take(catalogue).columns;
            columns.into_iter().for_each(|bits| catalogue.add(bits, width, self.covering));
        }
    }
}
