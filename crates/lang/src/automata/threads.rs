//! One automaton to code.
//!
//! Every state becomes a piece of code: a choice among the transitions whose checks hold. Between `lock` and `unlock` no other thread runs; a state
//! therefore has up to three copies, see [`Holding`]. The lock is taken together with the first access after it, which is the same, since nobody
//! can tell what happens in between; where a thread could get stuck before that, an access of a location that nobody writes takes it.

use super::ast::{Automaton, Op, Term, Transition};
use super::encoding::{Encoding, is_one_of, sum};
use super::sections::{self, Section};
use std::collections::HashMap;
use steadfast_ir::{
    BinaryOp, Expr, FenceOrder, Instr, Label, LocId, Place, ReadOrder, RegId, RmwOrder, ThreadBuilder, WriteOrder,
};
use steadfast_span::Index;

/// With more checks than this in one state, one is picked first and tried then.
const MOST_CHECKS: usize = 4;

/// How many locations there are for how many addresses.
#[derive(Debug)]
pub(super) struct Memory {
    /// The addresses in order; each is the location with its position.
    pub(super) addresses: Vec<i32>,
}

impl Memory {
    /// The location that only takes locks: the one behind the last address.
    pub(super) fn lock(&self) -> LocId {
        LocId::new(self.addresses.len())
    }

    /// What an expression names. Nothing if it is never one of the addresses.
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

/// Whether a thread has the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holding {
    /// It has not.
    No,
    /// It is about to take it, together with its next access.
    Soon,
    /// It has it.
    Yes,
}

/// What the code of all threads depends on.
pub(super) struct Surroundings<'a> {
    pub(super) encoding: &'a Encoding,
    pub(super) memory: &'a Memory,
}

/// Translates one thread.
pub(super) struct Lowering<'a, 's> {
    around: &'a Surroundings<'a>,
    thread: &'a Automaton<'s>,
    /// Per transition, whether its value and its address may lie outside of what is represented; nothing if it is never taken.
    exceeds: &'a [Option<(bool, bool)>],
    /// The transitions that leave each state.
    leaving: Vec<Vec<usize>>,
    /// The states on cycles without an access, once somebody asks.
    idle: Option<Vec<bool>>,
    code: ThreadBuilder,
    labels: HashMap<(usize, Holding), Label>,
    pending: Vec<(usize, Holding)>,
    takes_lock: bool,
}

impl<'a, 's> Lowering<'a, 's> {
    /// Begins with a thread.
    pub(super) fn new(
        around: &'a Surroundings<'a>,
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
        let start = self.label(self.thread.initial, Holding::No);
        self.code.jump(start);
        while let Some((state, holding)) = self.pending.pop() {
            self.state(state, holding);
        }
        (self.code, self.takes_lock)
    }

    fn label(&mut self, state: usize, holding: Holding) -> Label {
        if let Some(label) = self.labels.get(&(state, holding)) {
            return *label;
        }
        let label = self.code.label();
        self.labels.insert((state, holding), label);
        self.pending.push((state, holding));
        label
    }

    fn state(&mut self, state: usize, holding: Holding) {
        let label = self.label(state, holding);
        self.code.at(self.thread.states[state].span).bind(label);
        if holding == Holding::Yes && self.is_idle(state) {
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

    /// Goes to any of the transitions whose check holds.
    fn choose(&mut self, transitions: &[usize], labels: &[Label], holding: Holding) {
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

    /// Asks one check after the other, then goes to any of the transitions that are possible.
    fn decide(&mut self, checks: &[(Expr, Label)], mut possible: Vec<Label>, holding: Holding) {
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

    /// Nothing is possible any more; who has the lock keeps it.
    fn stuck(&mut self, holding: Holding) {
        if holding != Holding::Yes {
            return self.code.emit(Instr::Halt);
        }
        self.takes_lock = true;
        let place = self.around.memory.lock().into();
        self.code.emit(Instr::Wait { dst: None, place, values: Vec::new(), order: ReadOrder::Acquire });
        self.code.emit(Instr::Halt);
    }

    /// Waits for what always holds: an access of the location that only takes locks.
    fn touch_lock(&mut self) {
        self.takes_lock = true;
        let place = self.around.memory.lock().into();
        self.code.emit(Instr::Wait { dst: None, place, values: vec![Expr::Const(0)], order: ReadOrder::Acquire });
    }

    fn transition(&mut self, number: usize, holding: Holding) {
        let Transition { to, op, .. } = &self.thread.transitions[number];
        let next = match (op, holding) {
            (Op::Lock, Holding::No) => return self.lock(*to),
            (Op::Unlock, Holding::Yes) => {
                self.code.emit(Instr::Exclusive(false));
                self.code.fence(FenceOrder::SeqCst);
                Holding::No
            }
            (Op::Unlock, _) => {
                self.code.fence(FenceOrder::SeqCst);
                Holding::No
            }
            _ => {
                self.effect(number);
                if op.is_access() && holding == Holding::Soon { self.take_lock() } else { holding }
            }
        };
        let target = self.label(*to, next);
        self.code.jump(target);
    }

    fn take_lock(&mut self) -> Holding {
        self.code.emit(Instr::Exclusive(true));
        Holding::Yes
    }

    /// What a transition does, apart from `lock` and `unlock` that change who runs.
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

    /// Where an access goes. Nothing if it never gets there, because the run leaves the bounds before.
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

    /// Ends the run if it leaves what is represented.
    fn bound(&mut self, exceeds: bool, within: impl FnOnce() -> Expr) {
        if exceeds {
            self.code.emit(Instr::Bound { within: within(), bound: self.around.encoding.describe() });
        }
    }

    /// `lock`, by a thread that has not locked yet.
    fn lock(&mut self, to: usize) {
        self.code.fence(FenceOrder::SeqCst);
        if let Some(section) = sections::section(self.thread, &self.leaving, to) {
            return self.section(&section);
        }
        let mut holding = Holding::Soon;
        if self.can_stop_before_an_access(to) {
            self.touch_lock();
            holding = self.take_lock();
        }
        let target = self.label(to, holding);
        self.code.jump(target);
    }

    /// A section that is a single access.
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
        let target = self.label(section.end, Holding::No);
        self.code.jump(target);
    }

    /// A read and a write of the same address as one. A value that leaves the bounds is noticed right behind the write, before anybody can see it.
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

    /// Whether a thread that has just locked could wait, end or circle before it accesses anything.
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

    /// Whether a state lies on a cycle without an access. A thread that holds the lock there would keep everybody else from running.
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

/// The same with something else for what was read.
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
