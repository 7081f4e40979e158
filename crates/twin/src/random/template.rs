//! Variations of litmus tests: the shape stays, the kinds, orderings, values, fences and extra accesses vary.

use super::Focus;
use super::access::{Emitter, Kind, LOCATIONS};
use steadfast_ir::Instr;

/// The shapes. `Wx` writes x, `Ry` reads y. The first seven are small.
const SHAPES: [&[&str]; 16] = [
    &["Wx Ry", "Wy Rx"],
    &["Wx Wy", "Ry Rx"],
    &["Wx Wy", "Wy Wx"],
    &["Wx Wy", "Ry Wx"],
    &["Wx Wy", "Wy Rx"],
    &["Rx Wy", "Ry Wx"],
    &["Wx", "Rx Wy", "Ry Rx"],
    &["Wx Wy", "Ry Wz", "Rz Rx"],
    &["Wx Wy", "Wy Wz", "Rz Rx"],
    &["Wx", "Rx Ry", "Wy Rx"],
    &["Wx Wz", "Rz Ry", "Wy Rx"],
    &["Wx Ry", "Wy Rz", "Wz Rx"],
    &["Wx Wy", "Ry Rx", "Wx"],
    &["Wx Rx Ry", "Wy Ry Rx"],
    &["Wx Wx", "Rx Ry", "Wy Rx"],
    &["Wx", "Wy", "Rx Ry", "Ry Rx"],
];

const SMALL: usize = 7;

/// The shapes in which SC fences make the most difference.
const FENCED: [usize; 8] = [1, 6, 7, 8, 9, 10, 11, 12];

/// How much a shape is varied, in percent.
struct Variation {
    fences: u32,
    extra: u32,
    other_kinds: u32,
}

/// The threads of a varied litmus test.
pub(super) fn threads(emitter: &mut Emitter) -> Vec<Vec<Instr>> {
    let shape = shape(emitter);
    let variation = variation(emitter);
    let mut threads: Vec<_> = shape.iter().map(|accesses| thread(emitter, &variation, accesses)).collect();
    for at in (1..threads.len()).rev() {
        threads.swap(at, emitter.rng.below(at + 1));
    }
    threads
}

fn shape(emitter: &mut Emitter) -> &'static [&'static str] {
    let at = match emitter.config.focus {
        Focus::Fences => emitter.rng.pick(&FENCED),
        _ if emitter.config.small => emitter.rng.below(SMALL),
        _ => emitter.rng.below(SHAPES.len()),
    };
    SHAPES[at]
}

fn variation(emitter: &mut Emitter) -> Variation {
    match emitter.config.focus {
        Focus::Fences => Variation { fences: 70, extra: 3, other_kinds: 10 },
        Focus::SeqCst => Variation { fences: 0, extra: 30, other_kinds: 15 },
        _ => Variation {
            fences: emitter.rng.pick(&[0, 20, 50]),
            extra: if emitter.config.small { 5 } else { emitter.rng.pick(&[0, 10, 20]) },
            other_kinds: emitter.rng.pick(&[0, 15, 40]),
        },
    }
}

fn thread(emitter: &mut Emitter, variation: &Variation, accesses: &str) -> Vec<Instr> {
    emitter.begin_thread();
    let mut code = Vec::new();
    for (at, access) in accesses.split(' ').enumerate() {
        extra(emitter, variation, &mut code);
        if at > 0 && emitter.allows(Kind::Fence) && emitter.rng.chance(variation.fences) {
            emitter.emit(Kind::Fence, 0, &mut code);
        }
        let location = match &access[1..] {
            "x" => 0,
            "y" => 1,
            _ => 2,
        };
        let kind = kind(emitter, variation, access.starts_with('R'));
        emitter.emit(kind, location, &mut code);
    }
    extra(emitter, variation, &mut code);
    code
}

/// Perhaps an access that the shape does not have.
fn extra(emitter: &mut Emitter, variation: &Variation, code: &mut Vec<Instr>) {
    if emitter.rng.chance(variation.extra) && code.len() < 6 {
        let kind = emitter.kind();
        let location = emitter.rng.below(LOCATIONS);
        if kind != Kind::Fence {
            emitter.emit(kind, location, code);
        }
    }
}

fn kind(emitter: &mut Emitter, variation: &Variation, read: bool) -> Kind {
    let (usual, others) = if read {
        (Kind::Load, [Kind::Rmw, Kind::Cas, Kind::Wait, Kind::BlockingCas])
    } else {
        (Kind::Store, [Kind::Rmw, Kind::Cas, Kind::BlockingCas, Kind::Store])
    };
    let other = emitter.rng.pick(&others);
    if emitter.rng.chance(variation.other_kinds) && emitter.allows(other) { other } else { usual }
}
