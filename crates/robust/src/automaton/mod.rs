//! A thread's code as a finite automaton whose steps are memory accesses.
//!
//! A local state is the position of an access, together with the registers that are live there. Local instructions, and fences (which commute with all other threads), are carried out with the
//! access before them. States and steps are computed when they are first needed.
//!
//! A loop of only local steps and fences never reaches another access. The thread then counts as halted, because the program cannot notice what it does. A load or failed CAS that leads back
//! to its own local state and writes nothing is a *spin*: repeating it has no effect until the location has another value, so it blocks until then.

mod walk;

pub(crate) use walk::TaintedStep;

use crate::event::{Event, EventKind, Fences, Transition};
use crate::translation::Translation;
use rustc_hash::FxHashMap;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use steadfast_ir::values::ValueSet;
use steadfast_ir::{
    EvalError, Expr, Instr, LocId, Pc, Place, Program, ReadOrder, RegSet, RmwOrder, Thread, Value, WriteOrder, cfg,
    exclusive_at, liveness,
};
use steadfast_span::{Index, IndexVec};

/// How a model reads the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Every access is acquire and release, and acquire or release fences do nothing (RA and SRA).
    pub strengthen: bool,
    /// Stores are buffered (TSO).
    pub buffered: bool,
    /// A `seq_cst` fence is an update of this ghost location, a step of its own; otherwise it is a primitive fence.
    pub ghost: Option<u16>,
    /// Spin loops are treated as blocking.
    pub spin: bool,
}

/// The next access of a local state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NextAccess {
    /// Its position in the code.
    pub pc: Pc,
    /// The location, if it accesses one.
    pub loc: Option<u16>,
    /// The values of the location for which it reads without writing (as an ordinary load, a wait or a failed CAS).
    pub read_values: ValueSet,
    /// The values of the location for which it is an update.
    pub update_values: ValueSet,
    /// Whether it is an ordinary write to an atomic location.
    pub writes: bool,
    /// Whether its read, and whether its write or update, may take fewer writes than other accesses of the thread: because it is a `seq_cst` access or, where stores are buffered, because it waits
    /// until the buffer is empty.
    pub strict: (bool, bool),
    /// For a plain access: whether it writes.
    pub plain: Option<bool>,
    /// Whether its reads are ordinary loads. Only these may go wrong unnoticed.
    pub plain_read: bool,
    /// Whether the thread has ended.
    pub halted: bool,
    /// The values for which it spins.
    pub spins: ValueSet,
}

/// Why a program fails under sequential consistency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FailureKind {
    /// An assertion does not hold.
    Assertion,
    /// An expression has no value.
    Evaluation(EvalError),
}

/// An instruction that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Failure {
    /// Its position.
    pub pc: Pc,
    /// Why it fails.
    pub kind: FailureKind,
}

/// A position and the live registers there. Dead registers are zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LocalState {
    /// The position of the next access.
    pub pc: Pc,
    /// The registers.
    pub registers: Box<[Value]>,
}

/// The automaton of one piece of code. Threads with the same code share it.
#[derive(Debug)]
pub(crate) struct Automaton<'p> {
    program: &'p Program,
    thread: &'p Thread,
    live: IndexVec<Pc, RegSet>,
    exclusive: IndexVec<Pc, bool>,
    /// Whether an access can come back to its own position without another access in between. Only there can it spin.
    may_return: IndexVec<Pc, bool>,
    reading: Reading,
    /// The values that each location can hold: only these are tried.
    domains: &'p IndexVec<LocId, ValueSet>,
    /// The translation in use, and the thread of it that this automaton belongs to.
    translation: Option<(&'p Translation, usize)>,
    /// Whether a thread did something that a translation cannot follow.
    uncertain: AtomicBool,
    /// The least index that was computed.
    least: AtomicI32,
    inner: RwLock<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    states: Vec<LocalState>,
    accesses: Vec<NextAccess>,
    index: FxHashMap<LocalState, u32>,
    steps: FxHashMap<(u32, Value), Vec<Transition>>,
    failures: Vec<(u32, Value, Failure)>,
    /// A position where some run leaves the bounds of the representation.
    exceeded: Option<Pc>,
    /// Pairs of local states: the second one is the first one, translated.
    moved: Vec<(u32, u32)>,
}

