//! A thread's code as a finite automaton whose steps are memory accesses.
//!
//! A local state is a position at an access together with the registers that are live there. Local instructions (and fences, which commute
//! with all other threads) are carried out with the access before them. States and steps are made when they are first needed.
//!
//! A loop of only local steps and fences never reaches another access; the thread then counts as halted, since nothing that it does can be
//! noticed. A load or failed CAS that leads back to its own local state and writes nothing is a *spin*: repeating it can only be
//! noticed through the value it waits for, so it is treated as blocking until another value is there.

use crate::event::{Event, EventKind, Fences, Transition};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::RwLock;
use steadfast_ir::values::ValueSet;
use steadfast_ir::{
    EvalError, Expr, FenceOrder, Instr, LocId, Pc, Place, Program, ReadOrder, RegSet, RmwOrder, Thread, Value,
    WriteOrder, liveness,
};
use steadfast_span::{Index, IndexVec};

/// How a model reads the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Every access is acquire and release, and acquire or release fences do nothing (RA and SRA).
    pub strengthen: bool,
    /// A `seq_cst` fence is an update of this ghost location, a step of its own; otherwise it is a primitive fence.
    pub ghost: Option<u16>,
    /// Spin loops are treated as blocking.
    pub spin: bool,
}

/// What a local state does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Where in the code.
    pub pc: Pc,
    /// The location, if it accesses one.
    pub loc: Option<u16>,
    /// For which values of the location a read (ordinary, wait or failed CAS) happens.
    pub read_values: ValueSet,
    /// For which values of the location an update happens.
    pub update_values: ValueSet,
    /// Whether it is a plain write of an atomic location.
    pub writes: bool,
    /// Whether its read, and whether its write or update, is a `seq_cst` access.
    pub seq_cst: (bool, bool),
    /// A non-atomic access: whether it writes.
    pub plain: Option<bool>,
    /// Whether its reads are ordinary loads, which may go wrong unnoticed.
    pub plain_read: bool,
    /// Whether the thread has ended.
    pub halted: bool,
    /// Values for which it spins.
    pub spins: ValueSet,
}

/// Why a program is wrong already under sequential consistency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// An assertion does not hold.
    Assertion,
    /// An expression has no value.
    Evaluation(EvalError),
}

/// A failure and the instruction that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    /// Where.
    pub pc: Pc,
    /// What.
    pub kind: FailureKind,
}

/// Position, live registers; dead ones are zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalState {
    /// The position of the next access.
    pub pc: Pc,
    /// The registers.
    pub registers: Box<[Value]>,
}

/// What running local instructions from somewhere leads to.
#[derive(Default)]
struct Landing {
    /// Accesses that are reached, with the fences on the way.
    states: Vec<(LocalState, Fences)>,
    failures: Vec<Failure>,
}

/// The automaton of one piece of code. Threads with the same code share it.
#[derive(Debug)]
pub struct Automaton<'p> {
    program: &'p Program,
    thread: &'p Thread,
    live: IndexVec<Pc, RegSet>,
    reading: Reading,
    /// What each location can hold, to bound the values that are tried.
    domains: &'p IndexVec<LocId, ValueSet>,
    inner: RwLock<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    states: Vec<LocalState>,
    accesses: Vec<Access>,
    index: FxHashMap<LocalState, u32>,
    steps: FxHashMap<(u32, Value), Vec<Transition>>,
    failures: Vec<(u32, Value, Failure)>,
}

/// What following a transition with tainted registers leads to.
#[derive(Debug)]
pub enum Stray {
    /// Some instruction on the way observes a tainted register.
    Noticed,
    /// The tainted registers that are live when the next local state is reached, once per way there.
    Landed(Vec<RegSet>),
}

/// What an access does when it reads `old`: the event, the value written, and the registers afterwards.
struct Effect {
    event: Event,
    written: Option<Value>,
    received: bool,
}

impl<'p> Automaton<'p> {
    /// The automaton of a thread.
    pub fn new(
        program: &'p Program,
        thread: &'p Thread,
        reading: Reading,
        domains: &'p IndexVec<LocId, ValueSet>,
    ) -> Self {
        Self { program, thread, live: liveness::live_before(thread), reading, domains, inner: RwLock::default() }
    }

