//! What an instruction reads, writes and observes, for liveness, taint and the exporter.

use crate::{Expr, Instr, Place, RegId, RegSet};

/// The place that an instruction accesses.
pub fn place(instr: &Instr) -> Option<&Place> {
    match instr {
        Instr::Load { place, .. }
        | Instr::Store { place, .. }
        | Instr::PlainLoad { place, .. }
        | Instr::PlainStore { place, .. }
        | Instr::Rmw { place, .. }
        | Instr::Cas { place, .. }
        | Instr::BlockingCas { place, .. }
        | Instr::Wait { place, .. }
        | Instr::Lock(place)
        | Instr::Unlock(place) => Some(place),
        _ => None,
    }
}

/// The register that an instruction assigns.
pub fn defined(instr: &Instr) -> Option<RegId> {
    match instr {
        Instr::Assign { dst, .. } | Instr::Load { dst, .. } | Instr::PlainLoad { dst, .. } => Some(*dst),
        Instr::Rmw { dst, .. } | Instr::Cas { dst, .. } | Instr::Wait { dst, .. } => *dst,
        _ => None,
    }
}

/// The expressions that an instruction evaluates, including the index of its place.
pub fn expressions(instr: &Instr) -> Vec<&Expr> {
    let mut found = match instr {
        Instr::Assign { value, .. } | Instr::Store { value, .. } | Instr::PlainStore { value, .. } => vec![value],
        Instr::Branch { cond, .. } | Instr::Assume(cond) | Instr::Assert(cond) => vec![cond],
        Instr::Bound { within, .. } => vec![within],
        Instr::Rmw { update, .. } => vec![update],
        Instr::Cas { expected, new, .. } | Instr::BlockingCas { expected, new, .. } => vec![expected, new],
        Instr::Wait { values, .. } => values.iter().collect(),
        _ => Vec::new(),
    };
    if let Some(Place::Element { index, .. }) = place(instr) {
        found.push(index);
    }
    found
}

/// The registers whose values an instruction uses.
pub fn used(instr: &Instr) -> RegSet {
    let mut registers = RegSet::new();
    for expr in expressions(instr) {
        expr.collect_registers(&mut registers);
    }
    if let Instr::Observe(reg) = instr {
        registers.insert(*reg);
    }
    registers
}

/// The registers that an instruction *observes*: the program could notice a wrong value in one of them. Only assignments pass values on without observing them.
pub fn observed(instr: &Instr) -> RegSet {
    if matches!(instr, Instr::Assign { .. } | Instr::Bound { .. }) { RegSet::new() } else { used(instr) }
}

/// Whether an instruction is a `seq_cst` access. Fences are no accesses.
pub fn is_seq_cst_access(instr: &Instr) -> bool {
    match instr {
        Instr::Load { order, .. } | Instr::Wait { order, .. } => order.is_seq_cst(),
        Instr::Store { order, .. } => order.is_seq_cst(),
        Instr::Rmw { order, .. } | Instr::BlockingCas { order, .. } => order.read().is_seq_cst(),
        Instr::Cas { success, failure, .. } => success.read().is_seq_cst() || failure.is_seq_cst(),
        _ => false,
    }
}

/// Whether an instruction is visible to other threads or orders memory. Other instructions are local.
pub fn is_visible(instr: &Instr) -> bool {
    matches!(instr, Instr::Fence(_) | Instr::Halt) || place(instr).is_some()
}
