//! Total store order as a machine with store buffers, for tests only: it has to agree with the axioms.

use super::interpret::{Interpreter, Local};
use super::{Options, robust};
use crate::axioms::sc;
use crate::random::{Config, Rng, program};
use crate::{Axioms, EventId, Execution, GhostEdges, ScFences, shrink};
use rustc_hash::FxHashSet;
use steadfast_ir::{FenceOrder, Instr, LocId, Program, ThreadId};
use steadfast_span::Index;

/// The graph so far, in which buffered writes are not in mo yet, the threads, and their buffers.
#[derive(Clone)]
struct Machine {
    graph: Execution,
    threads: Vec<Local>,
    buffers: Vec<Vec<EventId>>,
}

impl Machine {
    fn key(&self) -> Vec<u32> {
        let mut key = self.graph.canonical();
        self.threads.iter().for_each(|thread| thread.describe(&mut key));
        key.extend(self.buffers.iter().map(|buffer| buffer.len() as u32));
        key
    }

    /// What a thread reads: its own newest buffered write to the location, else memory.
    fn visible_write(&self, thread: usize, location: LocId) -> EventId {
        let own = self.buffers[thread].iter().rev().find(|&&w| self.graph.event(w).location == Some(location));
        own.copied().or(self.graph.last_write(location)).expect("every location has an initial write")
    }

    fn flushed(&self, thread: usize) -> Option<Self> {
        let mut next = self.clone();
        if next.buffers[thread].is_empty() {
            return None;
        }
        let write = next.buffers[thread].remove(0);
        let location = next.graph.event(write).location?;
        next.graph.insert_mo_after(write, next.graph.last_write(location)?);
        Some(next)
    }

    fn steps(&self, program: &Program, thread: usize) -> Vec<Self> {
        let id = ThreadId::new(thread);
        let interpreter = Interpreter::new(program, id, ScFences::Primitive);
        let local = &self.threads[thread];
        let serial = self.graph.thread(id).len() as u32;
        let drained = self.buffers[thread].is_empty();
        let mut found = Vec::new();
        match interpreter.next(local) {
            None => {}
            Some(Instr::Fence(FenceOrder::SeqCst)) if !drained => {}
            Some(Instr::Fence(_)) => {
                for next in interpreter.after(local, serial, None).expect("random programs have no loops") {
                    let mut machine = self.clone();
                    machine.threads[thread] = next;
                    found.push(machine);
                }
            }
            Some(_) => {
                let location = interpreter.location(local).expect("random programs do not fail").expect("an access");
                let source = self.visible_write(thread, location);
                let value = self.graph.event(source).value_written;
                for outcome in interpreter.outcomes(local, location, value).expect("random programs do not fail") {
                    if outcome.event.kind.is_locked() && !drained {
                        continue;
                    }
                    let mut machine = self.clone();
                    if outcome.event.kind.reads() {
                        machine.graph.add(outcome.event, source);
                    } else {
                        let write = machine.graph.push(outcome.event);
                        machine.buffers[thread].push(write);
                    }
                    for next in interpreter.after(local, serial, Some(&outcome)).expect("random programs have no loops")
                    {
                        let mut machine = machine.clone();
                        machine.threads[thread] = next;
                        found.push(machine);
                    }
                }
            }
        }
        found
    }
}

/// Whether every run that ends with empty buffers leaves an SC-consistent graph.
fn buffered_robust(program: &Program, budget: usize) -> Option<bool> {
    let start = |thread| Interpreter::new(program, thread, ScFences::Primitive).start();
    let starts: Vec<_> = program.threads.indices().map(start).collect::<Result<_, _>>().ok()?;
    // A thread that begins with a choice would need several machines; random programs have none.
    let threads =
        starts.into_iter().map(|mut start| (start.len() == 1).then(|| start.remove(0))).collect::<Option<_>>()?;
    let buffers = vec![Vec::new(); program.threads.len()];
    let mut pending = vec![Machine { graph: Execution::of(program), threads, buffers }];
    let mut seen = FxHashSet::default();
    while let Some(machine) = pending.pop() {
        if !seen.insert(machine.key()) {
            continue;
        }
        if seen.len() > budget {
            return None;
        }
        let drained = machine.buffers.iter().all(Vec::is_empty);
        if drained && !sc::consistent_with(&machine.graph, GhostEdges::Counted) {
            return Some(false);
        }
        for thread in 0..program.threads.len() {
            pending.extend(machine.flushed(thread));
            pending.extend(machine.steps(program, thread));
        }
    }
    Some(true)
}

#[test]
fn the_store_buffer_machine_agrees_with_the_axioms() {
    let config = Config::default();
    let mut rng = Rng::new(6);
    let (mut decided, mut violated) = (0, 0);
    for _ in 0..1500 {
        let program = program(&mut rng, &config);
        let answers = |program: &Program| {
            let axioms = robust(program, Axioms::Tso, &Options { max_graphs: 5_000, ..Options::default() });
            Some((axioms.holds()?, buffered_robust(program, 10_000)?))
        };
        let Some((axioms, machine)) = answers(&program) else { continue };
        if axioms != machine {
            let small = shrink(&program, &|p| answers(p).is_some_and(|(one, other)| one != other));
            panic!("axioms say {axioms}, the machine says {machine} about\n{small}");
        }
        decided += 1;
        violated += usize::from(!machine);
    }
    assert!(decided > 1000 && violated > 100, "{decided} decided, {violated} violated");
}
