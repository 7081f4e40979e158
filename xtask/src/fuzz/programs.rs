//! Compares the checker with its twins, question by question.

use super::{Budget, Options};
use anyhow::{Result, bail};
use std::time::Instant;
use steadfast_twin::{Campaign, Depth, Question, Tally};

/// Asks all selected questions about random programs and prints a table.
pub(super) fn run(options: &Options, seed: u64) -> Result<()> {
    let questions = questions(options);
    if questions.is_empty() {
        bail!("there is nothing to compare for this model and notion");
    }
    println!("{HEAD}");
    let mut disagreements = 0;
    for &question in &questions {
        let budget = share(options.budget, questions.len());
        let started = Instant::now();
        let tally = Campaign { question, seed, depth: Depth::Thorough, budget, jobs: options.jobs }.run();
        println!("{}", row(question, &tally, started.elapsed().as_secs_f64()));
        tally.findings.iter().take(SHOWN).for_each(|finding| println!("\n{finding}"));
        disagreements += tally.findings.len();
    }
    if disagreements > 0 {
        bail!("{disagreements} disagreements");
    }
    Ok(())
}

/// How many disagreements are shown for a question. The first ones have been shrunk.
const SHOWN: usize = 5;

const HEAD: &str =
    "model  notion         programs   robust  not rob.    races   failed  skipped  over-rep.  disagree  seconds";

fn row(question: Question, tally: &Tally, seconds: f64) -> String {
    format!(
        "{:<5}  {:<13}  {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>10} {:>9} {seconds:>8.0}",
        question.model.name(),
        question.subject.name(),
        tally.programs,
        tally.robust,
        tally.not_robust,
        tally.races,
        tally.failed,
        tally.skipped,
        tally.over_reports,
        tally.findings.len(),
    )
}

fn questions(options: &Options) -> Vec<Question> {
    let wanted = |question: &Question| {
        options.model.is_none_or(|model| model == question.model)
            && options.subject.is_none_or(|subject| subject == question.subject)
    };
    Question::all().into_iter().filter(wanted).collect()
}

/// The budget for the next question: each question gets the full number of programs, but the time is shared.
fn share(budget: Budget, questions: usize) -> steadfast_twin::Budget {
    match budget {
        Budget::Programs(programs) => steadfast_twin::Budget::Programs(programs),
        Budget::Time(time) => steadfast_twin::Budget::Until(Instant::now() + time / questions as u32),
    }
}
