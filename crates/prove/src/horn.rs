//! Assertions as Horn clauses: is there an invariant of any form, one predicate for each point, from which they follow?
//!
//! A predicate speaks of memory and of the thread that is there. It holds at the start, the steps of the thread lead from one to the next, and steps of other threads preserve it. What is known
//! already (facts, and which points are never occupied at once) is assumed: then the solver need not find it again.

use crate::encode::{self, Who};
use crate::invariant::{Invariant, Spot, happening, meeting_steps, spots, starting};
use crate::model::{Model, Step};
use crate::solver::{Answer, Solver, SolverError, SolverOptions};
use crate::term::{Naming, conjunction, opaque_operators};
use std::fmt::Write;
use steadfast_ir::RegId;
use steadfast_span::Index;

/// The clauses. They have a solution only if no assertion ever fails.
pub(crate) fn script(model: &Model, invariant: &Invariant) -> String {
    let mut clauses = Clauses { model, invariant, text: String::from("(set-logic HORN)\n") };
    clauses.text.push_str(&opaque_operators());
    clauses.declare();
    clauses.starts();
    clauses.own_steps();
    clauses.interference();
    clauses.assertions();
    clauses.text.push_str("(check-sat)\n");
    clauses.text
}

/// Whether a solver finds a solution.
pub(crate) fn holds(script: &str, options: &SolverOptions) -> Result<bool, SolverError> {
    let mut solver = Solver::start(options, script)?;
    Ok(solver.answer()? == Answer::Sat)
}

struct Clauses<'a> {
    model: &'a Model,
    invariant: &'a Invariant,
    text: String,
}

impl Clauses<'_> {
    fn sorts(&self) -> Vec<&'static str> {
        self.model.globals.iter().map(|global| if global.array { "(Array Int Int)" } else { "Int" }).collect()
    }

    fn declare(&mut self) {
        let globals = self.sorts().join(" ");
        for (role, point) in spots(self.model) {
            let registers = " Int".repeat(self.model.roles[role].registers.len());
            let _ = writeln!(self.text, "(declare-fun P.{role}.{point} ({globals}{registers}) Bool)");
        }
    }

    /// The predicate of a point. `after` is the step whose result it speaks of, and whether its thread is the one that made it.
    fn holds_at(&self, who: Who, point: usize, after: Option<(Who, &Step)>) -> String {
        let mut text = format!("(P.{}.{point}", who.role);
        let got = after.map_or_else(String::new, |(actor, _)| actor.got());
        let changed = after.and_then(|(actor, step)| encode::memory_after(step, actor.names(&got)));
        for at in 0..self.model.globals.len() {
            match &changed {
                Some((global, content)) if *global == at => drop(write!(text, " {content}")),
                _ => drop(write!(text, " g{at}")),
            }
        }
        for reg in (0..self.model.roles[who.role].registers.len()).map(RegId::new) {
            let value = match after {
                Some((actor, step)) if actor == who => encode::register_after(step, who.names(&got), reg),
                _ => who.names("?").register(reg),
            };
            let _ = write!(text, " {value}");
        }
        text.push(')');
        // A predicate without arguments is written without parentheses.
        if text.contains(' ') { text } else { text.trim_matches(['(', ')']).to_owned() }
    }

    fn rule(&mut self, threads: &[Who], body: &[String], head: &str) {
        let mut binders = String::new();
        for (at, sort) in self.sorts().into_iter().enumerate() {
            let _ = write!(binders, "(g{at} {sort}) ");
        }
        for who in threads {
            for reg in (0..self.model.roles[who.role].registers.len()).map(RegId::new) {
                let _ = write!(binders, "({} Int) ", who.names("?").register(reg));
            }
            let _ = write!(binders, "({} Int) ", who.got());
        }
        let _ = writeln!(self.text, "(assert (forall ({binders}) (=> {} {head})))", conjunction(body));
    }

    fn starts(&mut self) {
        for (role, code) in self.model.roles.iter().enumerate() {
            let who = Who { letter: 'A', role };
            for start in &code.starts {
                let mut body = encode::types(self.model, who);
                body.extend(encode::initial_memory(self.model));
                body.extend(starting(self.model, who, &start.guard));
                let head = self.holds_at(who, start.to, Some((who, start)));
                self.rule(&[who], &body, &head);
            }
        }
    }

    fn own_steps(&mut self) {
        for (role, code) in self.model.roles.iter().enumerate() {
            let who = Who { letter: 'A', role };
            for step in &code.steps {
                let mut body = vec![self.holds_at(who, step.from, None)];
                body.extend(self.invariant.at(self.model, who, step.from));
                body.extend(happening(self.model, who, step));
                let head = self.holds_at(who, step.to, Some((who, step)));
                self.rule(&[who], &body, &head);
            }
        }
    }

    fn interference(&mut self) {
        let all: Vec<Spot> = spots(self.model).collect();
        for here in all {
            for (role, _, step) in meeting_steps(self.model, here) {
                if step.action.written().is_none() || self.invariant.is_apart(here, (role, step.from)) {
                    continue;
                }
                let (one, other) = (Who { letter: 'A', role: here.0 }, Who { letter: 'B', role });
                let mut body = vec![self.holds_at(one, here.1, None), self.holds_at(other, step.from, None)];
                body.extend(self.invariant.at_both(self.model, (one, here.1), (other, step.from)));
                body.extend(happening(self.model, other, step));
                let head = self.holds_at(one, here.1, Some((other, step)));
                self.rule(&[one, other], &body, &head);
            }
        }
    }

    fn assertions(&mut self) {
        for (role, code) in self.model.roles.iter().enumerate() {
            let who = Who { letter: 'A', role };
            for step in &code.steps {
                for asserted in &step.asserts {
                    let mut body = vec![self.holds_at(who, step.from, None)];
                    body.push(self.invariant.asserted(self.model, role, step, asserted).formula());
                    self.rule(&[who], &body, "false");
                }
            }
            for asserted in code.starts.iter().flat_map(|start| &start.asserts) {
                let body = [Invariant::asserted_at_start(self.model, role, asserted).formula()];
                self.rule(&[who], &body, "false");
            }
        }
    }
}
