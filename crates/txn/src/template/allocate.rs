//! Which transaction needs which level, and which reads to turn into `SELECT … FOR UPDATE`.

use super::{Kind, Level, Template, Undecided, split};
use steadfast_explore::Budget;

/// A level for each template.
pub type Allocation = Vec<Level>;

/// Whether the templates are robust if all run at one level.
pub fn all_at(templates: &[Template], level: Level, budget: &Budget<'_>) -> Result<bool, Undecided> {
    Ok(split(templates, &vec![level; templates.len()], budget)?.is_none())
}

/// The cheapest levels with which the templates are robust: start from SSI everywhere, and lower each to READ COMMITTED, or else to SI, as long as that holds.
/// The result does not depend on the order (PODS 2023). Templates of the same name are one transaction, which has one level.
pub fn allocate(templates: &[Template], budget: &Budget<'_>) -> Result<Allocation, Undecided> {
    let mut levels = vec![Level::Ssi; templates.len()];
    for at in 0..templates.len() {
        let same: Vec<bool> = templates.iter().map(|other| other.name == templates[at].name).collect();
        if same[..at].contains(&true) {
            continue;
        }
        for level in [Level::Rc, Level::Si] {
            let lower = levels.iter().zip(&same).map(|(&before, &same)| if same { level } else { before });
            let lower: Allocation = lower.collect();
            if split(templates, &lower, budget)?.is_none() {
                levels = lower;
                break;
            }
        }
    }
    Ok(levels)
}

/// The smallest set of reads that have to become `SELECT … FOR UPDATE` so that all templates are robust at one level: (template, operation) pairs. Nothing if
/// not even `most` of them suffice. A statement that occurs in several ways through a transaction is locked in all of them, and named once.
pub fn promotions(
    templates: &[Template],
    level: Level,
    most: usize,
    budget: &Budget<'_>,
) -> Result<Option<Vec<(usize, usize)>>, Undecided> {
    let reads = lockable(templates);
    for size in 0..=most.min(reads.len()) {
        for chosen in subsets(reads.len(), size) {
            let chosen: Vec<(usize, usize)> = chosen.into_iter().map(|at| reads[at]).collect();
            if all_at(&promoted(templates, &chosen), level, budget)? {
                return Ok(Some(chosen));
            }
        }
    }
    Ok(None)
}

/// The reads of rows by key: locking what a condition chooses does not keep new rows away.
fn lockable(templates: &[Template]) -> Vec<(usize, usize)> {
    let mut reads = Vec::new();
    let mut seen = Vec::new();
    for (number, template) in templates.iter().enumerate() {
        for (at, operation) in template.operations.iter().enumerate() {
            let place = (&template.name, operation.span);
            if operation.kind == Kind::Read && operation.sure && !seen.contains(&place) {
                seen.push(place);
                reads.push((number, at));
            }
        }
    }
    reads
}

/// The templates with these reads locked.
pub fn promoted(templates: &[Template], reads: &[(usize, usize)]) -> Vec<Template> {
    let mut changed = templates.to_vec();
    for &(number, at) in reads {
        let span = templates[number].operations[at].span;
        for template in changed.iter_mut().filter(|template| template.name == templates[number].name) {
            for operation in template.operations.iter_mut().filter(|operation| operation.span == span) {
                operation.kind = Kind::Lock;
                operation.locks = operation.reads;
            }
        }
    }
    changed
}

/// All ways to choose `size` of `count` things.
fn subsets(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = found.iter().flat_map(|chosen| {
            let from = chosen.last().map_or(0, |last| last + 1);
            (from..count).map(|next| chosen.iter().copied().chain([next]).collect())
        });
        found = longer.collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Subject, parse};
    use steadfast_explore::Limits;
    use steadfast_span::SourceFile;

    fn all_at(templates: &[Template], level: Level) -> Result<bool, Undecided> {
        super::all_at(templates, level, &Budget::new(Limits::default(), None, None))
    }

    fn templates(text: &str) -> Vec<Template> {
        let parsed = parse(&SourceFile::new("t", text));
        match parsed.subject {
            Some(Subject::Templates(templates)) => templates,
            _ => panic!("{:?}", parsed.diagnostics),
        }
    }

    /// SmallBank: the rows of Account are only looked up.
    fn smallbank() -> Vec<Template> {
        templates(
            "template Bal(n) { read Account[n]; read Savings[n]; read Checking[n]; }
             template DC(n) { read Account[n]; update Checking[n]; }
             template TS(n) { read Account[n]; update Savings[n]; }
             template Am(a, b) { read Account[a]; read Account[b]; update Savings[a]; update Checking[a]; update Checking[b]; }
             template WC(n) { read Account[n]; read Savings[n]; read Checking[n]; update Checking[n]; }",
        )
    }

    /// Locked reads, the best levels, and whether all SI and all READ COMMITTED are robust.
    type Known<'a> = (&'a [(usize, usize)], [Level; 5], bool, bool);

    const BAL: usize = 0;
    const WC: usize = 4;

    #[test]
    fn smallbank_and_its_promotions() {
        use Level::{Rc, Si, Ssi};
        let known: [Known<'_>; 4] = [
            (&[], [Ssi, Rc, Ssi, Rc, Ssi], false, false),
            (&[(WC, 1)], [Si, Rc, Rc, Rc, Si], true, false),
            (&[(WC, 1), (WC, 2)], [Si, Rc, Rc, Rc, Rc], true, false),
            (&[(WC, 1), (WC, 2), (BAL, 1), (BAL, 2)], [Rc; 5], true, true),
        ];
        let budget = Budget::new(Limits::default(), None, None);
        for (reads, levels, si, rc) in known {
            let changed = promoted(&smallbank(), reads);
            assert_eq!(allocate(&changed, &budget), Ok(levels.to_vec()), "{reads:?}");
            assert_eq!((all_at(&changed, Si), all_at(&changed, Rc)), (Ok(si), Ok(rc)), "{reads:?}");
        }
        // Locking the checking account in Balance does not help: the lock is gone when WriteCheck updates it.
        assert_eq!(promotions(&smallbank(), Si, 2, &budget), Ok(Some(vec![(WC, 1)])));
        assert_eq!(all_at(&promoted(&smallbank(), &[(BAL, 2)]), Si), Ok(false));
        // The read of the checking account in Balance need not be locked: it is the last step.
        assert_eq!(promotions(&smallbank(), Rc, 4, &budget), Ok(Some(vec![(BAL, 1), (WC, 1), (WC, 2)])));
    }

    /// Maximal robust subsets, as bits in the order Bal, DC, TS, Am, WC.
    fn maximal(level: Level) -> Vec<u32> {
        let all = smallbank();
        let chosen = |bits: u32| (0..5).filter(|at| bits >> at & 1 == 1).map(|at| all[at].clone()).collect::<Vec<_>>();
        let robust: Vec<u32> = (1..32).filter(|&bits| all_at(&chosen(bits), level) == Ok(true)).collect();
        robust.iter().copied().filter(|bits| !robust.iter().any(|more| more != bits && more & bits == *bits)).collect()
    }

    #[test]
    fn smallbanks_robust_subsets() {
        assert_eq!(maximal(Level::Rc), [0b00011, 0b00101, 0b01110]);
        assert_eq!(maximal(Level::Si), [0b01111, 0b11011, 0b11110]);
    }
}
