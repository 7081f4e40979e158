//! The newest writes to a location, and who has read them.

use crate::clock::Clock;
use crate::violation::WriteRecord;
use crate::{Epoch, Limits, Place, Slot};

/// A write, packed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) value: u128,
    pub(crate) epoch: Epoch,
    pub(crate) place: Place,
    pub(crate) slot: Slot,
    flags: u8,
}

const UPDATE: u8 = 1;
const SEQ_CST: u8 = 2;
const RELEASE: u8 = 4;
const INITIAL: u8 = 8;

impl Entry {
    pub(crate) fn new(
        slot: Slot,
        epoch: Epoch,
        value: u128,
        place: Place,
        [update, release, seq_cst]: [bool; 3],
    ) -> Self {
        let flags = (u8::from(update) * UPDATE) | (u8::from(seq_cst) * SEQ_CST) | (u8::from(release) * RELEASE);
        Self { value, epoch, place, slot, flags }
    }

    /// The initial value. Everybody knows it, because no clock is before its moment.
    pub(crate) fn initial(value: u128) -> Self {
        Self { value, epoch: Epoch::default(), place: Place::default(), slot: Slot(0), flags: INITIAL }
    }

    pub(crate) fn is_update(&self) -> bool {
        self.flags & UPDATE != 0
    }

    pub(crate) fn is_seq_cst(&self) -> bool {
        self.flags & SEQ_CST != 0
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
    pub(crate) fn included_in(&self, clock: &Clock) -> bool {
        self.is_initial() || clock.includes(self.slot, self.epoch)
    }

    fn record(&self, number: u64) -> WriteRecord {
        WriteRecord {
            number,
            slot: (!self.is_initial()).then_some(self.slot),
            epoch: self.epoch,
            value: self.value,
            place: self.place,
            update: self.is_update(),
            release: self.flags & RELEASE != 0,
        }
    }
}

/// The newest writes, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    /// invariant: the write with number `n` is at `n & mask`, for `oldest() <= n <= newest`.
    entries: Vec<Entry>,
    mask: u64,
    newest: u64,
}

impl Log {
    pub(crate) fn new(initial: u128, limits: Limits) -> Self {
        let capacity = limits.writes.clamp(1, 1 << 40).next_power_of_two();
        Self { entries: vec![Entry::initial(initial)], mask: capacity as u64 - 1, newest: 0 }
    }

    #[inline]
    pub(crate) fn newest(&self) -> u64 {
        self.newest
    }

    /// The number of the oldest write that is remembered.
    #[inline]
    pub(crate) fn oldest(&self) -> u64 {
        self.newest.saturating_sub(self.mask)
    }

    #[inline]
    pub(crate) fn push(&mut self, entry: Entry) {
        self.newest += 1;
        match self.entries.get_mut((self.newest & self.mask) as usize) {
            Some(place) => *place = entry,
            None => self.entries.push(entry),
        }
    }

    /// The write with this number, if it is remembered.
    #[inline]
    pub(crate) fn get(&self, number: u64) -> Option<&Entry> {
        if number < self.oldest() {
            return None;
        }
        self.entries.get((number & self.mask) as usize)
    }

    pub(crate) fn record(&self, number: u64) -> Option<WriteRecord> {
        self.get(number).map(|entry| entry.record(number))
    }
}

/// What one thread has read without knowing it in happens-before.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    slot: Slot,
    /// The last moment of each observation's beginning and the number of the write, both increasing.
    seen: Vec<(Epoch, u64)>,
    /// Whether the last observation was made by an acquiring read.
    acquired: bool,
}

/// All readers of a location.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readers(Vec<Reader>);

impl Readers {
    /// Whether the thread has already read this write, and with at least this strength.
    #[inline]
    pub(crate) fn has_read(&self, slot: Slot, number: u64, acquire: bool) -> bool {
        self.0.iter().find(|reader| reader.slot == slot).is_some_and(|reader| {
            reader.seen.last().is_some_and(|&(_, seen)| seen == number) && (reader.acquired || !acquire)
        })
    }

    /// Remembers that the thread has read this write. Writes before `oldest` are forgotten anyway.
    pub(crate) fn observe(
        &mut self,
        slot: Slot,
        epoch: Epoch,
        number: u64,
        acquire: bool,
        oldest: u64,
        limits: Limits,
    ) {
        let at = self.0.iter().position(|reader| reader.slot == slot).unwrap_or_else(|| {
            self.0.push(Reader { slot, seen: Vec::new(), acquired: false });
            self.0.len() - 1
        });
        let reader = &mut self.0[at];
        reader.acquired = acquire || (reader.acquired && reader.seen.last().is_some_and(|&(_, seen)| seen == number));
        if reader.seen.last().is_some_and(|&(_, seen)| seen == number) {
            return;
        }
        reader.seen.retain(|&(_, seen)| seen >= oldest);
        if reader.seen.len() >= limits.observations.max(1) {
            // The two oldest become one that began with the first and saw the second: too much is known, and that is harmless.
            if let [first, second, ..] = &mut reader.seen[..] {
                second.0 = first.0;
                reader.seen.remove(0);
            } else {
                reader.seen[0].1 = number;
                return;
            }
        }
        reader.seen.push((epoch, number));
    }

    /// The newest write that the clock knows to have been read, if that is a number in `from..`.
    pub(crate) fn newest_known(&self, clock: &Clock) -> u64 {
        let known = |reader: &Reader| {
            let until = clock.get(reader.slot);
            reader.seen.iter().rev().find(|&&(epoch, _)| epoch <= until).map_or(0, |&(_, number)| number)
        };
        self.0.iter().map(known).max().unwrap_or(0)
    }
}
