//! The monitor of the papers, as Promela: variables, and one inline operation for each kind of access and each cell.
//!
//! [`awareness`] is Figure 5 of PLDI'19 (the same in both papers), [`ra`] is its Figure 6, and [`rc20`] is algorithms 1 to 5 of POPL'21. All
//! of them use joint views, that is, sets of values per thread and location, exactly as published.

mod awareness;
mod check;
mod ra;
mod rc20;

pub(crate) use check::{Awaited, NextAction};

use crate::cells::{CellId, Cells};
use crate::text::Text;
use crate::{PromelaOptions, Supported};
use std::collections::BTreeSet;

/// The kind of an atomic access to a cell. A relaxed access is neither acquire nor release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CellAccess {
    /// A read, also that of a failed CAS.
    Read { acquire: bool },
    /// A write that is not part of a read-modify-write.
    Write { release: bool },
    /// A read-modify-write.
    Rmw { acquire: bool, release: bool },
}

impl CellAccess {
    fn name(self) -> String {
        let mode = |acquire: bool, release: bool| match (acquire, release) {
            (false, false) => "rlx",
            (true, false) => "acq",
            (false, true) => "rel",
            (true, true) => "acqrel",
        };
        match self {
            Self::Read { acquire } => format!("read_{}", mode(acquire, false)),
            Self::Write { release } => format!("write_{}", mode(false, release)),
            Self::Rmw { acquire, release } => format!("rmw_{}", mode(acquire, release)),
        }
    }

    fn reads(self) -> bool {
        !matches!(self, Self::Write { .. })
    }

    fn writes(self) -> bool {
        !matches!(self, Self::Read { .. })
    }
}

/// An inline operation of the monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    /// The effect of a read on `VSC`, `MSC` and `WSC`.
    AwareRead(CellId),
    /// The effect of a write or read-modify-write on them.
    AwareWrite(CellId),
    /// The effect of an access on the views.
    View(CellAccess, CellId),
    /// An acquire fence.
    FenceAcquire,
    /// A release fence.
    FenceRelease,
    /// The access to `f` that stands for an SC fence.
    FenceAccess,
}

/// The monitor of one program.
pub(crate) struct Monitor<'a> {
    pub(crate) cells: &'a Cells,
    threads: usize,
    model: Supported,
    fences_by_the_letter: bool,
    /// The operations that are called; only these are defined.
    used: BTreeSet<Operation>,
}

impl<'a> Monitor<'a> {
    /// The monitor that the options ask for.
    pub(crate) fn new(cells: &'a Cells, threads: usize, options: PromelaOptions) -> Self {
        let PromelaOptions { model, fences_by_the_letter, .. } = options;
        Self { cells, threads, model, fences_by_the_letter, used: BTreeSet::new() }
    }

    /// A call of an operation by a thread.
    pub(crate) fn call(&mut self, operation: Operation, thread: usize) -> String {
        self.used.insert(operation);
        format!("{}({thread})", self.name(operation))
    }

    /// All effects of an access: on awareness and on the views.
    pub(crate) fn access(&mut self, access: CellAccess, cell: CellId, thread: usize) -> Vec<String> {
        vec![self.aware(access, cell, thread), self.call(Operation::View(access, cell), thread)]
    }

    /// The effect of an access on awareness.
    pub(crate) fn aware(&mut self, access: CellAccess, cell: CellId, thread: usize) -> String {
        let operation = if access.writes() { Operation::AwareWrite(cell) } else { Operation::AwareRead(cell) };
        self.call(operation, thread)
    }

    /// Declares the variables, and defines the operations that are called.
    pub(crate) fn declare(&self, text: &mut Text) {
        if self.model == Supported::Sc || self.cells.rows() == 0 {
            return;
        }
        self.declare_awareness(text);
        match self.model {
            Supported::Rc20 => self.declare_rc20(text),
            _ => self.declare_ra(text),
        }
        self.used.iter().for_each(|&operation| self.define(operation, text));
    }

    fn define(&self, operation: Operation, text: &mut Text) {
        text.line("");
        text.open(format!("inline {}(t) {{", self.name(operation)));
        let lines = match (operation, self.model) {
            (Operation::AwareRead(cell), _) => self.aware_read(cell),
            (Operation::AwareWrite(cell), _) => self.aware_write(cell),
            (Operation::View(access, cell), Supported::Rc20) => self.rc20_access(access, cell),
            (Operation::View(access, cell), _) => self.ra_access(access, cell),
            (Operation::FenceAcquire, _) => self.rc20_acquire(),
            (Operation::FenceRelease, _) => self.rc20_release(),
            (Operation::FenceAccess, Supported::Rc20) => [self.aware_fence(), self.rc20_fence_access()].concat(),
            (Operation::FenceAccess, _) => [self.aware_fence(), self.ra_fence_access()].concat(),
        };
        let last = lines.len().saturating_sub(1);
        for (at, line) in lines.iter().enumerate() {
            text.line(format!("{line}{}", if at == last { "" } else { ";" }));
        }
        if lines.is_empty() {
            text.line("skip");
        }
        text.close("}");
    }

