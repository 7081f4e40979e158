//! Finds invariants by elimination (Houdini): starts with all candidates, and drops those that a step refutes, until no step refutes any more.

use crate::facts::{self, Fact, Richness};
use crate::invariant::{
    Invariant, Question, RolePoint, UnprovedInvariant, meeting_steps, pair, role_points, start_pairs,
};
use crate::sample;
use crate::solver::{Answer, Solver, SolverError};
use crate::system::System;
use rustc_hash::FxHashMap;
use steadfast_span::Span;

/// The strongest invariant that the candidates can express.
pub(crate) fn infer(
    system: &System,
    richness: Richness,
    solver: &mut Solver,
    stop: &dyn Fn() -> bool,
) -> Result<Invariant, SolverError> {
    let mut invariant = everything(system, richness);
    sample::refute(system, &mut invariant);
    weaken_until_it_holds(system, invariant, solver, stop)
}

/// The same for a program that has more behaviour than another one. What does not hold for that one does not hold here, either.
pub(crate) fn infer_from(
    system: &System,
    known: &Invariant,
    solver: &mut Solver,
    stop: &dyn Fn() -> bool,
) -> Result<Invariant, SolverError> {
    let mut invariant = known.clone();
    sample::refute(system, &mut invariant);
    weaken_until_it_holds(system, invariant, solver, stop)
}

fn weaken_until_it_holds(
    system: &System,
    invariant: Invariant,
    solver: &mut Solver,
    stop: &dyn Fn() -> bool,
) -> Result<Invariant, SolverError> {
    let mut inference =
        Inference { system, solver, invariant, versions: FxHashMap::default(), answered: FxHashMap::default() };
    for (one, other) in start_pairs(system) {
        let (here, there) = ((one.0, one.1.to), (other.0, other.1.to));
        inference.invariant.apart.remove(&pair(here, there));
        inference.distinguish(here, there, &|invariant| {
            (invariant.differing_at_start(system, one, other), invariant.differing_registers(here, there))
        })?;
    }
    for (role, code) in system.roles.iter().enumerate() {
        for start in &code.starts {
            let ask = |invariant: &Invariant| {
                let all = (0..invariant.facts[role][start.to].len()).collect();
                (invariant.start(system, role, start), all)
            };
            inference.weaken((role, start.to), None, &ask)?;
        }
    }
    while inference.round(stop)? {}
    Ok(inference.invariant)
}

/// A question about registers that differ, and these registers.
type Differences = (Question, Vec<(usize, usize)>);

/// All candidates.
fn everything(system: &System, richness: Richness) -> Invariant {
    let mut invariant = Invariant::none(system);
    let all: Vec<RolePoint> = role_points(system).collect();
    for &(role, point) in &all {
        invariant.facts[role][point] = facts::candidates(system, role, point, richness);
        for &other in &all {
            if system.coexist(role, other.0) {
                invariant.apart.insert(pair((role, point), other));
            }
            if system.coexist(role, other.0) && richness == Richness::Rich {
                let registers = |spot: RolePoint| facts::registers(system, spot.0, spot.1);
                let theirs = registers(other);
                let pairs = registers((role, point)).into_iter();
                let pairs = pairs.flat_map(|one| theirs.iter().map(move |&two| (one, two)));
                invariant.differ.insert(((role, point), other), pairs.collect());
            }
        }
    }
    invariant
}

struct Inference<'a> {
    system: &'a System,
    solver: &'a mut Solver,
    invariant: Invariant,
    /// By point: how often its facts were weakened.
    versions: FxHashMap<RolePoint, u32>,
    /// By question: the versions of the facts with which it was last answered.
    answered: FxHashMap<(RolePoint, usize, usize, u8), (u32, u32)>,
}

