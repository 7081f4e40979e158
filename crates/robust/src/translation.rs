//! Translation: counters that matter only relative to each other.
//!
//! The indices of a queue grow, but nothing in the program depends on where they start: they are compared with each other, incremented, and guarded by an upper bound that only prevents an
//! overflow. Then a state, and the same state with all indices moved up by one, have the same behaviour. So it is enough to follow the indices relative to one of them, the *base*. Values
//! far behind the base are merged.
//!
//! This is our own reduction; it is not in the papers. It over-approximates, because it ignores upper bounds. So if it finds no violation, that is a proof, provided that the side conditions
//! hold; if it finds one, the exact search follows. The side conditions, some of which are checked while exploring:
//! 1. The program only copies the values, adds constants to them, and compares them with each other (this file).
//! 2. The base never decreases (`Machine`).
//! 3. No value wraps around. From below: the least value relative to the base, added to the base's initial value, is not negative (`Machine`). From above: a write either does not exceed the
//!    largest index that was ever in memory, or an `assume(index < constant)` guards it, and the constants are small enough (`upper_bounds`).
//! 4. When a value far behind the base is compared, the outcome is the same for every value that it stands for. Nothing is computed from such a value, and all computed values are in the
//!    window of translated values (`Automaton`).

use crate::upper_bounds::{Bounded, UpperBounds};
use steadfast_ir::{
    BinaryOp, Expr, Instr, LocId, Pc, Place, Program, RegId, Thread, UnaryOp, dataflow, liveness, values,
};
use steadfast_span::Index;

/// The translated value of the base.
pub(crate) const BASE: i32 = 96;
/// The largest translated value.
pub(crate) const HIGH: i32 = 250;

/// A translation: the locations and registers that hold indices, and what is known of their writes.
#[derive(Clone, Debug)]
pub(crate) struct Translation {
    /// The base: the other indices are relative to it.
    pub(crate) base: LocId,
    /// Translated values up to this one are far behind the base; this one stands for all of them.
    pub(crate) low: i32,
    /// Which locations hold indices.
    pub(crate) locations: Vec<bool>,
    /// By thread, the registers that hold indices.
    registers: Vec<Vec<bool>>,
    /// By thread and instruction: whether it is an upper bound, which is ignored.
    guards: Vec<Vec<bool>>,
    /// By thread and instruction: whether it is an assignment that only copies.
    copies: Vec<Vec<bool>>,
}

/// Locations and registers as the nodes of a union-find: which of them must be translated together.
struct Sorts<'p> {
    program: &'p Program,
    parents: Vec<usize>,
    pinned: Vec<bool>,
    grows: Vec<bool>,
    first_register: Vec<usize>,
}

/// `register + offset`, or `Old + offset`, with a near offset. A far offset could make the sum of an index and the offset exceed 32 bits, which depends on where the index is.
pub(crate) fn affine(expr: &Expr) -> Option<(Option<RegId>, i32)> {
    let ((register, offset), by) = match expr {
        Expr::Reg(reg) => return Some((Some(*reg), 0)),
        Expr::Old => return Some((None, 0)),
        Expr::Binary(BinaryOp::Add, left, right) => match right.as_const() {
            Some(constant) => (affine(left)?, constant),
            None => (affine(right)?, left.as_const()?),
        },
        Expr::Binary(BinaryOp::Sub, left, right) => (affine(left)?, right.as_const()?.checked_neg()?),
        _ => return None,
    };
    offset.checked_add(by).and_then(near).map(|offset| (register, offset))
}

/// Values are bytes, so larger differences have no meaning.
pub(crate) const FAR: i32 = 256;

