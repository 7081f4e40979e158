//! A repair as a page shows it.

use crate::guard::guarded;
use crate::repair;
use steadfast_repair::{Change, CheckedText, QuickFix, quick_fix};
use steadfast_report::Repair;
use steadfast_robust::Options;
use steadfast_span::SourceFile;

/// The cheapest repair of a program that is not robust, if it is found quickly.
pub(crate) fn repaired(file: &SourceFile, options: &Options<'_>) -> Option<Repair> {
    let QuickFix { changes, cost, target, result } =
        guarded("looking for a repair", file.name(), || quick_fix(file, options)).ok()??;
    let target = target.name();
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
