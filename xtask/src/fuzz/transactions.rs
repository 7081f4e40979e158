//! Transactional programs: the decision against the machines, model by model.

use anyhow::{Result, bail};
use std::time::Instant;
use steadfast_txn::Model;
use steadfast_txn::agree::{Tally, compare};

/// Compares on `count` programs for every model and shows a table.
pub(super) fn run(count: u64, seed: u64, jobs: usize) -> Result<()> {
    println!("model  programs   robust  not rob.  skipped  disagree  seconds");
    let mut disagreements = Vec::new();
    for model in Model::OF_PROGRAMS {
        let started = Instant::now();
        let tally = in_parallel(model, count, seed, jobs.max(1) as u64);
        println!(
            "{:<5}  {:>8} {:>8} {:>9} {:>8} {:>9} {:>8.0}",
            model.name(),
            tally.programs,
            tally.robust,
            tally.not_robust,
            tally.skipped,
            tally.disagreements.len(),
            started.elapsed().as_secs_f64(),
        );
        disagreements.extend(tally.disagreements);
    }
    disagreements.iter().take(5).for_each(|disagreement| println!("\n{disagreement}"));
    if !disagreements.is_empty() {
        bail!("{} disagreements", disagreements.len());
    }
    Ok(())
}

/// Every worker has a seed of its own, so that the programs do not depend on who is faster.
fn in_parallel(model: Model, count: u64, seed: u64, jobs: u64) -> Tally {
    let share = |job: u64| count / jobs + u64::from(job < count % jobs);
    let mut total = Tally::default();
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
