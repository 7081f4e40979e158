//! Plain accesses over a long run: stamps are used up, swept and used again, there are more threads than stamps, and nothing is invented.

use steadfast_clocks::{
    Cells, Direction, FenceOrder, Location, Place, ReadOrder, ScFence, Settings, Slots, StampPool, StampTable,
    Supported, SyncClock, ThreadClocks, WriteOrder,
};
use steadfast_random::Rng;

const MUTEXES: usize = 8;
const CELLS: usize = 4;

struct Program {
    slots: Slots,
    table: StampTable,
    pool: StampPool,
    threads: Vec<ThreadClocks>,
    mutexes: Vec<(SyncClock, [Cells; CELLS])>,
    rng: Rng,
    sweeps: u32,
}

impl Program {
    fn new(threads: usize) -> Self {
        let mut slots = Slots::new();
        let mut all = vec![ThreadClocks::first(Settings::default(), &mut slots).unwrap()];
        while all.len() < threads {
            let child = all[0].spawn(&mut slots).unwrap();
            all.push(child);
        }
        let mutexes = (0..MUTEXES).map(|_| (SyncClock::new(), Default::default())).collect();
        let (table, pool) = (StampTable::new(), StampPool::new());
        Self { slots, table, pool, threads: all, mutexes, rng: Rng::new(1), sweeps: 0 }
    }

    fn lend(&mut self, thread: usize) -> bool {
        if self.pool.lend(&self.table, &mut self.threads[thread]) {
            return true;
        }
        if let Some(sweep) = self.pool.begin_sweep() {
            self.mutexes.iter().flat_map(|(_, cells)| cells).for_each(|cells| cells.sweep(&sweep));
            self.pool.end_sweep(&sweep, &self.table);
            self.sweeps += 1;
        }
        self.pool.lend(&self.table, &mut self.threads[thread])
    }

    /// A thread does something under a lock.
    fn step(&mut self) {
        let thread = self.rng.below(self.threads.len());
        if self.threads[thread].wants_stamp() {
            self.lend(thread);
        }
        let (mutex, at, write) = (self.rng.below(MUTEXES), self.rng.below(CELLS), self.rng.below(2) == 0);
        let (clocks, (mutex, cells)) = (&mut self.threads[thread], &mut self.mutexes[mutex]);
        clocks.acquire(mutex);
        let direction = if write { Direction::Write } else { Direction::Read };
        assert_eq!(clocks.plain(&cells[at], &self.table, 0xff, direction), None);
        clocks.replace(mutex);
    }

    /// A thread ends and another one begins.
    fn change_thread(&mut self) {
        let thread = 1 + self.rng.below(self.threads.len() - 1);
        let mut old = self.threads.swap_remove(thread);
        self.pool.give_back(&mut old);
        let end = old.finish(&mut self.slots);
        if self.rng.below(2) == 0 {
            self.threads[0].acquire(&end);
        }
        let creator = self.rng.below(self.threads.len());
        let new = self.threads[creator].spawn(&mut self.slots).unwrap();
        self.threads.push(new);
    }
}

#[test]
fn stamps_are_used_again_and_nothing_is_invented() {
    let mut program = Program::new(4);
    for number in 0..6_000_000_u32 {
        program.step();
        if number.is_multiple_of(100_000) {
            program.change_thread();
        }
    }
    assert!(program.sweeps > 0);
    // After all that, a race is still found.
    let cells = Cells::default();
    assert!(program.lend(0) && program.lend(1));
    assert_eq!(program.threads[0].plain(&cells, &program.table, 0x0f, Direction::Write), None);
    assert_eq!(program.threads[1].plain(&cells, &program.table, 0xf0, Direction::Write), None);
    let race = program.threads[1].plain(&cells, &program.table, 0x01, Direction::Read).unwrap();
    assert_eq!((race.slot, race.mask, race.direction), (program.threads[0].slot(), 0x0f, Direction::Write));
}

#[test]
fn a_thousand_threads_share_the_stamps() {
    let mut program = Program::new(1_000);
    for number in 0..60_000_u32 {
        program.step();
        if number.is_multiple_of(20) {
            program.change_thread();
        }
    }
}

