//! The values that a location or register can ever hold (flow-insensitive), and the *critical* values.
//!
//! A value of a location is critical if some thread can wait for exactly this value: it is the expected value of a CAS or a blocking CAS, or
//! one of the values of a wait. Stale values that no instruction can tell apart need not be distinguished, so a monitor may merge them into
//! one class (Remark 3 of the POPL'21 paper, where the user had to annotate them; here they are computed).
//!
//! The analysis over-approximates: the sets contain every value that can occur under any memory model without values out of thin air.

use crate::bits::ones;
use crate::{Expr, Instr, LocId, Place, Program, RegId, ThreadId, Value, dataflow};
use steadfast_span::{Index, IndexVec};

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ValueSet([u64; 4]);

/// With more combinations of register values, an expression may have any value.
const COMBINATIONS: usize = 4096;

impl ValueSet {
    /// The empty set.
    pub const EMPTY: Self = Self([0; 4]);

    /// All values below `modulus`.
    pub fn below(modulus: u16) -> Self {
        let mut set = Self::EMPTY;
        (0..modulus).for_each(|value| set.insert(value as Value));
        set
    }

    /// Adds a value.
    pub fn insert(&mut self, value: Value) {
        self.0[value as usize / 64] |= 1 << (value % 64);
    }

    /// Whether it contains a value.
    pub fn contains(&self, value: Value) -> bool {
        self.0[value as usize / 64] >> (value % 64) & 1 == 1
    }

    /// The set as four words, value 0 in the lowest bit of the first.
    pub fn bits(&self) -> [u64; 4] {
        self.0
    }

    /// How many values it contains.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Adds all values of `other`. Returns whether any of them was new.
    pub fn union_with(&mut self, other: &Self) -> bool {
        let before = *self;
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine |= theirs;
        }
        *self != before
    }

    /// The values in order.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        self.0.into_iter().enumerate().flat_map(|(at, word)| ones(word).map(move |bit| (at * 64 + bit) as Value))
    }
}

/// The result of the analysis.
#[derive(Clone, Debug)]
pub struct ValueAnalysis {
    /// The values that each location can hold.
    pub locations: IndexVec<LocId, ValueSet>,
    /// The values that each register can hold.
    pub registers: IndexVec<ThreadId, IndexVec<RegId, ValueSet>>,
    /// The critical values of each location.
    pub critical: IndexVec<LocId, ValueSet>,
}

