//! Sample runs of a few threads, which refute most wrong candidates before a solver is asked.
//!
//! A fact that is false in a reachable state is part of no invariant, so elimination ends with the same invariant as without sample runs, only sooner. No proof depends on them: dropping too
//! much could only make a proof fail.

use crate::facts::{Fact, Value};
use crate::invariant::{Invariant, RolePoint, pair, role_points};
use crate::system::{Action, Cell, Guess, Step, System};
use crate::term::Term;
use rustc_hash::{FxHashMap, FxHashSet};
use steadfast_ir::{BinaryOp, UnaryOp};
use steadfast_random::Rng;
use steadfast_span::Index;

/// How many threads run a role that any number may run.
const THREADS: i64 = 3;
/// The maximum length of a run.
const LENGTH: usize = 150;
/// The maximum number of runs.
const RUNS: u64 = 200;
/// After this many runs in a row that refute nothing, there are no more.
const FRUITLESS_RUNS: u64 = 20;

/// Drops the facts that are false in some state of some run. (Invariants in the program text are left to the solver, which says what refutes them.)
pub(crate) fn refute(system: &System, invariant: &mut Invariant) {
    let mut fruitless = 0;
    for seed in 0..RUNS {
        let before = size(system, invariant);
        SampleRun::new(system, seed).refute(invariant);
        fruitless = if size(system, invariant) < before { 0 } else { fruitless + 1 };
        if fruitless == FRUITLESS_RUNS {
            return;
        }
    }
}

/// How many facts there are.
fn size(system: &System, invariant: &Invariant) -> usize {
    let facts: usize = role_points(system).map(|(role, point)| invariant.facts[role][point].len()).sum();
    facts + invariant.apart.len() + invariant.differ.values().map(FxHashSet::len).sum::<usize>()
}

/// One thread.
#[derive(Debug)]
struct Thread {
    role: usize,
    point: usize,
    registers: Vec<i64>,
}

impl Thread {
    fn role_point(&self) -> RolePoint {
        (self.role, self.point)
    }
}

/// The content of a shared location, or of an array: the value of most cells, and the other cells.
#[derive(Debug)]
struct GlobalValue {
    value: i64,
    cells: FxHashMap<i64, i64>,
}

/// A run in progress.
struct SampleRun<'m> {
    system: &'m System,
    memory: Vec<GlobalValue>,
    threads: Vec<Thread>,
    numbers: Vec<i64>,
    random: Rng,
}

impl<'m> SampleRun<'m> {
    fn new(system: &'m System, seed: u64) -> Self {
        let global = |global: &crate::system::Global| GlobalValue {
            value: i64::from(global.init.first().copied().unwrap_or_default()),
            cells: global
                .exceptions()
                .map(|(at, value)| (i64::try_from(at).unwrap_or(i64::MAX), i64::from(value)))
                .collect(),
        };
        let memory = system.globals.iter().map(global).collect();
        let mut run = Self { system, memory, threads: Vec::new(), numbers: system.numbers(), random: Rng::new(seed) };
        for (role, code) in system.roles.iter().enumerate() {
            // In every other run, the numbers of the threads are consecutive and start with 0.
            let (first, gap) = if seed.is_multiple_of(2) { (0, 1) } else { (run.below(3), 1 + run.below(3)) };
            for number in 0..if code.many { THREADS } else { 1 } {
                let mut registers = vec![0; code.registers.len()];
                if let Some(id) = code.id {
                    registers[id.index()] = first + gap * number;
                }
                run.enter(role, &registers);
            }
        }
        run
    }

    /// Starts a thread.
    fn enter(&mut self, role: usize, registers: &[i64]) {
        let ways = self.system.roles[role].starts.iter();
        let possible: Vec<&Step> = ways.filter(|step| passes(step, registers, 0)).collect();
        if possible.is_empty() {
            return;
        }
        let step = possible[self.pick(possible.len())];
        if let Some(registers) = updated(step, registers, 0) {
            self.threads.push(Thread { role, point: step.to, registers });
        }
    }

