//! Holds the check of histories against the definitions, on random small histories: some are made up, and the others are what a store with old
//! snapshots returns.

use super::agree::budget;
use steadfast_random::Rng;
use steadfast_txn::history::oracle::satisfies;
use steadfast_txn::history::{Answer, Criterion, History, Operation, Session, Transaction, check};

/// What reads return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryShape {
    /// Values.
    Values,
    /// Lists of everything that was appended.
    Lists,
}

const KEYS: usize = 2;

/// Compares the check with the definitions on random histories, for all criteria: how many were satisfied, per criterion, or the first disagreement.
pub fn compare_histories(seed: u64, count: u64, shape: HistoryShape) -> Result<[u64; 5], String> {
    let mut rng = Rng::new(seed);
    let mut satisfied = [0; 5];
    for _ in 0..count {
        let history = history(&mut rng, shape);
        for (slot, &criterion) in satisfied.iter_mut().zip(Criterion::ALL) {
            let expected = satisfies(&history, criterion);
            let found = check(&history, criterion, &budget());
            if (found == Answer::Satisfied) != expected {
                return Err(format!("{criterion}: {expected} by the definitions, but {found:?}\n{history:#?}"));
            }
            *slot += u64::from(expected);
        }
    }
    Ok(satisfied)
}

/// A history of two or three sessions with one or two transactions each.
fn history(rng: &mut Rng, shape: HistoryShape) -> History {
    let keys = ["x", "y"].map(str::to_owned).to_vec();
    let sessions = 2 + rng.below(2);
    let mut history = History { keys, sessions: vec![Session::default(); sessions] };
    let mut store = Store { log: Vec::new(), seen: vec![0; sessions], next: 0 };
    let made_up = rng.chance(30);
    let mut order: Vec<usize> = (0..sessions).flat_map(|session| vec![session; 1 + rng.below(2)]).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, rng.below(at + 1));
    }
    for session in order {
        let operations = store.transaction(rng, session, shape, made_up);
        history.sessions[session].transactions.push(Transaction { operations, ..Transaction::default() });
    }
    history
}

struct Store {
    /// What was written, in order.
    log: Vec<(u32, i64)>,
    /// How much of it each session has seen for certain.
    seen: Vec<usize>,
    next: i64,
}

impl Store {
    fn transaction(&mut self, rng: &mut Rng, session: usize, shape: HistoryShape, made_up: bool) -> Vec<Operation> {
        let oldest = if rng.chance(70) { self.seen[session] } else { 0 };
        let snapshot = oldest + rng.below(self.log.len() + 1 - oldest);
        let mut own: Vec<(u32, i64)> = Vec::new();
        let mut operations = Vec::new();
        for _ in 0..=rng.below(3) {
            let key = rng.below(KEYS) as u32;
            if rng.chance(50) {
                self.next += 1;
                own.push((key, self.next));
                operations.push(Operation::Write { key, value: self.next });
                continue;
            }
            let visible = self.log[..snapshot].iter().chain(&own).filter(|write| write.0 == key);
            let mut values: Vec<i64> = visible.map(|write| write.1).collect();
            if made_up && own.is_empty() {
                values = self.log.iter().filter(|write| write.0 == key).map(|write| write.1).collect();
                values.truncate(rng.below(values.len() + 1));
                if values.len() > 1 && rng.chance(40) {
                    let at = rng.below(values.len() - 1);
                    values.swap(at, at + 1);
                }
            }
            operations.push(match shape {
                HistoryShape::Lists => Operation::List { key, values },
                HistoryShape::Values => Operation::Read { key, value: values.last().copied() },
            });
        }
        self.log.extend(own);
        self.seen[session] = self.log.len();
        operations
    }
}