impl ValueAnalysis {
    /// Analyses a program.
    pub fn of(program: &Program) -> Self {
        let mut analysis = Self {
            locations: program.locations.iter().map(|loc| single(loc.init)).collect(),
            registers: program.threads.iter().map(|t| t.registers.iter().map(|_| single(0)).collect()).collect(),
            critical: program.locations.iter().map(|_| ValueSet::EMPTY).collect(),
        };
        let mut analysed: Vec<AnalysedInstruction<'_>> = AnalysedInstruction::all(program).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for instruction in &mut analysed {
                changed |= analysis.grow(program, instruction);
            }
        }
        analysis.find_critical(program);
        analysis
    }

    /// Adds the effects of an instruction, unless its inputs are the same as the last time. Returns whether anything was new.
    fn grow(&mut self, program: &Program, analysed: &mut AnalysedInstruction<'_>) -> bool {
        let (id, op) = (analysed.thread, analysed.op);
        if analysed.before.as_ref().is_some_and(|before| before.iter().copied().eq(self.inputs(analysed))) {
            return false;
        }
        let inputs = self.inputs(analysed).collect();
        let before = analysed.before.replace(inputs);
        let known = |reg: RegId, value: Value| {
            let set = before.as_ref().zip(analysed.used.iter().position(|&other| other == reg));
            set.is_some_and(|(before, place)| before[place].contains(value))
        };
        let mut changed = false;
        // All cells of an array with the same modulus get the same values.
        let mut stored: Option<(u16, ValueSet)> = None;
        for loc in analysed.locations() {
            let modulus = program.locations[loc].modulus;
            let read = self.locations[loc];
            let written = match op {
                Instr::Store { value, .. }
                | Instr::PlainStore { value, .. }
                | Instr::Cas { new: value, .. }
                | Instr::BlockingCas { new: value, .. } => match stored {
                    Some((known, values)) if known == modulus => values,
                    _ => self.eval(program, id, value, (None, &known), modulus),
                },
                Instr::Rmw { update, .. } => self.eval(program, id, update, (Some(read), &|_, _| false), modulus),
                Instr::Lock(_) => single(1),
                Instr::Unlock(_) => single(0),
                _ => ValueSet::EMPTY,
            };
            stored = Some((modulus, written));
            changed |= self.locations[loc].union_with(&written);
            if let Some(dst) = dataflow::defined(op) {
                let received = received(program, &read, program.threads[id].registers[dst].modulus);
                changed |= self.registers[id][dst].union_with(&received);
            }
        }
        if let Instr::Assign { dst, value } = op {
            let modulus = program.threads[id].registers[*dst].modulus;
            let assigned = self.eval(program, id, value, (None, &known), modulus);
            changed |= self.registers[id][*dst].union_with(&assigned);
        }
        changed
    }

    /// The values of the registers and locations that an instruction reads.
    fn inputs<'a>(&'a self, analysed: &'a AnalysedInstruction<'_>) -> impl Iterator<Item = ValueSet> + 'a {
        let registers = analysed.used.iter().map(|&reg| self.registers[analysed.thread][reg]);
        registers.chain(analysed.locations().map(|loc| self.locations[loc]))
    }

    fn find_critical(&mut self, program: &Program) {
        for (id, thread) in program.threads.enumerated() {
            for instruction in &thread.code {
                let expected: Vec<&Expr> = match &instruction.op {
                    Instr::Cas { expected, .. } | Instr::BlockingCas { expected, .. } => vec![expected],
                    Instr::Wait { values, .. } => values.iter().collect(),
                    Instr::Lock(place) => {
                        locations_of(place).for_each(|loc| self.critical[loc].insert(0));
                        continue;
                    }
                    _ => continue,
                };
                let place = dataflow::place(&instruction.op).expect("these instructions access memory");
                for loc in locations_of(place) {
                    for expr in &expected {
                        let values =
                            self.eval(program, id, expr, (None, &|_, _| false), program.locations[loc].modulus);
                        self.critical[loc].union_with(&values);
                    }
                }
            }
        }
    }

    /// All values that an expression can have, given the values of the registers. Combinations of only `known` values may be left out.
    fn eval(
        &self,
        program: &Program,
        id: ThreadId,
        expr: &Expr,
        (old, known): (Option<ValueSet>, &dyn Fn(RegId, Value) -> bool),
        modulus: u16,
    ) -> ValueSet {
        let mut used = crate::RegSet::new();
        expr.collect_registers(&mut used);
        let used: Vec<RegId> = used.iter().collect();
        let (domains, old) = (&self.registers[id], old.unwrap_or(single(0)));
        // Eight registers with any byte have 2^64 combinations.
        let combinations = used.iter().fold(old.len(), |all, &reg| all.saturating_mul(domains[reg].len()));
        if combinations > COMBINATIONS {
            // A negative result can leave the range under C's remainder, so there "any value" means all bytes.
            return match program.wrap {
                crate::Wrap::Euclidean => ValueSet::below(modulus),
                crate::Wrap::TruncatedByte => ValueSet::below(256),
            };
        }
        let registers = vec![0; domains.len()];
        let mut combinations = Combinations { domains, old, known, registers, results: ValueSet::EMPTY };
        combinations.visit(&used, used.is_empty(), &mut |registers, old| {
            expr.eval(registers, old).ok().map(|value| program.reduce(value, modulus))
        });
        combinations.results
    }
}