    /// A random index below `several`, and 0 if that is 0.
    fn pick(&mut self, several: usize) -> usize {
        self.random.below(several.max(1))
    }

    /// A small random number.
    fn below(&mut self, bound: usize) -> i64 {
        i64::from(self.random.below(bound) as u32)
    }

    /// Runs to the end, and drops the facts that are false on the way.
    fn refute(mut self, invariant: &mut Invariant) {
        for thread in 0..self.threads.len() {
            self.check_arrival(thread, invariant);
        }
        for _ in 0..LENGTH {
            let Some((thread, writes)) = self.step() else { return };
            self.check_arrival(thread, invariant);
            for other in (0..self.threads.len()).filter(|&other| writes && other != thread) {
                self.drop_facts(other, invariant);
            }
        }
    }

    /// Takes a step of some thread that can take one. Returns the thread, and whether the step changed memory.
    fn step(&mut self) -> Option<(usize, bool)> {
        let first = self.pick(self.threads.len());
        for turn in 0..self.threads.len() {
            let thread = (first + turn) % self.threads.len();
            let (role, point) = self.threads[thread].role_point();
            let steps = &self.system.roles[role].steps;
            let offset = self.pick(steps.len());
            for at in 0..steps.len() {
                let step = &steps[(at + offset) % steps.len()];
                if step.from == point
                    && let Some(writes) = self.take(thread, step)
                {
                    return Some((thread, writes));
                }
            }
        }
        None
    }

    /// Takes a step if that is possible. Returns whether it changed memory.
    fn take(&mut self, thread: usize, step: &Step) -> Option<bool> {
        let registers = &self.threads[thread].registers;
        let cell = match step.action.cell() {
            Some(cell) => Some((cell.global, index(cell, registers)?)),
            None => None,
        };
        let there = cell.map_or(0, |cell| self.read(cell));
        let got = self.yielded(&step.action, there);
        let registers = &self.threads[thread].registers;
        if !allows(&step.action, registers, got) || !passes(step, registers, got) {
            return None;
        }
        let written = match step.action.written() {
            Some(term) => Some(value(term, registers, got)?),
            None => None,
        };
        let updated = updated(step, registers, got)?;
        let thread = &mut self.threads[thread];
        (thread.registers, thread.point) = (updated, step.to);
        if let (Some((global, at)), Some(written)) = (cell, written) {
            match at {
                Some(at) => drop(self.memory[global].cells.insert(at, written)),
                None => self.memory[global].value = written,
            }
        }
        Some(written.is_some())
    }

    fn read(&self, (global, at): (usize, Option<i64>)) -> i64 {
        let memory = &self.memory[global];
        at.and_then(|at| memory.cells.get(&at).copied()).unwrap_or(memory.value)
    }

    /// The value that an access yields if its cell holds `there`.
    fn yielded(&mut self, action: &Action, there: i64) -> i64 {
        let way = self.below(4);
        match action {
            Action::Any => {
                let which = self.pick(self.numbers.len());
                self.numbers[which]
            }
            Action::Guess(_, Guess::Or(other)) if way < 2 => *other,
            Action::Guess(_, Guess::AtMost) => there.saturating_sub(way),
            Action::Guess(_, Guess::AtLeast) => there.saturating_add(way),
            _ => there,
        }
    }

    /// Drops the facts that are false when a thread has just come to a point.
    fn check_arrival(&self, thread: usize, invariant: &mut Invariant) {
        self.drop_facts(thread, invariant);
        let one = &self.threads[thread];
        for (_, other) in self.threads.iter().enumerate().filter(|(at, _)| *at != thread) {
            let (here, there) = (one.role_point(), other.role_point());
            invariant.apart.remove(&pair(here, there));
            let Some(differ) = invariant.differ.get_mut(&(here, there)) else { continue };
            let same: Vec<(usize, usize)> =
                differ.iter().copied().filter(|&(a, b)| one.registers[a] == other.registers[b]).collect();
            differ.retain(|pair| !same.contains(pair));
            if let Some(mirrored) = invariant.differ.get_mut(&(there, here)) {
                mirrored.retain(|&(a, b)| !same.contains(&(b, a)));
            }
        }
    }

