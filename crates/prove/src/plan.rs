//! Chooses, for each write of a template, the way to show that it is harmless.

use crate::encode::{self, SymbolicThread};
use crate::facts::Fact;
use crate::invariant::{Invariant, Question, UnprovedInvariant, happening};
use crate::movers::{Claim, Direction, Idle, Mover, obstacles};
use crate::overtaking::overtaking_reads;
use crate::property::{self, Property, PropertyProof};
use crate::solver::{Answer, Solver, SolverError};
use crate::system::{Action, Guess, Step, System};
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
    /// It could have happened earlier: it is a left mover.
    Moves,
    /// The loads that overtake it could have happened later: they are right movers.
    Reads,
}

/// One write, and why it is harmless.
#[derive(Clone, Debug)]
pub struct WriteProof {
    /// The write.
    pub span: Span,
    /// Why it is harmless.
    pub reason: Reason,
    /// The loads that can overtake it.
    pub reads: Vec<Span>,
    /// The claim that this allows.
    pub claim: Claim,
}

/// A proof.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The claim about the whole program.
    pub claim: Claim,
    /// Its parts.
    pub writes: Vec<WriteProof>,
    /// How many moves were shown.
    pub movers: usize,
    /// How often the solver was asked.
    pub questions: usize,
    /// Invariants in the language of programs: the role, the place, the facts.
    pub invariants: Vec<(String, Span, Vec<String>)>,
    /// The reads that were abstracted.
    pub guesses: Vec<(Span, Guess)>,
    /// Whether the assertions hold.
    pub property: Property,
    pub(crate) basis: Basis,
}

/// The basis of a proof, for a certificate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Basis {
    /// The invariant.
    pub(crate) invariant: Invariant,
    /// Why each write is harmless, in the order of [`Planner`].
    pub(crate) choices: Vec<(Reason, Claim)>,
    /// The steps that change nothing.
    pub(crate) idle: Vec<(usize, usize)>,
    /// The reads that were abstracted: role, point and guess.
    pub(crate) guesses: Vec<(usize, usize, Guess)>,
    /// Why the assertions hold.
    pub(crate) property: PropertyProof,
}

impl Proof {
    /// The invariants in the program text that could not be proved, and were not used.
    pub fn unproved(&self) -> &[UnprovedInvariant] {
        &self.basis.invariant.unproved
    }
}

/// Why there is no proof.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The write that other threads may notice late.
    pub write: Span,
    /// A load that can overtake it and cannot move.
    pub read: Option<Span>,
    /// The step of another thread over which the write cannot move.
    pub write_over: Option<Span>,
    /// The step of another thread over which the load cannot move.
    pub read_over: Option<Span>,
    /// The values in a state in which the load cannot move. The state need not be reachable.
    pub values: BTreeMap<String, String>,
    /// The read that cannot move: its role and the number of its step.
    pub(crate) blocked: Option<(usize, usize)>,
    /// The invariants in the program text that could not be proved.
    pub unproved: Vec<UnprovedInvariant>,
}

/// A write, and the reads that can overtake it.
struct BufferedWrite {
    role: usize,
    steps: Vec<usize>,
    reads: Vec<usize>,
}