/// The offset, if it is not too large.
pub(crate) fn near(offset: i32) -> Option<i32> {
    (-FAR..=FAR).contains(&offset).then_some(offset)
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// The register of `assume(register < constant)`, and the largest value that passes.
pub(crate) fn upper_bound(cond: &Expr) -> Option<(RegId, i32)> {
    let Expr::Binary(op, left, right) = cond else { return None };
    let ((Some(reg), offset), constant) = (affine(left)?, right.as_const().and_then(near)?) else { return None };
    match op {
        BinaryOp::Lt => Some((reg, constant - 1 - offset)),
        BinaryOp::Le => Some((reg, constant - offset)),
        _ => None,
    }
}

impl<'p> Sorts<'p> {
    fn new(program: &'p Program) -> Self {
        let mut first_register = Vec::new();
        let mut nodes = program.locations.len();
        for thread in &program.threads {
            first_register.push(nodes);
            nodes += thread.registers.len();
        }
        Self {
            program,
            parents: (0..nodes).collect(),
            pinned: vec![false; nodes],
            grows: vec![false; nodes],
            first_register,
        }
    }

    fn root(&self, mut node: usize) -> usize {
        while self.parents[node] != node {
            node = self.parents[node];
        }
        node
    }

    fn unify(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[other] = one;
        self.pinned[one] |= self.pinned[other];
        self.grows[one] |= self.grows[other];
    }

    fn pin(&mut self, node: usize) {
        let root = self.root(node);
        self.pinned[root] = true;
    }

    fn pin_registers(&mut self, thread: usize, expr: &Expr) {
        let mut used = steadfast_ir::RegSet::new();
        expr.collect_registers(&mut used);
        for reg in used.iter() {
            self.pin(self.first_register[thread] + reg.index());
        }
    }

    /// `node` receives the value of an expression, or is compared with it. `old` is what [`Expr::Old`] stands for.
    fn relate(&mut self, thread: usize, node: usize, expr: &Expr, old: usize) {
        if let Some((reg, offset)) = affine(expr) {
            self.unify(node, reg.map_or(old, |reg| self.first_register[thread] + reg.index()));
            let root = self.root(node);
            self.grows[root] |= offset != 0;
        } else {
            self.pin(node);
            self.pin_registers(thread, expr);
        }
    }

    fn condition(&mut self, thread: usize, cond: &Expr) {
        match cond {
            Expr::Unary(UnaryOp::Not, inner) => self.condition(thread, inner),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.condition(thread, left);
                self.condition(thread, right);
            }
            Expr::Binary(op, left, right) if is_comparison(*op) => match (affine(left), affine(right)) {
                (Some((Some(one), _)), Some((Some(other), _))) => {
                    let first = self.first_register[thread];
                    self.unify(first + one.index(), first + other.index());
                }
                _ => self.pin_registers(thread, cond),
            },
            _ => self.pin_registers(thread, cond),
        }
    }

    fn instruction(&mut self, thread: usize, op: &Instr) {
        if let Some(Place::Element { index, .. }) = dataflow::place(op) {
            self.pin_registers(thread, index);
        }
        let locations: Vec<usize> =
            dataflow::place(op).into_iter().flat_map(values::locations_of).map(Index::index).collect();
        for &loc in &locations {
            self.unify(locations[0], loc);
        }
        if let (Some(&loc), Some(dst)) = (locations.first(), dataflow::defined(op)) {
            self.unify(loc, self.first_register[thread] + dst.index());
        }
        match op {
            Instr::Assign { dst, value } => {
                let node = self.first_register[thread] + dst.index();
                self.relate(thread, node, value, node);
            }
            Instr::Branch { cond, .. } | Instr::Assert(cond) => self.condition(thread, cond),
            Instr::Assume(cond) if upper_bound(cond).is_none() => self.condition(thread, cond),
            Instr::Lock(_) | Instr::Unlock(_) => self.pin(locations[0]),
            Instr::Store { .. }
            | Instr::PlainStore { .. }
            | Instr::Rmw { .. }
            | Instr::Cas { .. }
            | Instr::BlockingCas { .. }
            | Instr::Wait { .. } => {
                let expressions: Vec<Expr> = match op {
                    Instr::Store { value, .. } | Instr::PlainStore { value, .. } => vec![value.clone()],
                    Instr::Rmw { update, .. } => vec![update.clone()],
                    Instr::Cas { expected, new, .. } | Instr::BlockingCas { expected, new, .. } => {
                        vec![expected.clone(), new.clone()]
                    }
                    Instr::Wait { values, .. } => values.clone(),
                    _ => Vec::new(),
                };
                for expr in &expressions {
                    self.relate(thread, locations[0], expr, locations[0]);
                }
            }
            _ => {}
        }
    }

    /// The locations and registers of a class that grows and is not pinned.
    fn movable(&self) -> Option<(Vec<bool>, Vec<Vec<bool>>)> {
        let root = (0..self.program.locations.len())
            .map(|loc| self.root(loc))
            .find(|&root| self.grows[root] && !self.pinned[root])?;
        let locations = (0..self.program.locations.len()).map(|loc| self.root(loc) == root).collect();
        let of_thread = |(first, thread): (&usize, &Thread)| {
            (0..thread.registers.len()).map(|reg| self.root(first + reg) == root).collect()
        };
        Some((locations, self.first_register.iter().zip(&self.program.threads).map(of_thread).collect()))
    }
}

