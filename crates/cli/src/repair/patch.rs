//! Two texts as a unified diff, which `patch` and `git apply` understand.

use std::fmt::Write;
use steadfast_repair::Change;
use steadfast_span::SourceFile;

/// Lines around a change.
const CONTEXT: usize = 3;

/// Lines of the old text and what replaces them.
struct Block {
    /// The first line, from 0.
    start: usize,
    old: usize,
    new: Vec<String>,
}

/// The difference that changes make to a file.
pub(super) fn unified(file: &SourceFile, changed: &str, changes: &[Change]) -> String {
    let old: Vec<&str> = lines(file.text());
    let new: Vec<&str> = lines(changed);
    let blocks = blocks(file, &old, &new, changes);
    let mut text = format!("--- {0}\n+++ {0}\n", file.name());
    let mut shift = 0_isize;
    for group in grouped(&blocks) {
        hunk(&mut text, &old, group, &mut shift);
    }
    text
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The lines that differ. Edits tell which lines to look at, so texts of any length are compared quickly.
fn blocks(file: &SourceFile, old: &[&str], new: &[&str], changes: &[Change]) -> Vec<Block> {
    let mut touched: Vec<(usize, usize, isize)> = Vec::new();
    for edit in changes.iter().flat_map(|change| &change.edits) {
        let line = |offset: u32| file.line_column(offset).line as usize - 1;
        let breaks = |text: &str| text.matches('\n').count().cast_signed();
        let grows = breaks(&edit.text) - breaks(file.snippet(edit.span));
        touched.push((line(edit.span.start), line(edit.span.end), grows));
    }
    touched.sort_unstable();
    let (mut blocks, mut shift): (Vec<Block>, isize) = (Vec::new(), 0);
    let mut at = 0;
    while at < touched.len() {
        let (start, mut end, mut grows) = touched[at];
        at += 1;
        while at < touched.len() && touched[at].0 <= end {
            end = end.max(touched[at].1);
            grows += touched[at].2;
            at += 1;
        }
        let end = (end + 1).min(old.len());
        let from = start.saturating_add_signed(shift);
        let to = end.saturating_add_signed(shift + grows).min(new.len());
        blocks.extend(trimmed(start, &old[start.min(end)..end], &new[from.min(to)..to]));
        shift += grows;
    }
    blocks
}

/// Leaves out what is the same at the beginning and at the end.
fn trimmed(start: usize, old: &[&str], new: &[&str]) -> Option<Block> {
    let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[same..], &new[same..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let differs = !old.is_empty() || !new.is_empty();
    let new = new.iter().map(|line| (*line).to_owned()).collect();
    differs.then(|| Block { start: start + same, old: old.len(), new })
}

/// Blocks whose context would touch belong together.
fn grouped(blocks: &[Block]) -> impl Iterator<Item = &[Block]> {
    blocks.chunk_by(|one, next| one.start + one.old + 2 * CONTEXT >= next.start)
}

fn hunk(text: &mut String, old: &[&str], blocks: &[Block], shift: &mut isize) {
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { return };
    let start = first.start.saturating_sub(CONTEXT);
    let end = (last.start + last.old + CONTEXT).min(old.len());
    let grows: isize = blocks.iter().map(|block| block.new.len().cast_signed() - block.old.cast_signed()).sum();
    let length = end - start;
    let new_start = (start + 1).saturating_add_signed(*shift);
    let _ = writeln!(text, "@@ -{},{length} +{new_start},{} @@", start + 1, length.saturating_add_signed(grows));
    *shift += grows;
    let mut at = start;
    for block in blocks {
        old[at..block.start].iter().for_each(|line| push(text, ' ', line));
        at = block.start + block.old;
        old[block.start..at].iter().for_each(|line| push(text, '-', line));
        block.new.iter().for_each(|line| push(text, '+', line));
    }
    old[at..end].iter().for_each(|line| push(text, ' ', line));
}

fn push(text: &mut String, sign: char, line: &str) {
    text.push(sign);
    text.push_str(line);
    if !line.ends_with('\n') {
        text.push_str("\n\\ No newline at end of file\n");
    }
}
