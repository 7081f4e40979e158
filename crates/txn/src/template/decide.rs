//! The verdict for templates that all run at one level: is a counterexample certainly one?
//!
//! [`split`] takes a condition for all rows that it could choose, so what it finds may need rows that are never chosen together. A second test, in which conditions choose nothing
//! ([`certain`]), tells real counterexamples from possible ones.

use super::{Level, Split, Template, Undecided, certain, consistent, split};
use steadfast_explore::Budget;

/// What is known about templates at one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateVerdict {
    /// Serializable, with any number of instances.
    Robust,
    /// Not serializable, as this schedule shows.
    NotRobust(Split),
    /// Not serializable if conditions can choose the rows of this schedule, which is not known.
    Perhaps(Split),
}

impl TemplateVerdict {
    /// The schedule that shows it.
    pub fn split(&self) -> Option<&Split> {
        match self {
            Self::Robust => None,
            Self::NotRobust(split) | Self::Perhaps(split) => Some(split),
        }
    }
}

/// Decides whether templates are serializable if all of them run at the same level.
pub fn decide_templates(
    templates: &[Template],
    level: Level,
    budget: &Budget<'_>,
) -> Result<TemplateVerdict, Undecided> {
    let levels = vec![level; templates.len()];
    let Some(possible) = split(templates, &levels, budget)? else { return Ok(TemplateVerdict::Robust) };
    let real = split(&certain(templates), &levels, budget)?;
    Ok(match real.filter(|real| consistent(templates, real)) {
        Some(real) => TemplateVerdict::NotRobust(real),
        None => TemplateVerdict::Perhaps(possible),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Subject;
    use crate::template::ConflictKind;
    use steadfast_explore::{Bound, Limits};
    use steadfast_span::SourceFile;

    fn templates(text: &str) -> Vec<Template> {
        let parsed = crate::parse(&SourceFile::new("test.txn", text));
        let Some(Subject::Templates(templates)) = parsed.subject else { panic!("{:?}", parsed.diagnostics) };
        templates
    }

    fn decided(templates: &[Template], level: Level) -> TemplateVerdict {
        decide_templates(templates, level, &Budget::new(Limits::default(), None, None)).unwrap()
    }

    const SKEW: &str = "template a(x) { read T[x]; write U[x]; } template b(x) { read U[x]; write T[x]; }";

    #[test]
    fn keys_make_a_counterexample_certain() {
        let skew = templates(SKEW);
        let TemplateVerdict::NotRobust(split) = decided(&skew, Level::Si) else { panic!() };
        let kinds: Vec<_> = split.conflicts().iter().map(|conflict| conflict.kind).collect();
        assert_eq!(kinds, [ConflictKind::ReadsBefore; 2]);
        assert_eq!(decided(&skew, Level::Ssi), TemplateVerdict::Robust);
    }

    #[test]
    fn conditions_make_it_possible_only() {
        let mut skew = templates(SKEW);
        for operation in skew.iter_mut().flat_map(|template| &mut template.operations) {
            operation.sure = false;
        }
        let verdict = decided(&skew, Level::Si);
        assert!(matches!(verdict, TemplateVerdict::Perhaps(_)), "{verdict:?}");
        assert!(verdict.split().is_some());
    }

    #[test]
    fn keys_from_rows_that_change_make_it_possible_only() {
        let mut skew = templates(SKEW);
        skew[0].fetched = true;
        assert!(matches!(decided(&skew, Level::Si), TemplateVerdict::Perhaps(_)));
    }

    #[test]
    fn a_bound_ends_it() {
        let stop = std::sync::atomic::AtomicBool::new(true);
        let budget = Budget::new(Limits::default(), Some(&stop), None);
        let undecided = decide_templates(&templates(SKEW), Level::Si, &budget);
        assert_eq!(undecided, Err(Undecided::Bound(Bound::Interrupted)));
    }
}
