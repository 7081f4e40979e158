//! Which registers can still matter.

use crate::{Pc, RegSet, Thread, cfg, dataflow};
use steadfast_span::{Index, IndexVec};

/// For every position, the registers whose value may still be used from there on.
pub fn live_before(thread: &Thread) -> IndexVec<Pc, RegSet> {
    let mut live: IndexVec<Pc, RegSet> = thread.code.iter().map(|_| RegSet::new()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (pc, instruction) in thread.code.enumerated().rev() {
            let mut now = RegSet::new();
            for next in cfg::successors(pc, &instruction.op) {
                if next.index() < thread.code.len() {
                    now.union_with(&live[next]);
                }
            }
            if let Some(reg) = dataflow::defined(&instruction.op) {
                now.remove(reg);
            }
            now.union_with(&dataflow::used(&instruction.op));
            changed |= live[pc].union_with(&now);
        }
    }
    live
}
