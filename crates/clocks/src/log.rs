//! The newest writes to a location.

use crate::clock::Clock;
use crate::slots::Births;
use crate::violation::WriteRecord;
use crate::{Epoch, Limits, Place, Slot};

/// A write, packed: half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Entry {
    /// In halves, so that it need not be aligned to sixteen bytes.
    value: [u64; 2],
    pub(crate) epoch: Epoch,
    pub(crate) place: Place,
    pub(crate) slot: Slot,
    flags: u8,
}

const UPDATE: u8 = 1;
const SEQ_CST: u8 = 2;
const RELEASE: u8 = 4;
const INITIAL: u8 = 8;
/// Plain accesses that race with it are reported.
const WATCHED: u8 = 16;

impl Entry {
    pub(crate) fn new(
        slot: Slot,
        epoch: Epoch,
        value: u128,
        place: Place,
        [update, release, seq_cst]: [bool; 3],
    ) -> Self {
        let flags = (u8::from(update) * UPDATE) | (u8::from(seq_cst) * SEQ_CST) | (u8::from(release) * RELEASE);
        Self { value: halves(value), epoch, place, slot, flags }
    }

    /// The initial value. Everybody knows it, because no clock is before its moment.
    pub(crate) fn initial(value: u128) -> Self {
        Self { value: halves(value), epoch: Epoch::default(), place: Place::default(), slot: Slot(0), flags: INITIAL }
    }

    #[inline]
    pub(crate) fn value(&self) -> u128 {
        u128::from(self.value[1]) << 64 | u128::from(self.value[0])
    }

    pub(crate) fn is_update(&self) -> bool {
        self.flags & UPDATE != 0
    }

    pub(crate) fn is_seq_cst(&self) -> bool {
        self.flags & SEQ_CST != 0
    }

    pub(crate) fn watch(&mut self) {
        self.flags |= WATCHED;
    }

    pub(crate) fn is_release(&self) -> bool {
        self.flags & RELEASE != 0
    }

    pub(crate) fn is_initial(&self) -> bool {
        self.flags & INITIAL != 0
    }

    /// Whether the clock knows the write, as a lower bound: rather too much than too little.
    #[inline]
    pub(crate) fn known_to(&self, clock: &Clock) -> bool {
        clock.get(self.slot) >= self.epoch
    }

    /// Whether the clock includes the write and all that its thread knew then: rather too little than too much.
    #[inline]
    pub(crate) fn included_in(&self, clock: &Clock, births: &Births) -> bool {
        self.is_initial()
            || clock.get(self.slot) >= self.epoch && !births.follow(self.slot, self.epoch) && !self.epoch.is_last()
    }

    fn record(&self, number: u64) -> WriteRecord {
        WriteRecord {
            number,
            slot: (!self.is_initial()).then_some(self.slot),
            epoch: self.epoch,
            value: self.value(),
            place: self.place,
            update: self.is_update(),
            release: self.is_release(),
        }
    }
}

fn halves(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

/// The newest writes, by their numbers.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Log {
    newest: u64,
    /// invariant: the write with number `n` is at `n & mask()`, for `oldest() <= n <= newest`. As long as nobody has written, nothing is there.
    entries: Box<[Entry]>,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self { entries: Box::default(), newest: 0 }
    }

    /// The length is a power of two, or nothing is there and whatever is asked for is not found.
    #[inline]
    fn mask(&self) -> u64 {
        (self.entries.len() as u64).wrapping_sub(1)
    }

    #[inline]
    pub(crate) fn newest(&self) -> u64 {
        self.newest
    }

    /// The number of the oldest write that is remembered.
    #[inline]
    pub(crate) fn oldest(&self) -> u64 {
        self.newest.saturating_sub(self.mask())
    }

    /// Adds the entry that follows `last`.
    #[inline]
    pub(crate) fn push(&mut self, last: Entry, entry: Entry, limits: Limits) {
        self.newest += 1;
        if self.newest >= self.entries.len() as u64 {
            self.grow(last, limits);
        }
        let at = (self.newest & self.mask()) as usize;
        if let Some(place) = self.entries.get_mut(at) {
            *place = entry;
        }
    }

    /// Makes room for more, as long as there are fewer than the limits allow. `last` is the newest entry so far.
    #[inline]
    fn grow(&mut self, last: Entry, limits: Limits) {
        let limit = limits.writes.clamp(1, 1 << 40).next_power_of_two();
        if self.entries.len() < limit {
            self.lengthen(last, limit);
        }
    }

    #[cold]
    fn lengthen(&mut self, last: Entry, limit: usize) {
        let mut entries = std::mem::take(&mut self.entries).into_vec();
        let length = (entries.len() * 2).max(4).min(limit);
        entries.reserve_exact(length - entries.len());
        entries.resize(length, last);
        self.entries = entries.into_boxed_slice();
    }

    /// Asks for the place of the next entry.
    #[inline]
    pub(crate) fn fetch_soon(&self) {
        if let Some(place) = self.entries.get(((self.newest + 1) & self.mask()) as usize) {
            crate::fetch::soon(place);
        }
    }

    /// The write with this number, if it is remembered.
    #[inline]
    pub(crate) fn get(&self, number: u64) -> Option<&Entry> {
        if number < self.oldest() {
            return None;
        }
        self.entries.get((number & self.mask()) as usize)
    }

    /// Plain accesses that race with the newest write are reported.
    #[inline]
    pub(crate) fn watch_newest(&mut self) {
        let at = (self.newest & self.mask()) as usize;
        if let Some(entry) = self.entries.get_mut(at) {
            entry.watch();
        }
    }

    /// The newest write that is watched and for which the test holds.
    pub(crate) fn newest_watched(&self, test: impl Fn(&Entry) -> bool) -> Option<&Entry> {
        let mut newest_first = (self.oldest()..=self.newest).rev().filter_map(|number| self.get(number));
        newest_first.find(|entry| entry.flags & WATCHED != 0 && test(entry))
    }

    /// How much memory it takes elsewhere.
    pub(crate) fn heap_size(&self) -> usize {
        self.entries.len() * size_of::<Entry>()
    }

    pub(crate) fn record(&self, number: u64) -> Option<WriteRecord> {
        self.get(number).map(|entry| entry.record(number))
    }
}
