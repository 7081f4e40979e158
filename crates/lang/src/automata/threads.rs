//! Lowers one automaton to code.
//!
//! Every state becomes a piece of code: a choice among the transitions whose checks hold. Between `lock` and `unlock`, no other thread runs; so a state
//! has up to three copies, see [`LockState`]. The lock is taken together with the first access after it; no other thread
//! can observe the difference. Where a thread could get stuck before that access, an access of a location that is never written takes the lock.

use super::ast::{Automaton, Op, Term, Transition};
use super::encoding::{Encoding, is_one_of, sum};
use super::sections::{self, Section};
use std::collections::HashMap;
use steadfast_ir::{
    BinaryOp, Expr, FenceOrder, Instr, Label, LocId, Place, ReadOrder, RegId, RmwOrder, ThreadBuilder, WriteOrder,
};
use steadfast_span::Index;

/// With more checks in one state, one is chosen first and tested then.
const MOST_CHECKS: usize = 4;

/// The number of locations and the addresses that they stand for.
#[derive(Debug)]
pub(super) struct Memory {
    /// The addresses in order. The location of an address has the same position.
    pub(super) addresses: Vec<i32>,
}

impl Memory {
    /// The location that serves only to take locks; it follows the last address.
    pub(super) fn lock(&self) -> LocId {
        LocId::new(self.addresses.len())
    }

    /// The place for an address. Nothing if the address is never one of the known addresses.
    fn place(&self, address: &Expr) -> Option<Place> {
        if let Some(constant) = address.as_const() {
            let at = self.addresses.iter().position(|&known| known == constant);
            return at.map(|at| Place::Fixed(LocId::new(at)));
        }
        let first = *self.addresses.first()?;
        let is_dense = (0..).zip(&self.addresses).all(|(at, &known)| i64::from(known) == i64::from(first) + at);
        let index = match first {
            0 if is_dense => address.clone(),
            _ if is_dense => Expr::binary(BinaryOp::Sub, address.clone(), Expr::Const(first)),
            _ => {
                let is = |known| Expr::binary(BinaryOp::Eq, address.clone(), Expr::Const(known));
                sum((0..).zip(&self.addresses).map(|(at, &known)| (at, is(known))))
            }
        };
        Some(Place::Element { base: LocId::new(0), len: self.addresses.len() as u32, index })
    }
}

/// Whether a thread holds the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum LockState {
    /// It does not.
    No,
    /// It takes the lock together with its next access.
    Soon,
    /// It does.
    Yes,
}

/// What the lowering of all threads needs.
pub(super) struct LoweringContext<'a> {
    pub(super) encoding: &'a Encoding,
    pub(super) memory: &'a Memory,
}

/// Lowers one thread.
pub(super) struct Lowering<'a, 's> {
    around: &'a LoweringContext<'a>,
    thread: &'a Automaton<'s>,
    /// By transition, whether its value and its address may be outside the representation. Nothing if it is never taken.
    exceeds: &'a [Option<(bool, bool)>],
    /// The transitions that leave each state.
    leaving: Vec<Vec<usize>>,
    /// The states on cycles without an access, computed when they are first needed.
    idle: Option<Vec<bool>>,
    code: ThreadBuilder,
    labels: HashMap<(usize, LockState), Label>,
    pending: Vec<(usize, LockState)>,
    takes_lock: bool,
}

impl<'a, 's> Lowering<'a, 's> {
    /// Starts with a thread.
    pub(super) fn new(
        around: &'a LoweringContext<'a>,
        thread: &'a Automaton<'s>,
        exceeds: &'a [Option<(bool, bool)>],
    ) -> Self {
        let mut code = ThreadBuilder::new(thread.name.text, around.encoding.modulus());
        code.declared_at(thread.name.span).at(thread.name.span);
        for register in &thread.registers {
            code.register(register.text);
        }
        let mut leaving = vec![Vec::new(); thread.states.len()];
        for (number, transition) in thread.transitions.iter().enumerate() {
            leaving[transition.from].push(number);
        }
        Self {
            around,
            thread,
            exceeds,
            leaving,
            idle: None,
            code,
            labels: HashMap::new(),
            pending: Vec::new(),
            takes_lock: false,
        }
    }

    /// The code, and whether it uses [`Memory::lock`].
    pub(super) fn finish(mut self) -> (ThreadBuilder, bool) {
        let start = self.label(self.thread.initial, LockState::No);
        self.code.jump(start);
        while let Some((state, holding)) = self.pending.pop() {
            self.state(state, holding);
        }
        (self.code, self.takes_lock)
    }

    fn label(&mut self, state: usize, holding: LockState) -> Label {
        if let Some(label) = self.labels.get(&(state, holding)) {
            return *label;
        }
        let label = self.code.label();
        self.labels.insert((state, holding), label);
        self.pending.push((state, holding));
        label
    }

