//! Liveness of registers.

use crate::{Instruction, Pc, RegSet, Thread, cfg, dataflow};
use steadfast_span::{Index, IndexVec};

/// By position, the registers whose values may still be used from there on.
pub fn live_before(thread: &Thread) -> IndexVec<Pc, RegSet> {
    let mut live: IndexVec<Pc, RegSet> = thread.code.iter().map(|_| RegSet::new()).collect();
    let about = |(pc, instruction): (Pc, &Instruction)| {
        let mut next = cfg::successors(pc, &instruction.op);
        next.retain(|next| next.index() < thread.code.len());
        (pc, next, dataflow::defined(&instruction.op), dataflow::used(&instruction.op))
    };
    let code: Vec<_> = thread.code.enumerated().rev().map(about).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (pc, next, defined, used) in &code {
            let mut now = RegSet::new();
            for &next in next {
                now.union_with(&live[next]);
            }
            if let Some(reg) = defined {
                now.remove(*reg);
            }
            now.union_with(used);
            changed |= live[*pc].union_with(&now);
        }
    }
    live
}