impl Inner {
    /// Records positions where runs leave the bounds of the representation.
    fn note_beyond(&mut self, beyond: &[Pc]) {
        self.exceeded = self.exceeded.into_iter().chain(beyond.iter().copied()).min();
    }
}

/// One effect of an access that finds the value `old`: the event, the written value, and whether a register receives the old value.
struct Effect {
    event: Event,
    written: Option<Value>,
    received: bool,
}

impl<'p> Automaton<'p> {
    /// The automaton of a thread.
    pub(crate) fn new(
        program: &'p Program,
        thread: &'p Thread,
        reading: Reading,
        domains: &'p IndexVec<LocId, ValueSet>,
        translation: Option<(&'p Translation, usize)>,
    ) -> Self {
        Self {
            program,
            thread,
            live: liveness::live_before(thread),
            exclusive: exclusive_at(thread),
            may_return: cfg::may_return(thread),
            reading,
            domains,
            translation,
            uncertain: AtomicBool::new(false),
            least: AtomicI32::new(i32::MAX),
            inner: RwLock::default(),
        }
    }

    /// The code of this automaton.
    pub(crate) fn thread(&self) -> &'p Thread {
        self.thread
    }

    /// The initial local states, and the failures before the first access.
    pub(crate) fn initial(&self) -> (Vec<u32>, Vec<Failure>) {
        let local_run = self.run_from_start();
        let mut ids: Vec<u32> = local_run.states.into_iter().map(|(state, _)| self.intern(state)).collect();
        ids.sort_unstable();
        ids.dedup();
        self.note_beyond(&local_run.beyond);
        (ids, local_run.failures)
    }

    /// Records positions where runs leave the bounds of the representation.
    fn note_beyond(&self, beyond: &[Pc]) {
        if !beyond.is_empty() {
            self.inner.write().expect("no panic while locked").note_beyond(beyond);
        }
    }

    /// Whether no other thread runs until a thread in this local state has taken a step.
    pub(crate) fn is_exclusive(&self, id: u32) -> bool {
        self.exclusive[self.state(id).pc]
    }