    fn state(&mut self, state: usize, holding: LockState) {
        let label = self.label(state, holding);
        self.code.at(self.thread.states[state].span).bind(label);
        if holding == LockState::Yes && self.is_idle(state) {
            self.touch_lock();
        }
        let leaving = self.leaving[state].clone();
        let labels: Vec<Label> = leaving.iter().map(|_| self.code.label()).collect();
        self.choose(&leaving, &labels, holding);
        for (number, label) in leaving.into_iter().zip(labels) {
            self.code.at(self.thread.transitions[number].span).bind(label);
            self.transition(number, holding);
        }
    }

    /// Continues with any transition whose check holds.
    fn choose(&mut self, transitions: &[usize], labels: &[Label], holding: LockState) {
        let (mut checks, mut free) = (Vec::new(), Vec::new());
        for (&number, &label) in transitions.iter().zip(labels) {
            match &self.thread.transitions[number].op {
                Op::Check(condition) => checks.push((self.around.encoding.expr(condition), label)),
                _ => free.push(label),
            }
        }
        if checks.len() <= MOST_CHECKS {
            return self.decide(&checks, free, holding);
        }
        let tried: Vec<Label> = checks.iter().map(|_| self.code.label()).collect();
        let all: Vec<Label> = free.into_iter().chain(tried.iter().copied()).collect();
        self.code.choose(&all);
        for (check, label) in checks.into_iter().zip(tried) {
            self.code.bind(label);
            self.decide(&[check], Vec::new(), holding);
        }
    }

    /// Tests the checks one after the other, and then continues with any possible transition.
    fn decide(&mut self, checks: &[(Expr, Label)], mut possible: Vec<Label>, holding: LockState) {
        let Some(((check, label), rest)) = checks.split_first() else {
            return match possible[..] {
                [] => self.stuck(holding),
                [only] => self.code.jump(only),
                _ => self.code.choose(&possible),
            };
        };
        let (then, otherwise) = (self.code.label(), self.code.label());
        self.code.branch(check.clone(), then, otherwise);
        self.code.bind(otherwise);
        self.decide(rest, possible.clone(), holding);
        self.code.bind(then);
        possible.push(*label);
        self.decide(rest, possible, holding);
    }

    /// No transition is possible. A thread that holds the lock keeps it.
    fn stuck(&mut self, holding: LockState) {
        if holding != LockState::Yes {
            return self.code.emit(Instr::Halt);
        }
        self.takes_lock = true;
        let place = self.around.memory.lock().into();
        self.code.emit(Instr::Wait { dst: None, place, values: Vec::new(), order: ReadOrder::Acquire });
        self.code.emit(Instr::Halt);
    }

    /// A wait that always succeeds: an access of the location that serves only to take locks.
    fn touch_lock(&mut self) {
        self.takes_lock = true;
        let place = self.around.memory.lock().into();
        self.code.emit(Instr::Wait { dst: None, place, values: vec![Expr::Const(0)], order: ReadOrder::Acquire });
    }

    fn transition(&mut self, number: usize, holding: LockState) {
        let Transition { to, op, .. } = &self.thread.transitions[number];
        let next = match (op, holding) {
            (Op::Lock, LockState::No) => return self.lock(*to),
            (Op::Unlock, LockState::Yes) => {
                self.code.emit(Instr::Exclusive(false));
                self.code.fence(FenceOrder::SeqCst);
                LockState::No
            }
            (Op::Unlock, _) => {
                self.code.fence(FenceOrder::SeqCst);
                LockState::No
            }
            _ => {
                self.effect(number);
                if op.is_access() && holding == LockState::Soon { self.take_lock() } else { holding }
            }
        };
        let target = self.label(*to, next);
        self.code.jump(target);
    }

    fn take_lock(&mut self) -> LockState {
        self.code.emit(Instr::Exclusive(true));
        LockState::Yes
    }

    /// The effect of a transition other than `lock` and `unlock`.
    fn effect(&mut self, number: usize) {
        let encoding = self.around.encoding;
        let Some(exceeds) = self.exceeds[number] else { return self.bound(true, || Expr::Const(0)) };
        match &self.thread.transitions[number].op {
            Op::Read { register, address } => {
                let Some(place) = self.place(address, exceeds.1) else { return };
                self.code.load(RegId::new(*register), place, ReadOrder::Acquire);
            }
            Op::Write { value, address } => {
                let value = encoding.expr(value);
                self.bound(exceeds.0, || encoding.holds(&value));
                let Some(place) = self.place(address, exceeds.1) else { return };
                self.code.store(place, encoding.encode(&value), WriteOrder::Release);
            }
            Op::Local { register, value } => {
                let value = encoding.expr(value);
                self.bound(exceeds.0, || encoding.holds(&value));
                self.code.emit(Instr::Assign { dst: RegId::new(*register), value: encoding.encode(&value) });
            }
            Op::Fence | Op::Lock | Op::Unlock => self.code.fence(FenceOrder::SeqCst),
            Op::Check(_) | Op::Noop => {}
        }
    }

