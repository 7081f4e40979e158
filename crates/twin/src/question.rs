//! What is compared, and how each side is asked.

use std::fmt;
use steadfast_graph::GhostEdges;
use steadfast_graph::oracle::{
    self, OracleVerdict, failures, observationally_robust, race_free, race_free_under_sc, robust,
};
use steadfast_ir::{Expr, Instr, LocKind, Place, Program, dataflow};
use steadfast_model::{Model, Notion, Orderings, named};
use steadfast_robust::{Options, Supported, Verdict};

named! {
    /// What an answer is about.
    pub enum Subject ["subject", "subjects"] {
        /// Graph robustness.
        Graph = "graph",
        /// Graph robustness with the order of `seq_cst` fences among themselves counted.
        Letter = "letter",
        /// Observational robustness.
        Observational = "observational",
        /// Races on plain locations.
        Races = "races",
        /// Graph robustness of programs with indices, which are decided by translation where that is possible.
        Indices = "indices",
        /// Graph robustness of programs that are too large for the oracle: the checker against itself.
        Settings = "settings",
    }
}

/// An answer, without the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Everything is sequentially consistent.
    Robust,
    /// Something is not.
    NotRobust,
    /// There is a race.
    Race,
    /// The program is wrong already under SC.
    Failed,
}

impl Answer {
    /// The answer in a verdict, unless it is none.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        match verdict {
            Verdict::Robust => Some(Self::Robust),
            Verdict::NotRobust(_) => Some(Self::NotRobust),
            Verdict::Race(_) => Some(Self::Race),
            Verdict::Failed(_) => Some(Self::Failed),
            Verdict::Inconclusive(_) | Verdict::Unsupported(_) => None,
        }
    }
}

/// What the oracle allows the checker to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// This and nothing else.
    Exactly(Answer),
    /// A race or a violation of robustness.
    AnyViolation,
    /// Robust would be right; "not robust" is an over-report.
    RobustOrOverReport,
    /// Whatever it says, as long as it always says the same.
    Anything,
}

/// A subject under a memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The memory model.
    pub model: Supported,
    /// What is asked about it.
    pub subject: Subject,
}

/// How many graphs the oracle may visit. More would cost much time for the few programs that need them.
const MAX_GRAPHS: usize = 6_000;

impl Question {
    /// Every question that makes sense. Some models have no ghost location whose order could count.
    pub fn all() -> Vec<Self> {
        let asked = |&Self { model, subject }: &Self| subject != Subject::Letter || model.fences_are_updates();
        let questions =
            Subject::ALL.iter().flat_map(|&subject| Supported::ALL.iter().map(move |&model| Self { model, subject }));
        questions.filter(asked).collect()
    }

    /// Which edges of encoded fences count.
    pub fn ghosts(self) -> GhostEdges {
        if self.subject == Subject::Letter { GhostEdges::Counted } else { GhostEdges::Ignored }
    }

    /// The question to the checker.
    pub fn options(self) -> Options<'static> {
        let notion = if self.subject == Subject::Observational { Notion::Observational } else { Notion::Graph };
        let usual = Options::new(self.model, notion);
        let translate_from = if self.subject == Subject::Indices { 0 } else { usual.translate_from };
        Options { fences_by_the_letter: self.subject == Subject::Letter, translate_from, ..usual }
    }

    /// What the oracle says; nothing if the program is too large for it.
    pub(crate) fn expected(self, program: &Program) -> Option<Expected> {
        if self.subject == Subject::Settings {
            return Some(Expected::Anything);
        }
        let options = oracle::Options { ghosts: self.ghosts(), max_graphs: MAX_GRAPHS, ..oracle::Options::default() };
        if can_fail(program) && !failures(program, Model::Sc, &options).ok()?.is_empty() {
            return Some(Expected::Exactly(Answer::Failed));
        }
        let ask = |decide: fn(&Program, Model, &oracle::Options) -> OracleVerdict| {
            decide(program, self.model.model(), &options).holds()
        };
        if has_plain_location(program) && !ask(race_free)? {
            let shown_under_sc = if self.decides_races_under_sc() { ask(robust)? } else { !ask(race_free_under_sc)? };
            // Else something goes wrong before the race, and that is what is found unless nobody notices.
            return Some(if shown_under_sc {
                Expected::Exactly(Answer::Race)
            } else if self.subject == Subject::Observational || self.decides_races_under_sc() {
                Expected::AnyViolation
            } else {
                Expected::Exactly(Answer::NotRobust)
            });
        }
        Some(match self.subject {
            Subject::Graph | Subject::Letter | Subject::Races | Subject::Indices if ask(robust)? => {
                Expected::Exactly(Answer::Robust)
            }
            Subject::Observational if ask(observationally_robust)? => Expected::RobustOrOverReport,
            _ => Expected::Exactly(Answer::NotRobust),
        })
    }

    /// TSO has a second oracle, which runs. What it says about robustness, if the axioms say something else.
    pub(crate) fn buffers_disagree(self, program: &Program) -> Option<bool> {
        if self.model != Supported::Tso || self.subject == Subject::Settings {
            return None;
        }
        let options = oracle::Options { max_graphs: MAX_GRAPHS, ..oracle::Options::default() };
        let machine = oracle::store_buffer::robust(program, &options).holds()?;
        let axioms = robust(program, self.model.model(), &options).holds()?;
        (machine != axioms).then_some(machine)
    }

    /// Whether the checker looks for races in SC states only.
    fn decides_races_under_sc(self) -> bool {
        self.model.orderings() != Orderings::AsWritten
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.model.name(), self.subject.name())
    }
}

/// Whether the program can go wrong under SC at all. Saves an enumeration for those that cannot.
fn can_fail(program: &Program) -> bool {
    let mut code = program.threads.iter().flat_map(|thread| &thread.code);
    code.any(|instruction| matches!(instruction.op, Instr::Assert(_)) || has_index(&instruction.op))
}

fn has_plain_location(program: &Program) -> bool {
    program.locations.iter().any(|location| location.kind == LocKind::Plain)
}

fn has_index(op: &Instr) -> bool {
    matches!(dataflow::place(op), Some(Place::Element { index, .. }) if !matches!(index, Expr::Const(_)))
}
