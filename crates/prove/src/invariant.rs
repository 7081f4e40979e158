//! Invariants: facts at each point, and which points are never occupied by two threads at once.
//!
//! The facts at a point are about memory and a thread at that point, so every step of any other thread must preserve them. That two points are *apart* is about two threads and not
//! about memory, so only steps of these two matter. Both hold for any number of threads.

use crate::encode::{self, SymbolicThread};
use crate::facts::{Fact, ValueNames};
use crate::system::{Asserted, Step, System};
use crate::term::{Naming, Term, conjunction};
use rustc_hash::{FxHashMap, FxHashSet};
use steadfast_ir::RegId;
use steadfast_span::{Index, Span};

/// A role and one of its points.
pub(crate) type RolePoint = (usize, usize);

/// Facts that hold in every reachable state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Invariant {
    /// The facts, by role and point.
    pub(crate) facts: Vec<Vec<Vec<Fact>>>,
    /// The invariants in the program text that could not be proved.
    pub(crate) unproved: Vec<UnprovedInvariant>,
    /// Pairs of points at which two threads never are at the same time, the smaller point first.
    pub(crate) apart: FxHashSet<(RolePoint, RolePoint)>,
    /// By the points of two threads: their registers that never hold the same value. Every pair of points is present in both orders.
    pub(crate) differ: FxHashMap<(RolePoint, RolePoint), FxHashSet<(usize, usize)>>,
}

/// An invariant in the program text that could not be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnprovedInvariant {
    /// Its text.
    pub invariant: Span,
    /// The step after which it may not hold; none for the start.
    pub by: Option<Span>,
}

/// A question that must be answered with "unsat": there is no state in which the assumptions hold and a conclusion does not.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// The declarations of the constants in it.
    pub(crate) declarations: String,
    /// The assumptions.
    pub(crate) given: Vec<String>,
    /// The conclusions, each of which must follow. If there is none, the assumptions must contradict each other.
    pub(crate) wanted: Vec<String>,
}

impl Question {
    /// The assumptions, and that some conclusion is false.
    pub(crate) fn formula(&self) -> String {
        if self.wanted.is_empty() {
            return conjunction(&self.given);
        }
        format!("(and {} (not {}))", conjunction(&self.given), conjunction(&self.wanted))
    }
}

impl Invariant {
    /// No facts.
    pub(crate) fn none(system: &System) -> Self {
        let facts = system.roles.iter().map(|role| vec![Vec::new(); role.points.len()]).collect();
        Self { facts, ..Self::default() }
    }

    /// Whether two threads are never at these points at the same time.
    pub(crate) fn is_apart(&self, one: RolePoint, other: RolePoint) -> bool {
        self.apart.contains(&pair(one, other))
    }

    /// The facts about a thread at a point.
    pub(crate) fn at(&self, system: &System, thread: SymbolicThread, point: usize) -> Vec<String> {
        let mut parts = encode::types(system, thread);
        parts.extend(self.facts[thread.role][point].iter().map(|fact| fact.now(system, thread)));
        parts
    }

    /// The facts about two different threads.
    pub(crate) fn at_both(
        &self,
        system: &System,
        one: (SymbolicThread, usize),
        other: (SymbolicThread, usize),
    ) -> Vec<String> {
        let mut parts = self.at(system, one.0, one.1);
        parts.extend(self.at(system, other.0, other.1));
        parts.extend(encode::distinct(system, one.0, other.0));
        let differ = self.differ.get(&((one.0.role, one.1), (other.0.role, other.1)));
        let mut registers: Vec<(usize, usize)> = differ.into_iter().flatten().copied().collect();
        registers.sort_unstable();
        for (a, b) in registers {
            let (a, b) = (one.0.names("?").register(RegId::new(a)), other.0.names("?").register(RegId::new(b)));
            parts.push(format!("(not (= {a} {b}))"));
        }
        parts
    }