    /// The code that this is the automaton of.
    pub fn thread(&self) -> &'p Thread {
        self.thread
    }

    /// The initial local states, and what already fails before the first access.
    pub fn initial(&self) -> (Vec<u32>, Vec<Failure>) {
        let registers = vec![0; self.thread.registers.len()];
        let landing = self.run(Pc::new(0), registers);
        let mut ids: Vec<u32> = landing.states.into_iter().map(|(state, _)| self.intern(state)).collect();
        ids.sort_unstable();
        ids.dedup();
        (ids, landing.failures)
    }

    /// How many local states are known.
    pub fn len(&self) -> usize {
        self.inner.read().expect("no panic while locked").states.len()
    }

    /// What a local state does next.
    pub fn access(&self, id: u32) -> Access {
        self.inner.read().expect("no panic while locked").accesses[id as usize].clone()
    }

    /// A local state.
    pub fn state(&self, id: u32) -> LocalState {
        self.inner.read().expect("no panic while locked").states[id as usize].clone()
    }

    /// All steps that were ever taken, in a fixed order.
    pub fn known_steps(&self) -> Vec<Transition> {
        let inner = self.inner.read().expect("no panic while locked");
        let mut keys: Vec<_> = inner.steps.keys().copied().collect();
        keys.sort_unstable();
        keys.iter().flat_map(|key| inner.steps[key].iter().cloned()).collect()
    }

    /// The failures met on the way of a step, if any.
    pub fn failure(&self, id: u32, old: Value) -> Option<Failure> {
        let inner = self.inner.read().expect("no panic while locked");
        inner.failures.iter().find(|(state, value, _)| (*state, *value) == (id, old)).map(|(_, _, failure)| *failure)
    }

    /// Whether any step can fail.
    pub fn has_failures(&self) -> bool {
        !self.inner.read().expect("no panic while locked").failures.is_empty()
    }

    /// The steps of a local state when its location holds `old`. None if it is blocked or halted.
    pub fn steps(&self, id: u32, old: Value) -> Vec<Transition> {
        if let Some(steps) = self.inner.read().expect("no panic while locked").steps.get(&(id, old)) {
            return steps.clone();
        }
        let (state, access) = (self.state(id), self.access(id));
        let mut transitions = Vec::new();
        let mut failures = Vec::new();
        if !access.spins.contains(old) {
            match self.effects(&state, old) {
                Err(kind) => failures.push(Failure { pc: state.pc, kind: FailureKind::Evaluation(kind) }),
                Ok(effects) => {
                    for effect in effects {
                        let landing = self.land(&state, old, &effect);
                        failures.extend(landing.failures);
                        for (next, fences) in landing.states {
                            transitions.push(Transition {
                                source: id,
                                old,
                                event: effect.event,
                                written: effect.written,
                                next: self.intern(next),
                                fences,
                                choice: transitions.len() as u32,
                            });
                        }
                    }
                }
            }
        }
        let mut inner = self.inner.write().expect("no panic while locked");
        for failure in failures {
            if !inner.failures.contains(&(id, old, failure)) {
                inner.failures.push((id, old, failure));
            }
        }
        inner.steps.entry((id, old)).or_insert(transitions).clone()
    }

    /// The access whose step fails, as a transition that leads nowhere. None if the access itself cannot be evaluated.
    pub fn failing_access(&self, id: u32, old: Value) -> Option<Transition> {
        let effect = self.effects(&self.state(id), old).ok()?.into_iter().next()?;
        let Effect { event, written, .. } = effect;
        Some(Transition { source: id, old, event, written, next: id, fences: Fences::None, choice: 0 })
    }

    fn intern(&self, state: LocalState) -> u32 {
        if let Some(&id) = self.inner.read().expect("no panic while locked").index.get(&state) {
            return id;
        }
        let access = self.describe(&state);
        let mut inner = self.inner.write().expect("no panic while locked");
        if let Some(&id) = inner.index.get(&state) {
            return id;
        }
        let id = inner.states.len() as u32;
        inner.states.push(state.clone());
        inner.accesses.push(access);
        inner.index.insert(state, id);
        id
    }

    /// Carries out an access and the local instructions behind it.
    fn land(&self, state: &LocalState, old: Value, effect: &Effect) -> Landing {
        let mut registers = state.registers.to_vec();
        if let Some(dst) = steadfast_ir::dataflow::defined(&self.thread.code[state.pc].op).filter(|_| effect.received) {
            registers[dst.index()] = self.program.receive(old, self.thread.registers[dst].modulus);
        }
        self.run(Pc::new(state.pc.index() + 1), registers)
    }

    /// Runs local instructions and fences until the next accesses.
    fn run(&self, pc: Pc, registers: Vec<Value>) -> Landing {
        let mut landing = Landing::default();
        let mut seen = FxHashSet::default();
        let mut stack = vec![(pc, registers, Fences::None)];
        while let Some((pc, mut registers, fences)) = stack.pop() {
            self.clear_dead(pc, &mut registers);
            if !seen.insert((pc, registers.clone(), fences)) {
                continue;
            }
            let op = &self.thread.code[pc].op;
            if let Instr::Fence(order) = op
                && let Some(fences) = self.fuse(fences, *order)
            {
                stack.push((Pc::new(pc.index() + 1), registers, fences));
                continue;
            }
            if steadfast_ir::dataflow::is_visible(op) {
                landing.states.push((LocalState { pc, registers: registers.into() }, fences));
                continue;
            }
            match self.local_step(pc, op, &registers) {
                Ok(next) => stack.extend(next.into_iter().rev().map(|(pc, registers)| (pc, registers, fences))),
                Err(kind) => landing.failures.push(Failure { pc, kind }),
            }
        }
        if landing.states.is_empty() && landing.failures.is_empty() {
            landing.states.push((self.halted(), Fences::None));
        }
        landing
    }

    /// Follows a transition with tainted registers; `wrong` if the value that it reads is not to be trusted.
    pub fn stray(&self, transition: &Transition, mut taint: RegSet, wrong: bool) -> Stray {
        let state = self.state(transition.source);
        let mut registers = state.registers.to_vec();
        let received = transition.event.reads() || transition.event.kind == EventKind::PlainRead;
        if let Some(dst) = steadfast_ir::dataflow::defined(&self.thread.code[state.pc].op).filter(|_| received) {
            registers[dst.index()] = self.program.receive(transition.old, self.thread.registers[dst].modulus);
            if wrong { taint.insert(dst) } else { taint.remove(dst) }
        }
        let goal = self.state(transition.next);
        let mut landed = Vec::new();
        let mut seen: Vec<(Pc, Vec<Value>, Fences, RegSet)> = Vec::new();
        let mut stack = vec![(Pc::new(state.pc.index() + 1), registers, Fences::None, taint)];
        while let Some((pc, mut registers, fences, mut taint)) = stack.pop() {
            self.clear_dead(pc, &mut registers);
            taint = taint.iter().filter(|&reg| self.live[pc].contains(reg)).collect();
            let here = (pc, registers.clone(), fences, taint.clone());
            if seen.contains(&here) {
                continue;
            }
            seen.push(here);
            let op = &self.thread.code[pc].op;
            if let Instr::Fence(order) = op
                && let Some(fences) = self.fuse(fences, *order)
            {
                stack.push((Pc::new(pc.index() + 1), registers, fences, taint));
                continue;
            }
            if steadfast_ir::dataflow::is_visible(op) {
                if pc == goal.pc && *registers == *goal.registers && fences == transition.fences {
                    landed.push(taint);
                }
                continue;
            }
            if steadfast_ir::dataflow::observed(op).intersects(&taint) {
                return Stray::Noticed;
            }
            if let Instr::Assign { dst, value } = op {
                let mut used = RegSet::new();
                value.collect_registers(&mut used);
                if used.intersects(&taint) { taint.insert(*dst) } else { taint.remove(*dst) }
            }
            if let Ok(next) = self.local_step(pc, op, &registers) {
                stack.extend(next.into_iter().map(|(pc, registers)| (pc, registers, fences, taint.clone())));
            }
        }
        if landed.is_empty() {
            landed.push(RegSet::new());
        }
        Stray::Landed(landed)
    }

    /// The fences that a transition passes on its way to the next access, where they stand in the code.
    pub fn fences_of(&self, transition: &Transition) -> Vec<(Pc, FenceOrder)> {
        let state = self.state(transition.source);
        let mut registers = state.registers.to_vec();
        let received = transition.event.reads() || transition.event.kind == EventKind::PlainRead;
        if let Some(dst) = steadfast_ir::dataflow::defined(&self.thread.code[state.pc].op).filter(|_| received) {
            registers[dst.index()] = self.program.receive(transition.old, self.thread.registers[dst].modulus);
        }
        let goal = self.state(transition.next);
        let mut seen = FxHashSet::default();
        let mut stack = vec![(Pc::new(state.pc.index() + 1), registers, Fences::None, Vec::new())];
        while let Some((pc, mut registers, fences, passed)) = stack.pop() {
            self.clear_dead(pc, &mut registers);
            if !seen.insert((pc, registers.clone(), fences)) {
                continue;
            }
            let op = &self.thread.code[pc].op;
            if let Instr::Fence(order) = op
                && let Some(fences) = self.fuse(fences, *order)
            {
                let passed = passed.into_iter().chain([(pc, *order)]).collect();
                stack.push((Pc::new(pc.index() + 1), registers, fences, passed));
            } else if steadfast_ir::dataflow::is_visible(op) {
                if pc == goal.pc && *registers == *goal.registers && fences == transition.fences {
                    return passed;
                }
            } else if let Ok(next) = self.local_step(pc, op, &registers) {
                stack.extend(next.into_iter().map(|(pc, registers)| (pc, registers, fences, passed.clone())));
            }
        }
        Vec::new()
    }

    /// The fence sequence after one more fence, or nothing if that fence is a step of its own.
    fn fuse(&self, fences: Fences, order: FenceOrder) -> Option<Fences> {
        match order {
            FenceOrder::SeqCst if self.reading.ghost.is_some() => None,
            _ if self.reading.strengthen => Some(fences),
            _ => Some(fences.then(order)),
        }
    }

    fn halted(&self) -> LocalState {
        let pc = Pc::new(self.thread.code.len() - 1);
        LocalState { pc, registers: vec![0; self.thread.registers.len()].into() }
    }

    fn clear_dead(&self, pc: Pc, registers: &mut [Value]) {
        for (position, value) in registers.iter_mut().enumerate() {
            if *value != 0 && !self.live[pc].contains(steadfast_ir::RegId::new(position)) {
                *value = 0;
            }
        }
    }

    fn local_step(&self, pc: Pc, op: &Instr, registers: &[Value]) -> Result<Vec<(Pc, Vec<Value>)>, FailureKind> {
        let next = Pc::new(pc.index() + 1);
        let holds = |cond: &Expr| cond.eval(registers, 0).map(|value| value != 0).map_err(FailureKind::Evaluation);
        Ok(match op {
            Instr::Assign { dst, value } => {
                let mut registers = registers.to_vec();
                let value = value.eval(&registers, 0).map_err(FailureKind::Evaluation)?;
                registers[dst.index()] = self.program.reduce(value, self.thread.registers[*dst].modulus);
                vec![(next, registers)]
            }
            Instr::Jump(target) => vec![(*target, registers.to_vec())],
            Instr::Branch { cond, then, otherwise } => {
                vec![(if holds(cond)? { *then } else { *otherwise }, registers.to_vec())]
            }
            Instr::Choose(targets) => targets.iter().map(|&target| (target, registers.to_vec())).collect(),
            Instr::Assume(cond) if !holds(cond)? => vec![(self.halted().pc, registers.to_vec())],
            Instr::Assert(cond) if !holds(cond)? => return Err(FailureKind::Assertion),
            _ => vec![(next, registers.to_vec())],
        })
    }

    /// The number of the location that a place names.
    pub fn resolve(&self, place: &Place, registers: &[Value]) -> Result<LocId, EvalError> {
        match place {
            Place::Fixed(loc) => Ok(*loc),
            Place::Element { base, len, index } => match u32::try_from(index.eval(registers, 0)?) {
                Ok(index) if index < *len => Ok(LocId::new(base.index() + index as usize)),
                _ => Err(EvalError::IndexOutOfBounds),
            },
        }
    }

    fn event(&self, kind: EventKind, loc: LocId, read: ReadOrder, write: WriteOrder) -> Event {
        let strong = self.reading.strengthen;
        Event {
            kind,
            loc: loc.index() as u16,
            acquire: strong || read.is_acquire(),
            release: strong || write.is_release(),
            seq_cst: !strong && (read.is_seq_cst() || write.is_seq_cst()),
        }
    }

    /// What the access of a local state can do when its location holds `old`. Empty: blocked.
    fn effects(&self, state: &LocalState, old: Value) -> Result<Vec<Effect>, EvalError> {
        let registers = &state.registers;
        let op = &self.thread.code[state.pc].op;
        if let Instr::Fence(_) = op {
            let loc = LocId::new(self.reading.ghost.unwrap_or(0) as usize);
            let event = self.event(EventKind::ScFence, loc, ReadOrder::Acquire, WriteOrder::Release);
            return Ok(vec![Effect { event, written: None, received: false }]);
        }
        let Some(place) = steadfast_ir::dataflow::place(op) else { return Ok(Vec::new()) };
        let loc = self.resolve(place, registers)?;
        let modulus = self.program.locations[loc].modulus;
        let value = |expr: &Expr| Ok(self.program.reduce(expr.eval(registers, old)?, modulus));
        let read = |kind, order| Effect {
            event: self.event(kind, loc, order, WriteOrder::Relaxed),
            written: None,
            received: true,
        };
        let write = |order, written| Effect {
            event: self.event(EventKind::Write, loc, ReadOrder::Relaxed, order),
            written: Some(written),
            received: false,
        };
        let update = |order: RmwOrder, written| Effect {
            event: self.event(EventKind::Update, loc, order.read(), order.write()),
            written: Some(written),
            received: true,
        };
        Ok(match op {
            Instr::Load { order, .. } => vec![read(EventKind::Read, *order)],
            Instr::PlainLoad { .. } => vec![read(EventKind::PlainRead, ReadOrder::Relaxed)],
            Instr::PlainStore { value: new, .. } => {
                let event = self.event(EventKind::PlainWrite, loc, ReadOrder::Relaxed, WriteOrder::Relaxed);
                vec![Effect { event, written: Some(value(new)?), received: false }]
            }
            Instr::Store { value: new, order, .. } => vec![write(*order, value(new)?)],
            Instr::Unlock(_) => vec![write(WriteOrder::Release, 0)],
            Instr::Rmw { update: new, order, .. } => vec![update(*order, value(new)?)],
            Instr::Cas { expected, new, success, failure, weak, .. } => {
                let mut effects = Vec::new();
                let matches = value(expected)? == old;
                if matches {
                    effects.push(update(*success, value(new)?));
                }
                if !matches || *weak {
                    effects.push(read(EventKind::ObservingRead, *failure));
                }
                effects
            }
            Instr::BlockingCas { expected, new, order, .. } if value(expected)? == old => {
                vec![update(*order, value(new)?)]
            }
            Instr::Lock(_) if old == 0 => vec![update(RmwOrder::Acquire, 1)],
            Instr::Wait { values, order, .. } => {
                let mut effects = Vec::new();
                for expected in values {
                    if effects.is_empty() && value(expected)? == old {
                        effects.push(read(EventKind::ObservingRead, *order));
                    }
                }
                effects
            }
            _ => Vec::new(),
        })
    }

    /// Describes the access of a local state by trying every value that its location can hold.
    fn describe(&self, state: &LocalState) -> Access {
        let op = &self.thread.code[state.pc].op;
        let mut access = Access {
            pc: state.pc,
            loc: None,
            read_values: ValueSet::EMPTY,
            update_values: ValueSet::EMPTY,
            writes: matches!(op, Instr::Store { .. } | Instr::Unlock(_)),
            seq_cst: (false, false),
            plain: match op {
                Instr::PlainLoad { .. } => Some(false),
                Instr::PlainStore { .. } => Some(true),
                _ => None,
            },
            plain_read: matches!(op, Instr::Load { .. }),
            halted: matches!(op, Instr::Halt),
            spins: ValueSet::EMPTY,
        };
        let Some(Ok(loc)) = steadfast_ir::dataflow::place(op).map(|place| self.resolve(place, &state.registers)) else {
            return access;
        };
        access.loc = Some(loc.index() as u16);
        for value in self.domains[loc].iter() {
            let Ok(effects) = self.effects(state, value) else { continue };
            if self.reading.spin && self.spins(state, value, &effects) {
                access.spins.insert(value);
                continue;
            }
            for effect in effects {
                match effect.event.kind {
                    EventKind::Read | EventKind::ObservingRead => {
                        access.read_values.insert(value);
                        access.seq_cst.0 |= effect.event.seq_cst;
                    }
                    EventKind::Update => {
                        access.update_values.insert(value);
                        access.seq_cst.1 |= effect.event.seq_cst;
                    }
                    _ => access.seq_cst.1 |= effect.event.seq_cst,
                }
            }
        }
        access
    }

    /// Whether reading `value` leads back to the same local state without any effect.
    fn spins(&self, state: &LocalState, value: Value, effects: &[Effect]) -> bool {
        let [effect] = effects else { return false };
        if !matches!(effect.event.kind, EventKind::Read | EventKind::ObservingRead) {
            return false;
        }
        let landing = self.land(state, value, effect);
        landing.failures.is_empty() && matches!(landing.states.as_slice(), [(next, Fences::None)] if next == state)
    }
}
