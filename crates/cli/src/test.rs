//! `steadfast test`: programs against the verdicts that they expect.

use crate::args::TestArgs;
use crate::guard::guarded;
use crate::input::Input;
use crate::interrupt;
use crate::numbers::counted;
use crate::output::Output;
use crate::reporter::{Reporter, about};
use crate::result::verdict_name;
use crate::settings::{self, Question};
use crate::status::Status;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use steadfast_diag::Format;
use steadfast_ir::Program;
use steadfast_lang::{Dialect, Expectation, ExpectedVerdict, parse_template};
use steadfast_robust::{Bound, Limits, Supported, Verdict, check};

/// Runs the command.
pub(crate) fn run(arguments: &TestArgs, output: &mut Output) -> io::Result<Status> {
    let interrupt = interrupt::listen();
    let mut reporter = Reporter::new(output, Format::Full);
    let files = collect(&arguments.paths, &mut reporter);
    let (templates, inputs): (Vec<_>, Vec<_>) = files.iter().map(|path| Input::read(path)).partition(is_template);
    for input in inputs.iter().filter(|input| input.parsed.program.is_none()) {
        reporter.reject(about(&input.file, &input.parsed.diagnostics))?;
    }
    let cases: Vec<_> = inputs.iter().flat_map(Case::of).collect();
    let limits = settings::limits(&arguments.limits);
    let mut tally = Tally::default();
    in_order(&cases, settings::jobs(arguments.jobs), &|case| case.run(&limits, interrupt), &mut |case, ending| {
        reporter.note(tally.count(&ending));
        reporter.say(&case.report(&ending))
    })?;
    reporter.say(&tally.summary(&inputs, templates.len()))?;
    reporter.finish()
}

/// Whether a file is a program without bounds, for `steadfast prove`; it has no finite verdict to expect.
fn is_template(input: &Input) -> bool {
    input.dialect == Dialect::Steadfast
        && input.parsed.program.is_none()
        && parse_template(&input.file).0.program.is_some()
}

/// An expectation, with the program it is about.
struct Case<'a> {
    input: &'a Input,
    program: &'a Program,
    expected: &'a Expectation,
}

/// The result of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CaseResult {
    Passed,
    /// The verdict is another one.
    Failed(String),
    /// It cannot be checked.
    Skipped(String),
    /// The checker failed.
    Broken,
    Interrupted,
}

impl<'a> Case<'a> {
    fn of(input: &'a Input) -> Vec<Self> {
        let Some(program) = &input.parsed.program else { return Vec::new() };
        input.parsed.expectations.iter().map(|expected| Self { input, program, expected }).collect()
    }

    fn run(&self, limits: &Limits, interrupt: &AtomicBool) -> CaseResult {
        if interrupt.load(Ordering::Relaxed) {
            return CaseResult::Interrupted;
        }
        let (model, notion) = match Supported::try_from(self.expected.model) {
            Ok(model) => (model, self.expected.notion),
            Err(unsupported) => return CaseResult::Skipped(unsupported.to_string()),
        };
        // Rocker's and Trencher's verdicts are about loops as they are written.
        let spin = self.input.dialect == Dialect::Steadfast;
        let question = Question { spin, ..Question::new(notion, limits.clone()) };
        let options = question.options(model, interrupt);
        let asked = guarded("testing", self.input.file.name(), || check(self.program, &options));
        let Ok(outcome) = asked else { return CaseResult::Broken };
        match outcome.verdict {
            Verdict::Inconclusive(Bound::Interrupted) => CaseResult::Interrupted,
            Verdict::Inconclusive(bound) => CaseResult::Failed(format!("inconclusive, because {bound}")),
            Verdict::Unsupported(size) => CaseResult::Failed(format!("inconclusive, because {size}")),
            verdict if meets(self.expected.verdict, &verdict, self.input.dialect) => CaseResult::Passed,
            verdict => CaseResult::Failed(verdict_name(&verdict).to_owned()),
        }
    }

    /// A line about a case that did not pass.
    fn report(&self, ending: &CaseResult) -> String {
        let (what, found) = match ending {
            CaseResult::Failed(found) => {
                ("FAILED", format!("expected {}, found {found}", expected_name(self.expected.verdict)))
            }
            CaseResult::Broken => ("FAILED", "internal error".to_owned()),
            CaseResult::Skipped(why) => ("skipped", why.clone()),
            CaseResult::Passed | CaseResult::Interrupted => return String::new(),
        };
        let line = self.input.file.line_column(self.expected.span.start).line;
        let (name, model, notion) = (self.input.file.name(), &self.expected.model, &self.expected.notion);
        format!("{what} {}:{line} ({model}, {notion}): {found}\n", name.escape_debug())
    }
}