    /// Question: the registers that must differ after a step, while another thread is at a point, differ.
    pub(crate) fn differing(&self, system: &System, (role, step): (usize, &Step), there: RolePoint) -> Question {
        let (one, other) = (SymbolicThread { letter: 'A', role }, SymbolicThread { letter: 'B', role: there.0 });
        let mut given = self.at_both(system, (one, step.from), (other, there.1));
        given.extend(happening(system, one, step));
        let got = one.got();
        let wanted = self
            .refutable_differences(role, step, there)
            .into_iter()
            .map(|(a, b)| {
                let a = encode::register_after(step, one.names(&got), RegId::new(a));
                format!("(not (= {a} {}))", other.names("?").register(RegId::new(b)))
            })
            .collect();
        Question { declarations: both(system, one, other), given, wanted }
    }

    /// The registers that must differ after a step and need to be checked: not those that differ before it and that it does not change.
    pub(crate) fn refutable_differences(&self, role: usize, step: &Step, there: RolePoint) -> Vec<(usize, usize)> {
        let before = self.differ.get(&((role, step.from), there));
        let trivial = |pair: &(usize, usize)| {
            !step.changes(RegId::new(pair.0)) && before.is_some_and(|before| before.contains(pair))
        };
        self.differing_registers((role, step.to), there).into_iter().filter(|pair| !trivial(pair)).collect()
    }

    /// Question: the registers that must differ at the start differ.
    pub(crate) fn differing_at_start(&self, system: &System, one: (usize, &Step), other: (usize, &Step)) -> Question {
        let (a, b) = (SymbolicThread { letter: 'A', role: one.0 }, SymbolicThread { letter: 'B', role: other.0 });
        let mut given: Vec<String> = encode::distinct(system, a, b).into_iter().collect();
        given.extend(starting(system, a, &one.1.guard));
        given.extend(starting(system, b, &other.1.guard));
        let text = |(x, y): (usize, usize)| {
            let x = encode::register_after(one.1, a.names("?"), RegId::new(x));
            let y = encode::register_after(other.1, b.names("?"), RegId::new(y));
            format!("(not (= {x} {y}))")
        };
        let role_points = ((one.0, one.1.to), (other.0, other.1.to));
        let wanted = self.differing_registers(role_points.0, role_points.1).into_iter().map(text).collect();
        Question { declarations: both(system, a, b), given, wanted }
    }

    /// The registers that differ, in a fixed order.
    pub(crate) fn differing_registers(&self, one: RolePoint, other: RolePoint) -> Vec<(usize, usize)> {
        let mut registers: Vec<_> = self.differ.get(&(one, other)).into_iter().flatten().copied().collect();
        registers.sort_unstable();
        registers
    }

    /// Question: the facts at a point where threads start hold at the start.
    pub(crate) fn start(&self, system: &System, role: usize, start: &Step) -> Question {
        let thread = SymbolicThread { letter: 'A', role };
        let mut given = encode::types(system, thread);
        given.extend(encode::initial_memory(system));
        given.extend(starting(system, thread, &start.guard));
        let wanted = self.facts[role][start.to]
            .iter()
            .map(|fact| after(system, fact, (thread, Some(start)), (thread, start)))
            .collect();
        Question { declarations: encode::declarations(system, thread), given, wanted }
    }

    /// Question: the facts at the point after a step hold.
    pub(crate) fn own(&self, system: &System, role: usize, step: &Step) -> Question {
        let thread = SymbolicThread { letter: 'A', role };
        let mut given = self.at(system, thread, step.from);
        given.extend(happening(system, thread, step));
        let wanted = self
            .refutable_by_own(role, step)
            .into_iter()
            .map(|at| after(system, &self.facts[role][step.to][at], (thread, Some(step)), (thread, step)))
            .collect();
        Question { declarations: encode::declarations(system, thread), given, wanted }
    }

