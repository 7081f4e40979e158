//! The smallest changes that make a program robust, found by trying them in the order of their size. Every candidate is a program that is decided.
//!
//! - *Serialize*: these transactions run serializably. Under snapshot isolation they never run concurrently with each other, as if they all wrote one common row. On a causal store they run one after the other, and each sees all those before it.
//! - *Merge*: two transactions that a session runs one directly after the other become one.
//!
//! Minimality is by size, among at most [`MOST_CHANGES`] changes of one kind.

use crate::decide::{Verdict, decide};
use crate::model::ProgramModel;
use crate::program::{Instr, Program};
use steadfast_explore::{Bound, Budget};

/// More changes than this are not tried together.
pub const MOST_CHANGES: usize = 4;

/// What a program needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// It is robust as it is.
    Nothing,
    /// These changes, of which no smaller number suffices.
    These(Vec<usize>),
    /// No [`MOST_CHANGES`] of them suffice.
    NotFound,
}

/// Two transactions of the text that can become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The first.
    pub first: usize,
    /// The one that always follows it directly.
    pub second: usize,
}

/// The fewest transactions, by number, that have to run serializably so that the program is robust.
pub fn to_serialize(program: &Program, model: ProgramModel, budget: &Budget<'_>) -> Result<Fix, Bound> {
    smallest(program.transactions.len(), |chosen| robust(&serialized(program, chosen), model, budget))
}

/// The program in which these transactions run serializably.
pub fn serialized(program: &Program, chosen: &[usize]) -> Program {
    let mut changed = program.clone();
    for &number in chosen {
        changed.transactions[number].serializable = true;
    }
    changed
}

/// The fewest merges, as positions in [`merges`], that make the program robust.
pub fn to_merge(program: &Program, model: ProgramModel, budget: &Budget<'_>) -> Result<Fix, Bound> {
    let candidates = merges(program);
    smallest(candidates.len(), |chosen| {
        let chosen: Vec<Merge> = chosen.iter().map(|&at| candidates[at]).collect();
        robust(&merged(program, &chosen), model, budget)
    })
}

/// All pairs of transactions that can become one: wherever the first ends, the second begins.
pub fn merges(program: &Program) -> Vec<Merge> {
    let count = program.transactions.len();
    let pairs = (0..count).flat_map(|first| (0..count).map(move |second| Merge { first, second }));
    pairs.filter(|merge| merge.first != merge.second && is_possible(program, *merge)).collect()
}

fn is_possible(program: &Program, merge: Merge) -> bool {
    let mut found = false;
    for process in &program.processes {
        let mut open = None;
        for (at, instr) in process.code.iter().enumerate() {
            match instr {
                Instr::Begin(transaction) => {
                    // The second may not be reached from elsewhere.
                    let follows = at > 0 && matches!(process.code[at - 1], Instr::End) && open == Some(merge.first);
                    if *transaction == merge.second && (!follows || is_target(&process.code, at)) {
                        return false;
                    }
                    open = Some(*transaction);
                }
                Instr::End if open == Some(merge.first) => {
                    if !matches!(process.code.get(at + 1), Some(Instr::Begin(next)) if *next == merge.second) {
                        return false;
                    }
                    found = true;
                }
                _ => {}
            }
        }
    }
    found
}

fn is_target(code: &[Instr], at: usize) -> bool {
    code.iter().any(|instr| match instr {
        Instr::Jump(target) | Instr::Branch { otherwise: target, .. } => *target == at,
        Instr::Choose(targets) => targets.contains(&at),
        _ => false,
    })
}

/// The program with these transactions merged.
fn merged(program: &Program, chosen: &[Merge]) -> Program {
    let mut changed = program.clone();
    for process in &mut changed.processes {
        let mut open = None;
        for at in 0..process.code.len() {
            let Instr::Begin(transaction) = process.code[at] else { continue };
            let joins = |merge: &Merge| Some(merge.first) == open && merge.second == transaction;
            if chosen.iter().any(joins) {
                process.code[at - 1] = Instr::Jump(at);
                process.code[at] = Instr::Jump(at + 1);
            }
            open = Some(transaction);
        }
    }
    changed
}

fn robust(program: &Program, model: ProgramModel, budget: &Budget<'_>) -> Result<bool, Bound> {
    match decide(program, model, budget).verdict {
        Verdict::Robust => Ok(true),
        Verdict::NotRobust(_) | Verdict::Failed(_) => Ok(false),
        Verdict::Inconclusive(bound) => Err(bound),
    }
}

