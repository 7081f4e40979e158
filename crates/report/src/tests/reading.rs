//! The computed readable writes, compared with the axioms for every step, thread and write.

use super::{STORE_BUFFERING, Sample};
use crate::readable_writes;
use steadfast_graph::{Axioms, Event, EventId, Execution, Order};
use steadfast_ir::ThreadId;
use steadfast_model::Model;
use steadfast_robust::{RunStep, Supported};
use steadfast_span::Index;

const SAMPLES: [&str; 3] = [
    STORE_BUFFERING,
    "atomic<u1> x; atomic<u1> y; atomic<u2> z;
     thread a { x.store(1, relaxed); fence(release); y.store(1, relaxed); z.fetch_add(1, relaxed); }
     thread b { let f = y.load(relaxed); let g = z.fetch_add(1, acq_rel); let d = x.load(relaxed); }
     thread c { z.fetch_add(1, relaxed); let d = y.load(acquire); let e = x.load(acquire); }",
    "atomic<u2> x; atomic<u2> y;
     thread a { x.store(1, release); fence(seq_cst); y.store(1, release); }
     thread b { y.store(2, release); let r = x.load(acquire); }",
];

/// The steps of a run in order, with the events of each: all events of its thread up to its own that no earlier step has.
fn steps(sample: &Sample) -> Vec<Vec<EventId>> {
    let run = sample.run_view();
    let graph = &sample.witness.execution;
    let mut done = vec![0; sample.program.threads.len()];
    let mut all: Vec<&RunStep> = sample.witness.run.iter().collect();
    all.push(&sample.witness.step);
    assert_eq!(all.len(), run.steps.len());
    let events = all.iter().map(|step| {
        let thread = step.place.thread;
        let own = &graph.thread(thread)[done[thread.index()]..];
        let count = match step.event {
            Some(event) => own.iter().position(|&id| id == event).map_or(0, |at| at + 1),
            None => own.iter().take_while(|&&id| graph.event(id).pc == Some(step.place.pc)).count(),
        };
        done[thread.index()] += count;
        own[..count].to_vec()
    });
    events.collect()
}

/// Whether a thread can read a write after this many steps.
fn readable(sample: &Sample, model: Model, steps: &[Vec<EventId>], thread: ThreadId, write: EventId) -> bool {
    let whole = &sample.witness.execution;
    let mut graph = Execution::of(&sample.program);
    let mut number = vec![None; whole.len()];
    for location in sample.program.locations.indices() {
        number[whole.initial_write(location).index()] = Some(graph.initial_write(location));
    }
    for &id in steps.iter().flatten() {
        let event = whole.event(id);
        if event.location.is_some_and(|location| location.index() >= graph.location_count()) {
            graph.add_ghost_location();
        }
        number[id.index()] = Some(graph.add_sc(*event));
    }
    let Some(write) = number[write.index()] else { return false };
    let event = *graph.event(write);
    graph.add(Event::load(thread, event.location.expect("it writes"), event.value_written, Order::RELAXED), write);
    model.consistent(&graph)
}

#[test]
fn threads_can_read_what_the_axioms_allow() {
    let models = [Supported::Ra, Supported::Rc20, Supported::Rc11, Supported::Tso];
    let mut compared = 0;
    for (text, model) in SAMPLES.iter().flat_map(|text| models.map(|model| (text, model))) {
        let parsed = std::panic::catch_unwind(|| Sample::of(text, model));
        let Ok(sample) = parsed else { continue };
        let steps = steps(&sample);
        let run = &steps[..steps.len() - 1];
        let views = readable_writes(&sample.witness.execution, &sample.program, *model, run, None);
        assert_eq!(views.stopped, None);
        let mut writes: Vec<EventId> =
            sample.program.locations.indices().map(|loc| sample.witness.execution.initial_write(loc)).collect();
        let is_write = |id: &&EventId| {
            sample.witness.execution.event(**id).kind.writes() && !sample.witness.execution.event(**id).ghost
        };
        writes.extend(run.iter().flatten().filter(is_write));
        assert_eq!(writes.len(), views.writes.len());
        for at in 0..=run.len() {
            for open in &views.readable {
                let ours = open.from <= at && open.until.is_none_or(|until| at < until);
                let theirs = readable(&sample, *model, &run[..at], ThreadId::new(open.thread), writes[open.write]);
                assert_eq!(ours, theirs, "{model:?}, step {at}, {open:?}\n{text}");
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared}");
}
