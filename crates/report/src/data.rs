//! The data for the script of a page.

use crate::escape::{json, visible};
use crate::run_view::RunView;
use serde::Serialize;

#[derive(Serialize)]
struct Data {
    steps: Vec<StepData>,
    offending: Option<usize>,
    memory: Option<Memory>,
}

#[derive(Serialize)]
struct StepData {
    who: String,
    source: Option<usize>,
    line: Option<u32>,
    code: String,
    effect: String,
    strong: Option<String>,
    node: Option<usize>,
}

#[derive(Serialize)]
struct Memory {
    locations: Vec<String>,
    threads: Vec<String>,
    /// Location, value, step.
    writes: Vec<(usize, i32, usize)>,
    /// Thread, write, first step, first step after.
    readable: Vec<(usize, usize, usize, Option<usize>)>,
    stopped: Option<usize>,
}

/// The data block of a page.
pub(crate) fn data(run: &RunView) -> String {
    let shown = |text: &str| visible(text).into_owned();
    let steps = run.steps.iter().map(|step| StepData {
        who: shown(&step.actor),
        source: step.place.map(|(source, _)| source),
        line: step.place.map(|(_, line)| line),
        code: shown(&step.code),
        effect: shown(&step.effect),
        strong: step.strong_effect.as_deref().map(shown),
        node: step.node,
    });
    let memory = run.readable.as_ref().map(|views| Memory {
        locations: views.locations.iter().map(|name| shown(name)).collect(),
        threads: views.threads.iter().map(|name| shown(name)).collect(),
        writes: views.writes.iter().map(|write| (write.location, write.value, write.step)).collect(),
        readable: views.readable.iter().map(|open| (open.thread, open.write, open.from, open.until)).collect(),
        stopped: views.stopped,
    });
    json(&Data { steps: steps.collect(), offending: run.offending, memory })
}
