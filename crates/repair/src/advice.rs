//! A hint beside a violation: which ordering is missing.
//!
//! A program with relaxed accesses that is robust when all of them release and acquire lacks only that, and the accesses that pass the
//! message along the cycle are the first to look at. If release and acquire do not help, something has to order a write before a later
//! access to another location, which takes a `seq_cst` fence (or a read-modify-write in its place). On TSO nothing else helps.
//!
//! This is a hint and not a repair: one cycle is looked at, and there may be others. The question whether release and acquire are enough is a second check, with limits of its own.

use std::time::Duration;
use steadfast_graph::{EdgeKind, Event, EventId, EventKind};
use steadfast_ir::Program;
use steadfast_model::{Orderings, ViolationKind};
use steadfast_robust::{Options, Outcome, Supported, Verdict, Witness, check};

/// The question behind a hint may take so many states; a hint is not worth a long wait.
const STATES: u64 = 200_000;
/// The question behind a hint may take so long.
const TIME: Duration = Duration::from_secs(2);

/// Two accesses of a thread, the earlier one first.
pub type Gap = (EventId, EventId);

/// What to do about a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Strengthen orderings. If no access is named, no single one stands out.
    Orderings {
        /// Whether release and acquire everywhere make the program robust; otherwise that is not known.
        enough: bool,
        /// The accesses to make `release`.
        releases: Vec<EventId>,
        /// The accesses to make `acquire`.
        acquires: Vec<EventId>,
    },
    /// Release and acquire are not enough: put a `seq_cst` fence into these gaps.
    Fences(Vec<Gap>),
    /// Orderings do not matter: let the store leave the buffer in these gaps.
    Drains(Vec<Gap>),
    /// The program races whatever the orderings of its other accesses.
    Protect,
}

/// What kind of order is missing.
enum Missing {
    /// Release and acquire are enough, or it would take too long to find out.
    Orderings {
        enough: bool,
    },
    Fences,
    Drains,
    Protection,
}

/// Advice about a violation of a program, under the options with which it was found. A mistake of the program itself needs none.
pub fn advice(program: &Program, outcome: &Outcome, options: &Options<'_>) -> Option<Advice> {
    let witness = outcome.verdict.witness()?;
    Some(match missing(program, outcome, witness, options)? {
        Missing::Orderings { enough } => {
            let (releases, acquires) =
                if witness.kind == ViolationKind::Race { around_race(witness) } else { on_cycle(witness) };
            Advice::Orderings { enough, releases, acquires }
        }
        Missing::Fences => Advice::Fences(gaps(witness, &|_, _| true)),
        Missing::Drains => Advice::Drains(drains(witness)),
        Missing::Protection => Advice::Protect,
    })
}

fn missing(program: &Program, outcome: &Outcome, witness: &Witness, options: &Options<'_>) -> Option<Missing> {
    let race = witness.kind == ViolationKind::Race;
    match witness.kind {
        ViolationKind::Assertion | ViolationKind::Evaluation => return None,
        ViolationKind::TriangularRace => return Some(Missing::Drains),
        _ => {}
    }
    Some(match options.model.orderings() {
        Orderings::Uniform | Orderings::Buffered if race => Missing::Protection,
        Orderings::Uniform => Missing::Fences,
        Orderings::Buffered => Missing::Drains,
        _ if outcome.statistics.program_states > STATES => Missing::Orderings { enough: false },
        Orderings::AsWritten => {
            let mut weaker = options.clone();
            (weaker.model, weaker.limits) = (Supported::Ra, options.limits.at_most(STATES, TIME));
            match check(program, &weaker).verdict {
                Verdict::Robust => Missing::Orderings { enough: true },
                Verdict::Race(_) => Missing::Protection,
                Verdict::NotRobust(_) if !race => Missing::Fences,
                Verdict::NotRobust(_) | Verdict::Failed(_) | Verdict::Inconclusive(_) | Verdict::Unsupported(_) => {
                    Missing::Orderings { enough: false }
                }
            }
        }
    })
}

/// The steps of the cycle: an event, the edge that leaves it, and the event that it leads to.
fn steps(witness: &Witness) -> impl Iterator<Item = (EventId, EdgeKind, EventId)> + '_ {
    let next = witness.cycle.iter().cycle().skip(1);
    witness.cycle.iter().zip(next).map(|(&(from, edge), &(to, _))| (from, edge, to))
}

/// The relaxed accesses that pass the message: writes that another thread takes, and reads that take them. If there are none, all relaxed
/// accesses on the cycle.
fn on_cycle(witness: &Witness) -> (Vec<EventId>, Vec<EventId>) {
    let passes = |&(_, edge, to): &(EventId, EdgeKind, EventId)| {
        edge == EdgeKind::Rf || (edge == EdgeKind::Mo && witness.execution.event(to).kind == EventKind::Update)
    };
    let (from, to): (Vec<_>, Vec<_>) = steps(witness).filter(passes).map(|(from, _, to)| (from, to)).unzip();
    let chosen = (relaxed_writes(witness, &from), relaxed_reads(witness, &to));
    if !chosen.0.is_empty() || !chosen.1.is_empty() {
        return chosen;
    }
    let all: Vec<_> = witness.cycle.iter().map(|&(event, _)| event).collect();
    (relaxed_writes(witness, &all), relaxed_reads(witness, &all))
}

