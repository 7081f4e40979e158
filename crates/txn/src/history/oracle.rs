//! The twin of the check, by the definitions: the causal order as a matrix, and every order of all transactions.

use super::{History, Operation};
use crate::model::Model;

/// Keys with values.
type Values = Vec<(u32, i64)>;

/// A transaction: external reads, and last writes, of keys with values.
struct Summary {
    session: usize,
    reads: Vec<(u32, i64)>,
    writes: Vec<(u32, i64)>,
}

/// Whether a small history satisfies `cc` or `ccv`.
pub fn satisfies(history: &History, model: Model) -> bool {
    let mut all = Vec::new();
    for (session, content) in history.sessions.iter().enumerate() {
        for one in &content.transactions {
            let Some((reads, writes)) = summary(&one.operations) else { return false };
            all.push(Summary { session, reads, writes });
        }
    }
    let Some(before) = causal(&all) else { return false };
    let wrote = |at: usize, key: u32| all[at].writes.iter().any(|write| write.0 == key);
    let source = |read: &(u32, i64)| all.iter().position(|one| one.writes.contains(read));
    if model == Model::Cc {
        let reads = all.iter().enumerate().flat_map(|(at, one)| one.reads.iter().map(move |read| (at, read)));
        return reads.into_iter().all(|(reader, read)| {
            let stale = |newer: usize| {
                let later = source(read).is_none_or(|source| before[source][newer]);
                wrote(newer, read.0) && before[newer][reader] && later
            };
            !(0..all.len()).any(stale)
        });
    }
    let explains = |order: &[usize]| {
        let position = |at: usize| order.iter().position(|&other| other == at);
        let agrees = (0..all.len()).all(|a| (0..all.len()).all(|b| !before[a][b] || position(a) < position(b)));
        agrees
            && all.iter().enumerate().all(|(reader, one)| {
                one.reads.iter().all(|read| {
                    let seen =
                        order.iter().rev().find(|&&other| before[other][reader] && wrote(other, read.0)).copied();
                    seen == source(read)
                })
            })
    };
    permutations(all.len()).iter().any(|order| explains(order))
}

/// External reads and last writes; nothing if a transaction does not read its own writes.
fn summary(operations: &[Operation]) -> Option<(Values, Values)> {
    let (mut reads, mut writes) = (Values::new(), Values::new());
    for one in operations {
        let own = writes.iter().position(|write| write.0 == one.key);
        match (one.write, own) {
            (true, Some(at)) => writes[at].1 = one.value,
            (true, None) => writes.push((one.key, one.value)),
            (false, Some(at)) if writes[at].1 != one.value => return None,
            (false, Some(_)) => {}
            (false, None) => reads.push((one.key, one.value)),
        }
    }
    Some((reads, writes))
}

/// The causal order; nothing if it is cyclic, or a read has no source.
fn causal(all: &[Summary]) -> Option<Vec<Vec<bool>>> {
    let count = all.len();
    let mut before = vec![vec![false; count]; count];
    for to in 0..count {
        (0..to).filter(|&from| all[from].session == all[to].session).for_each(|from| before[from][to] = true);
        for read in &all[to].reads {
            match all.iter().position(|one| one.writes.contains(read)) {
                Some(from) => before[from][to] = true,
                None if read.1 == 0 => {}
                None => return None,
            }
        }
    }
    for via in 0..count {
        for from in 0..count {
            for to in 0..count {
                before[from][to] |= before[from][via] && before[via][to];
            }
        }
    }
    (0..count).all(|at| !before[at][at]).then_some(before)
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = all.iter().flat_map(|order: &Vec<usize>| {
            (0..count).filter(|next| !order.contains(next)).map(|next| order.iter().copied().chain([next]).collect())
        });
        all = longer.collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::{Session, Transaction, check};
    use super::*;
    use crate::random::Rng;

    fn random(rng: &mut Rng) -> History {
        let sessions = 2 + rng.below(2);
        let mut history = History { keys: vec!["x".into(), "y".into()], sessions: Vec::new() };
        let mut written: Values = vec![(0, 0), (1, 0)];
        let mut value = 1;
        let mut shape = Vec::new();
        for session in 0..sessions {
            shape.push((0..=rng.below(2)).map(|_| 1 + rng.below(3)).collect::<Vec<usize>>());
            for _ in 0..shape[session].iter().sum() {
                value += 1;
                written.push((rng.below(2) as u32, value));
            }
        }
        let mut next = 2;
        for transactions in shape {
            let mut session = Session::default();
            for length in transactions {
                let mut operations = Vec::new();
                for _ in 0..length {
                    let (key, value) = written[next];
                    next += 1;
                    let read = written[rng.below(written.len())];
                    let chosen = if rng.chance(45) { (true, key, value) } else { (false, read.0, read.1) };
                    operations.push(Operation { write: chosen.0, key: chosen.1, value: chosen.2 });
                }
                session.transactions.push(Transaction { name: String::new(), operations });
            }
            history.sessions.push(session);
        }
        history
    }

    #[test]
    fn the_check_agrees_with_the_definitions() {
        let mut rng = Rng::new(9);
        let mut satisfied = 0;
        for _ in 0..40_000 {
            let history = random(&mut rng);
            for model in [Model::Cc, Model::Ccv] {
                let expected = satisfies(&history, model);
                assert_eq!(check(&history, model).is_ok(), expected, "{model}: {history:#?}");
                satisfied += usize::from(expected);
            }
        }
        assert!(satisfied > 2_000, "{satisfied}");
    }

    /// A million operations, as a causal store of 20 sessions would record them.
    #[test]
    fn large_histories_are_checked() {
        let mut history = History { keys: (0..1_000).map(|key| key.to_string()).collect(), sessions: Vec::new() };
        history.sessions = (0..20).map(|_| Session::default()).collect();
        let mut rng = Rng::new(10);
        let mut store = vec![0_i64; 1_000];
        let mut value = 0;
        for number in 0..100_000_usize {
            let mut operations = Vec::new();
            for _ in 0..10 {
                let key = rng.below(1_000) as u32;
                let write = rng.chance(30);
                if write {
                    value += 1;
                    store[key as usize] = value;
                }
                operations.push(Operation { write, key, value: store[key as usize] });
            }
            history.sessions[number % 20].transactions.push(Transaction { name: String::new(), operations });
        }
        assert_eq!(check(&history, Model::Cc), Ok(()));
        assert_eq!(check(&history, Model::Ccv), Ok(()));
    }
}
