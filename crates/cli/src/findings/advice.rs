//! What ordering is missing.
//!
//! A program with relaxed accesses that is robust when all of them release and acquire lacks only that, and the accesses that pass the
//! message along the cycle are the first to look at. If release and acquire do not help, something has to order a write before a later
//! access to another location, which takes a `seq_cst` fence (or a read-modify-write in its place). On TSO nothing else helps.
//!
//! This is a hint and not a repair: one cycle is looked at, and there may be others.

use super::CheckedProgram;
use super::numbered_witness::NumberedWitness;
use crate::ask::ask;
use crate::numbers::listed;
use std::fmt::Write;
use std::time::Duration;
use steadfast_graph::{EdgeKind, Event, EventId, EventKind};
use steadfast_robust::{Limits, Model, Options, Verdict, ViolationKind};

/// The question behind a hint may take so many states; a hint is not worth a long wait.
const STATES: u64 = 200_000;
/// The question behind a hint may take so long.
const TIME: Duration = Duration::from_secs(2);

/// What is known about the missing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advice {
    /// Release/acquire orderings are enough: the program is robust against RA.
    Orderings,
    /// They are not.
    Fences,
    /// Orderings do not matter; a store has to leave the buffer before a later load.
    Drains,
    /// It would take too long to find out.
    Unknown,
    /// The program races whatever the orderings of its other accesses.
    Race,
}

/// Asks whether release and acquire would be enough.
pub(crate) fn advice(checked: &CheckedProgram<'_>, options: &Options<'_>) -> Option<Advice> {
    let witness = checked.outcome.verdict.witness()?;
    let race = witness.kind == ViolationKind::Race;
    if matches!(witness.kind, ViolationKind::Assertion | ViolationKind::Evaluation(_)) {
        return None;
    }
    if witness.kind == ViolationKind::TriangularRace {
        return Some(Advice::Drains);
    }
    match checked.model {
        Model::Ra | Model::Sra | Model::Tso if race => return Some(Advice::Race),
        Model::Ra | Model::Sra => return Some(Advice::Fences),
        Model::Tso => return Some(Advice::Drains),
        Model::Rc20 | Model::Rc11 => {}
    }
    if checked.outcome.statistics.program_states > STATES {
        return Some(Advice::Unknown);
    }
    let mut weaker = options.clone();
    weaker.model = Model::Ra;
    weaker.limits = Limits {
        states: Some(options.limits.states.unwrap_or(STATES).min(STATES)),
        memory: options.limits.memory,
        time: Some(options.limits.time.unwrap_or(TIME).min(TIME)),
    };
    let Ok(outcome) = ask(checked.program, &weaker) else { return Some(Advice::Unknown) };
    Some(match outcome.verdict {
        Verdict::Robust => Advice::Orderings,
        Verdict::Race(_) => Advice::Race,
        Verdict::NotRobust(_) if race => Advice::Unknown,
        Verdict::NotRobust(_) => Advice::Fences,
        Verdict::Failed(_) | Verdict::Inconclusive(_) | Verdict::Unsupported(_) => Advice::Unknown,
    })
}

impl Advice {
    /// The advice in words.
    pub(crate) fn helps(self, numbered: &NumberedWitness<'_>) -> Vec<String> {
        match self {
            Self::Orderings => orderings(numbered, "release and acquire are enough"),
            Self::Unknown => orderings(numbered, "stronger orderings may help"),
            Self::Fences => fences(numbered, "release and acquire are not enough; put `fence(seq_cst)`", &|_, _| true),
            Self::Drains => drains(numbered),
            Self::Race => vec!["protect both accesses by the same `mutex`, or make the location `atomic`".to_owned()],
        }
    }
}

fn orderings(numbered: &NumberedWitness<'_>, introduction: &str) -> Vec<String> {
    let (releases, acquires) =
        if numbered.witness.kind == ViolationKind::Race { around_race(numbered) } else { on_cycle(numbered) };
    let (releases, acquires) = (described(numbered, &releases), described(numbered, &acquires));
    let mut parts = Vec::new();
    if !releases.is_empty() {
        parts.push(format!("make {} `release`", listed(&releases)));
    }
    if !acquires.is_empty() {
        parts.push(format!("make {} `acquire`", listed(&acquires)));
    }
    if parts.is_empty() {
        return vec![format!("{introduction}: with them on all accesses, the program is robust (`--model ra`)")];
    }
    vec![format!("{introduction}: {}", parts.join(", and "))]
}

/// The relaxed accesses that pass the message: writes that another thread takes, and reads that take them. If there are none, all relaxed
/// accesses on the cycle.
fn on_cycle(numbered: &NumberedWitness<'_>) -> (Vec<EventId>, Vec<EventId>) {
    let cycle = &numbered.witness.cycle;
    let next = cycle.iter().cycle().skip(1);
    let passing = cycle.iter().zip(next).filter(|((_, edge), (to, _))| {
        *edge == EdgeKind::Rf || (*edge == EdgeKind::Mo && numbered.event(*to).kind == EventKind::Update)
    });
    let (from, to): (Vec<_>, Vec<_>) = passing.map(|(&(from, _), &(to, _))| (from, to)).unzip();
    let chosen = (relaxed_writes(numbered, &from), relaxed_reads(numbered, &to));
    if !chosen.0.is_empty() || !chosen.1.is_empty() {
        return chosen;
    }
    let all: Vec<_> = cycle.iter().map(|&(event, _)| event).collect();
    (relaxed_writes(numbered, &all), relaxed_reads(numbered, &all))
}

