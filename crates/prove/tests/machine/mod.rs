//! A machine with store buffers, as obvious as possible: are the states that it reaches with empty buffers reached without buffers, too?

use std::cell::Cell;
use std::collections::HashSet;
use steadfast_ir::{Expr, FenceOrder, Instr, LocId, Pc, Place, Program, RegId, ThreadId, Value, cfg};
use steadfast_span::Index;

/// All of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    pcs: Vec<Pc>,
    registers: Vec<Vec<Value>>,
    memory: Vec<Value>,
    buffers: Vec<Vec<(LocId, Value)>>,
}

struct Machine<'p> {
    program: &'p Program,
    buffered: bool,
    /// Whether an assertion has failed.
    failed: Cell<bool>,
}

/// Whether an assertion can fail under TSO.
pub(crate) fn can_fail(program: &Program) -> bool {
    let machine = Machine { program, buffered: true, failed: Cell::new(false) };
    machine.states();
    machine.failed.get()
}

/// Whether TSO reaches no more states with empty buffers than SC does.
pub(crate) fn is_state_robust(program: &Program) -> bool {
    let of = |buffered| Machine { program, buffered, failed: Cell::new(false) }.states();
    of(true).is_subset(&of(false))
}

impl Machine<'_> {
    /// The states with empty buffers in which every thread is before an access.
    fn states(&self) -> HashSet<State> {
        let threads = self.program.threads.len();
        let registers = self.program.threads.iter().map(|thread| vec![0; thread.registers.len()]).collect();
        let memory = self.program.locations.iter().map(|location| location.init).collect();
        let start = State { pcs: vec![Pc::new(0); threads], registers, memory, buffers: vec![Vec::new(); threads] };
        let (mut seen, mut stable) = (HashSet::new(), HashSet::new());
        let mut pending = vec![start];
        while let Some(state) = pending.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            if let Some(thread) = (0..threads).find(|&thread| self.is_local(&state, thread)) {
                self.step(&state, thread, &mut pending);
                continue;
            }
            if state.buffers.iter().all(Vec::is_empty) {
                stable.insert(state.clone());
            }
            for thread in 0..threads {
                if !state.buffers[thread].is_empty() {
                    let mut next = state.clone();
                    let (loc, value) = next.buffers[thread].remove(0);
                    next.memory[loc.index()] = value;
                    pending.push(next);
                }
                self.step(&state, thread, &mut pending);
            }
        }
        stable
    }

    fn instr(&self, state: &State, thread: usize) -> &Instr {
        &self.program.threads[ThreadId::new(thread)].code[state.pcs[thread]].op
    }

    fn is_local(&self, state: &State, thread: usize) -> bool {
        match self.instr(state, thread) {
            Instr::Assign { .. }
            | Instr::Jump(_)
            | Instr::Branch { .. }
            | Instr::Choose(_)
            | Instr::Assert(_)
            | Instr::Observe(_) => true,
            Instr::Assume(cond) => cond.eval(&state.registers[thread], 0) != Ok(0),
            Instr::Fence(order) => *order != FenceOrder::SeqCst,
            _ => false,
        }
    }

    fn value(state: &State, thread: usize, expr: &Expr, old: Value) -> i32 {
        expr.eval(&state.registers[thread], old).expect("the program divides by nothing")
    }

    fn location(state: &State, thread: usize, place: &Place) -> LocId {
        match place {
            Place::Fixed(loc) => *loc,
            Place::Element { base, index, .. } => {
                LocId::new(base.index() + Self::value(state, thread, index, 0).unsigned_abs() as usize)
            }
        }
    }

    fn stored(&self, state: &State, thread: usize, loc: LocId, expr: &Expr, old: Value) -> Value {
        self.program.reduce(Self::value(state, thread, expr, old), self.program.locations[loc].modulus)
    }

    fn read(state: &State, thread: usize, loc: LocId) -> Value {
        let own = state.buffers[thread].iter().rev().find(|(own, _)| *own == loc);
        own.map_or(state.memory[loc.index()], |(_, value)| *value)
    }

    fn receive(&self, next: &mut State, thread: usize, dst: Option<RegId>, value: Value) {
        if let Some(dst) = dst {
            let modulus = self.program.threads[ThreadId::new(thread)].registers[dst].modulus;
            next.registers[thread][dst.index()] = self.program.receive(value, modulus);
        }
    }

    /// What a thread can do next.
    fn step(&self, state: &State, thread: usize, pending: &mut Vec<State>) {
        let op = self.instr(state, thread);
        let mut next = state.clone();
        next.pcs[thread] = Pc::new(state.pcs[thread].index() + 1);
        let drained = state.buffers[thread].is_empty();
        match op {
            Instr::Assign { dst, value } => {
                let modulus = self.program.threads[ThreadId::new(thread)].registers[*dst].modulus;
                let value = self.program.reduce(Self::value(state, thread, value, 0), modulus);
                next.registers[thread][dst.index()] = value;
                pending.push(next);
            }
            Instr::Branch { cond, then, otherwise } => {
                let holds = Self::value(state, thread, cond, 0) != 0;
                next.pcs[thread] = if holds { *then } else { *otherwise };
                pending.push(next);
            }
            Instr::Jump(_) | Instr::Choose(_) => {
                for to in cfg::successors(state.pcs[thread], op) {
                    next.pcs[thread] = to;
                    pending.push(next.clone());
                }
            }
            Instr::Assume(cond) => {
                if Self::value(state, thread, cond, 0) != 0 {
                    pending.push(next);
                }
            }
            Instr::Fence(FenceOrder::SeqCst)
            | Instr::Rmw { .. }
            | Instr::Cas { .. }
            | Instr::BlockingCas { .. }
            | Instr::Lock(_)
                if !drained => {}
            Instr::Assert(cond) => {
                if Self::value(state, thread, cond, 0) == 0 {
                    self.failed.set(true);
                }
                pending.push(next);
            }
            Instr::Observe(_) | Instr::Fence(_) => pending.push(next),
            Instr::Load { dst, place, .. } | Instr::PlainLoad { dst, place } => {
                let value = Self::read(state, thread, Self::location(state, thread, place));
                self.receive(&mut next, thread, Some(*dst), value);
                pending.push(next);
            }
            Instr::Wait { dst, place, values, .. } => {
                let loc = Self::location(state, thread, place);
                let value = Self::read(state, thread, loc);
                if values.iter().any(|wanted| self.stored(state, thread, loc, wanted, 0) == value) {
                    self.receive(&mut next, thread, *dst, value);
                    pending.push(next);
                }
            }
            Instr::Store { place, value, .. } | Instr::PlainStore { place, value } => {
                let loc = Self::location(state, thread, place);
                let value = self.stored(state, thread, loc, value, 0);
                self.write(&mut next, thread, loc, value);
                pending.push(next);
            }
            Instr::Unlock(place) => {
                let loc = Self::location(state, thread, place);
                self.write(&mut next, thread, loc, 0);
                pending.push(next);
            }
            Instr::Rmw { dst, place, update, .. } => {
                let loc = Self::location(state, thread, place);
                let old = state.memory[loc.index()];
                next.memory[loc.index()] = self.stored(state, thread, loc, update, old);
                self.receive(&mut next, thread, *dst, old);
                pending.push(next);
            }
            Instr::Cas { dst, place, expected, new, weak, .. } => {
                let loc = Self::location(state, thread, place);
                let old = state.memory[loc.index()];
                self.receive(&mut next, thread, *dst, old);
                let found = self.stored(state, thread, loc, expected, 0) == old;
                if !found || *weak {
                    pending.push(next.clone());
                }
                if found {
                    next.memory[loc.index()] = self.stored(state, thread, loc, new, 0);
                    pending.push(next);
                }
            }
            Instr::BlockingCas { place, expected, new, .. } => {
                let loc = Self::location(state, thread, place);
                if self.stored(state, thread, loc, expected, 0) == state.memory[loc.index()] {
                    next.memory[loc.index()] = self.stored(state, thread, loc, new, 0);
                    pending.push(next);
                }
            }
            Instr::Lock(place) => {
                let loc = Self::location(state, thread, place);
                if state.memory[loc.index()] == 0 {
                    next.memory[loc.index()] = 1;
                    pending.push(next);
                }
            }
            Instr::Halt | Instr::Bound { .. } | Instr::Exclusive(_) => {}
        }
    }

    fn write(&self, next: &mut State, thread: usize, loc: LocId, value: Value) {
        if self.buffered {
            next.buffers[thread].push((loc, value));
        } else {
            next.memory[loc.index()] = value;
        }
    }
}