/// A stamp that comes after a release does not make earlier what happens after it.
#[test]
fn a_late_stamp_does_not_hide_a_race() {
    let mut program = Program::new(2);
    let (mut mutex, cells) = (SyncClock::new(), Cells::default());
    let [first, second] = &mut program.threads[..] else { unreachable!() };
    first.replace(&mut mutex);
    second.acquire(&mutex);
    first.acquire(&SyncClock::new());
    let mut location = Location::new(0);
    first.store(&mut location, WriteOrder::Relaxed, 1, Place(1));
    assert!(program.pool.lend(&program.table, first) && program.pool.lend(&program.table, second));
    assert_eq!(first.plain(&cells, &program.table, 0xff, Direction::Write), None);
    assert!(second.plain(&cells, &program.table, 0xff, Direction::Write).is_some());
}

/// The read of one thread, a `seq_cst` fence of each, and then the write of the other: the fences order them where they share something.
#[test]
fn shared_fences_order_plain_accesses() {
    let (mut slots, table, mut pool) = (Slots::new(), StampTable::new(), StampPool::new());
    let (mut fence, cells) = (ScFence::new(), Cells::default());
    let mut first = ThreadClocks::first(Settings::of(Supported::Rc20), &mut slots).unwrap();
    let mut second = first.spawn(&mut slots).unwrap();
    assert!(pool.lend(&table, &mut first) && pool.lend(&table, &mut second));
    assert_eq!(first.plain(&cells, &table, 0xff, Direction::Read), None);
    first.fence(FenceOrder::SeqCst, &mut fence);
    second.fence(FenceOrder::SeqCst, &mut fence);
    assert_eq!(second.plain(&cells, &table, 0xff, Direction::Write), None);
}

/// Atomic accesses are remembered beside the cells, and plain ones find them there.
#[test]
fn plain_accesses_race_with_atomic_ones() {
    for (direction, races) in [(Direction::Read, false), (Direction::Write, true)] {
        let (mut slots, table, mut pool) = (Slots::new(), StampTable::new(), StampPool::new());
        let (mut location, cells) = (Location::new(0), Cells::default());
        let mut first = ThreadClocks::first(Settings::default(), &mut slots).unwrap();
        let mut second = first.spawn(&mut slots).unwrap();
        assert!(pool.lend(&table, &mut first) && pool.lend(&table, &mut second));
        first.load(&mut location, ReadOrder::Acquire);
        assert!(first.touch(&mut location, Direction::Read).is_disturbed);
        assert_eq!(first.atomic(&cells, &table, 0x0f, Direction::Read), (None, false));
        location.leave_alone();
        assert!(!first.touch(&mut location, Direction::Read).is_disturbed);
        assert!(cells.is_marked(0xff) && !cells.is_marked(0xf0));
        assert_eq!(second.plain(&cells, &table, 0x0f, direction), None);
        let race = second.plain_at(&mut location, 0x0f, direction);
        assert_eq!(race.map(|race| (race.slot, race.atomic)), races.then_some((first.slot(), true)));
        // Now there is something to look at, and a write races with either.
        first.store(&mut location, WriteOrder::Release, 1, Place(7));
        assert!(first.touch(&mut location, Direction::Write).is_disturbed);
        assert!(first.atomic(&cells, &table, 0x0f, Direction::Write).0.is_some());
        assert_eq!(second.plain_at(&mut location, 0x0f, direction).unwrap().place, Some(Place(7)));
    }
}

/// A young thread gets a number with more ticks used than the thread has rounds. What the earlier borrower did is not taken for something that it will do at the end of time.
#[test]
fn cells_of_an_earlier_borrower_are_nobodys() {
    let mut program = Program::new(3);
    let (mut mutex, cells) = (SyncClock::new(), Cells::default());
    let Program { threads, pool, table, .. } = &mut program;
    let [first, second, third] = &mut threads[..] else { unreachable!() };
    assert!(pool.lend(table, first));
    for _ in 0..1000 {
        assert_eq!(first.plain(&Cells::default(), table, 0xff, Direction::Write), None);
        first.replace(&mut mutex);
        if cells.0[0].load(std::sync::atomic::Ordering::Relaxed) == 0 {
            assert_eq!(first.plain(&cells, table, 0xff, Direction::Write), None);
        }
    }
    pool.give_back(first);
    // All other numbers come first.
    for _ in 0..254 {
        assert!(pool.lend(table, first));
        pool.give_back(first);
    }
    assert!(pool.lend(table, second) && pool.lend(table, third));
    assert_eq!(third.plain(&cells, table, 0xff, Direction::Write), None);
}
