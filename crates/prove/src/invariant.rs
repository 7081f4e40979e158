//! Invariants: facts at each point, and which points are never occupied by two threads at once.
//!
//! The facts at a point speak of memory and of the thread that is there, so every step of any other thread must preserve them. That two points are *apart* speaks of two
//! threads and not of memory, so only the steps of these two matter. Both hold for any number of threads.

use crate::encode::{self, Who};
use crate::facts::{Fact, View};
use crate::model::{Asserted, Model, Step};
use crate::term::{Naming, Term, conjunction};
use rustc_hash::{FxHashMap, FxHashSet};
use steadfast_ir::RegId;
use steadfast_span::{Index, Span};

/// A point of a role.
pub(crate) type Spot = (usize, usize);

/// What holds in every reachable state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Invariant {
    /// By role and point.
    pub(crate) facts: Vec<Vec<Vec<Fact>>>,
    /// What the text says and could not be shown.
    pub(crate) unshown: Vec<Unshown>,
    /// Pairs of points, the lesser first.
    pub(crate) apart: FxHashSet<(Spot, Spot)>,
    /// Registers of two threads that never hold the same, by the points where the threads are. Each pair is there in both orders.
    pub(crate) differ: FxHashMap<(Spot, Spot), FxHashSet<(usize, usize)>>,
}

/// An invariant in the text that could not be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unshown {
    /// Its text.
    pub invariant: Span,
    /// The step after which it may not hold; nothing: the start.
    pub by: Option<Span>,
}

/// A question whose answer has to be "there is no such state".
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// The constants that it is about.
    pub(crate) declarations: String,
    /// What is assumed.
    pub(crate) given: Vec<String>,
    /// What must follow, each for itself. If there is none, the assumptions must contradict each other.
    pub(crate) wanted: Vec<String>,
}

impl Question {
    /// The assumptions without what must follow from them.
    pub(crate) fn formula(&self) -> String {
        if self.wanted.is_empty() {
            return conjunction(&self.given);
        }
        format!("(and {} (not {}))", conjunction(&self.given), conjunction(&self.wanted))
    }
}

impl Invariant {
    /// Nothing.
    pub(crate) fn none(model: &Model) -> Self {
        let facts = model.roles.iter().map(|role| vec![Vec::new(); role.points.len()]).collect();
        Self { facts, ..Self::default() }
    }

    /// Whether two threads are never at these points at once.
    pub(crate) fn is_apart(&self, one: Spot, other: Spot) -> bool {
        self.apart.contains(&pair(one, other))
    }

    /// What is known of a thread at a point.
    pub(crate) fn at(&self, model: &Model, who: Who, point: usize) -> Vec<String> {
        let mut parts = encode::types(model, who);
        parts.extend(self.facts[who.role][point].iter().map(|fact| fact.now(model, who)));
        parts
    }

    /// What is known of two different threads.
    pub(crate) fn at_both(&self, model: &Model, one: (Who, usize), other: (Who, usize)) -> Vec<String> {
        let mut parts = self.at(model, one.0, one.1);
        parts.extend(self.at(model, other.0, other.1));
        parts.extend(encode::distinct(model, one.0, other.0));
        let differ = self.differ.get(&((one.0.role, one.1), (other.0.role, other.1)));
        let mut registers: Vec<(usize, usize)> = differ.into_iter().flatten().copied().collect();
        registers.sort_unstable();
        for (a, b) in registers {
            let (a, b) = (one.0.names("?").register(RegId::new(a)), other.0.names("?").register(RegId::new(b)));
            parts.push(format!("(not (= {a} {b}))"));
        }
        parts
    }

    /// That the registers that differ behind a step, while another thread is at a point, differ after it.
    pub(crate) fn differing(&self, model: &Model, (role, step): (usize, &Step), there: Spot) -> Question {
        let (one, other) = (Who { letter: 'A', role }, Who { letter: 'B', role: there.0 });
        let mut given = self.at_both(model, (one, step.from), (other, there.1));
        given.extend(happening(model, one, step));
        let got = one.got();
        let wanted = self
            .refutable_differences(role, step, there)
            .into_iter()
            .map(|(a, b)| {
                let a = encode::register_after(step, one.names(&got), RegId::new(a));
                format!("(not (= {a} {}))", other.names("?").register(RegId::new(b)))
            })
            .collect();
        Question { declarations: both(model, one, other), given, wanted }
    }

    /// Which of the registers that differ behind a step need to be shown to: all but those that differ before it and that it does not change.
    pub(crate) fn refutable_differences(&self, role: usize, step: &Step, there: Spot) -> Vec<(usize, usize)> {
        let before = self.differ.get(&((role, step.from), there));
        let trivial = |pair: &(usize, usize)| {
            !step.changes(RegId::new(pair.0)) && before.is_some_and(|before| before.contains(pair))
        };
        self.differing_registers((role, step.to), there).into_iter().filter(|pair| !trivial(pair)).collect()
    }

