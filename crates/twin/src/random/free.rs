//! Free-form programs.

use super::access::Emitter;
use steadfast_ir::Instr;

/// Two or three threads of a few random accesses each, over two or three locations.
pub(super) fn threads(emitter: &mut Emitter) -> Vec<Vec<Instr>> {
    let small = emitter.config.small;
    let count = 2 + usize::from(emitter.rng.chance(if small { 25 } else { 50 }));
    let locations = 2 + usize::from(emitter.rng.chance(20));
    let length = |emitter: &mut Emitter| match (count, small) {
        (2, true) => 2 + emitter.rng.below(2),
        (2, false) => 2 + emitter.rng.below(4),
        (_, true) => 1 + emitter.rng.below(2),
        (_, false) => 2 + emitter.rng.below(2) + usize::from(emitter.rng.chance(20)),
    };
    let thread = |_| {
        emitter.begin_thread();
        let mut code = Vec::new();
        for _ in 0..length(emitter) {
            let (kind, location) = (emitter.kind(), emitter.rng.below(locations));
            emitter.emit(kind, location, &mut code);
        }
        code
    };
    (0..count).map(thread).collect()
}

/// Two longer threads that mostly access one location.
pub(super) fn contention(emitter: &mut Emitter) -> Vec<Vec<Instr>> {
    let thread = |at| {
        emitter.begin_thread();
        let mut code = Vec::new();
        for _ in 0..3 + emitter.rng.below(3) + usize::from(at == 0) {
            let (kind, location) = (emitter.kind(), emitter.rng.pick(&[0, 0, 0, 1, 1, 2]));
            emitter.emit(kind, location, &mut code);
        }
        code
    };
    (0..2).map(thread).collect()
}
