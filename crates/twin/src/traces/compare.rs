//! One trace, asked of all.

use super::definition::Definition;
use super::engine::{ATOMIC_BYTES, Answer, Engine, direction};
use super::location_clocks::LocationClocks;
use super::races::{ByteAccess, ByteAccesses, is_among};
use super::simulation::{Simulation, StepOutcome, Twin};
use super::step::{Trace, TraceStep};
use std::fmt;
use steadfast_clocks::{Limits, Settings, Supported};

/// What was seen in traces about which all agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Accesses that were checked.
    pub accesses: u64,
    /// Those that violate robustness.
    pub violations: u64,
    /// Those that race.
    pub races: u64,
    /// Violations that an engine with the smallest logs misses.
    pub missed_by_small_logs: u64,
}

/// Who disagrees about which step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The number of the step among those that are possible.
    pub step: usize,
    /// What is wrong.
    pub what: &'static str,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step, self.what)
    }
}

struct Comparison {
    simulation: Simulation,
    exact: Engine,
    small: Engine,
    clocks: LocationClocks,
    /// Only for short traces.
    graph: Option<Definition>,
    touches: ByteAccesses,
    counts: Counts,
    /// Whether a `seq_cst` access has been made.
    seq_cst: bool,
}

/// Compares all answers about a trace. With `graphs`, the definition is asked, too, and races are compared.
pub fn compare(trace: &Trace, model: Supported, graphs: bool) -> Result<Counts, Disagreement> {
    let tiny = Limits { writes: 1 + trace.steps.len() % 3, observations: 1 };
    let mut comparison = Comparison {
        simulation: Simulation::new(),
        exact: Engine::new(Settings { model, limits: Limits::UNBOUNDED }),
        small: Engine::new(Settings { model, limits: tiny }),
        clocks: LocationClocks::new(model),
        graph: graphs.then(|| Definition::new(model)),
        touches: ByteAccesses::default(),
        counts: Counts::default(),
        seq_cst: false,
    };
    for value in comparison.simulation.initial().to_vec() {
        comparison.add_location(value);
    }
    let mut number = 0;
    for &step in &trace.steps {
        let before = comparison.simulation.clone();
        let Some(outcome) = comparison.simulation.step(step) else { continue };
        comparison.step(&before, step, &outcome).map_err(|what| Disagreement { step: number, what })?;
        number += 1;
    }
    Ok(comparison.counts)
}

impl Comparison {
    fn add_location(&mut self, value: u8) {
        self.clocks.add_location(value);
        if let Some(graph) = &mut self.graph {
            graph.add_location(value);
        }
    }

    fn step(
        &mut self,
        before: &Simulation,
        step: (u8, u8, TraceStep),
        outcome: &StepOutcome,
    ) -> Result<(), &'static str> {
        outcome.locations.iter().for_each(|&value| self.add_location(value));
        let expected = violates(&self.clocks, outcome);
        if self.graph.as_ref().is_some_and(|graph| violates(graph, outcome) != expected) {
            return Err("the definition and location clocks disagree about a violation");
        }
        let lost = self.exact.cells_lost();
        let answer = self.exact.step(before, step);
        let small = self.small.step(before, step);
        self.seq_cst |= outcome.questions.iter().any(|(_, order)| order.seq_cst);
        self.judge(expected, &answer, &small)?;
        for &event in &outcome.events {
            self.clocks.act(event);
            if let Some(graph) = &mut self.graph {
                graph.act(event);
            }
        }
        self.counts.accesses += u64::from(!outcome.questions.is_empty());
        self.judge_race(before, step, outcome, &answer, lost)
    }

    fn judge(&mut self, expected: bool, answer: &Answer, small: &Answer) -> Result<(), &'static str> {
        let reported = answer.violation.is_some();
        if reported && !expected {
            return Err("the engine reports a violation that is none");
        }
        // When a slot is used again, the order of seq_cst accesses knows too much of the first thread.
        let reused = self.exact.slots_used() < self.exact.started;
        if expected && !reported && !(reused && self.seq_cst) {
            return Err("the engine misses a violation");
        }
        if small.violation.is_some() && !reported {
            return Err("small logs invent a violation");
        }
        self.counts.violations += u64::from(reported);
        self.counts.missed_by_small_logs += u64::from(reported && small.violation.is_none());
        Ok(())
    }

    fn judge_race(
        &mut self,
        before: &Simulation,
        (_, place, step): (u8, u8, TraceStep),
        outcome: &StepOutcome,
        answer: &Answer,
        lost: u64,
    ) -> Result<(), &'static str> {
        let Some(graph) = &mut self.graph else { return Ok(()) };
        let touch = match step {
            TraceStep::Free => {
                self.touches.clear(place);
                None
            }
            TraceStep::Plain(direction, mask) => {
                let event = graph.mark(outcome.thread);
                Some(ByteAccess { thread: outcome.thread, event, mask, direction, atomic: false })
            }
            _ if !outcome.done => None,
            _ => direction(step, before.value(place)).zip(graph.newest(outcome.thread)).map(|(direction, event)| {
                ByteAccess { thread: outcome.thread, event, mask: ATOMIC_BYTES, direction, atomic: true }
            }),
        };
        let races = touch.map_or(Vec::new(), |touch| self.touches.touch(graph, place, touch));
        self.counts.races += u64::from(answer.race.is_some());
        match answer.race {
            Some(race) if !is_among(&race, &races) => Err("the engine reports a race that is none"),
            None if races.iter().any(|&(_, news)| news) && lost == 0 => Err("the engine misses a race"),
            _ => Ok(()),
        }
    }
}

fn violates(twin: &impl Twin, outcome: &StepOutcome) -> bool {
    let (thread, location) = (outcome.thread, outcome.location);
    outcome.questions.iter().any(|&(question, order)| twin.violates(thread, location, question, order))
}
