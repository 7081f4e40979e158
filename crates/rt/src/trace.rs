//! The last accesses of each thread, so that a report can say where the *other* access was: shadow cells only know who and when.
//!
//! A thread writes into a ring of its own; whoever reports reads the rings of others. An entry is three words that are written one after the other, so a
//! reader may see a mixture of two entries; it then finds nothing, or a stack that is wrong and no worse.

use crate::frames::Call;
use crate::lock::Lock;
use crate::sys;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

const LENGTH: usize = 1 << 14;

/// The ring of one thread.
#[repr(C)]
pub(crate) struct Trace {
    next: AtomicU64,
    entries: [[AtomicU64; 3]; LENGTH],
}

impl Trace {
    /// Remembers an access.
    #[inline(always)]
    pub(crate) fn push(&self, address: usize, bytes: usize, round: u64, call: Call, caller: usize) {
        let next = self.next.load(Ordering::Relaxed);
        let entry = &self.entries[next as usize % LENGTH];
        entry[0].store(address as u64 | (bytes as u64) << 48, Ordering::Relaxed);
        entry[1].store(round << 32 | u64::from(call.0), Ordering::Relaxed);
        entry[2].store(caller as u64, Ordering::Relaxed);
        self.next.store(next + 1, Ordering::Release);
    }

    /// Where the thread last accessed one of these bytes in that round.
    pub(crate) fn find(&self, address: usize, bytes: usize, round: u64) -> Option<Found> {
        let next = self.next.load(Ordering::Acquire);
        let oldest = next.saturating_sub(LENGTH as u64);
        (oldest..next).rev().find_map(|number| {
            let entry = &self.entries[number as usize % LENGTH];
            let [what, call, caller] = [&entry[0], &entry[1], &entry[2]].map(|word| word.load(Ordering::Relaxed));
            let (start, length) = ((what & ((1 << 48) - 1)) as usize, (what >> 48) as usize);
            let meets = start < address + bytes && address < start + length;
            (meets && call >> 32 == round & 0xffff_ffff).then(|| {
                let place = crate::frames::child(Call(call as u32), caller as usize);
                Found { address: start, bytes: length, place }
            })
        })
    }
}

/// An access that was found.
pub(crate) struct Found {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) place: Call,
}

/// The rings of threads that have ended, oldest first, each with where it is known.
static ENDED: Lock<Vec<(usize, &'static AtomicPtr<Trace>)>> = Lock::new(Vec::new());
const KEPT: usize = 64;

/// A ring for a new thread.
pub(crate) fn take() -> *mut Trace {
    sys::map(size_of::<Trace>()).cast()
}

/// The thread has ended. Its ring is kept for a while.
pub(crate) fn give_back(trace: *mut Trace, known_as: &'static AtomicPtr<Trace>) {
    let mut ended = ENDED.lock();
    ended.push((trace as usize, known_as));
    if ended.len() > KEPT {
        let (oldest, known_as) = ended.remove(0);
        known_as.store(core::ptr::null_mut(), Ordering::Release);
        // SAFETY: its thread is dead, and readers look it up again under this lock.
        unsafe { sys::unmap(oldest as *mut u8, size_of::<Trace>()) };
    }
}

/// Looks into the ring of a thread, alive or dead.
pub(crate) fn find(known_as: &AtomicPtr<Trace>, address: usize, bytes: usize, round: u64) -> Option<Found> {
    // Nobody gives a ring back to the system meanwhile.
    let _ended = ENDED.lock();
    // SAFETY: rings are unmapped only under the lock, after they have become unknown.
    unsafe { known_as.load(Ordering::Acquire).as_ref() }?.find(address, bytes, round)
}