/// The first of the smallest sets of numbers below `count` that suffice.
fn smallest(count: usize, suffices: impl Fn(&[usize]) -> Result<bool, Bound>) -> Result<Fix, Bound> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for size in 0..=MOST_CHANGES.min(count) {
        for set in &sets {
            if suffices(set)? {
                return Ok(if size == 0 { Fix::Nothing } else { Fix::These(set.clone()) });
            }
        }
        let longer = sets.iter().flat_map(|set| {
            let from = set.last().map_or(0, |last| last + 1);
            (from..count).map(move |next| set.iter().copied().chain([next]).collect())
        });
        sets = longer.collect();
    }
    Ok(Fix::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Subject, parse};
    use steadfast_explore::Limits;
    use steadfast_span::SourceFile;

    fn program(text: &str) -> Program {
        match parse(&SourceFile::new("t", text)).subject {
            Some(Subject::Program(program)) => program,
            _ => panic!("{text}"),
        }
    }

    fn budget() -> Budget<'static> {
        Budget::new(Limits::default(), None, None)
    }

    const SKEW: &str = "shared x, y; process p { txn look { s := x; } txn a { r := x; y := 1; } } process q { txn b { r := y; x := 1; } }";

    #[test]
    fn write_skew_needs_two_serializable_transactions() {
        let names = |fix: Fix| match fix {
            Fix::These(chosen) => chosen.iter().map(|&at| program(SKEW).transactions[at].name.clone()).collect(),
            _ => Vec::new(),
        };
        assert_eq!(names(to_serialize(&program(SKEW), ProgramModel::Si, &budget()).unwrap()), ["a", "b"]);
        assert_eq!(to_merge(&program(SKEW), ProgramModel::Si, &budget()), Ok(Fix::NotFound));
    }

    /// Announcing need not be serializable if looking is; but both have to see each other.
    #[test]
    fn store_buffering_on_a_causal_store() {
        let text = "shared x, y; process p { txn a { x := 1; } txn b { r := y; } } process q { txn c { y := 1; } txn d { r := x; } }";
        for model in [ProgramModel::Cc, ProgramModel::Ccv, ProgramModel::Cm] {
            let fix = to_serialize(&program(text), model, &budget()).unwrap();
            let Fix::These(chosen) = fix else { panic!("{model} {fix:?}") };
            assert_eq!(chosen.len(), 2, "{model} {chosen:?}");
            let fewer = |left: usize| serialized(&program(text), &[chosen[left]]);
            assert!((0..2).all(|left| robust(&fewer(left), model, &budget()) == Ok(false)));
        }
        let counter = "shared x; process p[2] { txn increment { x := x + 1; } }";
        assert_eq!(to_serialize(&program(counter), ProgramModel::Cm, &budget()), Ok(Fix::These(vec![0])));
    }

    /// Nobody may come between reading and writing: one transaction instead of two.
    #[test]
    fn an_increment_in_two_transactions_is_merged() {
        let text = "shared x; process p[2] { txn get { r := x; } txn put { x := r + 1; } }";
        assert_eq!(merges(&program(text)).len(), 1);
        assert_eq!(to_merge(&program(text), ProgramModel::Si, &budget()), Ok(Fix::Nothing));
        let buffering =
            "shared x, y; process p { txn a { x := 1; } txn b { r := y; } } process q { txn c { r := y; s := x; } }";
        let fix = to_merge(&program(buffering), ProgramModel::Ccv, &budget()).unwrap();
        assert_eq!(fix, Fix::Nothing);
    }

    /// Write skew, until the transaction that writes what the other one writes is part of it.
    #[test]
    fn merging_makes_robust() {
        let text = "shared x, y; process p { txn t { r := x; y := 1; } } process q { txn a { s := y; x := 1; } txn b { y := 2; } }";
        let program = program(text);
        assert_eq!(robust(&program, ProgramModel::Si, &budget()), Ok(false));
        let fix = to_merge(&program, ProgramModel::Si, &budget()).unwrap();
        let Fix::These(chosen) = fix else { panic!("{fix:?}") };
        let pairs: Vec<Merge> = chosen.iter().map(|&at| merges(&program)[at]).collect();
        assert_eq!(pairs.len(), 1);
        assert_eq!(robust(&merged(&program, &pairs), ProgramModel::Si, &budget()), Ok(true));
    }

    #[test]
    fn loops_and_choices_are_not_merged_across() {
        assert!(merges(&program("shared x; process p { txn a { x := 1; } loop { txn b { x := 2; } } }")).is_empty());
        assert!(merges(&program("shared x; process p { loop { txn b { x := 2; } txn c { x := 1; } } }")).len() == 1);
    }
}
