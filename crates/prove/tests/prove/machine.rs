//! A machine with store buffers, as obvious as possible: are the states that it reaches with empty buffers reached without buffers, too?

use std::cell::Cell;
use std::collections::HashSet;
use steadfast_ir::liveness::live_before;
use steadfast_ir::{Expr, FenceOrder, Instr, LocId, Pc, Place, Program, RegId, RegSet, ThreadId, Value, cfg};
use steadfast_span::{Index, IndexVec};

/// All of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    pcs: Vec<Pc>,
    registers: Vec<Vec<Value>>,
    memory: Vec<Value>,
    buffers: Vec<Vec<(LocId, Value)>>,
}

#[derive(Debug)]
struct Machine<'p> {
    program: &'p Program,
    /// How many stores a buffer holds; none: stores go to memory at once.
    capacity: usize,
    /// After so many states, nothing is known.
    most: usize,
    /// Whether an assertion has failed.
    failed: Cell<bool>,
    /// Whether a run has left the bounds of the program.
    left: Cell<bool>,
    /// By thread and place, the registers that will be read.
    live: Vec<IndexVec<Pc, RegSet>>,
}

/// Whether an assertion can fail under TSO.
pub(crate) fn can_fail(program: &Program) -> bool {
    let machine = Machine::new(program, usize::MAX, usize::MAX);
    machine.states();
    machine.failed.get()
}

/// Whether TSO reaches no more states with empty buffers than SC does.
pub(crate) fn is_state_robust(program: &Program) -> bool {
    let of = |capacity| Machine::new(program, capacity, usize::MAX).states();
    of(usize::MAX).is_some_and(|weak| of(0).is_some_and(|strong| weak.is_subset(&strong)))
}

/// The same with buffers for so many stores; nothing if there are too many states, or SC may reach one of them outside of the bounds of the program.
pub(crate) fn is_state_robust_within(program: &Program, capacity: usize, most: usize) -> Option<bool> {
    let strong = Machine::new(program, 0, most);
    let expected = strong.states()?;
    let robust = Machine::new(program, capacity, most).states()?.is_subset(&expected);
    (robust || !strong.left.get()).then_some(robust)
}

impl<'p> Machine<'p> {
    fn new(program: &'p Program, capacity: usize, most: usize) -> Self {
        let live = program.threads.iter().map(live_before).collect();
        Self { program, capacity, most, failed: Cell::new(false), left: Cell::new(false), live }
    }

    /// The states with empty buffers in which every thread is before an access.
    fn states(&self) -> Option<HashSet<State>> {
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
            if seen.len() > self.most {
                return None;
            }
            if let Some(thread) = (0..threads).find(|&thread| self.is_local(&state, thread)) {
                self.step(&state, thread, &mut pending);
                continue;
            }
            if state.buffers.iter().all(Vec::is_empty) {
                stable.insert(self.without_what_is_forgotten(&state));
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
        Some(stable)
    }

    /// What a temporary of the compiler holds, and nobody will read, is no part of the state of a program.
    fn without_what_is_forgotten(&self, state: &State) -> State {
        let mut state = state.clone();
        for (thread, code) in self.program.threads.iter().enumerate() {
            let live = &self.live[thread][state.pcs[thread]];
            for (at, register) in code.registers.iter().enumerate() {
                if register.temporary && !live.contains(RegId::new(at)) {
                    state.registers[thread][at] = 0;
                }
            }
        }
        state
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
            | Instr::Bound { .. }
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
            Instr::Store { .. } | Instr::PlainStore { .. } | Instr::Unlock(_)
                if self.capacity > 0 && state.buffers[thread].len() >= self.capacity => {}
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
            Instr::Cas { dst, place, expected, new, spurious, .. } => {
                let loc = Self::location(state, thread, place);
                let old = state.memory[loc.index()];
                self.receive(&mut next, thread, *dst, old);
                let found = self.stored(state, thread, loc, expected, 0) == old && !spurious;
                if found {
                    next.memory[loc.index()] = self.stored(state, thread, loc, new, 0);
                }
                pending.push(next);
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
            Instr::Bound { within, .. } => {
                if Self::value(state, thread, within, 0) == 0 {
                    self.left.set(true);
                } else {
                    pending.push(next);
                }
            }
            Instr::Halt | Instr::Exclusive(_) => {}
        }
    }

    fn write(&self, next: &mut State, thread: usize, loc: LocId, value: Value) {
        if self.capacity > 0 {
            next.buffers[thread].push((loc, value));
        } else {
            next.memory[loc.index()] = value;
        }
    }
}
