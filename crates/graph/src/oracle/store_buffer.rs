//! Total store order as a machine, x86-TSO: every thread has a first-in-first-out buffer of its stores.
//!
//! It knows nothing of the model. A store enters its thread's buffer, where only that thread's loads see it, and reaches memory (and its place in the
//! modification order) some time later. Locked instructions, successful or not, and SC fences wait until the buffer is empty; other fences do nothing. A run leaves an
//! execution graph, its *trace*, once all buffers are empty, and a program is robust iff every trace is acyclic.

use super::explore::Next;
use super::interpret::{AccessOutcome, Interpreter, Local};
use super::state::next_serial;
use super::{Limit, Options, OracleVerdict};
use crate::axioms::sc;
use crate::{Event, EventId, Execution, GhostEdges};
use rustc_hash::FxHashSet;
use steadfast_ir::{FenceOrder, Instr, LocId, Program, ThreadId};
use steadfast_model::ScFences;
use steadfast_span::Index;

/// Whether every trace of the store-buffer machine is sequentially consistent. Of the options only the bounds matter.
pub fn robust(program: &Program, options: &Options) -> OracleVerdict {
    let mut found = None;
    let searched = runs(program, options, &mut |graph| {
        if sc::consistent_with(graph, GhostEdges::Counted) {
            return Next::Extend;
        }
        found = Some(graph.clone());
        Next::Stop
    });
    OracleVerdict::from_search(found, searched)
}

/// Shows every trace, those of unfinished runs included, to `visit`. Returns how many states of the machine were seen.
fn runs(program: &Program, options: &Options, visit: &mut dyn FnMut(&Execution) -> Next) -> Result<usize, Limit> {
    let mut pending = Machine::initial(program)?;
    let mut seen = FxHashSet::default();
    while let Some(machine) = pending.pop() {
        if !seen.insert(machine.key()) {
            continue;
        }
        if seen.len() > options.max_graphs {
            return Err(Limit::Graphs);
        }
        if machine.graph.len() > options.max_events {
            return Err(Limit::Events);
        }
        if machine.buffers.iter().all(Vec::is_empty) {
            match visit(&machine.graph) {
                Next::Extend => {}
                Next::Prune => continue,
                Next::Stop => break,
            }
        }
        for thread in 0..program.threads.len() {
            pending.extend(machine.flushed(thread));
            machine.steps(program, thread, &mut pending)?;
        }
    }
    Ok(seen.len())
}

/// The graph so far, in which buffered writes are not in mo yet, the threads, and their buffers, oldest first.
#[derive(Clone)]
struct Machine {
    graph: Execution,
    threads: Vec<Local>,
    buffers: Vec<Vec<EventId>>,
}

impl Machine {
    /// The machines in which no thread has moved: several if threads begin with a choice.
    fn initial(program: &Program) -> Result<Vec<Self>, Limit> {
        let buffers = vec![Vec::new(); program.threads.len()];
        let mut machines = vec![Self { graph: Execution::of(program), threads: Vec::new(), buffers }];
        for thread in program.threads.indices() {
            let starts = Interpreter::new(program, thread, ScFences::Primitive).start()?;
            let with = |machine: &Self, start: &Local| {
                let mut machine = machine.clone();
                machine.threads.push(start.clone());
                machine
            };
            machines = machines.iter().flat_map(|machine| starts.iter().map(|start| with(machine, start))).collect();
        }
        Ok(machines)
    }

    /// A description that two machines share iff they are equal up to the numbering of events.
    fn key(&self) -> Vec<u32> {
        let mut key = self.graph.canonical();
        self.threads.iter().for_each(|thread| thread.describe(&mut key));
        key.extend(self.buffers.iter().map(|buffer| buffer.len() as u32));
        key
    }

    /// What a thread reads: its own newest buffered write to the location, else memory.
    fn visible_write(&self, thread: usize, location: LocId) -> EventId {
        let own = self.buffers[thread].iter().rev().find(|&&w| self.graph.event(w).location == Some(location));
        own.copied().unwrap_or_else(|| self.newest(location))
    }

    /// What memory holds.
    fn newest(&self, location: LocId) -> EventId {
        self.graph.last_write(location).unwrap_or_else(|| self.graph.initial_write(location))
    }

    /// The machine after the oldest buffered write of a thread has reached memory.
    fn flushed(&self, thread: usize) -> Option<Self> {
        let &write = self.buffers[thread].first()?;
        let location = self.graph.event(write).location?;
        let mut next = self.clone();
        next.buffers[thread].remove(0);
        next.graph.insert_mo_after(write, self.newest(location));
        Some(next)
    }

