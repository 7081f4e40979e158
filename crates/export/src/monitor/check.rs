//! The condition under which a next access could leave SC (PLDI'19, Theorem 5.3; POPL'21, Figure 5, `ERR-SC`).

use super::Monitor;
use crate::Supported;
use crate::cells::CellId;
use steadfast_ir::Value;

/// A value that an instruction waits for or compares with, reduced to the range of its location.
#[derive(Clone, Debug)]
pub(crate) struct Awaited {
    /// The expression.
    pub(crate) text: String,
    /// Its value, if it is constant.
    pub(crate) constant: Option<Value>,
}

/// What a thread could do next with a cell.
#[derive(Clone, Debug)]
pub(crate) enum NextAction {
    /// Read any value.
    Read,
    /// Read one of these values (a wait).
    ReadOneOf(Vec<Awaited>),
    /// Read any value but this one (a failing CAS).
    ReadAllBut(Awaited),
    /// Write, whatever it overwrites (a store or an unconditional read-modify-write).
    Overwrite,
    /// Overwrite this value (a CAS that succeeds).
    Replace(Awaited),
    /// Access a plain location.
    Plain,
}

impl Monitor<'_> {
    /// The condition under which the next action of a thread is a violation; nothing if it never is.
    pub(crate) fn violation(&self, thread: usize, cell: CellId, step: &NextAction) -> Option<String> {
        let (read_view, rmw_view) = match self.model {
            Supported::Sc => return None,
            Supported::Ra | Supported::Sra => ("V", "VR"),
            Supported::Rc20 => ("Vc", "Rc"),
        };
        let only_reads_count = self.model == Supported::Sra;
        let stale = match step {
            NextAction::Plain => return self.intersects(read_view, thread, cell, |_, mask| mask.to_string()),
            NextAction::Overwrite | NextAction::Replace(_) if only_reads_count => return None,
            NextAction::Read => self.intersects(read_view, thread, cell, |_, mask| mask.to_string()),
            NextAction::Overwrite => self.intersects(rmw_view, thread, cell, |_, mask| mask.to_string()),
            NextAction::Replace(value) => {
                self.intersects(rmw_view, thread, cell, |word, _| self.bit(cell, word, value))
            }
            NextAction::ReadAllBut(value) => self.intersects(read_view, thread, cell, |word, mask| {
                format!("({mask} & ~{})", self.bit(cell, word, value))
            }),
            NextAction::ReadOneOf(values) => self.intersects(read_view, thread, cell, |word, _| {
                let bits: Vec<_> = values.iter().map(|value| self.bit(cell, word, value)).collect();
                format!("({})", bits.join(" | "))
            }),
        };
        stale.map(|stale| format!("({} && {stale})", self.is_aware(thread, cell)))
    }

    /// Whether a thread's view of a cell intersects a set, given word by word. A cell without bits intersects nothing.
    fn intersects(
        &self,
        view: &str,
        thread: usize,
        cell: CellId,
        set: impl Fn(usize, u32) -> String,
    ) -> Option<String> {
        let bits = &self.cells.all[cell].bits;
        let term = |word: usize| format!("({} & {})", self.view(view, thread, word), set(word, bits.mask(word)));
        let terms: Vec<String> = bits.words().into_iter().map(term).collect();
        if terms.is_empty() { None } else { Some(format!("({}) != 0", terms.join(" | "))) }
    }

    fn bit(&self, cell: CellId, word: usize, value: &Awaited) -> String {
        self.cells.all[cell].bits.awaited(word, &value.text, value.constant)
    }
}
