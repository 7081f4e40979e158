//! Names of records, as the directory and other records store them: in half a word, so that the other half can say where the rest of the location is.

use super::{Intent, Record};
use crate::sys;
use core::num::NonZeroU32;
use core::ops::Range;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use steadfast_clocks::Outline;

/// How many records a chunk has: one large page of them.
pub(super) const CHUNK: usize = sys::LARGE_PAGE / size_of::<Record>();
/// How many bits a name has. The other bits are for an outline and a distance.
const NAME_BITS: u32 = 28;
const DISTANCE_SHIFT: u32 = NAME_BITS + Outline::BITS;
const LINE: usize = 64;
const MOST_CHUNKS: usize = (1 << NAME_BITS) / CHUNK;

static CHUNKS: [AtomicPtr<Record>; MOST_CHUNKS] = [const { AtomicPtr::new(null_mut()) }; MOST_CHUNKS];
/// How many chunks there are. The first is not used, so that no name is zero.
static USED: AtomicUsize = AtomicUsize::new(1);

/// Maps another chunk, and returns its number. The caller holds the lock on changes.
pub(super) fn new_chunk() -> usize {
    let number = USED.fetch_add(1, Ordering::Relaxed);
    if number >= MOST_CHUNKS {
        sys::fatal("more atomic locations than the runtime has names for");
    }
    CHUNKS[number].store(sys::map_large(sys::LARGE_PAGE).cast(), Ordering::Release);
    number
}

/// The name of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Name(NonZeroU32);

impl Name {
    /// A record of a chunk that exists.
    pub(super) fn new(chunk: usize, at: usize) -> Self {
        debug_assert!(chunk > 0 && at < CHUNK);
        Self(NonZeroU32::new((chunk * CHUNK + at) as u32).unwrap_or(NonZeroU32::MIN))
    }

    /// The record.
    #[inline(always)]
    pub(super) fn record(self) -> &'static Record {
        let number = self.0.get() as usize;
        // SAFETY: names are those of records in chunks that exist, which live for ever; zeroes are a valid record.
        unsafe { &*CHUNKS[number / CHUNK % MOST_CHUNKS].load(Ordering::Acquire).add(number % CHUNK) }
    }
}

/// The name of a record, or zero, and perhaps where the body of its location is.
#[repr(transparent)]
pub(super) struct Link(AtomicU64);

/// The content of a link, from the lowest bit: a name, the outline of the body, and its distance from the record in cache lines.
#[derive(Clone, Copy)]
pub(super) struct Target(u64);

impl Link {
    #[inline(always)]
    pub(super) fn load(&self) -> Target {
        Target(self.0.load(Ordering::Acquire))
    }

    /// The caller holds the lock on changes.
    pub(super) fn store(&self, name: Option<Name>) {
        self.0.store(name.map_or(0, |name| u64::from(name.0.get())), Ordering::Release);
    }

    /// Sets where the body is, if the link leads to this record. Needs no lock: a concurrent change of the name just discards it.
    pub(super) fn point_to(&self, record: &Record, body: usize, outline: Outline) {
        let old = self.load();
        let Some(name) = old.name().filter(|name| core::ptr::eq(name.record(), record)) else { return };
        let distance = (body / LINE).wrapping_sub(core::ptr::from_ref(record) as usize / LINE) as u64;
        let new = distance << DISTANCE_SHIFT | u64::from(outline.bits()) << NAME_BITS | u64::from(name.0.get());
        // If another thread was faster, a second attempt is not worth it.
        let _ = self.0.compare_exchange(old.0, new, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Target {
    #[inline(always)]
    pub(super) fn name(self) -> Option<Name> {
        NonZeroU32::new(self.0 as u32 & ((1 << NAME_BITS) - 1)).map(Name)
    }

    /// The address of the body by this link. It may be outdated.
    #[inline(always)]
    fn body(self, record: &Record) -> *const i8 {
        let lines = (self.0.cast_signed() >> DISTANCE_SHIFT) as isize;
        core::ptr::from_ref(record).cast::<i8>().wrapping_offset(lines * LINE as isize)
    }

    #[inline(always)]
    fn outline(self) -> Outline {
        Outline::from_bits((self.0 >> NAME_BITS) as u8 & ((1 << Outline::BITS) - 1))
    }

    /// Prefetches the needed cache lines of the body before the record is read: fetching them one after the other takes longer. It fetches no other lines, because when
    /// nothing is in a cache, the time of an access grows with the number of lines.
    #[inline(always)]
    pub(super) fn fetch_soon(self, record: &Record, intent: Intent) {
        let (body, outline) = (self.body(record), self.outline());
        let fetch_all = |bytes: Range<usize>| {
            let mut line = bytes.start / LINE * LINE;
            while line < bytes.end {
                fetch(body.wrapping_add(line));
                line += LINE;
            }
        };
        match intent {
            Intent::Load(slot) => outline.for_load(slot, fetch_all),
            Intent::Write => outline.for_write(fetch_all),
            Intent::Other => {}
        }
    }
}

#[inline(always)]
fn fetch(line: *const i8) {
    // SAFETY: this is a hint, and does nothing to memory that is not there. (Not as an intrinsic: a loop of those is unrolled to more than all the rest of an access.)
    unsafe { core::arch::asm!("prefetcht0 byte ptr [{}]", in(reg) line, options(nostack, preserves_flags, readonly)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_knows_a_record_and_its_body() {
        let chunk = new_chunk();
        let [name, other] = [5, CHUNK - 1].map(|at| Name::new(chunk, at));
        let (record, link) = (name.record(), Link(AtomicU64::new(0)));
        assert!(link.load().name().is_none());
        link.store(Some(name));
        assert!(link.load().name() == Some(name) && link.load().body(record).cast() == core::ptr::from_ref(record));
        for lines in [0, 1, -1, 12_345, -12_345, (1 << 29) - 1, -(1 << 29)] {
            let body = core::ptr::from_ref(record).cast::<i8>().wrapping_offset(lines * LINE as isize);
            for bits in [0, 1, 42, (1 << Outline::BITS) - 1] {
                link.point_to(record, body as usize, Outline::from_bits(bits));
                // The link does not lead to this record.
                link.point_to(other.record(), 0, Outline::from_bits(7));
                let target = link.load();
                assert!(target.name() == Some(name));
                assert_eq!((target.body(record), target.outline().bits()), (body, bits));
            }
        }
    }
}
