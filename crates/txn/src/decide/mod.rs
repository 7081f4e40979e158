//! The exact decision for programs: is every behaviour under a weak model also a serializable one?

mod rules;
mod search;
mod state;
mod witness;

pub use rules::{Closing, Role};
pub use search::Statistics;
pub use witness::{Edge, EdgeKind, RanTransaction, Source, Witness};

use crate::model::ProgramModel;
use crate::program::Program;
use crate::run::{RunError, Runner};
use rules::Rules;
use search::{Ended, search};
use steadfast_explore::{Bound, Budget};

/// The verdict about a program.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every behaviour under the model is serializable.
    Robust,
    /// Some behaviour is not serializable.
    NotRobust(Box<Witness>),
    /// The program divides by zero, or uses an index that is out of bounds.
    Failed(RunError),
    /// A bound was hit before the end.
    Inconclusive(Bound),
}

/// A verdict, with the statistics of the search.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// What the search did.
    pub statistics: Statistics,
}

/// Decides whether a program is robust against a model.
pub fn decide(program: &Program, model: ProgramModel, budget: &Budget<'_>) -> Answer {
    let runner = Runner::new(program);
    let searched = match model {
        // Lemma 8.1: robust against one iff robust against the other.
        ProgramModel::Cc | ProgramModel::Cm => ProgramModel::Cm,
        ProgramModel::Ccv => ProgramModel::Ccv,
        ProgramModel::Si => ProgramModel::Si,
    };
    let rules = Rules { runner: &runner, model: searched, races_only: false };
    let (ended, statistics) = search(&rules, budget);
    let verdict = match ended {
        Ended::Exhausted => Verdict::Robust,
        Ended::Violation(path, closing) => {
            Verdict::NotRobust(Box::new(Witness::replay(&runner, searched, &path, closing)))
        }
        Ended::Error(error) => Verdict::Failed(error),
        Ended::Bounded(bound) => Verdict::Inconclusive(bound),
    };
    Answer { verdict, statistics }
}

/// Searches for a write-write race: two transactions that write the same variable without knowing of each other.
///
/// A race that is found is one under CC, CCv and CM (theorem 3.1). A program that is robust against CM has none. In other programs, races that
/// occur only after another violation are not searched for.
pub fn find_race(program: &Program, budget: &Budget<'_>) -> Option<Witness> {
    let runner = Runner::new(program);
    let rules = Rules { runner: &runner, model: ProgramModel::Cm, races_only: true };
    match search(&rules, budget).0 {
        Ended::Violation(path, closing) => Some(Witness::replay(&runner, ProgramModel::Cm, &path, closing)),
        _ => None,
    }
}
