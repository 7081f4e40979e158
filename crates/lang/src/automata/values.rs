//! The values and addresses that can occur: sets of numbers per state and register, and per address.
//!
//! Numbers are unbounded in the format and bytes in the representation, so they must be known before the program runs. Registers are followed through the
//! states, and checks of a single register refine them. Memory has one set per address, for all writes at any time. That is sound for every
//! memory model without values out of thin air.
//!
//! If the sets stay small, they are *exact enough*: no other values can occur. If not (a counter in a loop), everything outside a fixed range is left
//! out, and the steps that might leave the range are marked: they become [`steadfast_ir::Instr::Bound`].

use super::ast::{Automaton, File, Op, Operator, Term, Transition};
use super::numbers::Values;
use std::collections::BTreeMap;
use steadfast_ir::BinaryOp;

/// With more values, a fixed range is used instead.
const MOST_VALUES: usize = 64;
/// The maximum number of addresses; others are left out.
const MOST_ADDRESSES: usize = 48;
/// An expression with more results may have any value.
const MOST_RESULTS: usize = 256;
/// The limit of the analysis, in evaluated operators and visited values.
const WORK: usize = 20_000_000;
/// How far the fixed range reaches beyond the numbers of the text.
const BELOW: i64 = 8;
const ABOVE: i64 = 16;
/// Numbers of the text up to this size determine the fixed range.
const SMALL: i64 = 24;
/// How many larger numbers of the text are kept beside the fixed range.
const MOST_LARGE: usize = 16;

/// The values and addresses that can occur.
#[derive(Debug)]
pub(super) struct Analysis {
    /// All values that registers and memory can hold, including 0.
    pub(super) values: Values,
    /// The addresses that can be accessed.
    pub(super) addresses: Values,
    /// By thread and transition, in the order of the text: whether its value, and whether its address, may be outside. Nothing if it is never taken.
    pub(super) exceeds: Vec<Vec<Option<(bool, bool)>>>,
}

/// The analysis took too long.
#[derive(Debug)]
pub(super) struct TooComplex;

/// Why a run of the analysis ended early.
enum Stop {
    /// Too many values.
    Diverges,
    /// Too much work.
    Work,
}

/// Computes what can occur.
pub(super) fn analyse(file: &File<'_>) -> Result<Analysis, TooComplex> {
    match Run::new(file, None).finish(file) {
        Ok(analysis) => Ok(analysis),
        Err(Stop::Work) => Err(TooComplex),
        Err(Stop::Diverges) => Run::new(file, Some(range(file))).finish(file).map_err(|_| TooComplex),
    }
}

/// The range of values to keep if there are too many.
fn range(file: &File<'_>) -> Values {
    let mut numbers = Values::from([0]);
    for transition in file.threads.iter().flat_map(|thread| &thread.transitions) {
        for term in terms(&transition.op) {
            term.visit(&mut |part| {
                if let Term::Number(number) = part {
                    numbers.insert(*number);
                }
            });
        }
    }
    let small = || numbers.iter().filter(|number| number.abs() <= SMALL);
    let (low, high) = (small().min().unwrap_or(0), small().max().unwrap_or(0));
    let mut range: Values = (low - BELOW..=high + ABOVE).collect();
    // Larger numbers are usually payload, which is not computed with.
    let large = numbers.iter().filter(|number| number.abs() > SMALL);
    range.extend(&large.take(MOST_LARGE).collect());
    range
}

/// The expressions of an operation.
pub(super) fn terms(op: &Op) -> Vec<&Term> {
    match op {
        Op::Read { address, .. } => vec![address],
        Op::Write { value, address } => vec![value, address],
        Op::Local { value, .. } => vec![value],
        Op::Check(condition) => vec![condition],
        Op::Fence | Op::Noop | Op::Lock | Op::Unlock => Vec::new(),
    }
}

/// The registers in a state. Nothing if the state is not known to be reachable.
type Registers = Option<Vec<Values>>;

