//! The sanitizer's engine against location clocks and execution graphs.

use steadfast_clocks::Supported;
use steadfast_twin::traces::TraceCampaign;

/// Enough for every day; `cargo xtask fuzz --clocks` has more.
const TRACES: u64 = 2_000;

fn agree_on(model: Supported) {
    let traces = std::env::var("STEADFAST_TRACES").ok().and_then(|number| number.parse().ok()).unwrap_or(TRACES);
    let tally = TraceCampaign { model, seed: 1, traces, jobs: 2 }.run();
    let shown: Vec<String> = tally.findings.iter().take(3).map(ToString::to_string).collect();
    assert!(tally.findings.is_empty(), "{} disagreements:\n{}", tally.findings.len(), shown.join("\n"));
    assert!(tally.not_robust > traces / 20 && tally.counts.races > traces / 20, "{tally:?}");
}

#[test]
fn rc20() {
    agree_on(Supported::Rc20);
}

#[test]
fn rc11() {
    agree_on(Supported::Rc11);
}

#[test]
fn acquire_and_release_only() {
    agree_on(Supported::AcqRel);
}
