//! Compares the sanitizer's engine with location clocks and execution graphs, model by model.

use super::Options;
use anyhow::{Result, bail};
use std::time::Instant;
use steadfast_clocks::Supported;
use steadfast_twin::traces::TraceCampaign;

/// How many disagreements are shown for a model.
const SHOWN: usize = 5;

/// Replays this many traces for each model and prints a table.
pub(super) fn run(options: &Options, traces: u64, seed: u64) -> Result<()> {
    println!("model    traces  not rob.   accesses  violations      races  missed by small logs  disagree  seconds");
    let mut disagreements = 0;
    for &model in Supported::ALL {
        let started = Instant::now();
        let tally = TraceCampaign { model, seed, traces, jobs: options.jobs }.run();
        let counts = tally.counts;
        println!(
            "{model:<7} {:>7} {:>9} {:>10} {:>11} {:>10} {:>21} {:>9} {:>8.0}",
            tally.traces,
            tally.not_robust,
            counts.accesses,
            counts.violations,
            counts.races,
            counts.missed_by_small_logs,
            tally.findings.len(),
            started.elapsed().as_secs_f64(),
        );
        tally.findings.iter().take(SHOWN).for_each(|finding| println!("\n{finding}"));
        disagreements += tally.findings.len();
    }
    if disagreements > 0 {
        bail!("{disagreements} disagreements");
    }
    Ok(())
}
