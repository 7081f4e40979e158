//! Holds the decision against the oracle on random programs.

use super::sample::TransactionSample as Sample;
use steadfast_explore::{Budget, Limits};
use steadfast_random::Rng;
use steadfast_span::SourceFile;
use steadfast_txn::oracle::{Effort, Unknown, explore};
use steadfast_txn::{Program, ProgramModel, Subject, Verdict, decide, find_race, parse};

/// What came out of many comparisons.
#[derive(Clone, Debug, Default)]
pub struct TransactionTally {
    /// How many programs were compared.
    pub programs: u64,
    /// How many of them were robust.
    pub robust: u64,
    /// How many were not.
    pub not_robust: u64,
    /// How many programs had too many executions for the oracle.
    pub skipped: u64,
    /// Programs about which the two disagree, as small as possible, with what is wrong.
    pub disagreements: Vec<String>,
}

/// More states than this are too many for the oracle.
const MOST_STATES: usize = 30_000;

impl TransactionTally {
    /// Adds the numbers of another tally.
    pub fn add(&mut self, other: Self) {
        self.programs += other.programs;
        self.robust += other.robust;
        self.not_robust += other.not_robust;
        self.skipped += other.skipped;
        self.disagreements.extend(other.disagreements);
    }
}

/// Compares on `count` programs, not counting those that are skipped.
pub fn compare(model: ProgramModel, seed: u64, count: u64) -> TransactionTally {
    compare_with(model, seed, count, |sample, _| sample)
}

/// The same, for programs in which some transactions run serializably.
pub fn compare_serializable(model: ProgramModel, seed: u64, count: u64) -> TransactionTally {
    compare_with(model, seed, count, Sample::with_serializable)
}

fn compare_with(
    model: ProgramModel,
    seed: u64,
    count: u64,
    change: impl Fn(Sample, &mut Rng) -> Sample,
) -> TransactionTally {
    let mut tally = TransactionTally::default();
    let mut rng = Rng::new(seed);
    while tally.programs < count {
        // The machine of CC has the most states, and that of SI the fewest.
        let most = match model {
            ProgramModel::Cc => 4,
            ProgramModel::Si => 5 + rng.below(2),
            _ => 4 + rng.below(2),
        };
        let sample = Sample::random(&mut rng, most);
        let sample = change(sample, &mut rng);
        match judge(&sample, model) {
            Ok(None) => tally.skipped += 1,
            Ok(Some(robust)) => {
                tally.programs += 1;
                *(if robust { &mut tally.robust } else { &mut tally.not_robust }) += 1;
            }
            Err(_) => {
                tally.programs += 1;
                let small = sample.shrunk(|smaller| judge(smaller, model).is_err());
                let problem = judge(&small, model).err().unwrap_or_default();
                tally.disagreements.push(format!("{model}: {problem}\n{}", small.text()));
            }
        }
    }
    tally
}

/// Whether the program is robust; nothing if the oracle cannot tell; what is wrong if the two disagree.
fn judge(sample: &Sample, model: ProgramModel) -> Result<Option<bool>, String> {
    let text = sample.text();
    let parsed = parse(&SourceFile::new("random.txn", &*text));
    let Some(Subject::Program(program)) = parsed.subject else {
        return Err(format!("the text cannot be read: {:?}", parsed.diagnostics));
    };
    let found = match explore(&program, model, Effort::UntilCycle, MOST_STATES) {
        Ok(found) => found,
        Err(Unknown::TooLarge) => return Ok(None),
        Err(Unknown::Error(error)) => return Err(error.message),
    };
    let expected = found.cycle.is_none();
    match decide(&program, model, &budget()).verdict {
        Verdict::Robust if expected => no_race(&program, model).map(|()| Some(true)),
        Verdict::NotRobust(witness) if !expected => {
            if witness.confirm(&program) {
                Ok(Some(false))
            } else {
                Err(format!("the witness is wrong: {witness:?}"))
            }
        }
        Verdict::Robust => Err(format!("the oracle finds a cycle: {:?}", found.cycle)),
        Verdict::NotRobust(_) => Err("the oracle finds no cycle".to_owned()),
        other => Err(format!("{other:?}")),
    }
}

/// A program that is robust against causal memory has no write-write races.
fn no_race(program: &Program, model: ProgramModel) -> Result<(), String> {
    if matches!(model, ProgramModel::Cm | ProgramModel::Cc) && find_race(program, &budget()).is_some() {
        return Err("robust, but with a write-write race".to_owned());
    }
    Ok(())
}

pub(super) fn budget() -> Budget<'static> {
    Budget::new(Limits::default(), None, None)
}