impl Translation {
    /// The same translation, which tells apart the values that lag behind the base by less than `lag`.
    pub(crate) fn with_lag(&self, lag: i32) -> Self {
        Self { low: BASE - lag, ..self.clone() }
    }

    /// The possible translations of a program: one per location that could be the base.
    pub(crate) fn candidates(program: &Program) -> Vec<Self> {
        let mut sorts = Sorts::new(program);
        for (thread, code) in program.threads.iter().enumerate() {
            for instruction in &code.code {
                sorts.instruction(thread, &instruction.op);
            }
        }
        let Some((locations, registers)) = sorts.movable() else { return Vec::new() };
        Self::guarded(program, &locations, &registers).unwrap_or_default()
    }

    fn guarded(program: &Program, locations: &[bool], registers: &[Vec<bool>]) -> Option<Vec<Self>> {
        let index_modulus = |modulus: u16| modulus == 256;
        let mut largest = 0;
        for (_, location) in program.locations.enumerated().filter(|(loc, _)| locations[loc.index()]) {
            largest = largest.max(i32::from(location.init));
            if !index_modulus(location.modulus) {
                return None;
            }
        }
        let (mut guards, mut copies) = (Vec::new(), Vec::new());
        let is_index_place = |place: &Place| values::locations_of(place).any(|loc| locations[loc.index()]);
        for (thread, index) in program.threads.iter().zip(registers) {
            let is_index = |reg: RegId| index[reg.index()];
            // A register that is used before it is assigned holds 0, and that is not a translated value.
            if liveness::live_before(thread)[Pc::new(0)].iter().any(is_index) {
                return None;
            }
            if thread.registers.enumerated().any(|(reg, register)| is_index(reg) && !index_modulus(register.modulus)) {
                return None;
            }
            let upper_bounds = UpperBounds::of(thread);
            let mut thread_guards = Vec::new();
            for (pc, instruction) in thread.code.enumerated() {
                let op = &instruction.op;
                let guard =
                    matches!(op, Instr::Assume(cond) if upper_bound(cond).is_some_and(|(reg, _)| is_index(reg)));
                let written = match op {
                    Instr::Assign { dst, value } if is_index(*dst) => affine(value),
                    Instr::Store { place, value, .. } if is_index_place(place) => affine(value),
                    Instr::Rmw { place, update, .. } if is_index_place(place) => affine(update),
                    Instr::Cas { place, new, .. } | Instr::BlockingCas { place, new, .. } if is_index_place(place) => {
                        affine(new)
                    }
                    _ => None,
                };
                if let Some(written) = written
                    && let Bounded::Constant(bound) = upper_bounds[pc.index()].bounds(written)?
                {
                    largest = largest.max(bound);
                }
                thread_guards.push(guard);
            }
            let is_copy = |op: &Instr| matches!(op, Instr::Assign { value: Expr::Reg(_), .. });
            copies.push(thread.code.iter().map(|instruction| is_copy(&instruction.op)).collect());
            guards.push(thread_guards);
        }
        if largest > 255 {
            return None;
        }
        let starts_in_window = |&base: &usize| {
            let inits = program.locations.enumerated().filter(|(loc, _)| locations[loc.index()]);
            let start = i32::from(program.locations[LocId::new(base)].init);
            inits.map(|(_, location)| i32::from(location.init)).all(|init| BASE + init - start <= HIGH)
        };
        let base = |loc: usize| Self {
            base: LocId::new(loc),
            low: BASE,
            locations: locations.to_vec(),
            registers: registers.to_vec(),
            guards: guards.clone(),
            copies: copies.clone(),
        };
        Some((0..locations.len()).filter(|&loc| locations[loc]).filter(starts_in_window).map(base).collect())
    }