    fn drop_facts(&self, thread: usize, invariant: &mut Invariant) {
        let thread = &self.threads[thread];
        invariant.facts[thread.role][thread.point].retain(|fact| self.holds(fact, &thread.registers));
    }

    fn holds(&self, fact: &Fact, registers: &[i64]) -> bool {
        let value = |value: &Value| match *value {
            Value::Number(number) => number,
            Value::Register(reg, more) => registers[reg].saturating_add(more),
            Value::Global(global) => self.memory[global].value,
            Value::Cell(array, reg) => self.read((array, Some(registers[reg]))),
            Value::CellAt(array, at) => self.read((array, Some(self.memory[at].value))),
            Value::First(array) => self.read((array, Some(0))),
        };
        match fact {
            Fact::Equal(a, b) => value(a) == value(b),
            Fact::Differ(a, b) => value(a) != value(b),
            Fact::AtMost(a, b) => value(a) <= value(b),
            Fact::NotBoth(a, b) => value(a) <= 0 || value(b) <= 0,
            Fact::Never => false,
            Fact::Stated(_) => true,
        }
    }
}

/// The index of a cell. Nothing if it cannot be computed.
#[allow(clippy::option_option, reason = "no index and no answer are different things")]
fn index(cell: &Cell, registers: &[i64]) -> Option<Option<i64>> {
    cell.index.as_ref().map_or(Some(None), |index| value(index, registers, 0).map(Some))
}

/// Whether an access can happen if it yields this value.
fn allows(action: &Action, registers: &[i64], got: i64) -> bool {
    let is = |term: &Term| value(term, registers, got) == Some(got);
    match action {
        Action::Await(_, values) => values.iter().any(is),
        Action::CasSuccess(_, expected, _) => is(expected),
        Action::CasFailure(_, expected, false) => !is(expected),
        _ => true,
    }
}

/// Whether the local instructions behind an access take this way.
fn passes(step: &Step, registers: &[i64], got: i64) -> bool {
    step.guard.iter().all(|term| value(term, registers, got).is_some_and(|value| value != 0))
}

/// The registers after a step.
fn updated(step: &Step, registers: &[i64], got: i64) -> Option<Vec<i64>> {
    let mut after = registers.to_vec();
    for (reg, term) in &step.updates {
        after[reg.index()] = value(term, registers, got)?;
    }
    Some(after)
}

/// The value of a term. Nothing if it is too large or not defined.
fn value(term: &Term, registers: &[i64], got: i64) -> Option<i64> {
    Some(match term {
        Term::Const(value) => *value,
        Term::Reg(reg) => registers[reg.index()],
        Term::Got => got,
        Term::Content(_) => return None,
        Term::Reduced(operand, modulus) => value(operand, registers, got)?.rem_euclid(i64::from(*modulus)),
        Term::Unary(op, operand) => {
            let operand = value(operand, registers, got)?;
            match op {
                UnaryOp::Neg => operand.checked_neg()?,
                UnaryOp::BitNot => !operand,
                UnaryOp::Not => i64::from(operand == 0),
            }
        }
        Term::Binary(op, left, right) => {
            let (a, b) = (value(left, registers, got)?, value(right, registers, got)?);
            match op {
                BinaryOp::Add => a.checked_add(b)?,
                BinaryOp::Sub => a.checked_sub(b)?,
                BinaryOp::Mul => a.checked_mul(b)?,
                // Numbers are unbounded here; otherwise these are the language's operators.
                _ => op.apply(i32::try_from(a).ok()?, i32::try_from(b).ok()?).ok()?.into(),
            }
        }
    })
}