/// The relaxed writes by the first thread after its racy access, and the relaxed reads of the same locations by the second one.
fn around_race(witness: &Witness) -> (Vec<EventId>, Vec<EventId>) {
    let Some((first, second)) = witness.race() else { return Default::default() };
    let event = |id: EventId| witness.execution.event(id);
    let run: Vec<_> = witness.run.iter().filter_map(|step| step.event).collect();
    let by = |actor: EventId| run.iter().copied().filter(move |&id| event(id).thread == event(actor).thread);
    let after: Vec<_> = by(first).filter(|&id| id > first).collect();
    let before: Vec<_> = by(second).collect();
    let shared = |id: EventId, others: &[EventId]| others.iter().any(|&other| event(id).same_location(event(other)));
    let writes: Vec<_> = after.iter().copied().filter(|&id| shared(id, &before)).collect();
    let reads: Vec<_> = before.iter().copied().filter(|&id| shared(id, &after)).collect();
    (relaxed_writes(witness, &writes), relaxed_reads(witness, &reads))
}

fn relaxed_writes(witness: &Witness, events: &[EventId]) -> Vec<EventId> {
    let is_relaxed =
        |event: &Event| event.thread.is_some() && event.kind.writes() && !event.kind.is_plain() && !event.order.release;
    events.iter().copied().filter(|&id| is_relaxed(witness.execution.event(id))).collect()
}

fn relaxed_reads(witness: &Witness, events: &[EventId]) -> Vec<EventId> {
    let is_relaxed = |event: &Event| event.kind.reads() && !event.kind.is_plain() && !event.order.acquire;
    events.iter().copied().filter(|&id| is_relaxed(witness.execution.event(id))).collect()
}

/// The gaps in which a store may still be in the buffer when a later load is served.
fn drains(witness: &Witness) -> Vec<Gap> {
    if let (ViolationKind::TriangularRace, Some(store), Some(load)) = (witness.kind, witness.stale, witness.step.event)
    {
        return vec![(store, load)];
    }
    gaps(witness, &|from, to| from.kind.writes() && !from.kind.is_locked() && to.kind.reads() && !to.kind.is_locked())
}

/// The gaps between two accesses of one thread where nothing orders the first before the second, if such a pair counts at all. Those after writes, if there are any.
fn gaps(witness: &Witness, counts: &dyn Fn(&Event, &Event) -> bool) -> Vec<Gap> {
    let event = |id: EventId| witness.execution.event(id);
    let open = |&(from, edge, to): &(EventId, EdgeKind, EventId)| {
        edge == EdgeKind::Po
            && !event(from).same_location(event(to))
            && counts(event(from), event(to))
            && !are_fenced(witness, from, to)
    };
    let gaps: Vec<Gap> = steps(witness).filter(open).map(|(from, _, to)| (from, to)).collect();
    let after_writes: Vec<Gap> = gaps.iter().copied().filter(|&(from, _)| event(from).kind.writes()).collect();
    if after_writes.is_empty() { gaps } else { after_writes }
}

/// Whether their thread has passed a `seq_cst` fence between two of its events: another one there would not help.
fn are_fenced(witness: &Witness, from: EventId, to: EventId) -> bool {
    let Some(thread) = witness.execution.event(from).thread else { return false };
    let after = witness.execution.thread(thread).iter().skip_while(|&&event| event != from);
    let mut between = after.take_while(|&&event| event != to).map(|&event| witness.execution.event(event));
    // A ghost belongs to the events that such a fence stands for.
    between.any(|event| event.ghost || event.is_sc_fence())
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_lang::{Dialect, parse};
    use steadfast_model::Notion;
    use steadfast_span::SourceFile;

    fn advised(text: &str, model: Supported) -> Option<Advice> {
        let parsed = parse(&SourceFile::new("test.sf", text), Dialect::Steadfast);
        let program = parsed.program.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
        let options = Options::new(model, Notion::Graph);
        advice(&program, &check(&program, &options), &options)
    }

    const MP: &str = "atomic<u8> d; atomic<u8> f; thread w { d.store(1, relaxed); f.store(1, relaxed); }
        thread r { if (f.load(relaxed) == 1) { let v = d.load(relaxed); } }";
    const SB: &str = "atomic<u8> x; atomic<u8> y; thread a { x.store(1, release); let r = y.load(acquire); }
        thread b { y.store(1, release); let s = x.load(acquire); }";

    #[test]
    fn messages_need_release_and_acquire() {
        let Some(Advice::Orderings { enough: true, releases, acquires }) = advised(MP, Supported::Rc20) else {
            panic!()
        };
        assert_eq!((releases.len(), acquires.len()), (1, 1));
    }

    #[test]
    fn store_buffering_needs_fences_or_drains() {
        for model in [Supported::Rc20, Supported::Ra] {
            let Some(Advice::Fences(gaps)) = advised(SB, model) else { panic!("{}", model.name()) };
            assert_eq!(gaps.len(), 2);
        }
        assert!(matches!(advised(SB, Supported::Tso), Some(Advice::Drains(gaps)) if gaps.len() == 2));
    }

    #[test]
    fn races_need_protection_unless_an_ordering_is_missing() {
        let race = "plain<u8> d; thread a { d = 1; } thread b { d = 2; }";
        assert_eq!(advised(race, Supported::Rc20), Some(Advice::Protect));
        assert_eq!(advised(race, Supported::Tso), Some(Advice::Protect));
        let message = MP.replace("atomic<u8> d", "plain<u8> d").replace("d.store(1, relaxed)", "d = 1");
        let message = message.replace("d.load(relaxed)", "d");
        let Some(Advice::Orderings { enough: true, releases, acquires }) = advised(&message, Supported::Rc20) else {
            panic!()
        };
        assert_eq!((releases.len(), acquires.len()), (1, 1));
    }

    #[test]
    fn robust_and_wrong_programs_need_no_advice() {
        assert_eq!(advised("atomic<u8> x; thread t { x.store(1); }", Supported::Ra), None);
        assert_eq!(advised("atomic<u8> x; thread t { assert(x.load() == 1); }", Supported::Ra), None);
    }
}
