//! hbSC-awareness (PLDI'19, Figure 5): which threads and locations know the newest write to a location, through po, rf, mo and fr.

use super::{Monitor, element};
use crate::cells::{CellId, Cells};
use crate::text::Text;
use steadfast_span::Index;

impl Monitor<'_> {
    pub(super) fn declare_awareness(&self, text: &mut Text) {
        let kind = self.cells.set_type();
        text.line("");
        text.line(
            "/* VSC: the cells of whose newest write a thread is aware; MSC: those of which some access to a cell is;",
        );
        text.line(
            "   WSC: those of which its newest write is. Initially threads know all cells, and cells themselves. */",
        );
        for word in 0..self.cells.set_words() {
            let all = self.cells.all_members(word);
            text.line(format!("{kind} {} = {all};", self.set("VSC", self.threads, word)));
            for (array, rows) in [("MSC", self.awareness_rows()), ("WSC", self.cells.all.len())] {
                text.line(format!("{kind} {} = {};", self.set(array, rows, word), self.own_bits(rows, word)));
            }
        }
    }

    /// A cell knows its own initial write. What the view of `f` knows is never used.
    fn own_bits(&self, rows: usize, word: usize) -> String {
        let own = |cell| match Cells::member(cell) {
            (at, bit) if at == word => bit,
            _ => 0,
        };
        let mut bits: Vec<String> = self.cells.all.indices().map(|cell| own(cell).to_string()).collect();
        bits.resize(rows, "0".into());
        format!("{{ {} }}", bits.join(", "))
    }

    fn awareness_rows(&self) -> usize {
        self.cells.all.len() + usize::from(self.fence_counts())
    }

    /// Whether the order of SC fences among themselves counts in hbSC.
    fn fence_counts(&self) -> bool {
        self.fences_by_the_letter && self.cells.has_fence_row
    }

    fn set(&self, array: &str, index: impl std::fmt::Display, word: usize) -> String {
        element(array, index, word, self.cells.set_words())
    }

    pub(super) fn aware_read(&self, cell: CellId) -> Vec<String> {
        let per_word = |word| {
            let thread = self.set("VSC", "t", word);
            let (accessed, written) = (self.set("MSC", cell.index(), word), self.set("WSC", cell.index(), word));
            [format!("{thread} = {thread} | {written}"), format!("{accessed} = {accessed} | {thread}")]
        };
        (0..self.cells.set_words()).flat_map(per_word).collect()
    }

    pub(super) fn aware_write(&self, cell: CellId) -> Vec<String> {
        let learn = |word| {
            let thread = self.set("VSC", "t", word);
            let (accessed, written) = (self.set("MSC", cell.index(), word), self.set("WSC", cell.index(), word));
            [
                format!("{thread} = {thread} | {accessed}"),
                format!("{accessed} = {thread}"),
                format!("{written} = {thread}"),
            ]
        };
        let mut lines: Vec<String> = (0..self.cells.set_words()).flat_map(learn).collect();
        // Only this thread and this cell know the new write.
        let (word, bit) = Cells::member(cell);
        let keep = self.cells.all_members(word) & !bit;
        let forget = |array: &str, index: usize| {
            let set = self.set(array, index, word);
            format!("{set} = {set} & {keep}")
        };
        lines.extend(self.all_threads().map(|thread| forget("VSC", thread)));
        let thread = self.set("VSC", "t", word);
        lines.push(format!("{thread} = {thread} | {bit}"));
        lines.extend((0..self.awareness_rows()).filter(|&row| row != cell.index()).map(|row| forget("MSC", row)));
        lines.extend((0..self.cells.all.len()).filter(|&row| row != cell.index()).map(|row| forget("WSC", row)));
        lines
    }

    /// By the letter, an SC fence is an access to `f`. By default, its order among SC fences is not observable and does not count.
    pub(super) fn aware_fence(&self) -> Vec<String> {
        if !self.fence_counts() {
            return Vec::new();
        }
        let per_word = |word| {
            let (thread, fence) = (self.set("VSC", "t", word), self.set("MSC", self.cells.fence_row(), word));
            [format!("{thread} = {thread} | {fence}"), format!("{fence} = {thread}")]
        };
        (0..self.cells.set_words()).flat_map(per_word).collect()
    }

    /// Whether a thread is aware of the newest write to a cell.
    pub(super) fn is_aware(&self, thread: usize, cell: CellId) -> String {
        let (word, bit) = Cells::member(cell);
        format!("({} & {bit}) != 0", self.set("VSC", thread, word))
    }
}
