//! Which way each write of a template is shown to be harmless.

use crate::encode::{self, Who};
use crate::facts::Fact;
use crate::invariant::{Invariant, Question, Unshown, happening};
use crate::model::{Action, Guess, Model, Step};
use crate::movers::{Claim, Direction, Idle, Mover, obstacles};
use crate::property::{self, Property, Shown};
use crate::reach::overtaking_reads;
use crate::solver::{Answer, Solver, SolverError};
use crate::term::{Naming, Term};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use steadfast_span::Span;

/// Why a write is harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// No load can overtake it.
    Nothing,
    /// It could have happened earlier.
    Moves,
    /// The loads that overtake it could have happened later.
    Reads,
}

/// One write and why it is harmless.
#[derive(Clone, Debug)]
pub struct WriteProof {
    /// The write.
    pub span: Span,
    /// Why it is harmless.
    pub reason: Reason,
    /// The loads that can overtake it.
    pub reads: Vec<Span>,
    /// How strong a claim that allows.
    pub claim: Claim,
}

/// A proof.
#[derive(Clone, Debug)]
pub struct Proof {
    /// What it shows of the whole program.
    pub claim: Claim,
    /// Its parts.
    pub writes: Vec<WriteProof>,
    /// How many moves were shown to be possible.
    pub movers: usize,
    /// How often the solver was asked.
    pub questions: usize,
    /// What holds where, in the words of the language: the role, the place, the facts.
    pub invariants: Vec<(String, Span, Vec<String>)>,
    /// The reads that were abstracted.
    pub guesses: Vec<(Span, Guess)>,
    /// Whether what the program asserts holds.
    pub property: Property,
    pub(crate) basis: Basis,
}

/// What a proof rests on, for a certificate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Basis {
    /// What holds where.
    pub(crate) invariant: Invariant,
    /// Why each write is harmless, in the order of [`Planner`].
    pub(crate) choices: Vec<(Reason, Claim)>,
    /// Steps that change nothing.
    pub(crate) idle: Vec<(usize, usize)>,
    /// The reads that were abstracted: role, point and guess.
    pub(crate) guesses: Vec<(usize, usize, Guess)>,
    /// Why what is asserted holds.
    pub(crate) property: Shown,
}

impl Proof {
    /// What the text says and could not be shown to hold: invariants that did not help.
    pub fn unshown(&self) -> &[Unshown] {
        &self.basis.invariant.unshown
    }
}

/// Why there is no proof.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The write that may be noticed late.
    pub write: Span,
    /// A load that can overtake it and that cannot move.
    pub read: Option<Span>,
    /// The step of another thread over which the write cannot move.
    pub write_over: Option<Span>,
    /// The step of another thread over which the load cannot move.
    pub read_over: Option<Span>,
    /// The values in a state (not necessarily one that can be reached) in which the load cannot move.
    pub values: BTreeMap<String, String>,
    /// The read that cannot move: its role and the number of its step.
    pub(crate) blocked: Option<(usize, usize)>,
    /// What the text says and could not be shown to hold.
    pub unshown: Vec<Unshown>,
}

/// A write with the reads that can overtake it.
struct Site {
    role: usize,
    steps: Vec<usize>,
    reads: Vec<usize>,
}