/// All combinations of the values of some registers, with the results of an expression.
struct Combinations<'a> {
    domains: &'a IndexVec<RegId, ValueSet>,
    /// The values that the location may hold.
    old: ValueSet,
    known: &'a dyn Fn(RegId, Value) -> bool,
    registers: Vec<Value>,
    results: ValueSet,
}

impl Combinations<'_> {
    /// Visits the values of `rest`. Combinations of only known values are left out, unless `is_new` says that an earlier register has a new value.
    fn visit(&mut self, rest: &[RegId], is_new: bool, eval: &mut dyn FnMut(&[Value], Value) -> Option<Value>) {
        if let Some((&reg, rest)) = rest.split_first() {
            for value in self.domains[reg].iter() {
                self.registers[reg.index()] = value;
                self.visit(rest, is_new || !(self.known)(reg, value), eval);
            }
        } else if is_new {
            let results = self.old.iter().filter_map(|old| eval(&self.registers, old));
            results.for_each(|value| self.results.insert(value));
        }
    }
}

/// An instruction, with its inputs when it was last analysed.
struct AnalysedInstruction<'p> {
    thread: ThreadId,
    op: &'p Instr,
    /// The registers that it reads.
    used: Vec<RegId>,
    /// The inputs when it was last analysed: registers, then locations.
    before: Option<Vec<ValueSet>>,
}

impl<'p> AnalysedInstruction<'p> {
    /// The instructions that can store something.
    fn all(program: &'p Program) -> impl Iterator<Item = Self> {
        let instructions =
            program.threads.enumerated().flat_map(|(id, thread)| thread.code.iter().map(move |i| (id, &i.op)));
        let stores = |op: &Instr| dataflow::place(op).is_some() || matches!(op, Instr::Assign { .. });
        instructions.filter(move |(_, op)| stores(op)).map(|(thread, op)| {
            let mut used = crate::RegSet::new();
            for expr in dataflow::expressions(op) {
                expr.collect_registers(&mut used);
            }
            Self { thread, op, used: used.iter().collect(), before: None }
        })
    }

    fn locations(&self) -> impl Iterator<Item = LocId> + use<> {
        dataflow::place(self.op).map(locations_of).into_iter().flatten()
    }
}

fn single(value: Value) -> ValueSet {
    let mut set = ValueSet::EMPTY;
    set.insert(value);
    set
}

fn received(program: &Program, values: &ValueSet, modulus: u16) -> ValueSet {
    let mut set = ValueSet::EMPTY;
    values.iter().for_each(|value| set.insert(program.receive(value, modulus)));
    set
}

/// The locations that a place can denote.
pub fn locations_of(place: &Place) -> impl Iterator<Item = LocId> + use<> {
    let (base, len) = match place {
        Place::Fixed(loc) => (loc.index(), 1),
        Place::Element { base, len, .. } => (base.index(), *len as usize),
    };
    (base..base + len).map(LocId::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOp, ProgramBuilder, ReadOrder, RmwOrder, WriteOrder};

    /// The number of combinations was once computed modulo 2^64, where 256^8 is zero.
    #[test]
    fn an_expression_over_many_registers_can_be_anything() {
        let mut b = ProgramBuilder::new("sum");
        b.modulus(256);
        let (counter, sum) = (b.atomic("counter", 0), b.atomic("sum", 0));
        b.thread("counting", |t| {
            let again = t.label();
            t.bind(again);
            t.fetch_add(None, counter, Expr::Const(1), RmwOrder::Relaxed);
            t.jump(again);
        });
        b.thread("adding", |t| {
            let registers: Vec<RegId> = (0..8).map(|number| t.register(&format!("r{number}"))).collect();
            for &reg in &registers {
                t.load(reg, counter, ReadOrder::Relaxed);
            }
            let add = |left, &reg: &RegId| Expr::Binary(BinaryOp::Add, Box::new(left), Box::new(Expr::Reg(reg)));
            t.store(sum, registers.iter().fold(Expr::Const(0), add), WriteOrder::Relaxed);
        });
        assert_eq!(ValueAnalysis::of(&b.finish()).locations[sum], ValueSet::below(256));
    }
}
