//! An independent enumeration, for tests only: guess the value of every read, then every rf, then every mo, and look at
//! consistency only at the end.
//!
//! Nothing is incremental here, so that prefix closure, the borderline theorem and the placement of updates are not assumed.

use super::interpret::{Interpreter, Local};
use super::{Options, robust};
use crate::axioms::sc;
use crate::random::{Config, Rng, Weights, program};
use crate::{Axioms, Event, EventId, Execution, GhostEdges, Order, shrink};
use steadfast_ir::{FenceOrder, Instr, LocId, Program, ThreadId, Value};
use steadfast_model::{Model, ScFences};
use steadfast_span::Index;

/// Values of random programs.
const VALUES: std::ops::Range<Value> = 0..4;

type Trace = Vec<Event>;

/// Whether the program is robust, or `None` if more than `budget` graphs would have to be looked at.
fn flat_robust(program: &Program, model: Model, ghosts: GhostEdges, budget: usize) -> Option<bool> {
    let traces: Vec<_> = program.threads.indices().map(|thread| traces(program, thread, model)).collect();
    let mut left = budget;
    let mut violated = false;
    for_each_choice(&traces, &mut |choice: &[&Trace]| {
        left = left.saturating_sub(1);
        judge(program, model, ghosts, choice, &mut left, &mut violated);
        left > 0 && !violated
    });
    if violated { Some(false) } else { (left > 0).then_some(true) }
}

/// Every sequence of events that the thread could leave if reads could return anything, prefixes included.
fn traces(program: &Program, thread: ThreadId, model: Model) -> Vec<Trace> {
    let interpreter = Interpreter::new(program, thread, model.sc_fences());
    let ghost = LocId::new(program.locations.len());
    let mut found: Vec<Trace> = Vec::new();
    let starts = interpreter.start().expect("random programs have no loops");
    let mut pending: Vec<(Local, Trace)> = starts.into_iter().map(|local| (local, Vec::new())).collect();
    while let Some((local, trace)) = pending.pop() {
        let mut go_on = |events: Vec<Event>, nexts: Vec<Local>| {
            pending.extend(nexts.into_iter().map(|next| (next, [trace.clone(), events.clone()].concat())));
        };
        match interpreter.next(&local) {
            None => {}
            Some(Instr::Fence(order)) => {
                let events = fence_events(thread, *order, model.sc_fences(), ghost);
                found.extend((1..events.len()).map(|part| [&trace[..], &events[..part]].concat()));
                go_on(events, interpreter.after(&local, 0, None).expect("random programs have no loops"));
            }
            Some(_) => {
                let location = interpreter.location(&local).expect("random programs do not fail").expect("an access");
                for value in VALUES {
                    for outcome in interpreter.outcomes(&local, location, value).expect("random programs do not fail") {
                        let nexts =
                            interpreter.after(&local, 0, Some(&outcome)).expect("random programs have no loops");
                        go_on(vec![outcome.event], nexts);
                    }
                }
            }
        }
        // A store does not depend on the guess, so it would otherwise be found once per value.
        if !found.contains(&trace) {
            found.push(trace);
        }
    }
    found
}

fn fence_events(thread: ThreadId, order: FenceOrder, fences: ScFences, ghost: LocId) -> Vec<Event> {
    let update = Event::update(thread, ghost, 0, 0, Order::ACQ_REL).as_ghost();
    match fences {
        ScFences::Update => vec![update],
        ScFences::FencedUpdate if order == FenceOrder::SeqCst => {
            vec![
                Event::fence(thread, Order::ACQUIRE).as_ghost(),
                update,
                Event::fence(thread, Order::RELEASE).as_ghost(),
            ]
        }
        _ => vec![Event::fence(thread, order)],
    }
}

