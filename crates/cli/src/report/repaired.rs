//! A repair beside a violation, if one is found quickly: a page is not worth a long wait.

use crate::repair;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use steadfast_lang::Dialect;
use steadfast_repair::{Allowed, Change, CheckedText, Fixed, Task, fix, usual_target};
use steadfast_report::Repair;
use steadfast_robust::{Limits, Options};
use steadfast_span::SourceFile;

/// Each question behind a repair may take so many states.
const STATES: u64 = 300_000;
/// And all of them so long.
const TIME: Duration = Duration::from_secs(10);

/// The cheapest repair of a program that is not robust.
pub(crate) fn repaired(file: &SourceFile, options: &Options<'_>) -> Option<Repair> {
    // By the letter, fences can make a program worse.
    if options.fences_by_the_letter {
        return None;
    }
    let mut options = options.clone();
    options.observer = None;
    options.limits = Limits {
        states: Some(options.limits.states.unwrap_or(STATES).min(STATES)),
        memory: options.limits.memory,
        time: Some(options.limits.time.unwrap_or(TIME).min(TIME)),
    };
    let task = Task {
        file,
        dialect: Dialect::detect(file.name(), file.text()),
        options: &options,
        target: usual_target(options.model),
        allowed: Allowed::ALL,
        watcher: None,
    };
    let fixed = catch_unwind(AssertUnwindSafe(|| fix(&task))).ok()?;
    let Fixed::Repaired { changes, cost, result, .. } = fixed else { return None };
    let target = task.target.name();
    let summary =
        format!("With this the program is robust, and nothing cheaper makes it so (cost {cost} on {target}).");
    Some(shown(file, &changes, &result, summary))
}

/// Changes as a page shows them.
pub(crate) fn shown(file: &SourceFile, changes: &[Change], result: &CheckedText, summary: String) -> Repair {
    Repair {
        summary,
        changes: changes.iter().map(|change| repair::change_in_words(file, change)).collect(),
        patch: repair::patch_of(file, result.file.text(), changes),
    }
}
