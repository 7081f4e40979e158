//! Compares the verdicts on the corpus with SPIN's verdicts on the exported programs.

pub(crate) mod verifier;

use crate::arguments::{Arguments, unexpected};
use crate::corpus::answer::{BROKEN, Setting};
use crate::corpus::source::{Case, Source, read_directory};
use crate::corpus::{WORKERS, bounded, promised, rocker_directory};
use crate::parallel::in_order;
use anyhow::{Result, ensure};
use std::path::PathBuf;
use std::time::Duration;
use verifier::{Effort, Spin};

pub(crate) const USAGE: &str = "\
spin [--limit SECONDS] [--rocker DIRECTORY]
    Exports the programs and litmus tests in corpus/, and Rocker's if they are there, with the monitors of the papers,
    lets SPIN search each exhaustively, and compares with our own verdicts. Takes a quarter of an hour.
    --limit bounds each search, by default 10 seconds, and each of our checks, which get six times as long.";

/// Most searches end within this time, even if the verifier is not optimised.
const HASTY: Duration = Duration::from_secs(1);

#[derive(Debug, PartialEq, Eq)]
struct Options {
    limit: u64,
    rocker: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    let options = parse(arguments)?;
    ensure!(verifier::is_available(), "spin and gcc are not installed; `cargo xtask test` installs them");
    // A missing directory should be reported now, not after a quarter of an hour.
    let rocker = rocker_directory(options.rocker.as_deref())?;
    let mut contradictions = 0;
    for directory in ["programs", "litmus"] {
        contradictions += compare(&format!("corpus/{directory}"), &promised(directory)?.0, options.limit)?;
    }
    match rocker {
        Some(directory) => {
            let sources = read_directory(&directory, &directory, &["tpl"])?;
            let cases: Vec<_> = sources.iter().flat_map(Source::asked_by_rocker).collect();
            contradictions += compare("Rocker's programs", &cases, options.limit)?;
        }
        None => println!("Rocker's programs are not here, so nothing was compared on them."),
    }
    ensure!(contradictions == 0, "SPIN contradicts {contradictions} verdicts");
    Ok(())
}

fn parse(mut arguments: Arguments) -> Result<Options> {
    let mut options = Options { limit: 10, rocker: None };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--limit" => options.limit = arguments.value("--limit")?,
            "--rocker" => options.rocker = Some(arguments.value("--rocker")?),
            _ => return Err(unexpected(&argument)),
        }
    }
    Ok(options)
}

/// Two verdicts on one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VerdictComparison {
    Same,
    Contradicts,
    /// Steadfast or SPIN has no verdict, for this reason.
    Missing(&'static str),
}

impl VerdictComparison {
    fn of(ours: &str, spin: &Spin) -> Self {
        match spin {
            _ if ours == "inconclusive" => Self::Missing("we do not finish"),
            _ if ours == BROKEN => Self::Contradicts,
            Spin::Decided { violated, .. } if *violated == (ours != "robust") => Self::Same,
            Spin::Decided { .. } => Self::Contradicts,
            Spin::TooLong(_) => Self::Missing("SPIN does not finish"),
            Spin::GaveUp(why) => Self::Missing(why),
        }
    }
}

/// Compares all questions that can be exported, and prints the differences. Returns the number of contradictions.
fn compare(title: &str, cases: &[Case], limit: u64) -> Result<usize> {
    let exported = |case: &Case| Some((case.clone(), verifier::export(&case.program, case.model, case.notion)?));
    let questions: Vec<(Case, String)> = cases.iter().filter_map(exported).collect();
    println!("{title}: {} of {} questions can be exported", questions.len(), cases.len());
    let (mut counted, mut problem) = ([0; 3], None);
    in_order(
        &questions,
        WORKERS,
        |(case, exported)| ask(case, exported, limit),
        |(case, _), answer| {
            let (ours, opinion) = match answer {
                Ok(answer) => answer,
                Err(error) => {
                    problem = Some(error.context(case.file.clone()));
                    return;
                }
            };
            let (at, remark) = match opinion {
                VerdictComparison::Same => return counted[0] += 1,
                VerdictComparison::Contradicts => (1, "<-- CONTRADICTED"),
                VerdictComparison::Missing(why) => (2, why),
            };
            counted[at] += 1;
            println!("{:<46}  {:<5}  {:<13}  {ours:<12}  {remark}", case.file, case.model.name(), case.notion.name());
        },
    );
    let [same, contradicted, missing] = counted;
    println!("{title}: the same on {same}, contradicted on {contradicted}, undecided on {missing}\n");
    problem.map_or(Ok(contradicted), Err)
}

/// Steadfast's verdict, and how SPIN's compares.
fn ask(case: &Case, exported: &str, limit: u64) -> Result<(&'static str, VerdictComparison)> {
    // In the exported program, spin loops are ordinary loops.
    let setting = Setting { spin: false, lenient: false, limits: bounded(limit * 6), jobs: 1 };
    let ours = case.ask(&setting).got;
    let mut spin = verifier::decide(exported, Effort::Hasty, HASTY)?;
    if matches!(spin, Spin::TooLong(_)) {
        spin = verifier::decide(exported, Effort::Optimised, Duration::from_secs(limit))?;
    }
    Ok((ours, VerdictComparison::of(ours, &spin)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::of;

    #[test]
    fn options() {
        assert_eq!(parse(of(&[])).unwrap(), Options { limit: 10, rocker: None });
        let all = parse(of(&["--limit", "3", "--rocker", "there"])).unwrap();
        assert_eq!(all, Options { limit: 3, rocker: Some("there".into()) });
        assert!(parse(of(&["--pin"])).is_err());
    }

    #[test]
    fn only_two_verdicts_can_be_the_same() {
        let decided = |violated| Spin::Decided { seconds: 1.0, violated, states: 9 };
        assert_eq!(VerdictComparison::of("robust", &decided(false)), VerdictComparison::Same);
        assert_eq!(VerdictComparison::of("race", &decided(true)), VerdictComparison::Same);
        assert_eq!(VerdictComparison::of("robust", &decided(true)), VerdictComparison::Contradicts);
        assert_eq!(VerdictComparison::of(BROKEN, &decided(true)), VerdictComparison::Contradicts);
        assert_eq!(VerdictComparison::of(BROKEN, &Spin::TooLong(3.0)), VerdictComparison::Contradicts);
        assert_eq!(
            VerdictComparison::of("inconclusive", &decided(false)),
            VerdictComparison::Missing("we do not finish")
        );
        assert_eq!(
            VerdictComparison::of("robust", &Spin::TooLong(3.0)),
            VerdictComparison::Missing("SPIN does not finish")
        );
    }
}