    /// That registers that differ at the start do.
    pub(crate) fn differing_at_start(&self, model: &Model, one: (usize, &Step), other: (usize, &Step)) -> Question {
        let (a, b) = (Who { letter: 'A', role: one.0 }, Who { letter: 'B', role: other.0 });
        let mut given: Vec<String> = encode::distinct(model, a, b).into_iter().collect();
        given.extend(starting(model, a, &one.1.guard));
        given.extend(starting(model, b, &other.1.guard));
        let text = |(x, y): (usize, usize)| {
            let x = encode::register_after(one.1, a.names("?"), RegId::new(x));
            let y = encode::register_after(other.1, b.names("?"), RegId::new(y));
            format!("(not (= {x} {y}))")
        };
        let spots = ((one.0, one.1.to), (other.0, other.1.to));
        let wanted = self.differing_registers(spots.0, spots.1).into_iter().map(text).collect();
        Question { declarations: both(model, a, b), given, wanted }
    }

    /// The registers that differ, in a fixed order.
    pub(crate) fn differing_registers(&self, one: Spot, other: Spot) -> Vec<(usize, usize)> {
        let mut registers: Vec<_> = self.differ.get(&(one, other)).into_iter().flatten().copied().collect();
        registers.sort_unstable();
        registers
    }

    /// That the facts at a point where threads start hold at the start.
    pub(crate) fn start(&self, model: &Model, role: usize, start: &Step) -> Question {
        let who = Who { letter: 'A', role };
        let mut given = encode::types(model, who);
        given.extend(encode::initial_memory(model));
        given.extend(starting(model, who, &start.guard));
        let wanted = self.facts[role][start.to]
            .iter()
            .map(|fact| after(model, fact, (who, Some(start)), (who, start)))
            .collect();
        Question { declarations: encode::declarations(model, who), given, wanted }
    }

    /// That the facts behind a step hold after it.
    pub(crate) fn own(&self, model: &Model, role: usize, step: &Step) -> Question {
        let who = Who { letter: 'A', role };
        let mut given = self.at(model, who, step.from);
        given.extend(happening(model, who, step));
        let wanted = self
            .refutable_by_own(role, step)
            .into_iter()
            .map(|at| after(model, &self.facts[role][step.to][at], (who, Some(step)), (who, step)))
            .collect();
        Question { declarations: encode::declarations(model, who), given, wanted }
    }

    /// Which of the facts behind a step need to be shown: all but those that hold before it and that it does not touch.
    pub(crate) fn refutable_by_own(&self, role: usize, step: &Step) -> Vec<usize> {
        let before = &self.facts[role][step.from];
        let trivial = |fact: &Fact| !fact.is_touched(step, true) && before.contains(fact);
        let facts = self.facts[role][step.to].iter().enumerate();
        facts.filter(|(_, fact)| !trivial(fact)).map(|(at, _)| at).collect()
    }

    /// Which of the facts at a point a step of another thread touches at all.
    pub(crate) fn refutable_by_other(&self, here: Spot, step: &Step) -> Vec<usize> {
        let facts = self.facts[here.0][here.1].iter().enumerate();
        facts.filter(|(_, fact)| fact.is_touched(step, false)).map(|(at, _)| at).collect()
    }

    /// That a step of another thread preserves the facts at a point.
    pub(crate) fn undisturbed(&self, model: &Model, here: Spot, (role, step): (usize, &Step)) -> Question {
        let (one, other) = (Who { letter: 'A', role: here.0 }, Who { letter: 'B', role });
        let mut given = self.at_both(model, (one, here.1), (other, step.from));
        given.extend(happening(model, other, step));
        let wanted = self
            .refutable_by_other(here, step)
            .into_iter()
            .map(|at| after(model, &self.facts[here.0][here.1][at], (one, None), (other, step)))
            .collect();
        Question { declarations: both(model, one, other), given, wanted }
    }

    /// That a step does not happen while another thread is at a point.
    pub(crate) fn kept_apart(&self, model: &Model, (role, step): (usize, &Step), there: Spot) -> Question {
        let (one, other) = (Who { letter: 'A', role }, Who { letter: 'B', role: there.0 });
        let mut given = self.at_both(model, (one, step.from), (other, there.1));
        given.extend(happening(model, one, step));
        Question { declarations: both(model, one, other), given, wanted: Vec::new() }
    }

    /// That what is asserted on the way of a step holds.
    pub(crate) fn asserted(&self, model: &Model, role: usize, step: &Step, asserted: &Asserted) -> Question {
        let who = Who { letter: 'A', role };
        let got = who.got();
        let names = who.names(&got);
        let mut given = self.at(model, who, step.from);
        given.extend(step.action.cell().and_then(|cell| encode::content_typed(model, cell, names)));
        given.push(encode::happens(&step.action, &asserted.guard, names));
        Question { declarations: encode::declarations(model, who), given, wanted: vec![names.truth(&asserted.cond)] }
    }