/// Whether a verdict is what was expected. Rocker, from which TPL comes, knows two verdicts only: whatever is wrong is "not robust".
fn meets(expected: ExpectedVerdict, verdict: &Verdict, dialect: Dialect) -> bool {
    match (expected, verdict) {
        (ExpectedVerdict::Robust, Verdict::Robust)
        | (ExpectedVerdict::NotRobust, Verdict::NotRobust(_))
        | (ExpectedVerdict::Race, Verdict::Race(_))
        | (ExpectedVerdict::AssertionFailed, Verdict::Failed(_)) => true,
        (ExpectedVerdict::NotRobust, Verdict::Race(_) | Verdict::Failed(_)) => dialect == Dialect::Tpl,
        _ => false,
    }
}

fn expected_name(expected: ExpectedVerdict) -> &'static str {
    match expected {
        ExpectedVerdict::Robust => "robust",
        ExpectedVerdict::NotRobust => "not-robust",
        ExpectedVerdict::Race => "race",
        ExpectedVerdict::AssertionFailed => "assertion-failed",
    }
}

/// How many cases had each result.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
    interrupted: usize,
}

impl Tally {
    fn count(&mut self, ending: &CaseResult) -> Status {
        let (counter, status) = match ending {
            CaseResult::Passed => (&mut self.passed, Status::Holds),
            CaseResult::Failed(_) => (&mut self.failed, Status::Violation),
            CaseResult::Broken => (&mut self.failed, Status::Internal),
            CaseResult::Skipped(_) => (&mut self.skipped, Status::Holds),
            CaseResult::Interrupted => (&mut self.interrupted, Status::Interrupted),
        };
        *counter += 1;
        status
    }

    fn summary(&self, inputs: &[Input], templates: usize) -> String {
        let mut parts = vec![format!("{} passed", self.passed), format!("{} failed", self.failed)];
        let silent =
            inputs.iter().filter(|input| input.parsed.expectations.is_empty() && input.parsed.program.is_some());
        let unusable = inputs.iter().filter(|input| input.parsed.program.is_none()).count();
        for (number, what) in [
            (self.skipped, "skipped"),
            (self.interrupted, "interrupted"),
            (unusable, "unusable file"),
            (silent.count(), "file without expectations"),
            (templates, "template for `steadfast prove`"),
        ] {
            match number {
                0 => {}
                1 => parts.push(format!("1 {what}")),
                more => parts.push(format!("{more} {}", plural(what))),
            }
        }
        format!("{}: {}\n", counted(inputs.len() + templates, "file"), parts.join(", "))
    }
}

/// Several of them.
fn plural(what: &str) -> String {
    ["file", "template"].iter().fold(what.to_owned(), |text, word| text.replacen(word, &format!("{word}s"), 1))
}

/// Works on items in parallel and hands the answers over in the order of the items, as soon as that order allows.
fn in_order<T: Sync, A: Send>(
    items: &[T],
    jobs: usize,
    work: &(dyn Fn(&T) -> A + Sync),
    done: &mut dyn FnMut(&T, A) -> io::Result<()>,
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some((at, item)) = take(items, next) {
                    // Nobody listens any more when the output cannot be written.
                    if sender.send((at, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: Vec<Option<A>> = items.iter().map(|_| None).collect();
        let mut written = 0;
        for (at, answer) in receiver {
            waiting[at] = Some(answer);
            while let Some(answer) = waiting.get_mut(written).and_then(Option::take) {
                done(&items[written], answer)?;
                written += 1;
            }
        }
        Ok(())
    })
}

fn take<'a, T>(items: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    items.get(at).map(|item| (at, item))
}

/// The files that are meant, in a fixed order.
fn collect(paths: &[PathBuf], reporter: &mut Reporter<'_>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        if let Err(error) = search(path, &mut files) {
            reporter.fail(&format!("cannot look into {}: {error}", path.display()));
        } else if files.len() == before {
            reporter.fail(&format!("there is no program in {}", path.display()));
        }
    }
    files
}

/// Adds the programs in a directory and below it. Links to directories are not followed, as they can lead in circles.
fn search(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(directory)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            search(&path, files)?;
        } else if Dialect::of_extension(&path).is_some() {
            files.push(path);
        }
    }
    Ok(())
}
