//! The engine, replaying a trace.

use super::step::{LOCATIONS, Step, THREADS};
use super::world::World;
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

    /// Makes a step that is possible, in the world before it.
    pub(crate) fn step(&mut self, world: &World, (name, place, step): (u8, u8, Step)) -> Answer {
        let place = place as usize;
        let thread = self.threads[name as usize].as_mut().expect("the thread lives");
        match step {
            Step::Fence(order) => thread.fence(order, &mut self.fence),
            Step::Lock => thread.acquire(&self.mutexes[place]),
            Step::Unlock => thread.replace(&mut self.mutexes[place]),
            Step::Spawn(child) => {
                let mut born = thread.spawn(&mut self.slots).expect("there are enough slots");
                self.pool.lend(&self.table, &mut born);
                self.threads[child as usize] = Some(born);
                self.started += 1;
            }
            Step::Finish => {
                self.pool.give_back(thread);
                self.lost += thread.cells_lost();
                let ended = self.threads[name as usize].take().expect("the thread lives");
                self.ends[name as usize] = Some(ended.finish(&mut self.slots));
            }
            Step::Join(child) => thread.acquire(&self.ends[child as usize].take().unwrap_or_default()),
            Step::Free => {
                self.locations[place] = Location::new(0);
                self.cells[place].clear();
            }
            Step::Plain(direction, mask) => {
                let cells = &self.cells[place];
                let race = thread.plain(cells, &self.table, mask, direction);
                let asked =
                    cells.is_marked(mask).then(|| thread.plain_at(&mut self.locations[place], ATOMIC_BYTES, direction));
                let race = race.or(asked.flatten());
                return Answer { race, violation: None };
            }
            _ => return self.atomic(world, name, place, step),
        }
        Answer::default()
    }

    fn atomic(&mut self, world: &World, name: u8, at: usize, step: Step) -> Answer {
        let found = world.value(at as u8);
        let thread = self.threads[name as usize].as_mut().expect("the thread lives");
        let location = &mut self.locations[at];
        let place = Place(u32::from(name));
        let (violation, direction) = match step {
            Step::Load(order) => (thread.load(location, order), Direction::Read),
            Step::Store(order, value) => (thread.store(location, order, value.into(), place), Direction::Write),
            Step::Rmw(order, value) => (thread.rmw(location, order, value.into(), place), Direction::Write),
            Step::Cas(strength, expected, value, success, failure) => {
                let exchange = CompareExchange { strength, expected: expected.into(), success, failure };
                let written = (found == expected).then_some(value.into());
                let direction = if written.is_some() { Direction::Write } else { Direction::Read };
                (thread.compare_exchange(location, &exchange, written, place), direction)
            }
            Step::Wait(order, value) if found == value => (thread.wait(location, order, value.into()), Direction::Read),
            Step::Wait(order, value) => {
                return Answer { violation: thread.check_wait(location, order, value.into()), race: None };
            }
            Step::BlockingCas(order, expected, value) if found == expected => {
                (thread.blocking_cas(location, order, expected.into(), value.into(), place), Direction::Write)
            }
            Step::BlockingCas(order, expected, _) => {
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
pub(crate) fn direction(step: Step, found: u8) -> Option<Direction> {
    match step {
        Step::Load(_) | Step::Wait(..) => Some(Direction::Read),
        Step::Store(..) | Step::Rmw(..) | Step::BlockingCas(..) => Some(Direction::Write),
        Step::Cas(_, expected, ..) => Some(if found == expected { Direction::Write } else { Direction::Read }),
        _ => None,
    }
}
