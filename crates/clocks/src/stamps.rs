//! Stamps: how a thread and a round fit into the 22 bits of a shadow cell.
//!
//! A stamp is one of 255 numbers together with 2¹⁴ *ticks*. A thread borrows a number, and each of its rounds is one tick. Tick and number name a round as long as nobody else
//! gets the same pair, so a number goes on where its last borrower stopped. Cells of earlier borrowers are not looked at any more: that can only hide a race. A number whose ticks are used up
//! rests until all cells with it have been [swept](Sweep) away. A thread that gets none (there are more than 255) is only checked, not remembered.

use crate::{Epoch, Slot, ThreadClocks};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

const TICK_BITS: u32 = 14;
/// How many rounds a number can name.
const TICKS: u64 = 1 << TICK_BITS;
/// A number with fewer ticks than this left is not worth borrowing.
const WORTHWHILE: u64 = 64;
const NUMBERS: usize = 255;
/// Stands for no stamp; no cell has it.
const NOTHING: u32 = 255;
const ROUND_MASK: u64 = (1 << 48) - 1;
const NOBODY: u64 = u64::MAX;

/// The place of a stamp's number in a cell. The tick, fourteen bits, begins at bit 16.
pub(crate) const NUMBER_MASK: u32 = 0xff00;

/// The stamp of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    number: Option<u8>,
    /// The round of tick 0; it can be before the beginning of time.
    base: u64,
    /// The current stamp as it stands in a cell.
    bits: u32,
    /// The stamp of the last atomic access.
    kept: u32,
    /// Whether something of the current round has been released.
    closed: bool,
    /// A number whose ticks this thread has used up.
    spent: Option<u8>,
    /// How many cells this thread has pushed out.
    victims: u64,
}

impl Default for Stamp {
    fn default() -> Self {
        let bits = NOTHING << 8;
        Self { number: None, base: 0, bits, kept: bits, closed: false, spent: None, victims: 0 }
    }
}

impl Stamp {
    /// The thread is now in the round of this moment.
    #[inline]
    pub(crate) fn follow(&mut self, now: Epoch) {
        let Some(number) = self.number else { return };
        let tick = now.round().wrapping_sub(self.base) & ROUND_MASK;
        if tick < TICKS {
            self.bits = (tick as u32) << 16 | u32::from(number) << 8;
        } else {
            self.spent = self.number.take();
            self.bits = NOTHING << 8;
        }
    }

    /// A round begins of which nothing has been released.
    #[inline]
    pub(crate) fn open(&mut self) {
        self.closed = false;
    }

    #[inline]
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    #[inline]
    pub(crate) fn is_held(&self) -> bool {
        self.number.is_some()
    }

    #[inline]
    pub(crate) fn keep(&mut self) {
        self.kept = self.bits;
    }

    /// The current stamp in a cell, or the one of the last atomic access.
    #[inline]
    pub(crate) fn bits(&self, atomic: bool) -> u32 {
        if atomic { self.kept } else { self.bits }
    }

    /// Whether these bits are a stamp at all.
    #[inline]
    pub(crate) fn is_valid(bits: u32) -> bool {
        bits >> 8 & 0xff != NOTHING
    }

    /// Which of four cells must go.
    pub(crate) fn pick_victim(&mut self) -> usize {
        self.victims += 1;
        (self.victims.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62) as usize
    }
}

/// Who has which number. All threads read it, without a lock.
#[derive(Debug)]
pub struct StampTable {
    /// Slot in the upper 16 bits, the round of tick 0 below.
    owners: [AtomicU64; NUMBERS],
    /// The first round that the owner used it for.
    since: [AtomicU64; NUMBERS],
}

impl Default for StampTable {
    fn default() -> Self {
        Self::new()
    }
}

impl StampTable {
    /// Nobody has a number.
    pub const fn new() -> Self {
        Self { owners: [const { AtomicU64::new(NOBODY) }; NUMBERS], since: [const { AtomicU64::new(0) }; NUMBERS] }
    }

    /// The slot and the round that a cell stands for, and a token that changes when the number gets another owner.
    #[inline]
    pub(crate) fn origin(&self, cell: u32) -> Option<(Slot, u64, u64)> {
        let number = (cell >> 8 & 0xff) as usize;
        let owner = self.owners.get(number)?.load(Ordering::Acquire);
        let round = owner.wrapping_add(u64::from(cell >> 16) & (TICKS - 1)) & ROUND_MASK;
        let since = self.since[number].load(Ordering::Acquire);
        // The round of tick 0 can be before the beginning of time, and then that of an early tick is, too.
        let is_later = round.wrapping_sub(since) & ROUND_MASK <= ROUND_MASK / 2;
        (owner != NOBODY && since != NOBODY && is_later).then_some((Slot((owner >> 48) as u16), round, owner))
    }