    /// A bound of the representation that some run leaves, if any.
    pub(crate) fn exceeded(&self) -> Option<&'p str> {
        let pc = self.inner.read().expect("no panic while locked").exceeded?;
        match &self.thread.code[pc].op {
            Instr::Bound { bound, .. } => Some(bound),
            _ => Some("too many ways lead from one access of a thread to the next (more than 2^18 local steps)"),
        }
    }

    /// Whether the translation could follow everything so far, and the least index that was computed.
    pub(crate) fn translation_state(&self) -> (bool, i32) {
        (!self.uncertain.load(Ordering::Relaxed), self.least.load(Ordering::Relaxed))
    }

    /// The local state with all indices moved down by `by`.
    pub(crate) fn translated(&self, id: u32, by: i32) -> u32 {
        let Some((translation, thread)) = self.translation else { return id };
        let mut state = self.state(id);
        for reg in self.live[state.pc].iter().filter(|&reg| translation.is_index(thread, reg)) {
            state.registers[reg.index()] = translation.moved(state.registers[reg.index()], by);
        }
        let moved = self.intern(state);
        self.inner.write().expect("no panic while locked").moved.push((id, moved));
        moved
    }

    /// All pairs of local states of which the second one is the first one, translated.
    pub(crate) fn known_moves(&self) -> Vec<(u32, u32)> {
        self.inner.read().expect("no panic while locked").moved.clone()
    }

    fn require(&self, certain: bool) {
        if !certain {
            self.uncertain.store(true, Ordering::Relaxed);
        }
    }

    /// Under a translation, checks that an access compares indices only where the outcome is certain.
    fn require_certain_match(&self, state: &LocalState, old: Value) {
        let Some((translation, thread)) = self.translation else { return };
        let expected: Vec<&Expr> = match &self.thread.code[state.pc].op {
            Instr::Cas { expected, .. } | Instr::BlockingCas { expected, .. } => vec![expected],
            Instr::Wait { values, .. } => values.iter().collect(),
            _ => Vec::new(),
        };
        for expected in expected {
            self.require(translation.is_certain_match(thread, expected, &state.registers, old));
        }
    }

    /// Under a translation, checks that an access that writes an index knows its exact value.
    fn require_exact_write(&self, state: &LocalState, old: Value, effect: &Effect) {
        let Some((translation, _)) = self
            .translation
            .filter(|(translation, _)| translation.locations.get(effect.event.loc as usize) == Some(&true))
        else {
            return;
        };
        let (Instr::Store { value, .. }
        | Instr::Rmw { update: value, .. }
        | Instr::Cas { new: value, .. }
        | Instr::BlockingCas { new: value, .. }) = &self.thread.code[state.pc].op
        else {
            return;
        };
        self.require(effect.written.is_none() || translation.is_exact(value, &state.registers, old));
    }

    /// How many local states are known.
    pub(crate) fn len(&self) -> usize {
        self.inner.read().expect("no panic while locked").states.len()
    }

    /// The next access of a local state.
    pub(crate) fn access(&self, id: u32) -> NextAccess {
        self.inner.read().expect("no panic while locked").accesses[id as usize].clone()
    }

    /// A local state.
    pub(crate) fn state(&self, id: u32) -> LocalState {
        self.inner.read().expect("no panic while locked").states[id as usize].clone()
    }

    /// All steps that were computed, in a fixed order.
    pub(crate) fn known_steps(&self) -> Vec<Transition> {
        let inner = self.inner.read().expect("no panic while locked");
        let mut keys: Vec<_> = inner.steps.keys().copied().collect();
        keys.sort_unstable();
        keys.iter().flat_map(|key| inner.steps[key].iter().cloned()).collect()
    }

    /// The failure of a step, if it fails.
    pub(crate) fn failure(&self, id: u32, old: Value) -> Option<Failure> {
        let inner = self.inner.read().expect("no panic while locked");
        inner.failures.iter().find(|(state, value, _)| (*state, *value) == (id, old)).map(|(_, _, failure)| *failure)
    }

    /// Whether any known step fails.
    pub(crate) fn has_failures(&self) -> bool {
        !self.inner.read().expect("no panic while locked").failures.is_empty()
    }

    /// The steps of a local state when its location holds `old`. Empty if it is blocked or halted.
    pub(crate) fn steps(&self, id: u32, old: Value) -> Vec<Transition> {
        if let Some(steps) = self.inner.read().expect("no panic while locked").steps.get(&(id, old)) {
            return steps.clone();
        }
        let (state, access) = (self.state(id), self.access(id));
        self.require_certain_match(&state, old);
        let mut transitions = Vec::new();
        let (mut failures, mut beyond) = (Vec::new(), Vec::new());
        if !access.spins.contains(old) {
            match self.effects(&state, old) {
                Err(kind) => failures.push(Failure { pc: state.pc, kind: FailureKind::Evaluation(kind) }),
                Ok(effects) => {
                    for effect in effects {
                        self.require_exact_write(&state, old, &effect);
                        let local_run = self.run_local(&state, old, &effect);
                        failures.extend(local_run.failures);
                        beyond.extend(local_run.beyond);
                        for (next, fences) in local_run.states {
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
        inner.note_beyond(&beyond);
        for failure in failures {
            if !inner.failures.contains(&(id, old, failure)) {
                inner.failures.push((id, old, failure));
            }
        }
        inner.steps.entry((id, old)).or_insert(transitions).clone()
    }

    /// The effects of a local state's access when it finds `old`, as transitions that end where they begin. They serve to replay a last step.
    pub(crate) fn last_steps(&self, id: u32, old: Value) -> Vec<Transition> {
        let effects = self.effects(&self.state(id), old).unwrap_or_default();
        let transition = |(choice, Effect { event, written, .. }): (usize, Effect)| Transition {
            source: id,
            old,
            event,
            written,
            next: id,
            fences: Fences::None,
            choice: choice as u32,
        };
        effects.into_iter().enumerate().map(transition).collect()
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

    /// The location that a place denotes.
    fn resolve(place: &Place, registers: &[Value]) -> Result<LocId, EvalError> {
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
            locked: self.reading.buffered && kind == EventKind::Update,
        }
    }

    /// The effects of a local state's access when its location holds `old`. Empty if it is blocked.
    fn effects(&self, state: &LocalState, old: Value) -> Result<Vec<Effect>, EvalError> {
        let registers = &state.registers;
        let op = &self.thread.code[state.pc].op;
        if let Instr::Fence(_) = op {
            let loc = LocId::new(self.reading.ghost.unwrap_or(0) as usize);
            let event = self.event(EventKind::ScFence, loc, ReadOrder::Acquire, WriteOrder::Release);
            return Ok(vec![Effect { event, written: None, received: false }]);
        }
        let Some(place) = steadfast_ir::dataflow::place(op) else { return Ok(Vec::new()) };
        let loc = Self::resolve(place, registers)?;
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
            Instr::Cas { expected, new, success, failure, spurious, .. } => {
                let mut effects = Vec::new();
                let matches = value(expected)? == old && !spurious;
                if matches {
                    effects.push(update(*success, value(new)?));
                } else {
                    let mut failed = read(EventKind::ObservingRead, *failure);
                    failed.event.locked = self.reading.buffered;
                    effects.push(failed);
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
    fn describe(&self, state: &LocalState) -> NextAccess {
        let op = &self.thread.code[state.pc].op;
        let mut access = NextAccess {
            pc: state.pc,
            loc: None,
            read_values: ValueSet::EMPTY,
            update_values: ValueSet::EMPTY,
            writes: matches!(op, Instr::Store { .. } | Instr::Unlock(_)),
            strict: (false, false),
            plain: match op {
                Instr::PlainLoad { .. } => Some(false),
                Instr::PlainStore { .. } => Some(true),
                _ => None,
            },
            plain_read: matches!(op, Instr::Load { .. }),
            halted: matches!(op, Instr::Halt),
            spins: ValueSet::EMPTY,
        };
        let Some(Ok(loc)) = steadfast_ir::dataflow::place(op).map(|place| Self::resolve(place, &state.registers))
        else {
            return access;
        };
        access.loc = Some(loc.index() as u16);
        // The effect of a store does not depend on the value that it overwrites, and a load that does not spin reads any value.
        let may_spin = self.reading.spin && self.may_return[state.pc];
        let takes_all = access.plain_read && !may_spin;
        let tried = if access.writes || access.plain.is_some() || takes_all { 1 } else { usize::MAX };
        for value in self.domains[loc].iter().take(tried) {
            let Ok(effects) = self.effects(state, value) else { continue };
            if may_spin && self.spins(state, value, &effects) {
                access.spins.insert(value);
                continue;
            }
            for Effect { event, .. } in effects {
                match event.kind {
                    EventKind::Read | EventKind::ObservingRead => {
                        access.read_values.insert(value);
                        access.strict.0 |= if self.reading.buffered { event.locked } else { event.seq_cst };
                        continue;
                    }
                    EventKind::Update => access.update_values.insert(value),
                    _ => {}
                }
                access.strict.1 |= self.reading.buffered || event.seq_cst;
            }
        }
        if takes_all {
            access.read_values = self.domains[loc];
        }
        access
    }

    /// Whether reading `value` leads back to the same local state without any effect.
    fn spins(&self, state: &LocalState, value: Value, effects: &[Effect]) -> bool {
        let [effect] = effects else { return false };
        if !matches!(effect.event.kind, EventKind::Read | EventKind::ObservingRead) {
            return false;
        }
        let local_run = self.run_local(state, value, effect);
        let goes_on = local_run.failures.is_empty() && local_run.beyond.is_empty();
        goes_on && matches!(local_run.states.as_slice(), [(next, Fences::None)] if next == state)
    }
}