    /// That what is asserted before the first access holds.
    pub(crate) fn asserted_at_start(model: &Model, role: usize, asserted: &Asserted) -> Question {
        let who = Who { letter: 'A', role };
        let mut given = encode::types(model, who);
        given.extend(starting(model, who, &asserted.guard));
        let wanted = vec![who.names("?").truth(&asserted.cond)];
        Question { declarations: encode::declarations(model, who), given, wanted }
    }

    /// Everything that makes it an invariant: the name of each question, and the question.
    pub(crate) fn questions(&self, model: &Model) -> Vec<(String, Question)> {
        let mut questions = Vec::new();
        for (role, code) in model.roles.iter().enumerate() {
            for (number, start) in code.starts.iter().enumerate() {
                questions.push((format!("start-{role}-{number}"), self.start(model, role, start)));
            }
            for (number, step) in code.steps.iter().enumerate() {
                questions.push((format!("own-{role}-{number}"), self.own(model, role, step)));
            }
        }
        for (number, (one, other)) in start_pairs(model).into_iter().enumerate() {
            questions.push((format!("differing-start-{number}"), self.differing_at_start(model, one, other)));
        }
        for here in spots(model) {
            for (role, number, step) in meeting_steps(model, here) {
                if !self.is_apart(here, (role, step.from)) {
                    let (at, point) = here;
                    if step.action.written().is_some() {
                        let question = self.undisturbed(model, here, (role, step));
                        questions.push((format!("undisturbed-{at}-{point}-{role}-{number}"), question));
                    }
                    let differing = self.differing(model, (role, step), here);
                    questions.push((format!("differing-{at}-{point}-{role}-{number}"), differing));
                    if self.is_apart(here, (role, step.to)) {
                        let question = self.kept_apart(model, (role, step), here);
                        questions.push((format!("apart-{at}-{point}-{role}-{number}"), question));
                    }
                }
            }
        }
        questions.retain(|(name, question)| !question.wanted.is_empty() || name.starts_with("apart"));
        questions
    }
}

/// A role, and a way in which its threads can start.
pub(crate) type Start<'m> = (usize, &'m Step);

/// The ways in which two threads can start.
pub(crate) fn start_pairs(model: &Model) -> Vec<(Start<'_>, Start<'_>)> {
    let starts =
        || model.roles.iter().enumerate().flat_map(|(role, code)| code.starts.iter().map(move |start| (role, start)));
    let pairs = starts().flat_map(|one| starts().map(move |other| (one, other)));
    pairs.filter(|(one, other)| model.coexist(one.0, other.0)).collect()
}

/// The registers of a thread at the start, and that it takes this way.
pub(crate) fn starting(model: &Model, who: Who, guard: &[Term]) -> Vec<String> {
    let (role, names) = (&model.roles[who.role], who.names("?"));
    let registers = (0..role.registers.len()).map(RegId::new).filter(|reg| Some(*reg) != role.id);
    let zero = registers.map(|reg| format!("(= {} 0)", names.register(reg)));
    zero.chain(role.id.map(|id| format!("(>= {} 0)", names.register(id))))
        .chain(guard.iter().map(|term| names.truth(term)))
        .collect()
}

/// All points of all roles.
pub(crate) fn spots(model: &Model) -> impl Iterator<Item = Spot> + '_ {
    model.roles.iter().enumerate().flat_map(|(role, code)| (0..code.points.len()).map(move |point| (role, point)))
}

/// The steps of other threads that can happen while one is at a point.
pub(crate) fn meeting_steps(model: &Model, here: Spot) -> impl Iterator<Item = (usize, usize, &Step)> {
    let roles = (0..model.roles.len()).filter(move |&role| model.coexist(here.0, role));
    roles.flat_map(|role| model.roles[role].steps.iter().enumerate().map(move |(number, step)| (role, number, step)))
}

/// An unordered pair.
pub(crate) fn pair(one: Spot, other: Spot) -> (Spot, Spot) {
    (one.min(other), one.max(other))
}

/// The declarations of two threads.
pub(crate) fn both(model: &Model, one: Who, other: Who) -> String {
    encode::declarations(model, one) + &encode::declarations(model, other)
}

/// That a step happens.
pub(crate) fn happening(model: &Model, who: Who, step: &Step) -> Vec<String> {
    let got = who.got();
    let names = who.names(&got);
    let typed = step.action.cell().and_then(|cell| encode::content_typed(model, cell, names));
    typed.into_iter().chain([encode::happens(&step.action, &step.guard, names)]).collect()
}

/// A fact after a step of `actor`. `own` is the step if it is by the thread that the fact is about.
fn after(model: &Model, fact: &Fact, (who, own): (Who, Option<&Step>), (actor, step): (Who, &Step)) -> String {
    let got = actor.got();
    let changed = encode::memory_after(step, actor.names(&got));
    let register = |reg: RegId| match own {
        Some(step) => encode::register_after(step, who.names(&got), reg),
        None => who.names("?").register(reg),
    };
    let global = |at: usize| match &changed {
        Some((global, content)) if *global == at => content.clone(),
        _ => format!("g{at}"),
    };
    fact.text(&View { register: &register, global: &global, stated: &model.roles[who.role].stated })
}
