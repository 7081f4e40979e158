//! A graph together with the threads that generated it, and its one-step extensions (POPL'21, Definition 3.10).

use crate::oracle::Limit;
use crate::oracle::interpret::{Interpreter, Local, MAX_SERIAL, Status};
use crate::{Event, EventId, Execution};
use steadfast_ir::{FenceOrder, Instr, LocId, Program, ThreadId};
use steadfast_model::{Model, ScFences};
use steadfast_span::Index;

/// A generated graph and where its threads are.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) graph: Execution,
    pub(crate) threads: Vec<Local>,
}

impl State {
    /// A description that two states share iff they are equal up to the numbering of events.
    pub(crate) fn canonical(&self) -> Vec<u32> {
        let mut key = self.graph.canonical();
        self.threads.iter().for_each(|thread| thread.describe(&mut key));
        key
    }

    /// Whether no thread has anything left to do.
    pub(crate) fn is_complete(&self) -> bool {
        self.threads.iter().all(|thread| thread.status != Status::Running)
    }

    /// The state after one thread has moved to `local`.
    fn moved(&self, graph: Execution, thread: ThreadId, local: Local) -> Self {
        let mut next = Self { graph, threads: self.threads.clone() };
        let events = next.graph.thread(thread).to_vec();
        for (serial, event) in events.into_iter().enumerate() {
            if local.observed >> serial & 1 == 1 {
                next.graph.mark_observed(event);
            }
        }
        next.threads[thread.index()] = local;
        next
    }

    /// The state with one more thread.
    fn with_thread(&self, local: Local) -> Self {
        let mut next = self.clone();
        next.threads.push(local);
        next
    }
}

/// Generates the graphs of a program, as one model wants its fences translated.
pub(crate) struct Generator<'p> {
    program: &'p Program,
    fences: ScFences,
    /// Stands for the order of SC fences, where the model has none of its own.
    ghost: Option<LocId>,
}

impl<'p> Generator<'p> {
    pub(crate) fn new(program: &'p Program, model: Model) -> Self {
        let fences = model.sc_fences();
        let has_sc_fence = program.threads.iter().flat_map(|thread| &thread.code).any(|i| is_sc_fence(&i.op));
        let ghost = (fences != ScFences::Primitive && has_sc_fence).then(|| LocId::new(program.locations.len()));
        Self { program, fences, ghost }
    }

    fn interpreter(&self, thread: ThreadId) -> Interpreter<'p> {
        Interpreter::new(self.program, thread, self.fences)
    }

    /// The graph before any thread has moved.
    pub(crate) fn initial_graph(&self) -> Execution {
        let mut graph = Execution::of(self.program);
        if self.ghost.is_some() {
            graph.add_ghost_location();
        }
        graph
    }

    /// The states in which no thread has moved.
    pub(crate) fn initial(&self) -> Result<Vec<State>, Limit> {
        let mut states = vec![State { graph: self.initial_graph(), threads: Vec::new() }];
        for thread in self.program.threads.indices() {
            let starts = self.interpreter(thread).start()?;
            states =
                states.iter().flat_map(|state| starts.iter().map(|start| state.with_thread(start.clone()))).collect();
        }
        Ok(states)
    }

    /// All states that are one visible step away, whether a model allows them or not.
    pub(crate) fn successors(&self, state: &State) -> Result<Vec<State>, Limit> {
        let mut found = Vec::new();
        for (position, local) in state.threads.iter().enumerate() {
            let thread = ThreadId::new(position);
            match self.interpreter(thread).next(local) {
                None => {}
                Some(Instr::Fence(order)) => self.fence_steps(state, thread, *order, &mut found)?,
                Some(_) => self.access_steps(state, thread, &mut found)?,
            }
        }
        Ok(found)
    }

    fn access_steps(&self, state: &State, thread: ThreadId, found: &mut Vec<State>) -> Result<(), Limit> {
        let (interpreter, local) = (self.interpreter(thread), &state.threads[thread.index()]);
        let serial = next_serial(&state.graph, thread)?;
        let fail = |error| state.moved(state.graph.clone(), thread, interpreter.fail(local, error));
        let location = match interpreter.location(local) {
            Ok(Some(location)) => location,
            Ok(None) => return Ok(()),
            Err(error) => {
                found.push(fail(error));
                return Ok(());
            }
        };
        for &source in state.graph.mo(location) {
            let value = state.graph.event(source).value_written;
            match interpreter.outcomes(local, location, value) {
                Err(error) => found.push(fail(error)),
                Ok(outcomes) => {
                    for outcome in outcomes {
                        let mut graph = state.graph.clone();
                        graph.add(outcome.event, source);
                        if let Some(error) = outcome.error {
                            found.push(state.moved(graph, thread, interpreter.fail(local, error)));
                            continue;
                        }
                        for next in interpreter.after(local, serial, Some(&outcome))? {
                            found.push(state.moved(graph.clone(), thread, next));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn fence_steps(
        &self,
        state: &State,
        thread: ThreadId,
        order: FenceOrder,
        found: &mut Vec<State>,
    ) -> Result<(), Limit> {
        let (interpreter, local) = (self.interpreter(thread), &state.threads[thread.index()]);
        next_serial(&state.graph, thread)?;
        let fence = Event::fence(thread, order).at(local.pc, interpreter.span(local));
        let sources = match self.ghost.filter(|_| order == FenceOrder::SeqCst) {
            Some(ghost) => state.graph.mo(ghost),
            // Nothing is read, so any event will do.
            None => &[EventId::new(0)],
        };
        for &source in sources {
            let mut graph = state.graph.clone();
            graph.add_fence_after(self.fences, fence, source);
            for next in interpreter.after(local, 0, None)? {
                found.push(state.moved(graph.clone(), thread, next));
            }
        }
        Ok(())
    }
}

fn is_sc_fence(op: &Instr) -> bool {
    matches!(op, Instr::Fence(FenceOrder::SeqCst))
}

/// The number of the thread's next event, with room for the three events of an encoded fence.
pub(super) fn next_serial(graph: &Execution, thread: ThreadId) -> Result<u32, Limit> {
    let serial = graph.thread(thread).len() as u32;
    if serial + 3 <= MAX_SERIAL { Ok(serial) } else { Err(Limit::Events) }
}