struct Run {
    /// The range, if there is one.
    range: Option<Values>,
    /// The number of addresses according to the file.
    memory_limit: Option<i64>,
    /// By thread and state.
    registers: Vec<Vec<Registers>>,
    memory: BTreeMap<i64, Values>,
    /// By thread and state: increases with every change of the registers there.
    changes: Vec<Vec<usize>>,
    /// Increases with every change of the memory.
    memory_changes: usize,
    all: Values,
    work: usize,
}

/// The register that changes, if any, and its new values.
type Effect = Option<(usize, Values)>;

/// The result of a check.
enum Refined {
    /// It never holds.
    Never,
    /// It may hold, and nothing else is known.
    Any,
    /// It holds for these values of a register.
    To(usize, Values),
}

/// The results of an expression, and whether some were left out.
struct Results {
    values: Values,
    cut: bool,
}

impl Run {
    fn new(file: &File<'_>, range: Option<Values>) -> Self {
        let start = |thread: &Automaton<'_>| {
            let mut states: Vec<Registers> = vec![None; thread.states.len()];
            states[thread.initial] = Some(vec![Values::from([0]); thread.registers.len()]);
            states
        };
        let registers = file.threads.iter().map(start).collect();
        let changes = file.threads.iter().map(|thread| vec![1; thread.states.len()]).collect();
        let memory_limit = file.memory_size.map(|size| size.value);
        let (memory, all) = (BTreeMap::new(), Values::from([0]));
        Self { range, memory_limit, registers, changes, memory, memory_changes: 0, all, work: 0 }
    }

    fn finish(mut self, file: &File<'_>) -> Result<Analysis, Stop> {
        // What a transition has seen: it is followed again only after a change of that.
        let mut seen: Vec<Vec<_>> = file.threads.iter().map(|thread| vec![(0, 0); thread.transitions.len()]).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (number, thread) in file.threads.iter().enumerate() {
                for (at, transition) in thread.transitions.iter().enumerate() {
                    let memory = if matches!(transition.op, Op::Read { .. }) { self.memory_changes } else { 0 };
                    let now = (self.changes[number][transition.from], memory);
                    if seen[number][at] != now {
                        seen[number][at] = now;
                        changed = true;
                        self.step(number, transition)?;
                    }
                }
            }
        }
        let mut exceeds = Vec::new();
        for (number, thread) in file.threads.iter().enumerate() {
            let of = |transition| self.exceeds(number, transition);
            exceeds.push(thread.transitions.iter().map(of).collect::<Result<_, _>>()?);
        }
        let addresses = self.memory.keys().copied().collect();
        Ok(Analysis { values: self.all, addresses, exceeds })
    }

    /// Whether the value and the address of a transition may be outside.
    fn exceeds(&mut self, thread: usize, transition: &Transition) -> Result<Option<(bool, bool)>, Stop> {
        self.with_registers(thread, transition.from, |run, registers| {
            Ok(match &transition.op {
                Op::Write { value, address } => {
                    (run.stored(value, registers)?.cut, run.addressed(address, registers)?.cut)
                }
                Op::Read { address, .. } => (false, run.addressed(address, registers)?.cut),
                Op::Local { value, .. } => (run.stored(value, registers)?.cut, false),
                _ => (false, false),
            })
        })
    }

    /// Calls a function with the registers of a state, if the state is reachable.
    fn with_registers<T>(
        &mut self,
        thread: usize,
        state: usize,
        work: impl FnOnce(&mut Self, &mut [Values]) -> Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        let Some(mut registers) = self.registers[thread][state].take() else { return Ok(None) };
        let result = work(self, &mut registers);
        self.registers[thread][state] = Some(registers);
        result.map(Some)
    }

    /// Follows a transition.
    fn step(&mut self, thread: usize, transition: &Transition) -> Result<(), Stop> {
        self.spend(1)?;
        let stepped = self.with_registers(thread, transition.from, |run, registers| {
            run.spend(registers.len())?;
            let Some(effect) = run.effect(&transition.op, registers)? else { return Ok(()) };
            if transition.to == transition.from {
                let grown = effect.is_some_and(|(register, values)| registers[register].extend(&values));
                run.changes[thread][transition.to] += usize::from(grown);
            } else {
                run.join(thread, transition.to, registers, effect);
            }
            Ok(())
        });
        stepped.map(|_| ())
    }

    /// The effect of an operation on a register, if it has one. Nothing if the operation is never passed.
    fn effect(&mut self, op: &Op, registers: &[Values]) -> Result<Option<Effect>, Stop> {
        let effect = match op {
            Op::Read { register, address } => {
                let mut read = Values::new();
                for address in self.addressed(address, registers)?.values.iter() {
                    read.extend(self.cell(address));
                }
                Some((*register, read))
            }
            Op::Write { value, address } => {
                let written = self.stored(value, registers)?.values;
                for address in self.addressed(address, registers)?.values.iter() {
                    let grown = self.cell(address).extend(&written);
                    self.memory_changes += usize::from(grown);
                }
                None
            }
            Op::Local { register, value } => Some((*register, self.stored(value, registers)?.values)),
            Op::Check(condition) => match self.refine(condition, registers)? {
                Refined::Never => return Ok(None),
                Refined::Any => None,
                Refined::To(register, values) => Some((register, values)),
            },
            Op::Fence | Op::Noop | Op::Lock | Op::Unlock => None,
        };
        // An access without a possible address, or a value without a possible result, is never passed.
        let passed = effect.as_ref().is_none_or(|(_, values)| !values.is_empty());
        Ok(passed.then_some(effect))
    }

    /// Adds the effects of a transition to the state to which it leads.
    fn join(&mut self, thread: usize, state: usize, registers: &[Values], effect: Effect) {
        let changes = &mut self.changes[thread][state];
        let Some(known) = &mut self.registers[thread][state] else {
            let mut registers = registers.to_vec();
            if let Some((register, values)) = effect {
                registers[register] = values;
            }
            self.registers[thread][state] = Some(registers);
            *changes += 1;
            return;
        };
        for (at, (known, unchanged)) in known.iter_mut().zip(registers).enumerate() {
            let changed = effect.as_ref().filter(|(register, _)| *register == at);
            *changes += usize::from(known.extend(changed.map_or(unchanged, |(_, values)| values)));
        }
    }

    /// The values of an address.
    fn cell(&mut self, address: i64) -> &mut Values {
        let changes = &mut self.memory_changes;
        self.memory.entry(address).or_insert_with(|| {
            *changes += 1;
            Values::from([0])
        })
    }

    /// The values for which a condition holds.
    fn refine(&mut self, condition: &Term, registers: &[Values]) -> Result<Refined, Stop> {
        if let [register] = condition.registers()[..] {
            let mut parts = 0;
            condition.visit(&mut |_| parts += 1);
            self.spend(parts * registers[register].len())?;
            let holds = |value: &i64| result(condition, *value) != Some(0);
            return Ok(Refined::To(register, registers[register].iter().filter(holds).collect()));
        }
        let results = self.results(condition, registers)?;
        let holds = results.cut || results.values.iter().any(|result| result != 0);
        Ok(if holds { Refined::Any } else { Refined::Never })
    }

    /// The values that an expression can store.
    fn stored(&mut self, term: &Term, registers: &[Values]) -> Result<Results, Stop> {
        let mut results = self.results(term, registers)?;
        if let Some(range) = &self.range {
            if results.cut {
                results.values.extend(range);
            }
            let before = results.values.len();
            results.values.keep(range);
            results.cut |= results.values.len() != before;
        }
        self.all.extend(&results.values);
        if self.range.is_none() && (results.cut || self.all.len() > MOST_VALUES) {
            return Err(Stop::Diverges);
        }
        Ok(results)
    }

    /// The addresses that an expression can denote.
    fn addressed(&mut self, term: &Term, registers: &[Values]) -> Result<Results, Stop> {
        let mut results = self.results(term, registers)?;
        match &self.range {
            None if results.cut => return Err(Stop::Diverges),
            Some(range) if results.cut => {
                results.values.extend(range);
            }
            _ => {}
        }
        if let Some(limit) = self.memory_limit {
            let before = results.values.len();
            results.values.retain(|address| (0..limit).contains(&address));
            results.cut |= results.values.len() != before;
        }
        let mut free = MOST_ADDRESSES.saturating_sub(self.memory.len());
        let before = results.values.len();
        let memory = &self.memory;
        results.values.retain(|address| {
            let known = memory.contains_key(&address);
            let fits = known || free > 0;
            free -= usize::from(!known && fits);
            fits
        });
        if results.values.len() != before {
            if self.range.is_none() {
                return Err(Stop::Diverges);
            }
            results.cut = true;
        }
        Ok(results)
    }

    /// The results of an expression. Its parts are treated as independent.
    fn results(&mut self, term: &Term, registers: &[Values]) -> Result<Results, Stop> {
        Ok(match term {
            Term::Number(number) => Results { values: Values::from([*number]), cut: false },
            Term::Register(register) => Results { values: registers[*register].clone(), cut: false },
            Term::Old => Results { values: Values::new(), cut: true },
            Term::Not(operand) => {
                let inner = self.results(operand, registers)?;
                let possible = inner.values.iter().map(|value| i64::from(value == 0));
                let values = possible.chain(inner.cut.then_some([0, 1]).into_iter().flatten()).collect();
                Results { values, cut: false }
            }
            Term::Binary(operator, left, right) => {
                let (left, right) = (self.results(left, registers)?, self.results(right, registers)?);
                self.spend(1 + left.values.len() * right.values.len())?;
                let mut cut = left.cut || right.cut;
                let pairs = left.values.iter().flat_map(|one| right.values.iter().map(move |other| (one, other)));
                if let Some(values) = counted(*operator, &left.values, &right.values) {
                    return Ok(Results { values, cut });
                }
                if operator.0.is_truth() {
                    return Ok(Results { values: truths(pairs.map(|(one, other)| operator.apply(one, other))), cut });
                }
                let results = pairs.filter_map(|(one, other)| {
                    let fits = |value: &i64| value.abs() <= i64::from(i32::MAX);
                    let result = operator.apply(one, other).filter(fits);
                    cut |= result.is_none();
                    result
                });
                let mut values: Values = results.collect();
                cut |= values.truncate(MOST_RESULTS);
                Results { values, cut }
            }
        })
    }

    fn spend(&mut self, work: usize) -> Result<(), Stop> {
        self.work = self.work.saturating_add(work);
        if self.work > WORK { Err(Stop::Work) } else { Ok(()) }
    }
}

/// The result of an expression with one register, which has this value. Nothing if it is unknown.
fn result(term: &Term, register: i64) -> Option<i64> {
    match term {
        Term::Number(number) => Some(*number),
        Term::Register(_) => Some(register),
        Term::Old => None,
        Term::Not(operand) => result(operand, register).map(|value| i64::from(value == 0)),
        Term::Binary(operator, left, right) => {
            let fits = |value: &i64| value.abs() <= i64::from(i32::MAX);
            operator.apply(result(left, register)?, result(right, register)?).filter(fits)
        }
    }
}

/// The results of counting up or down by a constant. Nothing for other expressions.
fn counted(operator: Operator, left: &Values, right: &Values) -> Option<Values> {
    match operator.0 {
        BinaryOp::Add => right.only().map_or_else(|| right.moved(left.only()?), |by| left.moved(by)),
        BinaryOp::Sub => left.moved(right.only()?.checked_neg()?),
        _ => None,
    }
}

/// Which of 0 and 1 are among the results. Stops as soon as both are.
fn truths(results: impl Iterator<Item = Option<i64>>) -> Values {
    let mut found = Values::new();
    for result in results.flatten() {
        found.insert(result);
        if found.len() == 2 {
            break;
        }
    }
    found
}
