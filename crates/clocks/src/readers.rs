//! Who has read which write of a location without knowing it in happens-before.
//!
//! Only such reads matter: whoever knows another read knows its write as well.

use crate::clock::Clock;
use crate::{Epoch, Limits, Slot};

/// What one thread has read without knowing it in happens-before.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    slot: Slot,
    /// When each write was first read, and its number; both increase.
    seen: Vec<(Epoch, u64)>,
    /// Whether the last observation was made by an acquiring read.
    acquired: bool,
}

/// All readers of a location. Most have none, and should not be larger for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readers(Option<Box<Several>>);

/// At least one of them.
#[derive(Clone, Debug, Default)]
struct Several {
    all: Vec<Reader>,
}

impl Readers {
    #[inline]
    fn all(&self) -> &[Reader] {
        self.0.as_ref().map_or(&[], |several| &several.all)
    }

    /// Whether the thread has already read this write, and with at least this strength.
    #[inline]
    pub(crate) fn has_read(&self, slot: Slot, number: u64, acquire: bool) -> bool {
        self.all().iter().find(|reader| reader.slot == slot).is_some_and(|reader| {
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
        let all = &mut self.0.get_or_insert_default().all;
        let at = all.iter().position(|reader| reader.slot == slot).unwrap_or_else(|| {
            all.push(Reader { slot, seen: Vec::new(), acquired: false });
            all.len() - 1
        });
        let reader = &mut all[at];
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

    /// How much memory it takes elsewhere.
    pub(crate) fn heap_size(&self) -> usize {
        let seen: usize = self.all().iter().map(|reader| reader.seen.capacity() * size_of::<(Epoch, u64)>()).sum();
        self.0.as_ref().map_or(0, |several| size_of::<Several>() + several.all.capacity() * size_of::<Reader>()) + seen
    }

    /// The newest write that the clock knows to have been read.
    pub(crate) fn newest_known(&self, clock: &Clock) -> u64 {
        let known = |reader: &Reader| {
            let until = clock.get(reader.slot);
            reader.seen.iter().rev().find(|&&(epoch, _)| epoch <= until).map_or(0, |&(_, number)| number)
        };
        self.all().iter().map(known).max().unwrap_or(0)
    }
}