    /// The facts at the point after a step that need to be checked: not those that hold before it and that it does not change.
    pub(crate) fn refutable_by_own(&self, role: usize, step: &Step) -> Vec<usize> {
        let before = &self.facts[role][step.from];
        let trivial = |fact: &Fact| !fact.is_touched(step, true) && before.contains(fact);
        let facts = self.facts[role][step.to].iter().enumerate();
        facts.filter(|(_, fact)| !trivial(fact)).map(|(at, _)| at).collect()
    }

    /// The facts at a point whose truth a step of another thread can change.
    pub(crate) fn refutable_by_other(&self, here: RolePoint, step: &Step) -> Vec<usize> {
        let facts = self.facts[here.0][here.1].iter().enumerate();
        facts.filter(|(_, fact)| fact.is_touched(step, false)).map(|(at, _)| at).collect()
    }

    /// Question: a step of another thread preserves the facts at a point.
    pub(crate) fn undisturbed(&self, system: &System, here: RolePoint, (role, step): (usize, &Step)) -> Question {
        let (one, other) = (SymbolicThread { letter: 'A', role: here.0 }, SymbolicThread { letter: 'B', role });
        let mut given = self.at_both(system, (one, here.1), (other, step.from));
        given.extend(happening(system, other, step));
        let wanted = self
            .refutable_by_other(here, step)
            .into_iter()
            .map(|at| after(system, &self.facts[here.0][here.1][at], (one, None), (other, step)))
            .collect();
        Question { declarations: both(system, one, other), given, wanted }
    }

    /// Question: a step does not happen while another thread is at a point.
    pub(crate) fn kept_apart(&self, system: &System, (role, step): (usize, &Step), there: RolePoint) -> Question {
        let (one, other) = (SymbolicThread { letter: 'A', role }, SymbolicThread { letter: 'B', role: there.0 });
        let mut given = self.at_both(system, (one, step.from), (other, there.1));
        given.extend(happening(system, one, step));
        Question { declarations: both(system, one, other), given, wanted: Vec::new() }
    }

    /// Question: an assertion on the way of a step holds.
    pub(crate) fn asserted(&self, system: &System, role: usize, step: &Step, asserted: &Asserted) -> Question {
        let thread = SymbolicThread { letter: 'A', role };
        let got = thread.got();
        let names = thread.names(&got);
        let mut given = self.at(system, thread, step.from);
        given.extend(step.action.cell().and_then(|cell| encode::content_typed(system, cell, names)));
        given.push(encode::happens(&step.action, &asserted.guard, names));
        Question {
            declarations: encode::declarations(system, thread),
            given,
            wanted: vec![names.truth(&asserted.cond)],
        }
    }

    /// Question: an assertion before the first access holds.
    pub(crate) fn asserted_at_start(system: &System, role: usize, asserted: &Asserted) -> Question {
        let thread = SymbolicThread { letter: 'A', role };
        let mut given = encode::types(system, thread);
        given.extend(starting(system, thread, &asserted.guard));
        let wanted = vec![thread.names("?").truth(&asserted.cond)];
        Question { declarations: encode::declarations(system, thread), given, wanted }
    }

    /// All questions that make this an invariant, with their names.
    pub(crate) fn questions(&self, system: &System) -> Vec<(String, Question)> {
        let mut questions = Vec::new();
        for (role, code) in system.roles.iter().enumerate() {
            for (number, start) in code.starts.iter().enumerate() {
                questions.push((format!("start-{role}-{number}"), self.start(system, role, start)));
            }
            for (number, step) in code.steps.iter().enumerate() {
                questions.push((format!("own-{role}-{number}"), self.own(system, role, step)));
            }
        }
        for (number, (one, other)) in start_pairs(system).into_iter().enumerate() {
            questions.push((format!("differing-start-{number}"), self.differing_at_start(system, one, other)));
        }
        for here in role_points(system) {
            for (role, number, step) in meeting_steps(system, here) {
                if !self.is_apart(here, (role, step.from)) {
                    let (at, point) = here;
                    if step.action.written().is_some() {
                        let question = self.undisturbed(system, here, (role, step));
                        questions.push((format!("undisturbed-{at}-{point}-{role}-{number}"), question));
                    }
                    let differing = self.differing(system, (role, step), here);
                    questions.push((format!("differing-{at}-{point}-{role}-{number}"), differing));
                    if self.is_apart(here, (role, step.to)) {
                        let question = self.kept_apart(system, (role, step), here);
                        questions.push((format!("apart-{at}-{point}-{role}-{number}"), question));
                    }
                }
            }
        }
        questions.retain(|(name, question)| !question.wanted.is_empty() || name.starts_with("apart"));
        questions
    }
}