    fn assign(&self, number: u8, slot: Slot, base: u64, since: u64) {
        let number = number as usize;
        // In between, cells with this number count as too old.
        self.since[number].store(NOBODY, Ordering::Release);
        self.owners[number].store(u64::from(slot.0) << 48 | base & ROUND_MASK, Ordering::Release);
        self.since[number].store(since, Ordering::Release);
    }

    fn forget(&self, number: u8) {
        self.owners[number as usize].store(NOBODY, Ordering::Release);
    }
}

/// Lends numbers. The runtime keeps one of these, with a lock.
#[derive(Debug)]
pub struct StampPool {
    /// Numbers that nobody has, with their first unused tick, the longest unused first.
    free: VecDeque<(u8, u64)>,
    spent: Sweep,
}

impl Default for StampPool {
    fn default() -> Self {
        Self { free: (0..NUMBERS).map(|number| (number as u8, 0)).collect(), spent: Sweep::default() }
    }
}

impl StampPool {
    /// All numbers are free.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the thread a stamp if it has none and one is free. Says whether it has one now.
    pub fn lend(&mut self, table: &StampTable, thread: &mut ThreadClocks) -> bool {
        self.collect(thread);
        if thread.stamp.number.is_some() {
            return true;
        }
        let Some((number, tick)) = self.free.pop_front() else { return false };
        thread.open_round();
        let round = thread.now.round();
        let base = round.wrapping_sub(tick);
        table.assign(number, thread.slot, base, round);
        let stamp = &mut thread.stamp;
        (stamp.number, stamp.base) = (Some(number), base & ROUND_MASK);
        stamp.bits = (tick as u32) << 16 | u32::from(number) << 8;
        stamp.kept = stamp.bits;
        true
    }

    /// Takes the stamp back, before the thread [finishes](ThreadClocks::finish).
    pub fn give_back(&mut self, thread: &mut ThreadClocks) {
        self.collect(thread);
        let stamp = &mut thread.stamp;
        let Some(number) = stamp.number.take() else { return };
        let next = u64::from(stamp.bits >> 16) + 1;
        stamp.bits = NOTHING << 8;
        stamp.kept = stamp.bits;
        if next + WORTHWHILE < TICKS {
            self.free.push_back((number, next));
        } else {
            self.spent.insert(number);
        }
    }

    fn collect(&mut self, thread: &mut ThreadClocks) {
        if let Some(number) = thread.stamp.spent.take() {
            self.spent.insert(number);
        }
    }

    /// The numbers that are used up, if it is time to sweep: nothing is free. The runtime lets the sweep clean every shadow cell there is, without holding the pool's lock,
    /// and hands it to [`end_sweep`](Self::end_sweep).
    pub fn begin_sweep(&mut self) -> Option<Sweep> {
        (self.free.is_empty() && !self.spent.is_empty()).then(|| std::mem::take(&mut self.spent))
    }

    /// All cells have been cleaned.
    pub fn end_sweep(&mut self, sweep: &Sweep, table: &StampTable) {
        for number in (0..NUMBERS).map(|number| number as u8).filter(|&number| sweep.contains(number)) {
            table.forget(number);
            self.free.push_back((number, 0));
        }
    }
}

/// Numbers that wait for their cells to be cleaned.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    numbers: [u64; 4],
}

impl Sweep {
    fn insert(&mut self, number: u8) {
        self.numbers[number as usize / 64] |= 1 << (number % 64);
    }

    fn is_empty(&self) -> bool {
        self.numbers == [0; 4]
    }

    fn contains(&self, number: u8) -> bool {
        self.numbers[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// What must become of this cell: nothing, if it has one of these numbers.
    pub(crate) fn removes(&self, cell: u32) -> bool {
        cell & 0xff != 0 && self.contains((cell >> 8) as u8)
    }
}

impl ThreadClocks {
    /// Whether the thread could use a stamp: it has none, so that its plain accesses are not remembered.
    #[inline]
    pub fn wants_stamp(&self) -> bool {
        !self.stamp.is_held()
    }

    /// How many shadow cells this thread has pushed out so far, and with them perhaps a race.
    pub fn cells_lost(&self) -> u64 {
        self.stamp.victims
    }
}
