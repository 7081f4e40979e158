//! Control flow.

use crate::{Instr, Pc};
use steadfast_span::Index;

/// Where control can go after the instruction at `pc`. A failed assume ends the thread and has no successor.
pub fn successors(pc: Pc, instr: &Instr) -> Vec<Pc> {
    match instr {
        Instr::Jump(target) => vec![*target],
        Instr::Branch { then, otherwise, .. } if then == otherwise => vec![*then],
        Instr::Branch { then, otherwise, .. } => vec![*then, *otherwise],
        Instr::Choose(targets) => targets.clone(),
        Instr::Halt => Vec::new(),
        _ => vec![Pc::new(pc.index() + 1)],
    }
}