impl Inference<'_> {
    fn version(&self, spot: RolePoint) -> u32 {
        self.versions.get(&spot).copied().unwrap_or_default()
    }

    /// Whether a question must be asked again. If so, records the current versions.
    fn is_due(&mut self, question: (RolePoint, usize, usize, u8), one: RolePoint, other: RolePoint) -> bool {
        let now = (self.version(one), self.version(other));
        self.answered.insert(question, now) != Some(now)
    }

    /// Asks every question whose assumptions have changed. Returns whether something was dropped.
    fn round(&mut self, stop: &dyn Fn() -> bool) -> Result<bool, SolverError> {
        let mut changed = false;
        // Steps of the thread itself refute most candidates, and there are few such steps.
        while self.own_steps(stop)? {
            changed = true;
        }
        Ok(self.meetings(stop)? || changed)
    }

    fn own_steps(&mut self, stop: &dyn Fn() -> bool) -> Result<bool, SolverError> {
        let system = self.system;
        let mut changed = false;
        for role in 0..system.roles.len() {
            for (number, step) in system.roles[role].steps.iter().enumerate() {
                let from = (role, step.from);
                if stop() {
                    return Err(SolverError::Interrupted);
                }
                if self.is_due((from, role, number, 0), from, from) {
                    let ask = |invariant: &Invariant| {
                        (invariant.own(system, role, step), invariant.refutable_by_own(role, step))
                    };
                    changed |= self.weaken((role, step.to), Some(step.span), &ask)?;
                }
            }
        }
        Ok(changed)
    }

    fn meetings(&mut self, stop: &dyn Fn() -> bool) -> Result<bool, SolverError> {
        let system = self.system;
        let mut changed = false;
        for here in role_points(system) {
            for (role, number, step) in meeting_steps(system, here) {
                if self.invariant.is_apart(here, (role, step.from)) {
                    continue;
                }
                if stop() {
                    return Err(SolverError::Interrupted);
                }
                let writes = step.action.written().is_some();
                if writes && self.is_due((here, role, number, 1), here, (role, step.from)) {
                    let ask = |invariant: &Invariant| {
                        (invariant.undisturbed(system, here, (role, step)), invariant.refutable_by_other(here, step))
                    };
                    changed |= self.weaken(here, Some(step.span), &ask)?;
                }
                if self.is_due((here, role, number, 3), here, (role, step.from)) {
                    let ask = |invariant: &Invariant| {
                        let pairs = invariant.refutable_differences(role, step, here);
                        (invariant.differing(system, (role, step), here), pairs)
                    };
                    changed |= self.distinguish((role, step.to), here, &ask)?;
                }
                if self.invariant.is_apart(here, (role, step.to))
                    && self.is_due((here, role, number, 2), here, (role, step.from))
                {
                    changed |= self.separate(here, (role, number))?;
                }
            }
        }
        Ok(changed)
    }

    /// Drops the facts at a point that a question about a step refutes. The numbers are those of the facts in the question.
    fn weaken(
        &mut self,
        at: RolePoint,
        by: Option<Span>,
        ask: &dyn Fn(&Invariant) -> (Question, Vec<usize>),
    ) -> Result<bool, SolverError> {
        let mut changed = false;
        loop {
            let (question, about) = ask(&self.invariant);
            if question.wanted.is_empty() {
                return Ok(changed);
            }
            let (answer, values) = self.solver.ask(&question.declarations, &question.formula(), &question.wanted)?;
            if answer == Answer::Unsat {
                return Ok(changed);
            }
            let refuted: Vec<usize> =
                about.into_iter().zip(&values).filter(|(_, holds)| *holds != "true").map(|(fact, _)| fact).collect();
            if refuted.is_empty() {
                return Err(SolverError::Crashed("its model does not refute what it refutes".into()));
            }
            let facts = &mut self.invariant.facts[at.0][at.1];
            let mut number = 0..facts.len();
            let (stated, unproved) = (&self.system.roles[at.0].stated, &mut self.invariant.unproved);
            facts.retain(|fact| {
                let holds = number.next().is_some_and(|number| !refuted.contains(&number));
                if let (Fact::Stated(number), false) = (fact, holds)
                    && stated[*number].point.is_some()
                {
                    unproved.push(UnprovedInvariant { invariant: stated[*number].span, by });
                }
                holds
            });
            *self.versions.entry(at).or_default() += 1;
            changed = true;
        }
    }

    /// Drops the pairs of registers that a question refutes.
    fn distinguish(
        &mut self,
        one: RolePoint,
        other: RolePoint,
        ask: &dyn Fn(&Invariant) -> Differences,
    ) -> Result<bool, SolverError> {
        let mut changed = false;
        loop {
            let (question, registers) = ask(&self.invariant);
            if registers.is_empty() {
                return Ok(changed);
            }
            let (answer, values) = self.solver.ask(&question.declarations, &question.formula(), &question.wanted)?;
            if answer == Answer::Unsat {
                return Ok(changed);
            }
            let refuted: Vec<_> = registers.into_iter().zip(&values).filter(|(_, holds)| *holds != "true").collect();
            if refuted.is_empty() {
                return Err(SolverError::Crashed("its model does not refute what it refutes".into()));
            }
            for ((a, b), _) in refuted {
                self.invariant.differ.entry((one, other)).or_default().remove(&(a, b));
                self.invariant.differ.entry((other, one)).or_default().remove(&(b, a));
            }
            *self.versions.entry(one).or_default() += 1;
            *self.versions.entry(other).or_default() += 1;
            changed = true;
        }
    }

    /// Asks whether a step can happen while another thread is at a point; if so, the two points are not apart.
    fn separate(&mut self, there: RolePoint, (role, number): (usize, usize)) -> Result<bool, SolverError> {
        let step = &self.system.roles[role].steps[number];
        let question = self.invariant.kept_apart(self.system, (role, step), there);
        let (answer, _) = self.solver.ask(&question.declarations, &question.formula(), &[])?;
        if answer == Answer::Sat {
            self.invariant.apart.remove(&pair(there, (role, step.to)));
        }
        Ok(answer == Answer::Sat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::prelude;
    use crate::solver::SolverOptions;
    use std::path::Path;
    use steadfast_lang::parse_template;
    use steadfast_span::SourceFile;

    /// Sample runs refute only what elimination drops, too.
    #[test]
    fn the_invariant_is_the_same_without_runs() {
        if crate::find_solver("z3".as_ref()).is_none() && std::env::var_os("CI").is_none() {
            return;
        }
        for name in ["dc-locking", "r-detours", "sb-detours-coh", "nbw-w-lr-rl", "inline-pgsql", "lifo-iwsq"] {
            let path =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/proofs").join(name).with_extension("sf");
            let file = SourceFile::new(name, std::fs::read_to_string(path).expect("a file"));
            let (parsed, template) = parse_template(&file);
            let system =
                System::of(&parsed.program.expect("a program"), &template.expect("a template")).expect("a system");
            let mut solver = Solver::start(&SolverOptions::default(), &prelude(&system)).expect("a solver");
            for richness in [Richness::Plain, Richness::Rich] {
                let with = infer(&system, richness, &mut solver, &|| false).expect("an invariant");
                let asked = solver.questions;
                let everything = everything(&system, richness);
                let without = weaken_until_it_holds(&system, everything, &mut solver, &|| false).expect("an invariant");
                assert_eq!(with, without, "{name}");
                assert!(2 * asked < solver.questions, "{name}: {asked} questions of {}", solver.questions);
                solver.questions = 0;
            }
        }
    }
}
