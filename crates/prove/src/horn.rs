//! Assertions as Horn clauses: is there an invariant of any form, with one predicate per point, from which they follow?
//!
//! A predicate is about memory and a thread at its point. It holds at the start, steps of the thread lead from one predicate to the next, and steps of other threads preserve it. What is
//! known already (facts, and pairs of points that are never occupied at the same time) is assumed, so that the solver need not find it again.

use crate::encode::{self, SymbolicThread};
use crate::invariant::{Invariant, RolePoint, happening, meeting_steps, role_points, starting};
use crate::solver::{Answer, Solver, SolverError, SolverOptions};
use crate::system::{Step, System};
use crate::term::{Naming, conjunction, opaque_operators};
use std::fmt::Write;
use steadfast_ir::RegId;
use steadfast_span::Index;

/// The clauses. If they have a solution, no assertion ever fails.
pub(crate) fn script(system: &System, invariant: &Invariant) -> String {
    let mut clauses = Clauses { system, invariant, text: String::from("(set-logic HORN)\n") };
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
    system: &'a System,
    invariant: &'a Invariant,
    text: String,
}

impl Clauses<'_> {
    fn sorts(&self) -> Vec<&'static str> {
        self.system.globals.iter().map(|global| if global.array { "(Array Int Int)" } else { "Int" }).collect()
    }

    fn declare(&mut self) {
        let globals = self.sorts().join(" ");
        for (role, point) in role_points(self.system) {
            let registers = " Int".repeat(self.system.roles[role].registers.len());
            let _ = writeln!(self.text, "(declare-fun P.{role}.{point} ({globals}{registers}) Bool)");
        }
    }

    /// The predicate of a point. With `after`, it is about the state after this step; the thread says which one takes the step.
    fn holds_at(&self, thread: SymbolicThread, point: usize, after: Option<(SymbolicThread, &Step)>) -> String {
        let mut text = format!("(P.{}.{point}", thread.role);
        let got = after.map_or_else(String::new, |(actor, _)| actor.got());
        let changed = after.and_then(|(actor, step)| encode::memory_after(step, actor.names(&got)));
        for at in 0..self.system.globals.len() {
            match &changed {
                Some((global, content)) if *global == at => drop(write!(text, " {content}")),
                _ => drop(write!(text, " g{at}")),
            }
        }
        for reg in (0..self.system.roles[thread.role].registers.len()).map(RegId::new) {
            let value = match after {
                Some((actor, step)) if actor == thread => encode::register_after(step, thread.names(&got), reg),
                _ => thread.names("?").register(reg),
            };
            let _ = write!(text, " {value}");
        }
        text.push(')');
        // A predicate without arguments has no parentheses.
        if text.contains(' ') { text } else { text.trim_matches(['(', ')']).to_owned() }
    }

    fn rule(&mut self, threads: &[SymbolicThread], body: &[String], head: &str) {
        let mut binders = String::new();
        for (at, sort) in self.sorts().into_iter().enumerate() {
            let _ = write!(binders, "(g{at} {sort}) ");
        }
        for thread in threads {
            for reg in (0..self.system.roles[thread.role].registers.len()).map(RegId::new) {
                let _ = write!(binders, "({} Int) ", thread.names("?").register(reg));
            }
            let _ = write!(binders, "({} Int) ", thread.got());
        }
        let _ = writeln!(self.text, "(assert (forall ({binders}) (=> {} {head})))", conjunction(body));
    }

    fn starts(&mut self) {
        for (role, code) in self.system.roles.iter().enumerate() {
            let thread = SymbolicThread { letter: 'A', role };
            for start in &code.starts {
                let mut body = encode::types(self.system, thread);
                body.extend(encode::initial_memory(self.system));
                body.extend(starting(self.system, thread, &start.guard));
                let head = self.holds_at(thread, start.to, Some((thread, start)));
                self.rule(&[thread], &body, &head);
            }
        }
    }

    fn own_steps(&mut self) {
        for (role, code) in self.system.roles.iter().enumerate() {
            let thread = SymbolicThread { letter: 'A', role };
            for step in &code.steps {
                let mut body = vec![self.holds_at(thread, step.from, None)];
                body.extend(self.invariant.at(self.system, thread, step.from));
                body.extend(happening(self.system, thread, step));
                let head = self.holds_at(thread, step.to, Some((thread, step)));
                self.rule(&[thread], &body, &head);
            }
        }
    }

    fn interference(&mut self) {
        let all: Vec<RolePoint> = role_points(self.system).collect();
        for here in all {
            for (role, _, step) in meeting_steps(self.system, here) {
                if step.action.written().is_none() || self.invariant.is_apart(here, (role, step.from)) {
                    continue;
                }
                let (one, other) = (SymbolicThread { letter: 'A', role: here.0 }, SymbolicThread { letter: 'B', role });
                let mut body = vec![self.holds_at(one, here.1, None), self.holds_at(other, step.from, None)];
                body.extend(self.invariant.at_both(self.system, (one, here.1), (other, step.from)));
                body.extend(happening(self.system, other, step));
                let head = self.holds_at(one, here.1, Some((other, step)));
                self.rule(&[one, other], &body, &head);
            }
        }
    }

    fn assertions(&mut self) {
        for (role, code) in self.system.roles.iter().enumerate() {
            let thread = SymbolicThread { letter: 'A', role };
            for step in &code.steps {
                for asserted in &step.asserts {
                    let mut body = vec![self.holds_at(thread, step.from, None)];
                    body.push(self.invariant.asserted(self.system, role, step, asserted).formula());
                    self.rule(&[thread], &body, "false");
                }
            }
            for asserted in code.starts.iter().flat_map(|start| &start.asserts) {
                let body = [Invariant::asserted_at_start(self.system, role, asserted).formula()];
                self.rule(&[thread], &body, "false");
            }
        }
    }
}
