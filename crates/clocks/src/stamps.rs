//! Stamps: a thread and a moment in the 22 bits of a shadow cell.
//!
//! A stamp consists of one of 255 numbers and one of 2¹⁴ *ticks*. A thread borrows a number, and each of its moments is one tick; only moments after a release are used. Number and tick identify
//! a moment as long as no other thread gets the same pair, so a number continues where its last owner stopped. Cells of earlier owners no longer count; that can only hide a race. A number whose
//! ticks are used up is not used again until all cells with it have been [removed](Sweep). If there are more than 255 threads, the accesses of a thread without a number are checked but not
//! recorded.

use crate::{Epoch, Slot, ThreadClocks};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

const TICK_BITS: u32 = 14;
/// How many moments a number can stand for.
const TICKS: u64 = 1 << TICK_BITS;
/// A number with fewer ticks left is not lent.
const WORTHWHILE: u64 = 64;
const NUMBERS: usize = 255;
/// In place of a number: no stamp. No cell has it.
const NOTHING: u32 = 255;
const MOMENT_MASK: u64 = (1 << 48) - 1;
const NOBODY: u64 = u64::MAX;

/// The bits of a stamp's number in a cell. The tick, fourteen bits, begins at bit 16.
pub(crate) const NUMBER_MASK: u32 = 0xff00;

/// The stamp of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    number: Option<u8>,
    /// The moment of tick 0. It can be negative (modulo 2⁴⁸).
    base: u64,
    /// The current stamp, as in a cell.
    bits: u32,
    /// A number whose ticks this thread has used up.
    spent: Option<u8>,
    /// How many cells this thread has replaced.
    victims: u64,
}

impl Default for Stamp {
    fn default() -> Self {
        let bits = NOTHING << 8;
        Self { number: None, base: 0, bits, spent: None, victims: 0 }
    }
}

impl Stamp {
    /// From now on, a thread knows this thread's accesses if its clock has reached this moment.
    #[inline]
    pub(crate) fn follow(&mut self, since: Epoch) {
        let Some(number) = self.number else { return };
        let tick = u64::from(since.0).wrapping_sub(self.base) & MOMENT_MASK;
        if tick < TICKS {
            self.bits = (tick as u32) << 16 | u32::from(number) << 8;
        } else {
            self.spent = self.number.take();
            self.bits = NOTHING << 8;
        }
    }

    #[inline]
    pub(crate) fn is_held(&self) -> bool {
        self.number.is_some()
    }

    /// The current stamp, as in a cell.
    #[inline]
    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    /// Whether these bits contain a stamp.
    #[inline]
    pub(crate) fn is_valid(bits: u32) -> bool {
        bits >> 8 & 0xff != NOTHING
    }

    /// Counts a cell that was replaced.
    pub(crate) fn lose(&mut self) {
        self.victims += 1;
    }

    /// The number of the cell to replace, among this many.
    pub(crate) fn pick_victim(&mut self, cells: u64) -> usize {
        self.victims += 1;
        (((self.victims.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) * cells) >> 32) as usize
    }
}

/// The owner of each number. All threads read it, without a lock.
#[derive(Debug)]
pub struct StampTable {
    /// The slot in the upper 16 bits, and the moment of tick 0 below.
    owners: [AtomicU64; NUMBERS],
    /// The first moment for which the owner uses it.
    since: [AtomicU64; NUMBERS],
}

impl Default for StampTable {
    fn default() -> Self {
        Self::new()
    }
}

impl StampTable {
    /// A table in which no number has an owner.
    pub const fn new() -> Self {
        Self { owners: [const { AtomicU64::new(NOBODY) }; NUMBERS], since: [const { AtomicU64::new(0) }; NUMBERS] }
    }

