//! Makes a program smaller while it keeps a property, so that a disagreement between two tools becomes readable.

use steadfast_ir::{Expr, FenceOrder, Instr, Pc, Program, ReadOrder, RegId, RmwOrder, ThreadId, WriteOrder};
use steadfast_span::Index;

/// A program that still satisfies `keeps` and from which no single simplification leads to another one that does: no instruction
/// or thread can be dropped, no access made simpler, no ordering weaker.
///
/// `keeps` should hold for the given program; if it does not, the program comes back as it is or after steps that made it hold.
pub fn shrink(program: &Program, keeps: &dyn Fn(&Program) -> bool) -> Program {
    let mut best = program.clone();
    while let Some(smaller) = candidates(&best).into_iter().find(|candidate| keeps(candidate)) {
        best = smaller;
    }
    best
}

/// All programs that are one simplification away, the largest simplifications first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut found: Vec<_> = program.threads.indices().filter_map(|thread| without_thread(program, thread)).collect();
    let positions = || {
        let code = |thread| (0..program.threads[thread].code.len() - 1).map(move |at| (thread, Pc::new(at)));
        program.threads.indices().flat_map(code)
    };
    found.extend(positions().map(|(thread, pc)| without_instruction(program, thread, pc)));
    for (thread, pc) in positions() {
        for op in simpler(&program.threads[thread].code[pc].op) {
            let mut candidate = program.clone();
            candidate.threads[thread].code[pc].op = op;
            found.push(candidate);
        }
    }
    found
}

fn without_thread(program: &Program, thread: ThreadId) -> Option<Program> {
    if program.threads.len() < 2 {
        return None;
    }
    let others = program.threads.enumerated().filter(|&(other, _)| other != thread);
    Some(Program { threads: others.map(|(_, kept)| kept.clone()).collect(), ..program.clone() })
}

/// Drops one instruction; jumps to it now lead to the one behind it.
fn without_instruction(program: &Program, thread: ThreadId, pc: Pc) -> Program {
    let retarget = |target: &mut Pc| {
        if *target > pc {
            *target = Pc::new(target.index() - 1);
        }
    };
    let mut result = program.clone();
    let code = &mut result.threads[thread].code;
    *code = code.enumerated().filter(|&(at, _)| at != pc).map(|(_, instruction)| instruction.clone()).collect();
    for instruction in code.iter_mut() {
        match &mut instruction.op {
            Instr::Jump(target) => retarget(target),
            Instr::Branch { then, otherwise, .. } => [then, otherwise].into_iter().for_each(retarget),
            Instr::Choose(targets) => targets.iter_mut().for_each(retarget),
            _ => {}
        }
    }
    result
}

/// Simpler instructions in place of this one. Every chain of simplifications ends: kinds, values and orderings only get simpler.
fn simpler(op: &Instr) -> Vec<Instr> {
    let one = || Expr::Const(1);
    match op {
        Instr::Rmw { dst, place, update, order } => {
            let written = if update.mentions_old() { one() } else { update.clone() };
            let mut found = vec![Instr::Store { place: place.clone(), value: written, order: order.write() }];
            found.extend(load(*dst, place, order.read()));
            found.extend(weaker_rmw(*order).map(|order| Instr::Rmw {
                dst: *dst,
                place: place.clone(),
                update: update.clone(),
                order,
            }));
            found
        }
        Instr::Cas { dst, place, expected, new, success, failure, spurious } => {
            let cas = |success, failure, spurious| Instr::Cas {
                dst: *dst,
                place: place.clone(),
                expected: expected.clone(),
                new: new.clone(),
                success,
                failure,
                spurious,
            };
            let mut found = vec![Instr::Store { place: place.clone(), value: new.clone(), order: success.write() }];
            found.extend(load(*dst, place, success.read()));
            found.extend(spurious.then(|| cas(*success, *failure, false)));
            found.extend(weaker_rmw(*success).map(|order| cas(order, *failure, *spurious)));
            found.extend(weaker_read(*failure).map(|order| cas(*success, order, *spurious)));
            found
        }
        Instr::BlockingCas { place, expected, new, order } => {
            let bcas = |order| Instr::BlockingCas {
                place: place.clone(),
                expected: expected.clone(),
                new: new.clone(),
                order,
            };
            let value = new.clone();
            let wait =
                Instr::Wait { dst: None, place: place.clone(), values: vec![expected.clone()], order: order.read() };
            let mut found = vec![Instr::Store { place: place.clone(), value, order: order.write() }, wait];
            found.extend(weaker_rmw(*order).map(bcas));
            found
        }
        Instr::Wait { dst, place, values, order } => {
            let wait = |values, order| Instr::Wait { dst: *dst, place: place.clone(), values, order };
            let mut found: Vec<_> = load(*dst, place, *order).into_iter().collect();
            found.extend((values.len() > 1).then(|| wait(values[..1].to_vec(), *order)));
            found.extend(weaker_read(*order).map(|order| wait(values.clone(), order)));
            found
        }
        Instr::Load { dst, place, order } => {
            let weaken = |order| Instr::Load { dst: *dst, place: place.clone(), order };
            weaker_read(*order).map(weaken).collect()
        }
        Instr::Store { place, value, order } => {
            let store = |value, order| Instr::Store { place: place.clone(), value, order };
            let mut found: Vec<_> = (*value != one()).then(|| store(one(), *order)).into_iter().collect();
            found.extend(weaker_write(*order).map(|order| store(value.clone(), order)));
            found
        }
        Instr::PlainStore { place, value } if *value != one() => {
            vec![Instr::PlainStore { place: place.clone(), value: one() }]
        }
        Instr::Fence(FenceOrder::SeqCst) => vec![Instr::Fence(FenceOrder::AcqRel)],
        Instr::Fence(FenceOrder::AcqRel) => vec![Instr::Fence(FenceOrder::Acquire), Instr::Fence(FenceOrder::Release)],
        _ => Vec::new(),
    }
}

/// A load needs a register; an access whose value nobody wants is not turned into one.
fn load(dst: Option<RegId>, place: &steadfast_ir::Place, order: ReadOrder) -> Option<Instr> {
    Some(Instr::Load { dst: dst?, place: place.clone(), order })
}

fn weaker_read(order: ReadOrder) -> impl Iterator<Item = ReadOrder> {
    [ReadOrder::Relaxed, ReadOrder::Acquire].into_iter().filter(move |&weaker| weaker < order)
}

fn weaker_write(order: WriteOrder) -> impl Iterator<Item = WriteOrder> {
    [WriteOrder::Relaxed, WriteOrder::Release].into_iter().filter(move |&weaker| weaker < order)
}

fn weaker_rmw(order: RmwOrder) -> impl Iterator<Item = RmwOrder> {
    let all = [RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::Release, RmwOrder::AcqRel];
    let is_weaker =
        move |weaker: &RmwOrder| *weaker != order && weaker.read() <= order.read() && weaker.write() <= order.write();
    all.into_iter().filter(is_weaker)
}