pub(crate) struct Planner<'a> {
    system: &'a System,
    buffered_writes: Vec<BufferedWrite>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(system: &'a System) -> Self {
        let mut buffered_writes: Vec<BufferedWrite> = Vec::new();
        for (role, code) in system.roles.iter().enumerate() {
            let mut seen: Vec<(usize, &Action, usize)> = Vec::new();
            for (number, step) in code.steps.iter().enumerate() {
                if !matches!(step.action, Action::Write(..)) {
                    continue;
                }
                let known = seen.iter().find(|(from, action, _)| *from == step.from && **action == step.action);
                if let Some(&(_, _, write)) = known {
                    buffered_writes[write].steps.push(number);
                    continue;
                }
                seen.push((step.from, &step.action, buffered_writes.len()));
                buffered_writes.push(BufferedWrite {
                    role,
                    steps: vec![number],
                    reads: overtaking_reads(code, number),
                });
            }
        }
        Self { system, buffered_writes }
    }

    /// Whether no load overtakes any write.
    pub(crate) fn is_immediate(&self) -> bool {
        self.buffered_writes.iter().all(|write| write.reads.is_empty())
    }

    /// The proof for a program in which no load overtakes any write.
    pub(crate) fn immediate(&self) -> Proof {
        let writes =
            self.buffered_writes.iter().map(|write| self.shown(write, Reason::Nothing, Claim::TraceRobust)).collect();
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
                invariant: Invariant::none(self.system),
                choices: vec![(Reason::Nothing, Claim::TraceRobust); self.buffered_writes.len()],
                ..Basis::default()
            },
        }
    }

    fn shown(&self, write: &BufferedWrite, reason: Reason, claim: Claim) -> WriteProof {
        let steps = &self.system.roles[write.role].steps;
        let mut reads: Vec<Span> = write.reads.iter().map(|&read| steps[read].span).collect();
        reads.sort_unstable();
        reads.dedup();
        WriteProof { span: steps[write.steps[0]].span, reason, reads, claim }
    }

    /// Shows that every write is harmless, with the strongest claim that is possible.
    pub(crate) fn prove(
        &self,
        invariant: &Invariant,
        solver: &mut Solver,
        stop: &dyn Fn() -> bool,
    ) -> Result<Result<Proof, Failure>, SolverError> {
        let claims = if self.guesses().is_empty() { &Claim::EXACT[..] } else { &[Claim::SafeByAbstraction] };
        let mut search =
            MoverSearch { system: self.system, invariant, solver, stop, claims, idle: Idle::default(), movers: 0 };
        search.find_idle_steps()?;
        let mut writes = Vec::new();
        for write in &self.buffered_writes {
            match search.best(write)? {
                Ok((reason, claim)) => writes.push(self.shown(write, reason, claim)),
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
            property: PropertyProof::Nothing,
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
        for (role, code) in self.system.roles.iter().enumerate() {
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
            let shown = (self.system.roles[role].points[point].span, guess);
            if !guesses.contains(&shown) {
                guesses.push(shown);
            }
        }
        guesses
    }

    /// All questions that must be answered with "unsat" for the proof to hold. Nothing if the basis does not have the right form.
    pub(crate) fn questions(&self, basis: &Basis) -> Option<Vec<(String, Question)>> {
        if basis.choices.len() != self.buffered_writes.len() {
            return None;
        }
        let invariant = &basis.invariant;
        let mut questions = invariant.questions(self.system);
        for &(role, number) in &basis.idle {
            let code = self.system.roles.get(role)?;
            let step = code.steps.get(number).filter(|step| step.is_idle(code))?;
            if let Idleness::If(question) = idleness(self.system, invariant, role, step)? {
                questions.push((format!("idle-{role}-{number}"), *question));
            }
        }
        let (idle, none): (Idle, Idle) = (basis.idle.iter().copied().collect(), Idle::default());
        for (write, &(reason, claim)) in self.buffered_writes.iter().zip(&basis.choices) {
            let idle = if claim.compares_states() { &idle } else { &none };
            let (direction, steps) = match reason {
                Reason::Nothing if write.reads.is_empty() => continue,
                Reason::Nothing => return None,
                Reason::Moves => (Direction::Left, write.steps.clone()),
                Reason::Reads => {
                    let counts = |read: &usize| !idle.contains(&(write.role, *read));
                    (Direction::Right, write.reads.iter().copied().filter(counts).collect())
                }
            };
            for step in steps {
                for mover in obstacles(self.system, direction, (write.role, step), idle) {
                    if let Some(question) = mover.question(self.system, invariant, claim) {
                        let (role, over) = mover.over;
                        let way = if direction == Direction::Left { "left" } else { "right" };
                        questions.push((format!("{way}-{}-{step}-{role}-{over}-{claim:?}", write.role), question));
                    }
                }
            }
        }
        if basis.property == PropertyProof::Invariants {
            questions.extend(
                property::questions(self.system, invariant).into_iter().map(|(name, _, question)| (name, question)),
            );
        }
        questions.sort_by(|one, other| one.0.cmp(&other.0));
        questions.dedup_by(|one, other| one.0 == other.0);
        Some(questions)
    }

    /// The facts that help a reader most: equalities at points that threads can reach.
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
                    .map(|fact| fact.shown(self.system, role))
                    .collect();
                if !telling.is_empty() {
                    let role = &self.system.roles[role];
                    shown.push((role.name.clone(), role.points[point].span, telling));
                }
            }
        }
        shown
    }
}