    /// Whether an instruction is an upper bound, which is ignored.
    pub(crate) fn is_guard(&self, thread: usize, pc: Pc) -> bool {
        self.guards[thread][pc.index()]
    }

    /// Whether an assignment only copies. Such an assignment may copy a value far behind the base.
    pub(crate) fn is_copy(&self, thread: usize, pc: Pc) -> bool {
        self.copies[thread][pc.index()]
    }

    /// Whether a register holds an index.
    pub(crate) fn is_index(&self, thread: usize, reg: RegId) -> bool {
        self.registers[thread][reg.index()]
    }

    /// A value moved down by `by`. Values that fall far behind the base become the one that stands for all of these.
    pub(crate) fn moved(&self, value: u8, by: i32) -> u8 {
        u8::try_from((i32::from(value) - by).max(self.low)).expect("values begin in the window and only move down")
    }

    /// Whether a computed index is exact: it is computed from a value that is not far behind the base, and lies in the window.
    pub(crate) fn is_exact(&self, value: &Expr, registers: &[u8], old: u8) -> bool {
        affine(value).is_some_and(|(reg, offset)| {
            let from = i32::from(reg.map_or(old, |reg| registers[reg.index()]));
            from > self.low && (self.low + 1..=HIGH).contains(&(from + offset))
        })
    }

    /// Whether a condition has the same value for all values that those far behind the base stand for.
    pub(crate) fn is_certain(&self, thread: usize, cond: &Expr, registers: &[u8]) -> bool {
        match cond {
            Expr::Unary(_, inner) => self.is_certain(thread, inner, registers),
            Expr::Binary(op, left, right) if is_comparison(*op) => match (affine(left), affine(right)) {
                (Some((Some(one), _)), Some((Some(other), _))) if one == other => true,
                (Some((Some(one), here)), Some((Some(other), there))) if self.is_index(thread, one) => {
                    self.certain((registers[one.index()], here), (registers[other.index()], there))
                }
                _ => true,
            },
            Expr::Binary(_, left, right) => {
                self.is_certain(thread, left, registers) && self.is_certain(thread, right, registers)
            }
            _ => true,
        }
    }

    /// The same for comparing an expected value with the value that a location holds.
    pub(crate) fn is_certain_match(&self, thread: usize, expected: &Expr, registers: &[u8], held: u8) -> bool {
        match affine(expected) {
            Some((Some(reg), offset)) if self.is_index(thread, reg) => {
                self.certain((registers[reg.index()], offset), (held, 0))
            }
            _ => true,
        }
    }

    /// The same for comparing two indices, each with an offset.
    fn certain(&self, (one, here): (u8, i32), (other, there): (u8, i32)) -> bool {
        let (left, right) = (i32::from(one) + here, i32::from(other) + there);
        match (i32::from(one) <= self.low, i32::from(other) <= self.low) {
            (false, false) => true,
            (true, true) => false,
            (true, false) => left < right,
            (false, true) => right < left,
        }
    }
}
