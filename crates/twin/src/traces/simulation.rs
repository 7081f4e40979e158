//! Simulates a run: memory under SC, the threads that live, the locks that are held. It also says how each step looks to the slow twins, which know only accesses and fences.

use super::step::{LOCATIONS, THREADS, TraceStep};
use steadfast_clocks::Strength;
use steadfast_graph::Order;
use steadfast_ir::FenceOrder;

/// The effect of an access on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Read,
    /// Writes this value.
    Write(u8),
    /// Reads, and writes this value.
    Update(u8),
}

/// An access by a thread, for the slow twins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicAccess {
    pub(crate) thread: usize,
    pub(crate) location: usize,
    pub(crate) effect: Effect,
    pub(crate) order: Order,
}

/// What an access could do elsewhere in the modification order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Read,
    ReadOf(u8),
    ReadOther(u8),
    Write,
    Update,
    UpdateOf(u8),
}

/// An event for the slow twins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TwinEvent {
    Access(AtomicAccess),
    Fence(usize, FenceOrder),
}

/// A slow twin.
pub(crate) trait Twin {
    /// There is a new location.
    fn add_location(&mut self, value: u8);
    /// Whether the thread's next access could do what the question asks, although SC forbids it.
    fn violates(&self, thread: usize, location: usize, question: Question, order: Order) -> bool;
    /// The access was made.
    fn access(&mut self, access: AtomicAccess);
    /// The fence was passed.
    fn fence(&mut self, thread: usize, order: FenceOrder);

    /// Either of them.
    fn act(&mut self, event: TwinEvent) {
        match event {
            TwinEvent::Access(access) => self.access(access),
            TwinEvent::Fence(thread, order) => self.fence(thread, order),
        }
    }
}

/// The result of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepOutcome {
    /// New locations, with their values. They come before the events.
    pub(crate) locations: Vec<u8>,
    /// The questions before the step, if it is an access: about this thread and this location.
    pub(crate) questions: Vec<(Question, Order)>,
    pub(crate) thread: usize,
    pub(crate) location: usize,
    /// The events for the slow twins.
    pub(crate) events: Vec<TwinEvent>,
    /// Whether the access was made; otherwise the step only waits.
    pub(crate) done: bool,
}

/// The state of the run.
#[derive(Clone, Debug)]
pub(crate) struct Simulation {
    /// By name, the number of the living thread.
    living: [Option<usize>; THREADS],
    /// By name, the thread that has ended and was not joined, and the location for joining it.
    ended: [Option<usize>; THREADS],
    threads: usize,
    /// By location of the trace, its current number.
    numbers: [usize; LOCATIONS],
    /// The location of each mutex, and the thread that holds it.
    mutexes: [(usize, Option<usize>); LOCATIONS],
    memory: Vec<u8>,
}

impl Simulation {
    pub(crate) fn new() -> Self {
        let mut living = [None; THREADS];
        living[0] = Some(0);
        Self {
            living,
            ended: [None; THREADS],
            threads: 1,
            numbers: std::array::from_fn(|at| at),
            mutexes: std::array::from_fn(|at| (LOCATIONS + at, None)),
            memory: vec![0; 2 * LOCATIONS],
        }
    }

    /// The initial values of the locations.
    pub(crate) fn initial(&self) -> &[u8] {
        &self.memory
    }

    /// The number of a living thread.
    pub(crate) fn number(&self, name: u8) -> Option<usize> {
        self.living[name as usize]
    }

    /// The value at a location.
    pub(crate) fn value(&self, location: u8) -> u8 {
        self.memory[self.numbers[location as usize]]
    }

    fn add_location(&mut self, value: u8, outcome: &mut StepOutcome) -> usize {
        self.memory.push(value);
        outcome.locations.push(value);
        self.memory.len() - 1
    }

