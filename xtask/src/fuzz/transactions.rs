//! Compares decisions about transactional programs with the abstract machines, model by model.

use anyhow::{Result, bail};
use std::time::Instant;
use steadfast_twin::transactions::{HistoryShape, TransactionTally, compare, compare_histories, compare_serializable};
use steadfast_txn::ProgramModel;

/// For every model, compares `count` programs, a quarter as many with transactions that run serializably (+), and as many histories; prints tables.
pub(super) fn run(count: u64, seed: u64, jobs: usize) -> Result<()> {
    println!("model  programs   robust  not rob.  skipped  disagree  seconds");
    let mut disagreements = Vec::new();
    let kinds: [(&str, Compare, u64); 2] = [("", compare, count), ("+", compare_serializable, count / 4)];
    for (model, (mark, kind, count)) in ProgramModel::ALL.iter().flat_map(|&model| kinds.map(|kind| (model, kind))) {
        let started = Instant::now();
        let tally = in_parallel(kind, model, count, seed, jobs.max(1) as u64);
        println!(
            "{:<5}  {:>8} {:>8} {:>9} {:>8} {:>9} {:>8.0}",
            format!("{model}{mark}"),
            tally.programs,
            tally.robust,
            tally.not_robust,
            tally.skipped,
            tally.disagreements.len(),
            started.elapsed().as_secs_f64(),
        );
        disagreements.extend(tally.disagreements);
    }
    for (name, shape) in [("values", HistoryShape::Values), ("lists", HistoryShape::Lists)] {
        let satisfied = compare_histories(seed, count, shape).map_err(|problem| anyhow::anyhow!("{problem}"))?;
        let counts: Vec<String> = satisfied.iter().map(u64::to_string).collect();
        println!("{count} histories of {name}: satisfied (cc, ccv, cm, si, ser) {}", counts.join(" "));
    }
    disagreements.iter().take(5).for_each(|disagreement| println!("\n{disagreement}"));
    if !disagreements.is_empty() {
        bail!("{} disagreements", disagreements.len());
    }
    Ok(())
}

/// Compares programs of one kind.
type Compare = fn(ProgramModel, u64, u64) -> TransactionTally;

/// Every worker has its own seed, so that the programs do not depend on the speed of the workers.
fn in_parallel(compare: Compare, model: ProgramModel, count: u64, seed: u64, jobs: u64) -> TransactionTally {
    let share = |job: u64| count / jobs + u64::from(job < count % jobs);
    let mut total = TransactionTally::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs)
            .map(|job| scope.spawn(move || compare(model, seed.wrapping_add(job * 7919), share(job))))
            .collect();
        for worker in workers {
            total.add(worker.join().expect("a worker does not panic"));
        }
    });
    total
}