/// Whether an abstracted read can move over all steps of other threads on its cell.
pub(crate) fn guess_moves(
    system: &System,
    invariant: &Invariant,
    moving: (usize, usize),
    solver: &mut Solver,
) -> Result<bool, SolverError> {
    for mover in obstacles(system, Direction::Right, moving, &Idle::default()) {
        let Some(question) = mover.question(system, invariant, Claim::SafeByAbstraction) else { continue };
        if solver.ask(&question.declarations, &question.formula(), &[])?.0 == Answer::Sat {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a step that leaves its thread unchanged leaves memory unchanged, too.
enum Idleness {
    Always,
    /// If this question is answered with "unsat".
    If(Box<Question>),
}

/// Nothing if it never does. (A write takes effect later, when memory may be different.)
fn idleness(system: &System, invariant: &Invariant, role: usize, step: &Step) -> Option<Idleness> {
    match &step.action {
        Action::Write(..) => None,
        Action::Update(cell, written) | Action::CasSuccess(cell, _, written) => {
            let thread = SymbolicThread { letter: 'A', role };
            let got = thread.got();
            let names = thread.names(&got);
            let mut given = invariant.at(system, thread, step.from);
            given.extend(happening(system, thread, step));
            let wanted = vec![format!("(= {} {})", encode::content(cell, names), names.integer(written))];
            let question = Question { declarations: encode::declarations(system, thread), given, wanted };
            Some(Idleness::If(Box::new(question)))
        }
        _ => Some(Idleness::Always),
    }
}

struct MoverSearch<'a, 'm> {
    system: &'m System,
    invariant: &'a Invariant,
    solver: &'a mut Solver,
    stop: &'a dyn Fn() -> bool,
    claims: &'static [Claim],
    idle: Idle,
    movers: usize,
}

/// A move that is not possible, with values that show it.
type Blocked = (Mover, BTreeMap<String, String>);

impl MoverSearch<'_, '_> {
    fn best(&mut self, write: &BufferedWrite) -> Result<Result<(Reason, Claim), Box<Failure>>, SolverError> {
        if write.reads.is_empty() {
            return Ok(Ok((Reason::Nothing, Claim::TraceRobust)));
        }
        let mut blocked = (None, None);
        for &claim in self.claims {
            blocked.0 = self.all_move(Direction::Left, (write.role, &write.steps), claim)?;
            if blocked.0.is_none() {
                return Ok(Ok((Reason::Moves, claim)));
            }
            let idle = |read: &usize| claim.compares_states() && self.idle.contains(&(write.role, *read));
            let reads: Vec<usize> = write.reads.iter().copied().filter(|read| !idle(read)).collect();
            blocked.1 = self.all_move(Direction::Right, (write.role, &reads), claim)?;
            if blocked.1.is_none() {
                return Ok(Ok((Reason::Reads, claim)));
            }
        }
        Ok(Err(Box::new(self.failure(write, &blocked))))
    }

    fn failure(&self, write: &BufferedWrite, (left, right): &(Option<Blocked>, Option<Blocked>)) -> Failure {
        let span = |(role, step): (usize, usize)| self.system.roles[role].steps[step].span;
        Failure {
            write: span((write.role, write.steps[0])),
            read: right.as_ref().map(|(mover, _)| span(mover.moving)),
            write_over: left.as_ref().map(|(mover, _)| span(mover.over)),
            read_over: right.as_ref().map(|(mover, _)| span(mover.over)),
            values: right.as_ref().map(|(_, values)| values.clone()).unwrap_or_default(),
            blocked: right.as_ref().map(|(mover, _)| mover.moving),
            unproved: self.invariant.unproved.clone(),
        }
    }

    /// Finds the steps that change nothing. (A write is never one of them: it takes effect later.)
    fn find_idle_steps(&mut self) -> Result<(), SolverError> {
        for (role, code) in self.system.roles.iter().enumerate() {
            for (number, step) in code.steps.iter().enumerate().filter(|(_, step)| step.is_idle(code)) {
                let idle = match idleness(self.system, self.invariant, role, step) {
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
            steps.iter().map(|&step| obstacles(self.system, direction, (role, step), idle)).collect();
        let mut shown = 0;
        for movers in movers {
            for mover in movers {
                if (self.stop)() {
                    return Err(SolverError::Interrupted);
                }
                let Some(question) = mover.question(self.system, self.invariant, claim) else { continue };
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

    /// Terms to show from a state in which a move is not possible, and their names.
    fn terms(&self, mover: Mover) -> (Vec<String>, Vec<String>) {
        let (mut terms, mut names) = (Vec::new(), Vec::new());
        for (at, global) in self.system.globals.iter().enumerate().filter(|(_, global)| !global.array) {
            terms.push(format!("g{at}"));
            names.push(global.name.clone());
        }
        for (letter, (role, step)) in [('A', mover.moving), ('B', mover.over)] {
            let role_of = &self.system.roles[role];
            let live = &role_of.points[role_of.steps[step].from].live;
            for reg in live.iter() {
                let thread = SymbolicThread { letter, role };
                terms.push(thread.names("?").integer(&Term::Reg(reg)));
                let name = &role_of.registers[steadfast_span::Index::index(reg)].name;
                names.push(format!("{}{}: {name}", role_of.name, if letter == 'A' { "" } else { "'" }));
            }
        }
        (terms, names)
    }
}
