//! Locked sections with one access: `lock`, a read, a write of the same address, `unlock` is an atomic update.
//!
//! Most locked sections have this form, and then the program has a meaning under every memory model. Other sections stop all other threads,
//! see [`super::threads`].

use super::ast::{Automaton, Op, Term};

/// Longer sections are not analysed.
const LONGEST: usize = 24;
/// Larger expressions are not built.
const LARGEST_TERM: usize = 400;

/// A section with one access. Everything else in it is local, and can be done before or after.
#[derive(Debug)]
pub(super) struct Section {
    /// The transitions before the access.
    pub(super) before: Vec<usize>,
    /// The read, if there is one.
    pub(super) read: Option<usize>,
    /// The write, if there is one, with the written value as a function of the value that was read.
    pub(super) write: Option<(usize, Term)>,
    /// The local transitions after the access.
    pub(super) after: Vec<usize>,
    /// The state behind the section.
    pub(super) end: usize,
}

/// The section that begins in a state, right behind `lock`. `leaving` are the transitions, by the state that they leave.
pub(super) fn section(thread: &Automaton<'_>, leaving: &[Vec<usize>], start: usize) -> Option<Section> {
    let mut section = Section { before: Vec::new(), read: None, write: None, after: Vec::new(), end: start };
    // The registers after the read, in terms of the registers before it.
    let mut known: Vec<Term> = (0..thread.registers.len()).map(Term::Register).collect();
    for _ in 0..LONGEST {
        let [number] = leaving[section.end][..] else { return None };
        let transition = &thread.transitions[number];
        section.end = transition.to;
        let accessed = section.read.is_some() || section.write.is_some();
        match &transition.op {
            Op::Noop => {}
            Op::Local { .. } if !accessed => section.before.push(number),
            Op::Local { value, .. } | Op::Write { value, .. } if value.size() > LARGEST_TERM => return None,
            Op::Local { register, value } => {
                known[*register] = value.substitute(&|register| known[register].clone());
                if known[*register].size() > LARGEST_TERM {
                    return None;
                }
                section.after.push(number);
            }
            Op::Read { register, .. } if !accessed => {
                section.read = Some(number);
                known[*register] = Term::Old;
            }
            Op::Write { value, address } if section.write.is_none() => {
                if let Some(read) = section.read
                    && !same_address(&thread.transitions[read].op, address, &known)
                {
                    return None;
                }
                let value = value.substitute(&|register| known[register].clone());
                if value.size() > LARGEST_TERM {
                    return None;
                }
                section.write = Some((number, value));
            }
            Op::Unlock => return Some(section),
            _ => return None,
        }
    }
    None
}

/// Whether a write has the same address as the read, for all contents of the registers.
fn same_address(read: &Op, address: &Term, known: &[Term]) -> bool {
    let Op::Read { address: before, .. } = read else { return false };
    let now = address.substitute(&|register| known[register].clone());
    *before == now
}
