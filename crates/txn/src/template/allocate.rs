//! Which transaction needs which level, and which reads to turn into `SELECT … FOR UPDATE`.

use super::{Kind, Level, Template, TooMany, split};

/// A level for each template.
pub type Allocation = Vec<Level>;

/// Whether the templates are robust if all run at one level.
pub fn all_at(templates: &[Template], level: Level) -> Result<bool, TooMany> {
    Ok(split(templates, &vec![level; templates.len()])?.is_none())
}

/// The cheapest levels with which the templates are robust: start from SSI everywhere, and lower each to READ COMMITTED, or else to SI, as long as that holds.
/// The result does not depend on the order (PODS 2023).
pub fn allocate(templates: &[Template]) -> Result<Allocation, TooMany> {
    let mut levels = vec![Level::Ssi; templates.len()];
    for at in 0..templates.len() {
        for level in [Level::Rc, Level::Si] {
            let before = std::mem::replace(&mut levels[at], level);
            if split(templates, &levels)?.is_none() {
                break;
            }
            levels[at] = before;
        }
    }
    Ok(levels)
}

/// The smallest set of reads that have to become `SELECT … FOR UPDATE` so that all templates are robust at one level: (template, operation) pairs. Nothing if
/// not even `most` of them suffice.
pub fn promotions(templates: &[Template], level: Level, most: usize) -> Result<Option<Vec<(usize, usize)>>, TooMany> {
    let mut reads = Vec::new();
    for (number, template) in templates.iter().enumerate() {
        let of_template = template.operations.iter().enumerate().filter(|(_, operation)| operation.kind == Kind::Read);
        reads.extend(of_template.map(|(at, _)| (number, at)));
    }
    for size in 0..=most.min(reads.len()) {
        for chosen in subsets(reads.len(), size) {
            let chosen: Vec<(usize, usize)> = chosen.into_iter().map(|at| reads[at]).collect();
            if all_at(&promoted(templates, &chosen), level)? {
                return Ok(Some(chosen));
            }
        }
    }
    Ok(None)
}

/// The templates with these reads locked.
pub(crate) fn promoted(templates: &[Template], reads: &[(usize, usize)]) -> Vec<Template> {
    let mut changed = templates.to_vec();
    for &(template, at) in reads {
        let operation = &mut changed[template].operations[at];
        operation.kind = Kind::Lock;
        operation.writes = operation.reads;
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
    use steadfast_span::SourceFile;

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
        for (reads, levels, si, rc) in known {
            let changed = promoted(&smallbank(), reads);
            assert_eq!(allocate(&changed), Ok(levels.to_vec()), "{reads:?}");
            assert_eq!((all_at(&changed, Si), all_at(&changed, Rc)), (Ok(si), Ok(rc)), "{reads:?}");
        }
        // Locking the savings in WriteCheck would do as well; this one comes first.
        assert_eq!(promotions(&smallbank(), Si, 2), Ok(Some(vec![(BAL, 2)])));
        // The read of the checking account in Balance need not be locked: it is the last step.
        assert_eq!(promotions(&smallbank(), Rc, 4), Ok(Some(vec![(BAL, 1), (WC, 1), (WC, 2)])));
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
