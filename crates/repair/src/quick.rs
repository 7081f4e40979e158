//! A repair beside a violation, if one is found quickly: whoever asked for a verdict should not wait long for more.

use crate::{Allowed, Change, CheckedText, Fixed, Target, Task, fix, usual_target};
use std::time::Duration;
use steadfast_lang::Dialect;
use steadfast_robust::Options;
use steadfast_span::SourceFile;

/// Each question behind a repair may take so many states.
const STATES: u64 = 300_000;
/// And all of them so long.
const TIME: Duration = Duration::from_secs(10);

/// The cheapest repair of a program.
#[derive(Clone, Debug)]
pub struct QuickFix {
    /// In the order of the text.
    pub changes: Vec<Change>,
    /// The cost of all changes.
    pub cost: u32,
    /// The machine whose costs count.
    pub target: Target,
    /// The new text, its program and the verdict.
    pub result: Box<CheckedText>,
}

/// Looks for the cheapest repair of a program that is not robust, with all kinds of changes, on the usual machine of the model.
pub fn quick_fix(file: &SourceFile, options: &Options<'_>) -> Option<QuickFix> {
    // By the letter, fences can make a program worse.
    if options.fences_by_the_letter {
        return None;
    }
    let options = Options { observer: None, limits: options.limits.at_most(STATES, TIME), ..options.clone() };
    let target = usual_target(options.model);
    let dialect = Dialect::detect(file.name(), file.text());
    let task = Task { file, dialect, options: &options, target, allowed: Allowed::ALL, watcher: None };
    let Fixed::Repaired { changes, cost, result, .. } = fix(&task) else { return None };
    Some(QuickFix { changes, cost, target, result })
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_model::Notion;
    use steadfast_robust::{Supported, Verdict};

    const SB: &str = "atomic<u8> x; atomic<u8> y;
thread a { x.store(1); let r = y.load(); }
thread b { y.store(1); let s = x.load(); }
";

    #[test]
    fn a_repair_is_found_within_the_limits_of_the_question() {
        let file = SourceFile::new("sb.sf", SB);
        let options = Options::new(Supported::Tso, Notion::Graph);
        let fixed = quick_fix(&file, &options).unwrap();
        assert_eq!((fixed.target, fixed.changes.len()), (Target::X86, 2));
        assert!(matches!(fixed.result.outcome.verdict, Verdict::Robust));
        let mut limited = options.clone();
        limited.limits.states = Some(1);
        assert!(quick_fix(&file, &limited).is_none());
        assert!(quick_fix(&file, &Options { fences_by_the_letter: true, ..options }).is_none());
    }
}