/// A role and a way to its first point.
pub(crate) type Start<'m> = (usize, &'m Step);

/// All pairs of starts of two threads.
pub(crate) fn start_pairs(system: &System) -> Vec<(Start<'_>, Start<'_>)> {
    let starts =
        || system.roles.iter().enumerate().flat_map(|(role, code)| code.starts.iter().map(move |start| (role, start)));
    let pairs = starts().flat_map(|one| starts().map(move |other| (one, other)));
    pairs.filter(|(one, other)| system.coexist(one.0, other.0)).collect()
}

/// Formulas: the registers of a thread at the start, and that it takes the way of the guard.
pub(crate) fn starting(system: &System, thread: SymbolicThread, guard: &[Term]) -> Vec<String> {
    let (role, names) = (&system.roles[thread.role], thread.names("?"));
    let registers = (0..role.registers.len()).map(RegId::new).filter(|reg| Some(*reg) != role.id);
    let zero = registers.map(|reg| format!("(= {} 0)", names.register(reg)));
    zero.chain(role.id.map(|id| format!("(>= {} 0)", names.register(id))))
        .chain(guard.iter().map(|term| names.truth(term)))
        .collect()
}

/// All points of all roles.
pub(crate) fn role_points(system: &System) -> impl Iterator<Item = RolePoint> + '_ {
    system.roles.iter().enumerate().flat_map(|(role, code)| (0..code.points.len()).map(move |point| (role, point)))
}

/// The steps of other threads that can happen while a thread is at a point.
pub(crate) fn meeting_steps(system: &System, here: RolePoint) -> impl Iterator<Item = (usize, usize, &Step)> {
    let roles = (0..system.roles.len()).filter(move |&role| system.coexist(here.0, role));
    roles.flat_map(|role| system.roles[role].steps.iter().enumerate().map(move |(number, step)| (role, number, step)))
}

/// An unordered pair.
pub(crate) fn pair(one: RolePoint, other: RolePoint) -> (RolePoint, RolePoint) {
    (one.min(other), one.max(other))
}

/// The declarations of two threads.
pub(crate) fn both(system: &System, one: SymbolicThread, other: SymbolicThread) -> String {
    encode::declarations(system, one) + &encode::declarations(system, other)
}

/// Formulas: a step happens.
pub(crate) fn happening(system: &System, thread: SymbolicThread, step: &Step) -> Vec<String> {
    let got = thread.got();
    let names = thread.names(&got);
    let typed = step.action.cell().and_then(|cell| encode::content_typed(system, cell, names));
    typed.into_iter().chain([encode::happens(&step.action, &step.guard, names)]).collect()
}

/// A fact after a step of `actor`. `own` is the step if the thread of the fact takes it.
fn after(
    system: &System,
    fact: &Fact,
    (thread, own): (SymbolicThread, Option<&Step>),
    (actor, step): (SymbolicThread, &Step),
) -> String {
    let got = actor.got();
    let changed = encode::memory_after(step, actor.names(&got));
    let register = |reg: RegId| match own {
        Some(step) => encode::register_after(step, thread.names(&got), reg),
        None => thread.names("?").register(reg),
    };
    let global = |at: usize| match &changed {
        Some((global, content)) if *global == at => content.clone(),
        _ => format!("g{at}"),
    };
    fact.text(&ValueNames { register: &register, global: &global, stated: &system.roles[thread.role].stated })
}