/// The relaxed writes by the first thread after its racy access, and the relaxed reads of the same locations by the second one.
fn around_race(numbered: &NumberedWitness<'_>) -> (Vec<EventId>, Vec<EventId>) {
    let witness = numbered.witness;
    let (Some(first), Some(second)) = (witness.stale, witness.step.event) else { return Default::default() };
    let run: Vec<_> = witness.run.iter().filter_map(|step| step.event).collect();
    let by = |actor: EventId| {
        run.iter().copied().filter(move |&event| numbered.event(event).thread == numbered.event(actor).thread)
    };
    let after: Vec<_> = by(first).filter(|&event| event > first).collect();
    let before: Vec<_> = by(second).collect();
    let shared = |event: EventId, others: &[EventId]| {
        others.iter().any(|&other| numbered.event(event).same_location(numbered.event(other)))
    };
    let writes: Vec<_> = after.iter().copied().filter(|&event| shared(event, &before)).collect();
    let reads: Vec<_> = before.iter().copied().filter(|&event| shared(event, &after)).collect();
    (relaxed_writes(numbered, &writes), relaxed_reads(numbered, &reads))
}

fn relaxed_writes(numbered: &NumberedWitness<'_>, events: &[EventId]) -> Vec<EventId> {
    let relaxed = |kind: EventKind, release: bool| kind.writes() && !kind.is_plain() && !release;
    let found = events.iter().copied();
    found
        .filter(|&id| {
            numbered.event(id).thread.is_some() && relaxed(numbered.event(id).kind, numbered.event(id).order.release)
        })
        .collect()
}

fn relaxed_reads(numbered: &NumberedWitness<'_>, events: &[EventId]) -> Vec<EventId> {
    let relaxed = |kind: EventKind, acquire: bool| kind.reads() && !kind.is_plain() && !acquire;
    let found = events.iter().copied();
    found.filter(|&id| relaxed(numbered.event(id).kind, numbered.event(id).order.acquire)).collect()
}

/// Accesses as a text speaks of them, each place once.
fn described(numbered: &NumberedWitness<'_>, events: &[EventId]) -> Vec<String> {
    let mut described = Vec::new();
    for &event in events {
        let mark = numbered.mark(event).map_or(String::new(), |mark| mark + " ");
        let text = format!("{mark}`{}` in line {}", numbered.code(event), numbered.line(event));
        if !described.contains(&text) {
            described.push(text);
        }
    }
    described
}

/// The places where a store may still be in the buffer when a later load is served.
fn drains(numbered: &NumberedWitness<'_>) -> Vec<String> {
    let introduction = "let the store leave the buffer first: make it a read-modify-write, or put `fence(seq_cst)`";
    if let (ViolationKind::TriangularRace, Some(store), Some(load)) =
        (numbered.witness.kind, numbered.witness.stale, numbered.witness.step.event)
    {
        return placed(numbered, introduction, &[(store, load)]);
    }
    fences(numbered, introduction, &|from, to| {
        from.kind.writes() && !from.kind.is_locked() && to.kind.reads() && !to.kind.is_locked()
    })
}

/// The places between two accesses of one thread where nothing orders the first before the second, if such a pair counts at all.
fn fences(numbered: &NumberedWitness<'_>, introduction: &str, counts: &dyn Fn(&Event, &Event) -> bool) -> Vec<String> {
    let cycle = &numbered.witness.cycle;
    let next = cycle.iter().cycle().skip(1);
    let steps: Vec<_> = cycle
        .iter()
        .zip(next)
        .filter(|((from, edge), (to, _))| {
            *edge == EdgeKind::Po && !numbered.event(*from).same_location(numbered.event(*to))
        })
        .filter(|((from, _), (to, _))| {
            counts(numbered.event(*from), numbered.event(*to)) && !are_fenced(numbered, *from, *to)
        })
        .map(|(&(from, _), &(to, _))| (from, to))
        .collect();
    let after_writes: Vec<_> = steps.iter().copied().filter(|&(from, _)| numbered.event(from).kind.writes()).collect();
    let chosen = if after_writes.is_empty() { steps } else { after_writes };
    placed(numbered, introduction, &chosen)
}

/// Whether their thread has passed a `seq_cst` fence between two of its events: another one there would not help.
fn are_fenced(numbered: &NumberedWitness<'_>, from: EventId, to: EventId) -> bool {
    let Some(thread) = numbered.event(from).thread else { return false };
    let after = numbered.witness.execution.thread(thread).iter().skip_while(|&&event| event != from);
    let mut between = after.take_while(|&&event| event != to).map(|&event| numbered.event(event));
    // A ghost belongs to the events that such a fence stands for.
    between.any(|event| event.ghost || event.is_sc_fence())
}

/// Advice to put something between two accesses of a thread.
fn placed(numbered: &NumberedWitness<'_>, introduction: &str, places: &[(EventId, EventId)]) -> Vec<String> {
    if places.is_empty() {
        return Vec::new();
    }
    let mut help = introduction.to_owned();
    for &(from, to) in places {
        let thread = numbered.event(from).thread.map_or("?", |thread| numbered.thread(thread));
        let marks = [from, to].map(|event| numbered.mark(event).unwrap_or_default());
        let lines = (numbered.line(from), numbered.line(to));
        let _ =
            write!(help, "\n  between {} and {} in `{thread}`, lines {} and {}", marks[0], marks[1], lines.0, lines.1);
    }
    vec![help]
}
