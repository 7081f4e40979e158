//! The reads of a location by threads that do not know the write in happens-before.
//!
//! Only these reads matter: a thread that knows another read also knows its write.

use crate::clock::Clock;
use crate::{Epoch, Limits, Slot};

/// The reads of one thread that does not know the writes in happens-before.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    slot: Slot,
    /// When each write was first read, and the number of the write. Both increase.
    seen: Vec<(Epoch, u64)>,
    /// Whether the last of these reads was an acquire read.
    acquired: bool,
}

/// All readers of a location. Most locations have none, so an empty list takes only one word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readers(Option<Box<ReaderList>>);

/// A list that is not empty.
#[derive(Clone, Debug, Default)]
struct ReaderList {
    all: Vec<Reader>,
}

impl Readers {
    #[inline]
    fn all(&self) -> &[Reader] {
        self.0.as_ref().map_or(&[], |list| &list.all)
    }

    /// Whether the thread has already read this write, at least as strongly.
    #[inline]
    pub(crate) fn has_read(&self, slot: Slot, number: u64, acquire: bool) -> bool {
        self.all().iter().find(|reader| reader.slot == slot).is_some_and(|reader| {
            reader.seen.last().is_some_and(|&(_, seen)| seen == number) && (reader.acquired || !acquire)
        })
    }

    /// Records that the thread has read this write. Writes before `oldest` are forgotten.
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
            // The two oldest records become one, with the time of the first and the write of the second. This claims too much knowledge, which can only hide reports.
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

    /// The size of its heap memory.
    pub(crate) fn heap_size(&self) -> usize {
        let seen: usize = self.all().iter().map(|reader| reader.seen.capacity() * size_of::<(Epoch, u64)>()).sum();
        self.0.as_ref().map_or(0, |list| size_of::<ReaderList>() + list.all.capacity() * size_of::<Reader>()) + seen
    }

    /// The newest write of which the clock knows that some thread has read it.
    pub(crate) fn newest_known(&self, clock: &Clock) -> u64 {
        let known = |reader: &Reader| {
            let until = clock.get(reader.slot);
            reader.seen.iter().rev().find(|&&(epoch, _)| epoch <= until).map_or(0, |&(_, number)| number)
        };
        self.all().iter().map(known).max().unwrap_or(0)
    }
}
