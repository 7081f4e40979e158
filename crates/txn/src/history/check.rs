//! Whether a history satisfies a criterion.

use super::causal::Causal;
use super::derive::Timed;
use super::resolve::Resolved;
use super::search::search;
use super::{Criterion, History, Violation};
use steadfast_explore::{Bound, Budget};

/// What was found out about a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It satisfies the criterion.
    Satisfied,
    /// It does not.
    Violated(Violation),
    /// A bound was hit before that was known.
    Inconclusive(Bound),
}

/// Why a check ended early.
pub(super) enum Ended {
    Violation(Violation),
    Bound(Bound),
}

/// Decides whether a history satisfies a criterion.
pub fn check(history: &History, criterion: Criterion, budget: &Budget<'_>) -> Answer {
    match decide(history, criterion, budget) {
        Ok(()) => Answer::Satisfied,
        Err(Ended::Violation(violation)) => Answer::Violated(violation),
        Err(Ended::Bound(bound)) => Answer::Inconclusive(bound),
    }
}

fn decide(history: &History, criterion: Criterion, budget: &Budget<'_>) -> Result<(), Ended> {
    let resolved = Resolved::new(history).map_err(Ended::Violation)?;
    let causal = || Causal::new(&resolved, budget);
    match criterion {
        // Convergence implies the weaker one, and is tested faster.
        Criterion::Cc => causal().and_then(|causal| causal.convergence(budget).or_else(|_| causal.weak(budget))),
        Criterion::Ccv => causal()?.convergence(budget),
        Criterion::Cm => causal()?.memory(budget),
        Criterion::Si => timed(&Timed::new(&resolved, true), budget),
        Criterion::Ser => timed(&Timed::new(&resolved, false), budget),
    }
}

fn timed(timed: &Timed<'_>, budget: &Budget<'_>) -> Result<(), Ended> {
    let (order, clocks) = timed.derived(budget)?;
    search(timed, &order, &clocks, budget)
}

#[cfg(test)]
mod tests {
    use super::super::{Operation, Session, Transaction, parse};
    use super::*;
    use steadfast_explore::Limits;
    use steadfast_random::Rng;
    use steadfast_span::SourceFile;

    fn budget() -> Budget<'static> {
        Budget::new(Limits::default(), None, None)
    }

    /// Whether cc, ccv, cm, si and ser hold.
    fn verdicts(text: &str) -> [bool; 5] {
        let history = parse(&SourceFile::new("h", text)).unwrap();
        let criteria = [Criterion::Cc, Criterion::Ccv, Criterion::Cm, Criterion::Si, Criterion::Ser];
        criteria.map(|criterion| check(&history, criterion, &budget()) == Answer::Satisfied)
    }

    #[test]
    fn figure_1() {
        let a = "[z:=1 x:=1] [y:=1]\n---\n[x:=2 z==?] [y==1 x==2]\n";
        let b = "[x:=1] [x==2]\n---\n[x:=2] [x==1]\n";
        let c = "[x:=1 y:=1]\n---\n[x:=2] [x==2 y==1] [x==1]\n";
        assert_eq!(verdicts(a), [true, true, false, false, false]);
        assert_eq!(verdicts(b), [true, false, true, false, false]);
        assert_eq!(verdicts(c), [true, false, false, false, false]);
    }

    #[test]
    fn well_known_anomalies() {
        let lost_update = "[x==? x:=1]\n---\n[x==? x:=2]\n";
        let write_skew = "[x==? y==? x:=1]\n---\n[x==? y==? y:=2]\n";
        let long_fork = "[x:=1]\n---\n[y:=2]\n---\n[x==1 y==?]\n---\n[x==? y==2]\n";
        let stale = "[x:=1]\n---\n[x==1] [x==?]\n";
        assert_eq!(verdicts(lost_update), [true, true, true, false, false]);
        assert_eq!(verdicts(write_skew), [true, true, true, true, false]);
        assert_eq!(verdicts(long_fork), [true, true, true, false, false]);
        assert_eq!(verdicts(stale), [false; 5]);
        assert_eq!(verdicts("[x:=1]!\n---\n[x==1]\n"), [false; 5]);
    }

    /// A session may have many transactions between two that matter.
    #[test]
    fn a_way_through_a_session_is_one_link() {
        let text = format!("[x:=1] {}[y==?]\n---\n[y:=1]\n---\n[y==1 x==?]\n", "[z==?] ".repeat(100));
        let history = parse(&SourceFile::new("h", &*text)).unwrap();
        let answer = check(&history, Criterion::Ser, &budget());
        let Answer::Violated(Violation::Cycle { links, .. }) = answer else { panic!("{answer:?}") };
        assert!(links.len() <= 4, "{links:?}");
    }

    /// The example of Elle's paper: T2 reads a list without what T1 has appended, and appends to what T1 reads without that.
    #[test]
    fn lists_tell_orders() {
        let skew = "{:type :ok :process 0 :value [[:r x []] [:append y 1]]} {:type :ok :process 1 :value [[:r y []] [:append x 2]]}
            {:type :ok :process 2 :value [[:r x [2]] [:r y [1]]]}";
        assert_eq!(verdicts(skew), [true, true, true, true, false]);
        let orders = "{:type :ok :process 0 :value [[:append x 1]]} {:type :ok :process 1 :value [[:append x 2]]}
            {:type :ok :process 2 :value [[:r x [1 2]]]} {:type :ok :process 3 :value [[:r x [2 1]]]}";
        assert_eq!(verdicts(orders), [true, false, true, false, false]);
        let torn =
            "{:type :ok :process 0 :value [[:append x 1] [:append x 2]]} {:type :ok :process 1 :value [[:r x [1]]]}";
        assert_eq!(verdicts(torn), [false; 5]);
        let unknown = "{:type :info :process 0 :value [[:append x 1]]} {:type :ok :process 1 :value [[:r x [1]]]}";
        assert_eq!(verdicts(unknown), [true; 5]);
    }

    #[test]
    fn a_bound_is_named() {
        let history = large(5_000, 10);
        let limits = Limits { states: Some(100), ..Limits::default() };
        let answer = check(&history, Criterion::Ser, &Budget::new(limits, None, None));
        assert_eq!(answer, Answer::Inconclusive(Bound::States(100)));
    }

    /// Operations as a serializable store would record them.
    fn large(operations: usize, sessions: usize) -> History {
        let mut history = History { keys: (0..1_000).map(|key| key.to_string()).collect(), sessions: Vec::new() };
        history.sessions = vec![Session::default(); sessions];
        let mut rng = Rng::new(10);
        let mut store = vec![None; 1_000];
        let mut next = 0;
        for number in 0..operations / 10 {
            let mut operations = Vec::new();
            for _ in 0..10 {
                let key = rng.below(1_000) as u32;
                if rng.chance(30) {
                    next += 1;
                    store[key as usize] = Some(next);
                    operations.push(Operation::Write { key, value: next });
                } else {
                    operations.push(Operation::Read { key, value: store[key as usize] });
                }
            }
            history.sessions[number % sessions].transactions.push(Transaction { operations, ..Transaction::default() });
        }
        history
    }

    #[test]
    fn large_histories_are_checked() {
        let history = large(200_000, 20);
        assert_eq!(check(&history, Criterion::Cc, &budget()), Answer::Satisfied);
        let history = large(5_000, 10);
        for &criterion in Criterion::ALL {
            assert_eq!(check(&history, criterion, &budget()), Answer::Satisfied, "{criterion}");
        }
    }
}