    fn name(&self, operation: Operation) -> String {
        let cell_name = |cell: CellId| &self.cells.all[cell].name;
        match operation {
            Operation::AwareRead(cell) => format!("aware_read_{}", cell_name(cell)),
            Operation::AwareWrite(cell) => format!("aware_write_{}", cell_name(cell)),
            Operation::View(access, cell) => format!("view_{}_{}", access.name(), cell_name(cell)),
            Operation::FenceAcquire => "view_fence_acquire".into(),
            Operation::FenceRelease => "view_fence_release".into(),
            Operation::FenceAccess => "fence_access".into(),
        }
    }

    /// A word of a view in an array of views.
    fn view(&self, array: &str, index: impl std::fmt::Display, word: usize) -> String {
        element(array, index, word, self.cells.view_words())
    }

    /// `target := op(target, source)` for every word of two views, or a copy if there is no operator.
    fn combine(&self, target: (&str, &str), operator: Option<char>, source: (&str, &str)) -> Vec<String> {
        (0..self.cells.view_words())
            .map(|word| {
                let (to, from) = (self.view(target.0, target.1, word), self.view(source.0, source.1, word));
                match operator {
                    Some(operator) => format!("{to} = {to} {operator} {from}"),
                    None => format!("{to} = {from}"),
                }
            })
            .collect()
    }

    /// Adds the overwritten value of a cell to views in an array.
    fn add_stale(&self, array: &str, indices: impl Iterator<Item = usize>, cell: CellId) -> Vec<String> {
        let words = self.cells.all[cell].bits.words();
        let add = |index: usize, word: usize| {
            let view = self.view(array, index, word);
            format!("{view} = {view} | {}", element_word("stale", word, self.cells.view_words()))
        };
        indices
            .flat_map(|index| words.iter().map(move |&word| (index, word)))
            .map(|(index, word)| add(index, word))
            .collect()
    }

    /// Computes the class of the overwritten value of a cell.
    fn find_stale(&self, cell: CellId) -> Vec<String> {
        let bits = &self.cells.all[cell].bits;
        let assign = |word| format!("{} = {}", element_word("stale", word, self.cells.view_words()), bits.stored(word));
        bits.words().into_iter().map(assign).collect()
    }

    /// Removes all values of a cell from a view.
    fn clear(&self, array: &str, index: &str, cell: CellId) -> Vec<String> {
        let bits = &self.cells.all[cell].bits;
        let keep = |word: usize| self.cells.all_view_bits(word) & !bits.mask(word);
        let clear = |word| {
            let view = self.view(array, index, word);
            format!("{view} = {view} & {}", keep(word))
        };
        bits.words().into_iter().map(clear).collect()
    }

    /// Declares an array of views, all empty.
    fn declare_views(&self, text: &mut Text, array: &str, len: usize, what: &str) {
        text.line(format!("/* {what} */"));
        for word in 0..self.cells.view_words() {
            let name = element_word(array, word, self.cells.view_words());
            text.line(format!("{} {name}[{len}];", self.cells.view_type()));
        }
    }

    /// Declares the scratch variables for the overwritten value.
    fn declare_stale(&self, text: &mut Text) {
        text.line("/* the class of an overwritten value, while a step is made */");
        for word in 0..self.cells.view_words() {
            text.line(format!("hidden int {};", element_word("stale", word, self.cells.view_words())));
        }
    }

    /// The location views other than that of a cell; the view of `f` is among them.
    fn other_rows(&self, cell: CellId) -> impl Iterator<Item = usize> + Clone + use<> {
        let row = steadfast_span::Index::index(cell);
        (0..self.cells.rows()).filter(move |&other| other != row)
    }

    fn all_threads(&self) -> std::ops::Range<usize> {
        0..self.threads
    }
}

/// A word of an entry of an array of sets.
fn element(array: &str, index: impl std::fmt::Display, word: usize, words: usize) -> String {
    format!("{}[{index}]", element_word(array, word, words))
}

/// The variable of one word of a set. It has a number only if there are several words.
fn element_word(name: &str, word: usize, words: usize) -> String {
    if words == 1 { name.into() } else { format!("{name}_{word}") }
}