pub(crate) struct Planner<'a> {
    model: &'a Model,
    sites: Vec<Site>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(model: &'a Model) -> Self {
        let mut sites: Vec<Site> = Vec::new();
        for (role, code) in model.roles.iter().enumerate() {
            let mut seen: Vec<(usize, &Action, usize)> = Vec::new();
            for (number, step) in code.steps.iter().enumerate() {
                if !matches!(step.action, Action::Write(..)) {
                    continue;
                }
                let known = seen.iter().find(|(from, action, _)| *from == step.from && **action == step.action);
                if let Some(&(_, _, site)) = known {
                    sites[site].steps.push(number);
                    continue;
                }
                seen.push((step.from, &step.action, sites.len()));
                sites.push(Site { role, steps: vec![number], reads: overtaking_reads(code, number) });
            }
        }
        Self { model, sites }
    }

    /// Whether no load overtakes any write.
    pub(crate) fn is_immediate(&self) -> bool {
        self.sites.iter().all(|site| site.reads.is_empty())
    }

    /// The proof if that is so.
    pub(crate) fn immediate(&self) -> Proof {
        let writes = self.sites.iter().map(|site| self.shown(site, Reason::Nothing, Claim::TraceRobust)).collect();
        let exact = self.guesses().is_empty();
        Proof {
            claim: if exact { Claim::TraceRobust } else { Claim::SafeByAbstraction },
            writes,
            movers: 0,
            questions: 0,
            invariants: Vec::new(),
            guesses: self.guesses(),
            property: Property::Nothing,
            basis: Basis {
                guesses: self.guessed_points(),
                invariant: Invariant::none(self.model),
                choices: vec![(Reason::Nothing, Claim::TraceRobust); self.sites.len()],
                ..Basis::default()
            },
        }
    }

    fn shown(&self, site: &Site, reason: Reason, claim: Claim) -> WriteProof {
        let steps = &self.model.roles[site.role].steps;
        let mut reads: Vec<Span> = site.reads.iter().map(|&read| steps[read].span).collect();
        reads.sort_unstable();
        reads.dedup();
        WriteProof { span: steps[site.steps[0]].span, reason, reads, claim }
    }

    /// Shows every write to be harmless, as strongly as possible.
    pub(crate) fn prove(
        &self,
        invariant: &Invariant,
        solver: &mut Solver,
        stop: &dyn Fn() -> bool,
    ) -> Result<Result<Proof, Failure>, SolverError> {
        let claims = if self.guesses().is_empty() { &Claim::EXACT[..] } else { &[Claim::SafeByAbstraction] };
        let mut search =
            Search { model: self.model, invariant, solver, stop, claims, idle: Idle::default(), movers: 0 };
        search.find_idle_steps()?;
        let mut writes = Vec::new();
        for site in &self.sites {
            match search.best(site)? {
                Ok((reason, claim)) => writes.push(self.shown(site, reason, claim)),
                Err(failure) => return Ok(Err(*failure)),
            }
        }
        let movers = search.movers;
        let mut idle: Vec<(usize, usize)> = search.idle.into_iter().collect();
        idle.sort_unstable();
        let choices = writes.iter().map(|write| (write.reason, write.claim)).collect();
        let basis = Basis {
            invariant: invariant.clone(),
            choices,
            idle,
            guesses: self.guessed_points(),
            property: Shown::Nothing,
        };
        let claim = writes.iter().map(|write| write.claim).max().unwrap_or(Claim::TraceRobust);
        Ok(Ok(Proof {
            claim,
            writes,
            movers,
            questions: 0,
            invariants: self.invariants(invariant),
            guesses: self.guesses(),
            property: Property::Nothing,
            basis,
        }))
    }

    /// The reads that are abstracted: role, point and guess.
    fn guessed_points(&self) -> Vec<(usize, usize, Guess)> {
        let mut points = Vec::new();
        for (role, code) in self.model.roles.iter().enumerate() {
            for step in &code.steps {
                match step.action {
                    Action::Guess(_, guess) if !points.contains(&(role, step.from, guess)) => {
                        points.push((role, step.from, guess));
                    }
                    _ => {}
                }
            }
        }
        points
    }

    /// The same, as places in the text. A function that is called twice has two points there.
    fn guesses(&self) -> Vec<(Span, Guess)> {
        let mut guesses: Vec<(Span, Guess)> = Vec::new();
        for (role, point, guess) in self.guessed_points() {
            let shown = (self.model.roles[role].points[point].span, guess);
            if !guesses.contains(&shown) {
                guesses.push(shown);
            }
        }
        guesses
    }

    /// Everything that has to be answered with "unsat" for a proof to hold. Nothing if it does not even have the right shape.
    pub(crate) fn questions(&self, basis: &Basis) -> Option<Vec<(String, Question)>> {
        if basis.choices.len() != self.sites.len() {
            return None;
        }
        let invariant = &basis.invariant;
        let mut questions = invariant.questions(self.model);
        for &(role, number) in &basis.idle {
            let code = self.model.roles.get(role)?;
            let step = code.steps.get(number).filter(|step| step.is_idle(code))?;
            if let Idleness::If(question) = idleness(self.model, invariant, role, step)? {
                questions.push((format!("idle-{role}-{number}"), *question));
            }
        }
        let (idle, none): (Idle, Idle) = (basis.idle.iter().copied().collect(), Idle::default());
        for (site, &(reason, claim)) in self.sites.iter().zip(&basis.choices) {
            let idle = if claim.compares_states() { &idle } else { &none };
            let (direction, steps) = match reason {
                Reason::Nothing if site.reads.is_empty() => continue,
                Reason::Nothing => return None,
                Reason::Moves => (Direction::Left, site.steps.clone()),
                Reason::Reads => {
                    let counts = |read: &usize| !idle.contains(&(site.role, *read));
                    (Direction::Right, site.reads.iter().copied().filter(counts).collect())
                }
            };
            for step in steps {
                for mover in obstacles(self.model, direction, (site.role, step), idle) {
                    if let Some(question) = mover.question(self.model, invariant, claim) {
                        let (role, over) = mover.over;
                        let way = if direction == Direction::Left { "left" } else { "right" };
                        questions.push((format!("{way}-{}-{step}-{role}-{over}-{claim:?}", site.role), question));
                    }
                }
            }
        }
        if basis.property == Shown::Invariants {
            questions.extend(
                property::questions(self.model, invariant).into_iter().map(|(name, _, question)| (name, question)),
            );
        }
        questions.sort_by(|one, other| one.0.cmp(&other.0));
        questions.dedup_by(|one, other| one.0 == other.0);
        Some(questions)
    }

    /// The facts that tell a person most: what is equal where somebody can be.
    pub(crate) fn invariants(&self, invariant: &Invariant) -> Vec<(String, Span, Vec<String>)> {
        let mut shown = Vec::new();
        for (role, points) in invariant.facts.iter().enumerate() {
            for (point, facts) in points.iter().enumerate() {
                if facts.contains(&Fact::Never) {
                    continue;
                }
                let telling: Vec<String> = facts
                    .iter()
                    .filter(|fact| matches!(fact, Fact::Equal(..)))
                    .map(|fact| fact.shown(self.model, role))
                    .collect();
                if !telling.is_empty() {
                    let role = &self.model.roles[role];
                    shown.push((role.name.clone(), role.points[point].span, telling));
                }
            }
        }
        shown
    }
}