    /// The slot and moment of a cell, and a token that changes when the number gets another owner.
    #[inline]
    pub(crate) fn origin(&self, cell: u32) -> Option<(Slot, Epoch, u64)> {
        let number = (cell >> 8 & 0xff) as usize;
        let owner = self.owners.get(number)?.load(Ordering::Acquire);
        let moment = owner.wrapping_add(u64::from(cell >> 16) & (TICKS - 1)) & MOMENT_MASK;
        let since = self.since[number].load(Ordering::Acquire);
        // The moment of tick 0 can be negative, and then that of an early tick is negative, too.
        let is_later = moment.wrapping_sub(since) & MOMENT_MASK <= MOMENT_MASK / 2;
        (owner != NOBODY && since != NOBODY && is_later).then_some((
            Slot((owner >> 48) as u16),
            Epoch(moment as u32),
            owner,
        ))
    }

    fn assign(&self, number: u8, slot: Slot, base: u64, since: u64) {
        let number = number as usize;
        // Until the new owner is complete, cells with this number count as too old.
        self.since[number].store(NOBODY, Ordering::Release);
        self.owners[number].store(u64::from(slot.0) << 48 | base & MOMENT_MASK, Ordering::Release);
        self.since[number].store(since, Ordering::Release);
    }

    fn forget(&self, number: u8) {
        self.owners[number as usize].store(NOBODY, Ordering::Release);
    }
}

/// Lends numbers. The runtime has one of these, with a lock.
#[derive(Debug)]
pub struct StampPool {
    /// The numbers without an owner, each with its first unused tick; the one that is unused for the longest time comes first.
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

    /// Gives the thread a stamp if it has none and one is free. Returns whether it has one now.
    pub fn lend(&mut self, table: &StampTable, thread: &mut ThreadClocks) -> bool {
        self.collect(thread);
        if thread.stamp.number.is_some() {
            return true;
        }
        let Some((number, tick)) = self.free.pop_front() else { return false };
        let since = u64::from(thread.since.0);
        let base = since.wrapping_sub(tick);
        table.assign(number, thread.slot, base, since);
        let stamp = &mut thread.stamp;
        (stamp.number, stamp.base) = (Some(number), base & MOMENT_MASK);
        stamp.bits = (tick as u32) << 16 | u32::from(number) << 8;
        true
    }

    /// Takes the stamp back, before the thread [finishes](ThreadClocks::finish).
    pub fn give_back(&mut self, thread: &mut ThreadClocks) {
        self.collect(thread);
        let stamp = &mut thread.stamp;
        let Some(number) = stamp.number.take() else { return };
        let next = u64::from(stamp.bits >> 16) + 1;
        stamp.bits = NOTHING << 8;
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

    /// The numbers that are used up, if no number is free. The runtime then applies the sweep to every shadow cell, without holding the pool's lock,
    /// and passes it to [`end_sweep`](Self::end_sweep).
    pub fn begin_sweep(&mut self) -> Option<Sweep> {
        (self.free.is_empty() && !self.spent.is_empty()).then(|| std::mem::take(&mut self.spent))
    }

    /// All cells have been swept: the numbers are free again.
    pub fn end_sweep(&mut self, sweep: &Sweep, table: &StampTable) {
        for number in (0..NUMBERS).map(|number| number as u8).filter(|&number| sweep.contains(number)) {
            table.forget(number);
            self.free.push_back((number, 0));
        }
    }
}

/// Numbers whose cells must be removed before they are used again.
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

    /// Whether this cell has one of the numbers, and must be removed.
    pub(crate) fn removes(&self, cell: u32) -> bool {
        cell & 0xff != 0 && self.contains((cell >> 8) as u8)
    }
}

impl ThreadClocks {
    /// Whether the thread has no stamp. Its plain accesses are then not recorded.
    #[inline]
    pub fn wants_stamp(&self) -> bool {
        !self.stamp.is_held()
    }

    /// How many shadow cells this thread has replaced so far. Each may have hidden a race.
    pub fn cells_lost(&self) -> u64 {
        self.stamp.victims
    }
}
