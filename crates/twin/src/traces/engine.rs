//! The engine, replaying a trace.

use super::simulation::Simulation;
use super::step::{LOCATIONS, THREADS, TraceStep};
use steadfast_clocks::{
    Cells, CompareExchange, Direction, Location, Place, Race, ScFence, Settings, Slots, StampPool, StampTable,
    SyncClock, ThreadClocks, Violation,
};

/// Everything that the runtime would keep.
pub(crate) struct Engine {
    slots: Slots,
    table: StampTable,
    pool: StampPool,
    fence: ScFence,
    threads: [Option<ThreadClocks>; THREADS],
    ends: [Option<SyncClock>; THREADS],
    locations: [Location; LOCATIONS],
    mutexes: [SyncClock; LOCATIONS],
    cells: [Cells; LOCATIONS],
    /// How many cells threads had pushed out when they ended.
    lost: u64,
    /// How many threads there were.
    pub(crate) started: usize,
}

/// What the engine says about a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) violation: Option<Violation>,
    pub(crate) race: Option<Race>,
}

impl Engine {
    pub(crate) fn new(settings: Settings) -> Self {
        let mut engine = Self {
            slots: Slots::new(),
            table: StampTable::new(),
            pool: StampPool::new(),
            fence: ScFence::new(),
            threads: [const { None }; THREADS],
            ends: [const { None }; THREADS],
            locations: std::array::from_fn(|_| Location::new(0)),
            mutexes: Default::default(),
            cells: Default::default(),
            lost: 0,
            started: 1,
        };
        let mut first = ThreadClocks::first(settings, &mut engine.slots).expect("there are enough slots");
        engine.pool.lend(&engine.table, &mut first);
        engine.threads[0] = Some(first);
        engine
    }

    /// How many slots were needed.
    pub(crate) fn slots_used(&self) -> usize {
        self.slots.used()
    }

    /// How many cells were pushed out so far.
    pub(crate) fn cells_lost(&self) -> u64 {
        self.lost + self.threads.iter().flatten().map(ThreadClocks::cells_lost).sum::<u64>()
    }

    /// Makes a step that is possible, in the simulation before it.
    pub(crate) fn step(&mut self, simulation: &Simulation, (name, place, step): (u8, u8, TraceStep)) -> Answer {
        let place = place as usize;
        let thread = self.threads[name as usize].as_mut().expect("the thread lives");
        match step {
            TraceStep::Fence(order) => thread.fence(order, &mut self.fence),
            TraceStep::Lock => thread.acquire(&self.mutexes[place]),
            TraceStep::Unlock => thread.replace(&mut self.mutexes[place]),
            TraceStep::Spawn(child) => {
                let mut born = thread.spawn(&mut self.slots).expect("there are enough slots");
                self.pool.lend(&self.table, &mut born);
                self.threads[child as usize] = Some(born);
                self.started += 1;
            }
            TraceStep::Finish => {
                self.pool.give_back(thread);
                self.lost += thread.cells_lost();
                let ended = self.threads[name as usize].take().expect("the thread lives");
                self.ends[name as usize] = Some(ended.finish(&mut self.slots));
            }
            TraceStep::Join(child) => thread.acquire(&self.ends[child as usize].take().unwrap_or_default()),
            TraceStep::Free => {
                self.locations[place] = Location::new(0);
                self.cells[place].clear();
            }
            TraceStep::Plain(direction, mask) => {
                let cells = &self.cells[place];
                let race = thread.plain(cells, &self.table, mask, direction);
                let asked =
                    cells.is_marked(mask).then(|| thread.plain_at(&mut self.locations[place], ATOMIC_BYTES, direction));
                let race = race.or(asked.flatten());
                return Answer { race, violation: None };
            }
            _ => return self.atomic(simulation, name, place, step),
        }
        Answer::default()
    }

    fn atomic(&mut self, simulation: &Simulation, name: u8, at: usize, step: TraceStep) -> Answer {
        let found = simulation.value(at as u8);
        let thread = self.threads[name as usize].as_mut().expect("the thread lives");
        let location = &mut self.locations[at];
        let place = Place(u32::from(name));
        let (violation, direction) = match step {
            TraceStep::Load(order) => (thread.load(location, order), Direction::Read),
            TraceStep::Store(order, value) => (thread.store(location, order, value.into(), place), Direction::Write),
            TraceStep::Rmw(order, value) => (thread.rmw(location, order, value.into(), place), Direction::Write),
            TraceStep::Cas(strength, expected, value, success, failure) => {
                let exchange = CompareExchange { strength, expected: expected.into(), success, failure };
                let written = (found == expected).then_some(value.into());
                let direction = if written.is_some() { Direction::Write } else { Direction::Read };
                (thread.compare_exchange(location, &exchange, written, place), direction)
            }
            TraceStep::Wait(order, value) if found == value => {
                (thread.wait(location, order, value.into()), Direction::Read)
            }
            TraceStep::Wait(order, value) => {
                return Answer { violation: thread.check_wait(location, order, value.into()), race: None };
            }
            TraceStep::BlockingCas(order, expected, value) if found == expected => {
                (thread.blocking_cas(location, order, expected.into(), value.into(), place), Direction::Write)
            }
            TraceStep::BlockingCas(order, expected, _) => {
                let violation = thread.check_blocking_cas(location, order, expected.into());
                return Answer { violation, race: None };
            }
            _ => return Answer::default(),
        };
        let mut race = None;
        if thread.touch(location, direction).is_disturbed {
            let (found, any) = thread.atomic(&self.cells[at], &self.table, ATOMIC_BYTES, direction);
            race = found;
            if !any {
                location.leave_alone();
            }
        }
        Answer { violation, race }
    }
}

/// Atomic accesses are to the first four bytes.
pub(crate) const ATOMIC_BYTES: u8 = 0x0f;

/// Whether a step that was done wrote.
pub(crate) fn direction(step: TraceStep, found: u8) -> Option<Direction> {
    match step {
        TraceStep::Load(_) | TraceStep::Wait(..) => Some(Direction::Read),
        TraceStep::Store(..) | TraceStep::Rmw(..) | TraceStep::BlockingCas(..) => Some(Direction::Write),
        TraceStep::Cas(_, expected, ..) => Some(if found == expected { Direction::Write } else { Direction::Read }),
        _ => None,
    }
}
