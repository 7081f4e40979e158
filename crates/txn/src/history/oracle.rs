//! The twin of the check, by the definitions: every order of a few transactions, run one by one.

use super::{Criterion, History, Operation, TransactionStatus};

/// What a read returned.
#[derive(Clone)]
enum Seen {
    Value(Option<i64>),
    List(Vec<i64>),
}

/// A transaction: external reads, and what it appends to each key; of values that are not lists only the last counts.
struct Summary {
    session: usize,
    reads: Vec<(u32, Seen)>,
    writes: Vec<(u32, Vec<i64>)>,
}

/// All that was written to each key.
type Store = Vec<Vec<i64>>;

struct Oracle {
    all: Vec<Summary>,
    keys: usize,
    /// The causal order.
    before: Vec<Vec<bool>>,
}

/// Whether a small history satisfies a criterion. Every transaction of it has committed.
pub fn satisfies(history: &History, criterion: Criterion) -> bool {
    let mut all = Vec::new();
    for (session, content) in history.sessions.iter().enumerate() {
        for one in content.transactions.iter().filter(|one| one.status == TransactionStatus::Committed) {
            let Some((reads, writes)) = summary(&one.operations) else { return false };
            all.push(Summary { session, reads, writes });
        }
    }
    let Some(before) = causal(&all) else { return false };
    let oracle = Oracle { all, keys: history.keys.len(), before };
    match criterion {
        Criterion::Cc => (0..oracle.all.len()).all(|one| oracle.weak(one)),
        Criterion::Ccv => oracle.convergent(),
        Criterion::Cm => (0..history.sessions.len()).all(|session| oracle.memory(session)),
        Criterion::Si => oracle.snapshots(&mut Vec::new(), &mut vec![None; oracle.all.len()]),
        Criterion::Ser => oracle.serial(),
    }
}

impl Oracle {
    fn fits(&self, one: usize, store: &Store) -> bool {
        self.all[one].reads.iter().all(|(key, seen)| {
            let held = &store[*key as usize];
            match seen {
                Seen::Value(None) => held.is_empty(),
                Seen::Value(Some(0)) => held.last().is_none_or(|&last| last == 0),
                Seen::Value(value) => held.last() == value.as_ref(),
                Seen::List(values) => values == held,
            }
        })
    }

    fn after(&self, order: &[usize]) -> Store {
        let mut store = vec![Vec::new(); self.keys];
        for &one in order {
            self.all[one].writes.iter().for_each(|(key, values)| store[*key as usize].extend(values));
        }
        store
    }

    fn past(&self, one: usize) -> Vec<usize> {
        (0..self.all.len()).filter(|&other| self.before[other][one]).collect()
    }

    /// All orders of these transactions that contain the causal order.
    fn orders(&self, among: &[usize], good: &mut impl FnMut(&[usize]) -> bool) -> bool {
        self.extend(&mut Vec::new(), among, good)
    }

    fn extend(&self, order: &mut Vec<usize>, among: &[usize], good: &mut impl FnMut(&[usize]) -> bool) -> bool {
        if order.len() == among.len() {
            return good(order);
        }
        among.iter().any(|&next| {
            let ready = among.iter().all(|&other| !self.before[other][next] || order.contains(&other));
            if order.contains(&next) || !ready {
                return false;
            }
            order.push(next);
            let found = self.extend(order, among, good);
            order.pop();
            found
        })
    }

    fn weak(&self, one: usize) -> bool {
        self.orders(&self.past(one), &mut |order| self.fits(one, &self.after(order)))
    }

    fn convergent(&self) -> bool {
        let everybody: Vec<usize> = (0..self.all.len()).collect();
        self.orders(&everybody, &mut |order| {
            (0..self.all.len()).all(|one| {
                let known: Vec<usize> = order.iter().copied().filter(|&other| self.before[other][one]).collect();
                self.fits(one, &self.after(&known))
            })
        })
    }

    fn memory(&self, session: usize) -> bool {
        let Some(last) = (0..self.all.len()).rev().find(|&one| self.all[one].session == session) else { return true };
        let mut among = self.past(last);
        among.push(last);
        self.orders(&among, &mut |order| {
            let mut mine = order.iter().enumerate().filter(|(_, one)| self.all[**one].session == session);
            mine.all(|(at, &one)| self.fits(one, &self.after(&order[..at])))
        })
    }

    fn serial(&self) -> bool {
        let everybody: Vec<usize> = (0..self.all.len()).collect();
        self.orders(&everybody, &mut |order| (0..order.len()).all(|at| self.fits(order[at], &self.after(&order[..at]))))
    }

    /// Begins and commits in every order. `began` says how many had committed when a transaction began.
    fn snapshots(&self, committed: &mut Vec<usize>, began: &mut Vec<Option<usize>>) -> bool {
        if committed.len() == self.all.len() {
            return true;
        }
        (0..self.all.len()).filter(|one| !committed.contains(one)).collect::<Vec<_>>().into_iter().any(|one| {
            let earlier = (0..one).filter(|&other| self.all[other].session == self.all[one].session);
            if !earlier.into_iter().all(|other| committed.contains(&other)) {
                return false;
            }
            let Some(since) = began[one] else {
                if !self.fits(one, &self.after(committed)) {
                    return false;
                }
                began[one] = Some(committed.len());
                let found = self.snapshots(committed, began);
                began[one] = None;
                return found;
            };
            if committed[since..].iter().any(|&other| self.collide(one, other)) {
                return false;
            }
            committed.push(one);
            let found = self.snapshots(committed, began);
            committed.pop();
            found
        })
    }

    fn collide(&self, one: usize, other: usize) -> bool {
        let writes = |key: &u32| self.all[other].writes.iter().any(|(written, _)| written == key);
        self.all[one].writes.iter().any(|(key, _)| writes(key))
    }
}

/// External reads, and writes; nothing if a transaction does not read its own writes.
#[allow(clippy::type_complexity, reason = "the two halves of a summary")]
fn summary(operations: &[Operation]) -> Option<(Vec<(u32, Seen)>, Vec<(u32, Vec<i64>)>)> {
    let (mut reads, mut writes) = (Vec::new(), Vec::<(u32, Vec<i64>)>::new());
    for operation in operations {
        let own = |key: &u32| writes.iter().position(|(written, _)| written == key);
        match operation {
            Operation::Write { key, value } => match own(key) {
                Some(at) => writes[at].1.push(*value),
                None => writes.push((*key, vec![*value])),
            },
            Operation::Read { key, value } => match own(key) {
                None => reads.push((*key, Seen::Value(*value))),
                Some(at) if writes[at].1.last() == value.as_ref() => {}
                Some(_) => return None,
            },
            Operation::List { key, values } => {
                let mine = own(key).map_or(&[][..], |at| &writes[at].1);
                reads.push((*key, Seen::List(values.strip_suffix(mine)?.to_vec())));
            }
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
        for (key, seen) in &all[to].reads {
            let values = match seen {
                Seen::Value(value) => value.iter().copied().collect(),
                Seen::List(values) => values.clone(),
            };
            for value in values {
                let wrote =
                    |one: &Summary| one.writes.iter().any(|(written, all)| written == key && all.contains(&value));
                match all.iter().position(wrote) {
                    Some(from) => before[from][to] = true,
                    None if value == 0 => {}
                    None => return None,
                }
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
