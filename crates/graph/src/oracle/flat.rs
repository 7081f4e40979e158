//! An independent enumeration: guess the value of every read, then every rf, then every mo, and look at consistency only at the end.
//!
//! Nothing is incremental here, so that prefix closure, the borderline theorem and the placement of updates are not assumed. It is for programs
//! without loops, with few values, and without expressions that can fail; others are [`OracleVerdict::TooLarge`].

use super::interpret::{Interpreter, Local};
use super::{Limit, Options, OracleVerdict};
use crate::axioms::sc;
use crate::{Axioms, Event, EventId, Execution, GhostEdges, Order};
use steadfast_ir::{FenceOrder, Instr, LocId, Program, ThreadId, Value};
use steadfast_model::{Model, ScFences};
use steadfast_span::Index;

type Trace = Vec<Event>;

/// Whether every consistent graph that the program generates is SC-consistent. Of the options only `ghosts` and `max_graphs` matter.
pub fn robust(program: &Program, model: Model, options: &Options) -> OracleVerdict {
    let traces: Result<Vec<_>, Limit> =
        program.threads.indices().map(|thread| traces(program, thread, model)).collect();
    let traces = match traces {
        Ok(traces) => traces,
        Err(limit) => return OracleVerdict::TooLarge(limit),
    };
    let mut search = Search { program, model, ghosts: options.ghosts, left: options.max_graphs, found: None };
    for_each_choice(&traces, &mut |choice: &[&Trace]| {
        search.left = search.left.saturating_sub(1);
        search.judge(choice);
        search.goes_on()
    });
    let Search { left, found, .. } = search;
    let searched = if left > 0 { Ok(options.max_graphs - left) } else { Err(Limit::Graphs) };
    OracleVerdict::from_search(found, searched)
}

/// Every sequence of events that the thread could leave if reads could return anything, prefixes included.
fn traces(program: &Program, thread: ThreadId, model: Model) -> Result<Vec<Trace>, Limit> {
    let interpreter = Interpreter::new(program, thread, model.sc_fences());
    let ghost = LocId::new(program.locations.len());
    let mut found: Vec<Trace> = Vec::new();
    let mut pending: Vec<(Local, Trace)> = interpreter.start()?.into_iter().map(|local| (local, Vec::new())).collect();
    while let Some((local, trace)) = pending.pop() {
        let mut go_on = |events: Vec<Event>, nexts: Vec<Local>| {
            pending.extend(nexts.into_iter().map(|next| (next, [trace.clone(), events.clone()].concat())));
        };
        match interpreter.next(&local) {
            None => {}
            Some(Instr::Fence(order)) => {
                let events = fence_events(thread, *order, model.sc_fences(), ghost);
                found.extend((1..events.len()).map(|part| [&trace[..], &events[..part]].concat()));
                go_on(events, interpreter.after(&local, 0, None)?);
            }
            Some(_) => {
                let Ok(Some(location)) = interpreter.location(&local) else { return Err(Limit::Representation) };
                for value in (0..program.locations[location].modulus).map(|value| value as Value) {
                    let outcomes = interpreter.outcomes(&local, location, value);
                    for outcome in outcomes.map_err(|_| Limit::Representation)? {
                        go_on(vec![outcome.event], interpreter.after(&local, 0, Some(&outcome))?);
                    }
                }
            }
        }
        // A store does not depend on the guess, so it would otherwise be found once per value.
        if !found.contains(&trace) {
            found.push(trace);
        }
    }
    Ok(found)
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

/// A search for a consistent graph that is not SC-consistent.
struct Search<'p> {
    program: &'p Program,
    model: Model,
    ghosts: GhostEdges,
    /// How many more graphs are looked at.
    left: usize,
    found: Option<Execution>,
}

impl Search<'_> {
    fn goes_on(&self) -> bool {
        self.left > 0 && self.found.is_none()
    }

    /// Looks at every rf and mo for these events.
    fn judge(&mut self, traces: &[&Trace]) {
        let mut graph = Execution::of(self.program);
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
                self.left = self.left.saturating_sub(1);
                if !sc::consistent_with(&graph, self.ghosts) && self.model.consistent(&graph) {
                    self.found = Some(graph.clone());
                }
                self.goes_on()
            })
        });
    }
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