/// Looks at every rf and mo for these events.
fn judge(
    program: &Program,
    model: Model,
    ghosts: GhostEdges,
    traces: &[&Trace],
    left: &mut usize,
    violated: &mut bool,
) {
    let mut graph = Execution::of(program);
    graph.add_ghost_location();
    let ids: Vec<EventId> = traces.iter().flat_map(|trace| trace.iter()).map(|&event| graph.push(event)).collect();
    let reads: Vec<EventId> = ids.iter().copied().filter(|&e| graph.event(e).kind.reads()).collect();
    let sources: Vec<Vec<EventId>> = reads.iter().map(|&read| sources(&graph, read)).collect();
    let orders: Vec<Vec<Vec<EventId>>> =
        (0..graph.location_count()).map(|at| permutations(&writes(&graph, &ids, LocId::new(at)))).collect();
    for_each_choice(&sources, &mut |chosen: &[&EventId]| {
        reads.iter().zip(chosen).for_each(|(&read, &&source)| graph.set_rf(read, source));
        for_each_choice(&orders, &mut |chosen: &[&Vec<EventId>]| {
            place_in_order(&mut graph, chosen);
            *left = left.saturating_sub(1);
            *violated = !sc::consistent_with(&graph, ghosts) && model.consistent(&graph);
            *left > 0 && !*violated
        })
    });
}

/// All writes that the read could read from, judging by location and value only.
fn sources(graph: &Execution, read: EventId) -> Vec<EventId> {
    let event = graph.event(read);
    let fits =
        |other: &Event| other.kind.writes() && other.same_location(event) && other.value_written == event.value_read;
    graph.events().filter(|&(id, other)| id != read && fits(other)).map(|(id, _)| id).collect()
}

fn writes(graph: &Execution, ids: &[EventId], location: LocId) -> Vec<EventId> {
    let here = |&id: &EventId| graph.event(id).kind.writes() && graph.event(id).location == Some(location);
    ids.iter().copied().filter(here).collect()
}

fn place_in_order(graph: &mut Execution, orders: &[&Vec<EventId>]) {
    for (at, order) in orders.iter().enumerate() {
        let mut last = graph.initial_write(LocId::new(at));
        for &write in *order {
            graph.insert_mo_after(write, last);
            last = write;
        }
    }
}

fn permutations(items: &[EventId]) -> Vec<Vec<EventId>> {
    let Some((&first, rest)) = items.split_first() else { return vec![Vec::new()] };
    let mut found = Vec::new();
    for shorter in permutations(rest) {
        for at in 0..=shorter.len() {
            let mut longer = shorter.clone();
            longer.insert(at, first);
            found.push(longer);
        }
    }
    found
}

/// Calls `visit` with one item of each list, in every combination, until it returns false. Returns whether it always went on.
fn for_each_choice<T>(lists: &[Vec<T>], visit: &mut dyn FnMut(&[&T]) -> bool) -> bool {
    fn choose<'a, T>(lists: &'a [Vec<T>], chosen: &mut Vec<&'a T>, visit: &mut dyn FnMut(&[&T]) -> bool) -> bool {
        let Some((list, rest)) = lists.split_first() else { return visit(chosen) };
        list.iter().all(|item| {
            chosen.push(item);
            let go_on = choose(rest, chosen, visit);
            chosen.pop();
            go_on
        })
    }
    choose(lists, &mut Vec::new(), visit)
}

#[test]
fn guessing_everything_agrees_with_the_oracle() {
    let weights = Weights { load: 35, store: 35, rmw: 8, cas: 7, wait: 8, blocking_cas: 6, fence: 5 };
    let mut rng = Rng::new(5);
    let models = [Model::Tso, Model::Ra, Model::Sra, Model::Rc20, Model::Rc11, Model::Rc11Full, Model::AcqRel];
    let (mut decided, mut violated) = (models.map(|_| 0), models.map(|_| 0));
    for round in 0..400 {
        let config =
            Config { small: round % 8 != 0, seq_cst: true, sc_fences: round % 3 == 0, weights, ..Config::default() };
        let ghosts = if round % 2 == 0 { GhostEdges::Ignored } else { GhostEdges::Counted };
        let program = program(&mut rng, &config);
        for (at, model) in models.into_iter().enumerate() {
            let answers = |program: &Program| {
                let flat = flat_robust(program, model, ghosts, 10_000)?;
                Some((flat, robust(program, model, &Options { ghosts, ..Options::default() }).holds()?))
            };
            let Some((flat, incremental)) = answers(&program) else { continue };
            if flat != incremental {
                let small = shrink(&program, &|p| answers(p).is_some_and(|(one, other)| one != other));
                panic!("under {} flat robust {flat}, incremental {incremental} for\n{small}", model.name());
            }
            decided[at] += 1;
            violated[at] += usize::from(!flat);
        }
    }
    assert!(decided.iter().all(|&count| count > 200), "too few were small enough: {decided:?}");
    assert!(violated.iter().all(|&count| count > 10), "too few were not robust: {violated:?}");
}