    /// Takes a step, if it is possible.
    pub(crate) fn step(&mut self, (name, place, step): (u8, u8, TraceStep)) -> Option<StepOutcome> {
        let thread = self.number(name)?;
        let mut outcome =
            StepOutcome { thread, location: self.numbers[place as usize], done: true, ..StepOutcome::default() };
        match step {
            TraceStep::Fence(order) => outcome.events.push(TwinEvent::Fence(thread, order)),
            TraceStep::Lock => {
                let (location, owner) = self.mutexes[place as usize];
                owner.is_none().then_some(())?;
                self.mutexes[place as usize].1 = Some(thread);
                self.make(&mut outcome, thread, location, Effect::Update(1), Order::ACQUIRE);
            }
            TraceStep::Unlock => {
                let (location, owner) = self.mutexes[place as usize];
                (owner == Some(thread)).then_some(())?;
                self.mutexes[place as usize].1 = None;
                self.make(&mut outcome, thread, location, Effect::Write(0), Order::RELEASE);
            }
            TraceStep::Spawn(child) => self.spawn(&mut outcome, thread, child)?,
            TraceStep::Finish => self.finish(&mut outcome, thread, name)?,
            TraceStep::Join(child) => {
                let last_word = self.ended[child as usize].take()?;
                self.make(&mut outcome, thread, last_word, Effect::Read, Order::ACQUIRE);
            }
            TraceStep::Free => self.numbers[place as usize] = self.add_location(0, &mut outcome),
            TraceStep::Plain(..) => {}
            _ => self.atomic(&mut outcome, step),
        }
        Some(outcome)
    }

    fn spawn(&mut self, outcome: &mut StepOutcome, thread: usize, child: u8) -> Option<()> {
        let child = child as usize;
        (self.living[child].is_none() && self.ended[child].is_none()).then_some(())?;
        let number = self.threads;
        self.threads += 1;
        self.living[child] = Some(number);
        let first_word = self.add_location(0, outcome);
        self.make(outcome, thread, first_word, Effect::Write(1), Order::RELEASE);
        self.make(outcome, number, first_word, Effect::Read, Order::ACQUIRE);
        Some(())
    }

    fn finish(&mut self, outcome: &mut StepOutcome, thread: usize, name: u8) -> Option<()> {
        let holds_lock = self.mutexes.iter().any(|&(_, owner)| owner == Some(thread));
        (name != 0 && !holds_lock).then_some(())?;
        let last_word = self.add_location(0, outcome);
        self.make(outcome, thread, last_word, Effect::Write(1), Order::RELEASE);
        self.living[name as usize] = None;
        self.ended[name as usize] = Some(last_word);
        Some(())
    }

    fn make(&mut self, outcome: &mut StepOutcome, thread: usize, location: usize, effect: Effect, order: Order) {
        if let Effect::Write(value) | Effect::Update(value) = effect {
            self.memory[location] = value;
        }
        outcome.events.push(TwinEvent::Access(AtomicAccess { thread, location, effect, order }));
    }

    /// An atomic access of the program.
    fn atomic(&mut self, outcome: &mut StepOutcome, step: TraceStep) {
        let found = self.memory[outcome.location];
        let (questions, effect): (Vec<_>, Option<(_, Order)>) = match step {
            TraceStep::Load(order) => (vec![(Question::Read, order.into())], Some((Effect::Read, order.into()))),
            TraceStep::Store(order, value) => {
                (vec![(Question::Write, order.into())], Some((Effect::Write(value), order.into())))
            }
            TraceStep::Rmw(order, value) => {
                (vec![(Question::Update, order.into())], Some((Effect::Update(value), order.into())))
            }
            TraceStep::Cas(strength, expected, value, success, failure) => {
                let fails = match strength {
                    Strength::Weak => Question::Read,
                    Strength::Strong => Question::ReadOther(expected),
                };
                let effect = if found == expected {
                    (Effect::Update(value), success.into())
                } else {
                    (Effect::Read, failure.into())
                };
                (vec![(Question::UpdateOf(expected), success.into()), (fails, failure.into())], Some(effect))
            }
            TraceStep::Wait(order, value) => {
                let effect = (found == value).then_some((Effect::Read, order.into()));
                (vec![(Question::ReadOf(value), order.into())], effect)
            }
            TraceStep::BlockingCas(order, expected, value) => {
                let effect = (found == expected).then_some((Effect::Update(value), order.into()));
                (vec![(Question::UpdateOf(expected), order.into())], effect)
            }
            _ => return,
        };
        outcome.questions = questions;
        outcome.done = effect.is_some();
        if let Some((effect, order)) = effect {
            let (thread, location) = (outcome.thread, outcome.location);
            self.make(outcome, thread, location, effect, order);
        }
    }
}
