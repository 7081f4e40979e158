//! The newest writes to a location.

use crate::body::{Body, Shape};
use crate::clock::{Clock, LANE, Lane};
use crate::location::Written;
use crate::rows::{ALWAYS, WITH_FENCES};
use crate::slots::SlotStarts;
use crate::violation::WriteRecord;
use crate::{Epoch, Limits, Place, Slot, ThreadClocks};
use std::array;

/// The thread, moment and kind of a write: everything that most accesses need of the newest write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Author {
    epoch: Epoch,
    /// The slot, and above it [flags](UPDATE).
    thread: u32,
}

const UPDATE: u32 = 1 << 16;
const SEQ_CST: u32 = 2 << 16;
const RELEASE: u32 = 4 << 16;
const INITIAL: u32 = 8 << 16;
/// Plain accesses that race with it are reported.
const WATCHED: u32 = 16 << 16;
/// It is a read-modify-write whose read half acquires.
const ACQUIRE: u32 = 32 << 16;

impl Author {
    pub(crate) fn new(slot: Slot, epoch: Epoch, written: &Written) -> Self {
        let update = written.update.map_or(0, |acquire| UPDATE | (u32::from(acquire) * ACQUIRE));
        let flags = update | (u32::from(written.seq_cst) * SEQ_CST) | (u32::from(written.release) * RELEASE);
        Self { epoch, thread: u32::from(slot.0) | flags }
    }

    /// The author of the initial value. All clocks know it, because none is before its moment.
    pub(crate) fn initial() -> Self {
        Self { epoch: Epoch::default(), thread: INITIAL }
    }

    /// The author of an unobserved write. No clock includes it, so every thread learns what is kept of the writes before it.
    pub(crate) fn unnoticed() -> Self {
        Self { epoch: Epoch(u32::MAX), thread: u32::from(u16::MAX) | SEQ_CST }
    }

    #[inline]
    pub(crate) fn slot(self) -> Slot {
        Slot(self.thread as u16)
    }

    #[inline]
    pub(crate) fn epoch(self) -> Epoch {
        self.epoch
    }

    fn flag(self, flag: u32) -> bool {
        self.thread & flag != 0
    }

    pub(crate) fn is_update(self) -> bool {
        self.flag(UPDATE)
    }

    pub(crate) fn is_seq_cst(self) -> bool {
        self.flag(SEQ_CST)
    }

    pub(crate) fn is_release(self) -> bool {
        self.flag(RELEASE)
    }

    pub(crate) fn is_initial(self) -> bool {
        self.flag(INITIAL)
    }

    /// Whether the clock knows the write. If in doubt, it does.
    #[inline]
    pub(crate) fn known_to(self, clock: &Clock) -> bool {
        clock.get(self.slot()) >= self.epoch
    }

    /// Whether the clock includes the write and everything that its thread knew then. If in doubt, it does not.
    #[inline]
    pub(crate) fn included_in(self, clock: &Clock, slot_starts: &SlotStarts) -> bool {
        self.is_initial()
            || clock.get(self.slot()) >= self.epoch
                && !slot_starts.may_predate(self.slot(), self.epoch)
                && !self.epoch.is_last()
    }
}

/// A write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) author: Author,
    pub(crate) place: Place,
    pub(crate) value: u128,
}

impl Entry {
    /// How many words a write takes if its value fits into one word.
    pub(crate) const SHORT: usize = 4;
    /// How many words any other write takes.
    const LONG: usize = LANE;

    /// How many words a write of this value takes.
    #[inline]
    fn stride(value: u128) -> usize {
        if value >> 32 == 0 { Self::SHORT } else { Self::LONG }
    }

    /// The write as words. Usually only the first four are not zero.
    #[inline]
    fn words(&self) -> Lane {
        let Author { epoch, thread } = self.author;
        let value = |number: u32| (self.value >> (32 * number)) as u32;
        [epoch.0, thread, self.place.0, value(0), value(1), value(2), value(3), 0]
    }

    #[inline]
    fn from_words([epoch, thread, place, value @ .., _]: Lane) -> Self {
        let value = value.iter().rev().fold(0, |value, &word| value << 32 | u128::from(word));
        Self { author: Author { epoch: Epoch(epoch), thread }, place: Place(place), value }
    }

    fn record(&self, number: u64) -> WriteRecord {
        WriteRecord {
            number,
            slot: (!self.author.is_initial()).then_some(self.author.slot()),
            epoch: self.author.epoch(),
            value: self.value,
            place: self.place,
            update: self.author.is_update(),
            acquire: self.author.flag(ACQUIRE),
            release: self.author.is_release(),
            seq_cst: self.author.is_seq_cst(),
        }
    }
}

/// The initial value of a location. In halves, so that it need not be aligned to sixteen bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Initial([u64; 2]);

impl Initial {
    pub(crate) fn new(value: u128) -> Self {
        Self([value as u64, (value >> 64) as u64])
    }

    fn value(self) -> u128 {
        u128::from(self.0[1]) << 64 | u128::from(self.0[0])
    }
}