    /// The place of an access. Nothing if the run always leaves the bounds before.
    fn place(&mut self, address: &Term, exceeds: bool) -> Option<Place> {
        let address = self.around.encoding.expr(address);
        let memory = self.around.memory;
        if exceeds {
            let within = is_one_of(&address, memory.addresses.iter().copied());
            let bound = format!("an address is none of the {} that are represented", memory.addresses.len());
            self.code.emit(Instr::Bound { within, bound });
        }
        memory.place(&address)
    }

    /// Ends the run if it leaves the bounds.
    fn bound(&mut self, exceeds: bool, within: impl FnOnce() -> Expr) {
        if exceeds {
            self.code.emit(Instr::Bound { within: within(), bound: self.around.encoding.describe() });
        }
    }

    /// `lock`, in a thread that does not hold the lock.
    fn lock(&mut self, to: usize) {
        self.code.fence(FenceOrder::SeqCst);
        if let Some(section) = sections::section(self.thread, &self.leaving, to) {
            return self.section(&section);
        }
        let mut holding = LockState::Soon;
        if self.can_stop_before_an_access(to) {
            self.touch_lock();
            holding = self.take_lock();
        }
        let target = self.label(to, holding);
        self.code.jump(target);
    }

    /// A section with a single access.
    fn section(&mut self, section: &Section) {
        section.before.iter().for_each(|&number| self.effect(number));
        match (section.read, &section.write) {
            (Some(read), Some((write, value))) => {
                self.code.at(self.thread.transitions[*write].span);
                self.update(read, *write, value);
            }
            (read, write) => {
                if let Some(access) = read.or(write.as_ref().map(|(access, _)| *access)) {
                    self.code.at(self.thread.transitions[access].span);
                    self.effect(access);
                }
            }
        }
        section.after.iter().for_each(|&number| self.effect(number));
        self.code.fence(FenceOrder::SeqCst);
        let target = self.label(section.end, LockState::No);
        self.code.jump(target);
    }

    /// A read and a write of the same address, as one access. If the value leaves the bounds, that is noticed right behind the write, before another thread can see it.
    fn update(&mut self, read: usize, write: usize, value: &Term) {
        let encoding = self.around.encoding;
        let Op::Read { register, address } = &self.thread.transitions[read].op else { return };
        let (Some(reading), Some(writing)) = (self.exceeds[read], self.exceeds[write]) else {
            return self.bound(true, || Expr::Const(0));
        };
        let Some(place) = self.place(address, reading.1) else { return };
        let update = encoding.encode(&encoding.expr(value));
        let dst = Some(RegId::new(*register));
        self.code.emit(Instr::Rmw { dst, place, update, order: RmwOrder::AcqRel });
        self.bound(writing.0, || encoding.holds(&encoding.expr(&with_old(value, &Term::Register(*register)))));
    }

    /// Whether a thread that has just locked could wait, end, or run in a cycle before its first access.
    fn can_stop_before_an_access(&self, start: usize) -> bool {
        let mut seen = vec![false; self.thread.states.len()];
        let mut stack = vec![start];
        while let Some(state) = stack.pop() {
            let transitions = || self.leaving[state].iter().map(|&number| &self.thread.transitions[number]);
            let waits = transitions().all(|transition| matches!(transition.op, Op::Check(_)));
            if waits || std::mem::replace(&mut seen[state], true) {
                return true;
            }
            let local = transitions().filter(|step| !step.op.is_access() && !matches!(step.op, Op::Unlock));
            stack.extend(local.map(|step| step.to));
        }
        false
    }

    /// Whether a state is on a cycle without an access. A thread that holds the lock there would prevent all others from running.
    fn is_idle(&mut self, state: usize) -> bool {
        if self.idle.is_none() {
            let states = self.thread.states.len();
            self.idle = Some((0..states).map(|start| self.circles(start)).collect());
        }
        self.idle.as_ref().is_some_and(|idle| idle[state])
    }

    fn circles(&self, start: usize) -> bool {
        let mut seen = vec![false; self.thread.states.len()];
        let mut stack = vec![start];
        while let Some(state) = stack.pop() {
            for &number in &self.leaving[state] {
                let step = &self.thread.transitions[number];
                if step.op.is_access() || matches!(step.op, Op::Unlock) {
                    continue;
                }
                if step.to == start {
                    return true;
                }
                if !std::mem::replace(&mut seen[step.to], true) {
                    stack.push(step.to);
                }
            }
        }
        false
    }
}

/// The term with another term for the value that was read.
fn with_old(term: &Term, old: &Term) -> Term {
    match term {
        Term::Old => old.clone(),
        Term::Number(_) | Term::Register(_) => term.clone(),
        Term::Not(operand) => Term::Not(Box::new(with_old(operand, old))),
        Term::Binary(op, left, right) => {
            Term::Binary(*op, Box::new(with_old(left, old)), Box::new(with_old(right, old)))
        }
    }
}
