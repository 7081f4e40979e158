//! The reads that can overtake a write: those that can go to memory while the write is still in its buffer.
//!
//! A read of a cell that the thread has written after the write takes its value from the buffer; such cells are *hidden*. Two cells of an array are the same only if their indices are the
//! same term over registers that have not changed. Fences and read-modify-writes wait for the buffer, so the search ends there.

use crate::system::{Action, Cell, Role, Step};
use crate::term::Term;
use rustc_hash::FxHashSet;

/// The hidden cells, and the last value written to each; [`Term::Got`] if that is not known.
type Hidden = Vec<(Cell, Term)>;

/// The numbers of the steps that read memory while the write of step `write` can still be in the buffer.
pub(crate) fn overtaking_reads(role: &Role, write: usize) -> Vec<usize> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    // Several steps can contain this write and differ only in the way behind it; all of them count.
    let same = |step: &&Step| step.from == role.steps[write].from && step.action == role.steps[write].action;
    let mut pending: Vec<(usize, Hidden)> =
        role.steps.iter().filter(same).map(|step| (step.to, after(step, written(step)))).collect();
    while let Some((point, hidden)) = pending.pop() {
        if !seen.insert((point, hidden.clone())) {
            continue;
        }
        for (number, step) in role.steps.iter().enumerate().filter(|(_, step)| step.from == point) {
            if step.action.drains() {
                continue;
            }
            let mut hidden = hidden.clone();
            match &step.action {
                Action::Read(cell) | Action::Guess(cell, _) | Action::Await(cell, _) => {
                    match hidden.iter().find(|(own, _)| own == cell) {
                        None => drop(found.insert(number)),
                        // The thread reads its own write, so it cannot take a way that needs another value.
                        Some((_, Term::Const(value))) if refuted(step, *value) => continue,
                        Some(_) => {}
                    }
                }
                Action::Write(cell, value) => {
                    hidden.retain(|(own, _)| own != cell);
                    for (_, known) in hidden.iter_mut().filter(|(own, _)| may_be_same(own, cell)) {
                        *known = Term::Got;
                    }
                    hidden.push((cell.clone(), value.clone()));
                }
                _ => {}
            }
            pending.push((step.to, after(step, hidden)));
        }
    }
    let mut found: Vec<usize> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// Whether two cells with different terms can be the same.
fn may_be_same(one: &Cell, other: &Cell) -> bool {
    let told_apart = matches!((&one.index, &other.index), (Some(Term::Const(i)), Some(Term::Const(j))) if i != j);
    one.global == other.global && !told_apart
}

/// The cells that are still hidden after a step, in a fixed order.
fn after(step: &Step, mut hidden: Hidden) -> Hidden {
    hidden.retain(|(cell, _)| cell.index.as_ref().is_none_or(|index| !depends(index, step)));
    for (_, value) in hidden.iter_mut().filter(|(_, value)| depends(value, step)) {
        // The value is still the same, but the registers no longer determine it.
        *value = Term::Got;
    }
    hidden.sort_by_cached_key(|cell| format!("{cell:?}"));
    hidden
}

fn depends(term: &Term, step: &Step) -> bool {
    let mut depends = false;
    term.registers(&mut |reg| depends |= step.changes(reg));
    depends
}

fn written(step: &Step) -> Hidden {
    step.action.cell().cloned().zip(step.action.written().cloned()).into_iter().collect()
}

/// Whether a step cannot take its way if it reads this value.
fn refuted(step: &Step, value: i64) -> bool {
    let awaited = match &step.action {
        Action::Await(_, values) => {
            values.iter().any(|wanted| !matches!(wanted, Term::Const(other) if *other != value))
        }
        _ => true,
    };
    !awaited || step.guard.iter().any(|term| term.with(value) == Some(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::System;
    use steadfast_lang::parse_template;
    use steadfast_span::SourceFile;

    /// How many loads can overtake the first store of the first thread.
    fn overtaking(thread: &str) -> usize {
        let file = SourceFile::new("test.sf", format!("atomic<int> a[], y;\nthread one {{ {thread} }}"));
        let (parsed, template) = parse_template(&file);
        let (program, template) = parsed.program.zip(template).unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
        let system = System::of(&program, &template).expect("a system");
        let role = &system.roles[0];
        let write = role.steps.iter().position(|step| matches!(step.action, Action::Write(..))).expect("a write");
        overtaking_reads(role, write).len()
    }

    #[test]
    fn a_thread_sees_its_own_last_write() {
        let read = "if (a[i].load() == 0) { let r = y.load(); observe(r); }";
        assert_eq!(overtaking(&format!("let i = any(); a[i].store(1); {read}")), 0);
        assert_eq!(overtaking(&format!("let i = any(); a[i].store(0); {read}")), 1);
    }

    #[test]
    fn a_cell_with_another_index_may_be_the_same_one() {
        let read = "if (a[i].load() == 0) { let r = y.load(); observe(r); }";
        assert_eq!(overtaking(&format!("let i = any(); let j = any(); a[i].store(1); a[j].store(0); {read}")), 1);
        assert_eq!(
            overtaking("a[1].store(1); a[2].store(0); if (a[1].load() == 0) { let r = y.load(); observe(r); }"),
            0
        );
    }
}