/// Whether a read with a guess instead can move over everything that others do to its cell.
pub(crate) fn guess_moves(
    model: &Model,
    invariant: &Invariant,
    moving: (usize, usize),
    solver: &mut Solver,
) -> Result<bool, SolverError> {
    for mover in obstacles(model, Direction::Right, moving, &Idle::default()) {
        let Some(question) = mover.question(model, invariant, Claim::SafeByAbstraction) else { continue };
        if solver.ask(&question.declarations, &question.formula(), &[])?.0 == Answer::Sat {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a step that leaves its thread as it is leaves memory as it is.
enum Idleness {
    Always,
    /// If this is answered with "unsat".
    If(Box<Question>),
}

/// Nothing: never. (A write takes effect later, when memory may be different.)
fn idleness(model: &Model, invariant: &Invariant, role: usize, step: &Step) -> Option<Idleness> {
    match &step.action {
        Action::Write(..) => None,
        Action::Update(cell, written) | Action::CasSuccess(cell, _, written) => {
            let who = Who { letter: 'A', role };
            let got = who.got();
            let names = who.names(&got);
            let mut given = invariant.at(model, who, step.from);
            given.extend(happening(model, who, step));
            let wanted = vec![format!("(= {} {})", encode::content(cell, names), names.integer(written))];
            let question = Question { declarations: encode::declarations(model, who), given, wanted };
            Some(Idleness::If(Box::new(question)))
        }
        _ => Some(Idleness::Always),
    }
}

struct Search<'a, 'm> {
    model: &'m Model,
    invariant: &'a Invariant,
    solver: &'a mut Solver,
    stop: &'a dyn Fn() -> bool,
    claims: &'static [Claim],
    idle: Idle,
    movers: usize,
}

/// A move that is not possible, with the values that show it.
type Blocked = (Mover, BTreeMap<String, String>);

impl Search<'_, '_> {
    fn best(&mut self, site: &Site) -> Result<Result<(Reason, Claim), Box<Failure>>, SolverError> {
        if site.reads.is_empty() {
            return Ok(Ok((Reason::Nothing, Claim::TraceRobust)));
        }
        let mut blocked = (None, None);
        for &claim in self.claims {
            blocked.0 = self.all_move(Direction::Left, (site.role, &site.steps), claim)?;
            if blocked.0.is_none() {
                return Ok(Ok((Reason::Moves, claim)));
            }
            let idle = |read: &usize| claim.compares_states() && self.idle.contains(&(site.role, *read));
            let reads: Vec<usize> = site.reads.iter().copied().filter(|read| !idle(read)).collect();
            blocked.1 = self.all_move(Direction::Right, (site.role, &reads), claim)?;
            if blocked.1.is_none() {
                return Ok(Ok((Reason::Reads, claim)));
            }
        }
        Ok(Err(Box::new(self.failure(site, &blocked))))
    }

    fn failure(&self, site: &Site, (left, right): &(Option<Blocked>, Option<Blocked>)) -> Failure {
        let span = |(role, step): (usize, usize)| self.model.roles[role].steps[step].span;
        Failure {
            write: span((site.role, site.steps[0])),
            read: right.as_ref().map(|(mover, _)| span(mover.moving)),
            write_over: left.as_ref().map(|(mover, _)| span(mover.over)),
            read_over: right.as_ref().map(|(mover, _)| span(mover.over)),
            values: right.as_ref().map(|(_, values)| values.clone()).unwrap_or_default(),
            blocked: right.as_ref().map(|(mover, _)| mover.moving),
            unshown: self.invariant.unshown.clone(),
        }
    }

    /// Finds the steps after which everything is as before. (A write is never one of them: it takes effect later.)
    fn find_idle_steps(&mut self) -> Result<(), SolverError> {
        for (role, code) in self.model.roles.iter().enumerate() {
            for (number, step) in code.steps.iter().enumerate().filter(|(_, step)| step.is_idle(code)) {
                let idle = match idleness(self.model, self.invariant, role, step) {
                    None => false,
                    Some(Idleness::Always) => true,
                    Some(Idleness::If(question)) => {
                        self.solver.ask(&question.declarations, &question.formula(), &[])?.0 == Answer::Unsat
                    }
                };
                if idle {
                    self.idle.insert((role, number));
                }
            }
        }
        Ok(())
    }

    /// The first move that is not possible.
    fn all_move(
        &mut self,
        direction: Direction,
        (role, steps): (usize, &[usize]),
        claim: Claim,
    ) -> Result<Option<Blocked>, SolverError> {
        let none = Idle::default();
        let idle = if claim.compares_states() { &self.idle } else { &none };
        let movers: Vec<Vec<Mover>> =
            steps.iter().map(|&step| obstacles(self.model, direction, (role, step), idle)).collect();
        let mut shown = 0;
        for movers in movers {
            for mover in movers {
                if (self.stop)() {
                    return Err(SolverError::Interrupted);
                }
                let Some(question) = mover.question(self.model, self.invariant, claim) else { continue };
                let (terms, names) = self.terms(mover);
                let (answer, values) = self.solver.ask(&question.declarations, &question.formula(), &terms)?;
                if answer == Answer::Sat {
                    return Ok(Some((mover, names.into_iter().zip(values).collect())));
                }
                shown += 1;
            }
        }
        self.movers += shown;
        Ok(None)
    }

    /// What to show of a state in which a move is not possible, and what it is called.
    fn terms(&self, mover: Mover) -> (Vec<String>, Vec<String>) {
        let (mut terms, mut names) = (Vec::new(), Vec::new());
        for (at, global) in self.model.globals.iter().enumerate().filter(|(_, global)| !global.array) {
            terms.push(format!("g{at}"));
            names.push(global.name.clone());
        }
        for (letter, (role, step)) in [('A', mover.moving), ('B', mover.over)] {
            let role_of = &self.model.roles[role];
            let live = &role_of.points[role_of.steps[step].from].live;
            for reg in live.iter() {
                let who = Who { letter, role };
                terms.push(who.names("?").integer(&Term::Reg(reg)));
                let name = &role_of.registers[steadfast_span::Index::index(reg)].name;
                names.push(format!("{}{}: {name}", role_of.name, if letter == 'A' { "" } else { "'" }));
            }
        }
        (terms, names)
    }
}