    /// All machines that are one instruction of this thread away.
    fn steps(&self, program: &Program, thread: usize, found: &mut Vec<Self>) -> Result<(), Limit> {
        let id = ThreadId::new(thread);
        let interpreter = Interpreter::new(program, id, ScFences::Primitive);
        let local = &self.threads[thread];
        next_serial(&self.graph, id)?;
        match interpreter.next(local) {
            None => {}
            Some(Instr::Fence(FenceOrder::SeqCst)) if !self.buffers[thread].is_empty() => {}
            Some(Instr::Fence(order)) => {
                let mut graph = self.graph.clone();
                graph.push(Event::fence(id, *order).at(local.pc, interpreter.span(local)));
                found.extend(
                    interpreter.after(local, 0, None)?.into_iter().map(|next| self.moved(&graph, thread, next)),
                );
            }
            Some(_) => self.access_steps(interpreter, id, found)?,
        }
        Ok(())
    }

    fn access_steps(&self, interpreter: Interpreter<'_>, id: ThreadId, found: &mut Vec<Self>) -> Result<(), Limit> {
        let (thread, local) = (id.index(), &self.threads[id.index()]);
        let fail = |error| self.moved(&self.graph, thread, interpreter.fail(local, error));
        let location = match interpreter.location(local) {
            Ok(Some(location)) => location,
            Ok(None) => return Ok(()),
            Err(error) => {
                found.push(fail(error));
                return Ok(());
            }
        };
        let source = self.visible_write(thread, location);
        match interpreter.outcomes(local, location, self.graph.event(source).value_written) {
            Err(error) => found.push(fail(error)),
            Ok(outcomes) => {
                for outcome in outcomes {
                    self.take(interpreter, id, source, &outcome, found)?;
                }
            }
        }
        Ok(())
    }

    /// One way in which an access turns out. A locked instruction must wait for an empty buffer, and then writes to memory at once.
    fn take(
        &self,
        interpreter: Interpreter<'_>,
        id: ThreadId,
        source: EventId,
        outcome: &AccessOutcome,
        found: &mut Vec<Self>,
    ) -> Result<(), Limit> {
        let (thread, local) = (id.index(), &self.threads[id.index()]);
        if outcome.event.kind.is_locked() && !self.buffers[thread].is_empty() {
            return Ok(());
        }
        let serial = next_serial(&self.graph, id)?;
        let mut machine = self.clone();
        if outcome.event.kind.reads() {
            machine.graph.add(outcome.event, source);
        } else {
            let write = machine.graph.push(outcome.event);
            machine.buffers[thread].push(write);
        }
        if let Some(error) = outcome.error {
            found.push(machine.moved(&machine.graph, thread, interpreter.fail(local, error)));
            return Ok(());
        }
        let nexts = interpreter.after(local, serial, Some(outcome))?;
        found.extend(nexts.into_iter().map(|next| machine.moved(&machine.graph, thread, next)));
        Ok(())
    }

    /// The machine with this graph after a thread has moved to `local`.
    fn moved(&self, graph: &Execution, thread: usize, local: Local) -> Self {
        let mut next = Self { graph: graph.clone(), threads: self.threads.clone(), buffers: self.buffers.clone() };
        next.threads[thread] = local;
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axioms;
    use steadfast_ir::{Expr, ProgramBuilder, ReadOrder, WriteOrder};
    use steadfast_model::Model;

    /// Store buffering, perhaps with a fence between store and load.
    fn store_buffering(fence: Option<FenceOrder>) -> Program {
        let mut b = ProgramBuilder::new("store-buffering");
        let (x, y) = (b.atomic("x", 0), b.atomic("y", 0));
        for (mine, other) in [(x, y), (y, x)] {
            b.thread("t", |t| {
                let r = t.register("r");
                t.store(mine, Expr::Const(1), WriteOrder::SeqCst);
                if let Some(order) = fence {
                    t.emit(Instr::Fence(order));
                }
                t.load(r, other, ReadOrder::SeqCst);
            });
        }
        b.finish()
    }

    #[test]
    fn only_an_sc_fence_drains_the_buffer() {
        let options = Options::default();
        let trace = robust(&store_buffering(None), &options);
        let graph = trace.counterexample().expect("store buffering is the textbook example");
        assert!(Model::Tso.consistent(graph) && !Model::Sc.consistent(graph));
        assert_eq!(robust(&store_buffering(Some(FenceOrder::AcqRel)), &options).holds(), Some(false));
        assert_eq!(robust(&store_buffering(Some(FenceOrder::SeqCst)), &options).holds(), Some(true));
    }
}
