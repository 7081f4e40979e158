//! The cells that the monitor distinguishes, and their bits.
//!
//! A cell is a location as the monitor sees it. Under RA and SRA, the cells are the atomic locations. Under RC20, a plain location also has
//! one cell per thread (POPL'21 §6). The location `f`, which stands for SC fences, has a view but no bits in views:
//! only read-modify-writes access it, so none of its values can be stale for a write, and there are no other reads of it.

use crate::location_bits::{LocationBits, WORD};
use crate::{PromelaOptions, Supported};
use std::collections::BTreeSet;
use steadfast_ir::values::{ValueAnalysis, ValueSet, locations_of};
use steadfast_ir::{FenceOrder, Instr, LocId, LocKind, Program, dataflow};
use steadfast_span::{Index, IndexVec, typed_index};

typed_index!(
    /// A cell.
    CellId
);

/// One cell.
pub(crate) struct Cell {
    /// Its name in the names of operations.
    pub(crate) name: String,
    /// Its bits in the views.
    pub(crate) bits: LocationBits,
}

/// All cells of a program.
pub(crate) struct Cells {
    /// The cells.
    pub(crate) all: IndexVec<CellId, Cell>,
    /// The cells of each location: one, or one per thread, or none if no thread can access it.
    of_location: IndexVec<LocId, Vec<CellId>>,
    /// Whether there is a view of `f`: there are SC fences and cells.
    pub(crate) has_fence_row: bool,
    /// How many bits a view has.
    view_bits: usize,
}

impl Cells {
    /// Lays out the monitor of a program.
    pub(crate) fn of(program: &Program, names: &IndexVec<LocId, String>, options: PromelaOptions) -> Self {
        let analysis = ValueAnalysis::of(program);
        let accessed = accessed(program);
        let mut cells = IndexVec::new();
        let mut of_location: IndexVec<LocId, Vec<CellId>> = IndexVec::new();
        let mut next = 0;
        for (loc, location) in program.locations.enumerated() {
            let mine = match (options.model, location.kind) {
                _ if !accessed.contains(&loc) => Vec::new(),
                (Supported::Sc, _) | (Supported::Ra | Supported::Sra, LocKind::Plain) => Vec::new(),
                (_, LocKind::Atomic) => {
                    let every = analysis.locations[loc];
                    let critical: &ValueSet = if options.critical_values { &analysis.critical[loc] } else { &every };
                    let bits = LocationBits::new(&analysis.locations[loc], critical, &mut next);
                    vec![cells.push(Cell { name: names[loc].clone(), bits })]
                }
                (Supported::Rc20, LocKind::Plain) => (0..program.threads.len())
                    .map(|copy| {
                        let name = format!("{}_for_{copy}", names[loc]);
                        cells.push(Cell { name, bits: LocationBits::single(&mut next) })
                    })
                    .collect(),
            };
            of_location.push(mine);
        }
        // Without cells, a fence orders nothing.
        let has_fence_row = !cells.is_empty() && uses_sc_fences(program);
        Self { all: cells, of_location, has_fence_row, view_bits: next }
    }

    /// The cell of an atomic location.
    pub(crate) fn atomic(&self, loc: LocId) -> Option<CellId> {
        self.of_location[loc].first().copied()
    }

    /// The cells of a plain location, by thread.
    pub(crate) fn copies(&self, loc: LocId) -> &[CellId] {
        &self.of_location[loc]
    }

    /// How many location views there are: one per cell, and one for `f`.
    pub(crate) fn rows(&self) -> usize {
        self.all.len() + usize::from(self.has_fence_row)
    }

    /// The view of `f`, which is the last one.
    pub(crate) fn fence_row(&self) -> usize {
        self.all.len()
    }

    /// How many words a view takes.
    pub(crate) fn view_words(&self) -> usize {
        self.view_bits.div_ceil(WORD).max(1)
    }

    /// How many words a set of cells takes.
    pub(crate) fn set_words(&self) -> usize {
        self.all.len().div_ceil(WORD).max(1)
    }

    /// The smallest type that holds a word of a view.
    pub(crate) fn view_type(&self) -> &'static str {
        word_type(self.view_bits)
    }

    /// The smallest type that holds a word of a set of cells.
    pub(crate) fn set_type(&self) -> &'static str {
        word_type(self.all.len())
    }

    /// The bit of a cell in a set of cells: its word and its value.
    pub(crate) fn member(cell: CellId) -> (usize, u32) {
        (cell.index() / WORD, 1 << (cell.index() % WORD))
    }

    /// All bits that a word of a set of cells can have.
    pub(crate) fn all_members(&self, word: usize) -> u32 {
        let bits = (self.all.len() - (word * WORD).min(self.all.len())).min(WORD);
        ((1_u64 << bits) - 1) as u32
    }

    /// All bits that a word of a view can have.
    pub(crate) fn all_view_bits(&self, word: usize) -> u32 {
        let bits = (self.view_bits - (word * WORD).min(self.view_bits)).min(WORD);
        ((1_u64 << bits) - 1) as u32
    }
}

fn word_type(bits: usize) -> &'static str {
    match bits {
        0..=8 => "byte",
        9..=15 => "short",
        _ => "int",
    }
}

fn accessed(program: &Program) -> BTreeSet<LocId> {
    let instructions = program.threads.iter().flat_map(|thread| thread.code.iter());
    instructions.filter_map(|instruction| dataflow::place(&instruction.op)).flat_map(locations_of).collect()
}

fn uses_sc_fences(program: &Program) -> bool {
    let mut instructions = program.threads.iter().flat_map(|thread| thread.code.iter());
    instructions.any(|instruction| matches!(instruction.op, Instr::Fence(FenceOrder::SeqCst)))
}