/// The newest writes, by their numbers. The write with number `n` is at `n & mask()`, for `oldest() <= n <= newest`. Before the first write, the log is empty.
impl Body {
    /// The length is a power of two, or zero; then nothing is found.
    #[inline]
    fn mask(&self) -> u64 {
        (self.capacity() as u64).wrapping_sub(1)
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

    /// Makes room for a write of this value by this thread. (The initial value is passed by reference, because it is in another cache line and seldom needed.)
    #[inline]
    pub(crate) fn make_room(&mut self, initial: &Initial, value: u128, thread: &ThreadClocks) {
        if self.is_full(thread.settings.limits) || Entry::stride(value) > self.stride() {
            self.lengthen(initial, value, thread);
        }
    }

    /// Whether another write would replace one although the log may still grow.
    #[inline]
    fn is_full(&self, limits: Limits) -> bool {
        self.newest + 1 >= self.capacity() as u64 && self.capacity() < most(limits)
    }

    /// Grows at once to the expected final shape: other threads will access the location, with clocks at least as long as this thread's.
    #[cold]
    #[inline(never)]
    fn lengthen(&mut self, initial: &Initial, value: u128, thread: &ThreadClocks) {
        let (old, limits) = (self.shape(), thread.settings.limits);
        let rows = if thread.has_fences() { WITH_FENCES } else { ALWAYS };
        let lanes = thread.slot_starts.lanes().min(FORESEEN).max(thread.before.lanes().len());
        self.reshape(Shape {
            rows: old.rows.max(rows),
            width: old.width.max(lanes),
            capacity: if self.is_full(limits) { (old.capacity * 2).max(8).min(most(limits)) } else { old.capacity },
            stride: old.stride.max(Entry::stride(value)).max(Entry::stride(initial.value())),
        });
        if old.capacity == 0 {
            self.put(0, &Entry { author: Author::initial(), place: Place::default(), value: initial.value() });
        }
    }

    /// Adds an entry, for which there is [room](Self::make_room).
    #[inline]
    pub(crate) fn push(&mut self, entry: &Entry) {
        self.newest += 1;
        self.put(self.newest, entry);
    }

    #[inline]
    fn put(&mut self, number: u64, entry: &Entry) {
        let at = (number & self.mask()) as usize;
        let new = entry.words();
        if let Some(words) = self.logged_mut(at) {
            // As arrays, so that copying compiles to one instruction and not to a call.
            if let Some(long) = words.first_chunk_mut() {
                *long = new;
            } else if let (Some(short), Some(from)) = (words.first_chunk_mut::<{ Entry::SHORT }>(), new.first_chunk()) {
                *short = *from;
            }
        }
    }

    /// The write with this number, if it is remembered.
    #[inline]
    pub(crate) fn write(&self, number: u64) -> Option<Entry> {
        if number < self.oldest() {
            return None;
        }
        let words = self.logged((number & self.mask()) as usize)?;
        Some(Entry::from_words(array::from_fn(|at| words.get(at).copied().unwrap_or(0))))
    }

    /// Plain accesses that race with the newest write are reported.
    #[inline]
    pub(crate) fn watch_newest(&mut self) {
        let at = (self.newest & self.mask()) as usize;
        if let Some([_, thread, ..]) = self.logged_mut(at) {
            *thread |= WATCHED;
        }
    }

    /// The newest watched write for which the test holds.
    pub(crate) fn newest_watched(&self, test: impl Fn(&Entry) -> bool) -> Option<Entry> {
        let mut newest_first = (self.oldest()..=self.newest).rev().filter_map(|number| self.write(number));
        newest_first.find(|entry| entry.author.flag(WATCHED) && test(entry))
    }

    pub(crate) fn record(&self, number: u64) -> Option<WriteRecord> {
        self.write(number).map(|entry| entry.record(number))
    }
}

/// How many lanes a row gets in advance. With more threads, most threads may never access most locations.
const FORESEEN: usize = 8;

/// The maximum number of writes in the log.
#[inline]
fn most(limits: Limits) -> usize {
    limits.writes.clamp(1, 1 << 30).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, Slots};

    #[test]
    fn large_values_have_room_beside_small_ones() {
        let thread = ThreadClocks::first(Settings::default(), &mut Slots::new()).unwrap();
        for large_at in 0..=20 {
            let value = |number: u64| if number == large_at { u128::MAX - 5 } else { u128::from(number) };
            let mut body = Body::new();
            for number in 1..20 {
                body.make_room(&Initial::new(value(0)), value(number), &thread);
                let written = Written {
                    value: value(number),
                    place: Place(3),
                    release: false,
                    seq_cst: true,
                    update: Some(true),
                };
                let author = Author::new(Slot(7), Epoch(number as u32), &written);
                body.push(&Entry { author, place: Place(3), value: value(number) });
                let remembered: Vec<_> = (body.oldest()..=number).filter_map(|number| body.record(number)).collect();
                assert_eq!(remembered.len() as u64, (number + 1).min(8));
                assert!(remembered.iter().all(|write| write.value == value(write.number)), "{remembered:?}");
                assert!(
                    remembered
                        .iter()
                        .all(|write| write.number == 0 || write.slot == Some(Slot(7)) && write.update && write.acquire)
                );
            }
            assert_eq!((body.write(11), body.stride() == Entry::LONG), (None, large_at < 20));
        }
    }
}
