//! Upper bounds of indices: facts about registers that hold before an instruction, on every way to it.
//!
//! An index cannot wrap around from above if no write exceeds the *peak*, the largest index that was ever in memory, except writes with a constant bound. A loaded value is at most the peak, and
//! the peak never decreases. So after `b = bottom; t = top; if (b > t)` it is known that `t + 1` is at most the peak, whatever other threads do.

use crate::translation::{FAR, affine, near, upper_bound};
use steadfast_ir::{BinaryOp, Expr, Instr, Pc, RegId, Thread, UnaryOp, cfg, dataflow};
use steadfast_span::Index;

/// What is known of one register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Fact {
    /// It is at most this.
    constant: Option<i32>,
    /// It is at least this far below the peak.
    slack: Option<i32>,
}

/// What is known of all registers before an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UpperBounds {
    facts: Vec<Fact>,
}

/// The bound of a value that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bounded {
    /// A constant.
    Constant(i32),
    /// The peak.
    Peak,
}

impl UpperBounds {
    /// What is known before each instruction of a thread.
    pub(crate) fn of(thread: &Thread) -> Vec<Self> {
        let nothing = Self { facts: vec![Fact::default(); thread.registers.len()] };
        // Nothing: not reached yet.
        let mut before: Vec<Option<Self>> = vec![None; thread.code.len()];
        before[0] = Some(nothing.clone());
        let mut work = vec![Pc::new(0)];
        while let Some(pc) = work.pop() {
            let op = &thread.code[pc].op;
            let Some(here) = before[pc.index()].clone() else { continue };
            for next in cfg::successors(pc, op) {
                let after = here.clone().after(op, next);
                let merged = match &before[next.index()] {
                    None => after,
                    Some(known) => known.either(&after),
                };
                if before[next.index()].as_ref() != Some(&merged) {
                    before[next.index()] = Some(merged);
                    work.push(next);
                }
            }
        }
        before.into_iter().map(|known| known.unwrap_or_else(|| nothing.clone())).collect()
    }

    /// The bound of `register + offset`, if there is one. Without a register, the value is the one that a read-modify-write finds.
    pub(crate) fn bounds(&self, (register, offset): (Option<RegId>, i32)) -> Option<Bounded> {
        let fact = register.map_or(Fact { constant: None, slack: Some(0) }, |register| self.facts[register.index()]);
        if fact.slack.is_some_and(|slack| slack >= offset) {
            return Some(Bounded::Peak);
        }
        fact.constant.map(|constant| Bounded::Constant(constant + offset))
    }

    fn after(mut self, op: &Instr, next: Pc) -> Self {
        match op {
            Instr::Branch { cond, then, otherwise } if then != otherwise => self.learn(cond, next == *then),
            Instr::Assume(cond) => {
                self.learn(cond, true);
                if let Some((reg, bound)) = upper_bound(cond) {
                    let known = &mut self.facts[reg.index()].constant;
                    *known = Some(known.map_or(bound, |known| known.min(bound)));
                }
            }
            Instr::Assign { dst, value } => self.facts[dst.index()] = self.assigned(value),
            Instr::Store { value, .. } => {
                if let Some((Some(reg), offset)) = affine(value) {
                    self.raise(reg, offset);
                }
            }
            _ => {
                if let Some(dst) = dataflow::defined(op) {
                    self.facts[dst.index()] = Fact { constant: None, slack: Some(0) };
                }
            }
        }
        self
    }

    fn assigned(&self, value: &Expr) -> Fact {
        let Some((Some(reg), offset)) = affine(value) else { return Fact::default() };
        let Fact { constant, slack } = self.facts[reg.index()];
        Fact {
            constant: constant.and_then(|bound| near(bound + offset)),
            slack: slack.and_then(|slack| near(slack - offset)),
        }
    }

    /// The register is at least this far below the peak.
    fn raise(&mut self, reg: RegId, slack: i32) {
        let known = &mut self.facts[reg.index()].slack;
        *known = Some(known.map_or(slack, |known| known.max(slack)).clamp(-FAR, FAR));
    }

    fn learn(&mut self, cond: &Expr, holds: bool) {
        use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
        let (op, left, right) = match cond {
            Expr::Unary(UnaryOp::Not, inner) => return self.learn(inner, !holds),
            Expr::Binary(op, left, right) => (*op, left, right),
            _ => return,
        };
        match (op, holds) {
            (And, true) | (Or, false) => {
                self.learn(left, holds);
                self.learn(right, holds);
            }
            (Eq, true) | (Ne, false) => {
                self.below(left, right, 0);
                self.below(right, left, 0);
            }
            (Lt, true) | (Ge, false) => self.below(left, right, 1),
            (Le, true) | (Gt, false) => self.below(left, right, 0),
            (Gt, true) | (Le, false) => self.below(right, left, 1),
            (Ge, true) | (Lt, false) => self.below(right, left, 0),
            _ => {}
        }
    }

    /// The first value is at least `by` below the second.
    fn below(&mut self, lower: &Expr, upper: &Expr, by: i32) {
        let (Some((Some(lower), here)), Some((Some(upper), there))) = (affine(lower), affine(upper)) else { return };
        if let Some(slack) = self.facts[upper.index()].slack {
            self.raise(lower, slack + here - there + by);
        }
    }

    /// What holds on both of two ways.
    fn either(&self, other: &Self) -> Self {
        let both = |one: &Fact, other: &Fact| Fact {
            constant: one.constant.zip(other.constant).map(|(one, other)| one.max(other)),
            slack: one.slack.zip(other.slack).map(|(one, other)| one.min(other)),
        };
        Self { facts: self.facts.iter().zip(&other.facts).map(|(one, other)| both(one, other)).collect() }
    }
}
