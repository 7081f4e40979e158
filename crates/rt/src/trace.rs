//! The last accesses of each thread, so that a report can say where the *other* access was: shadow cells only know its thread and time.
//!
//! A thread writes into its own ring; a thread that reports reads the rings of others. An entry is two words that are written one after the other, so a
//! reader may see a mixture of two entries; it then finds nothing, or a wrong stack, and nothing worse.

use crate::frames::Call;
use crate::lock::Lock;
use crate::sys;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

const LENGTH: usize = 1 << 14;

/// The ring of one thread. Every plain access that is new to the shadow is written to it, so it is as small as possible.
#[repr(C)]
pub(crate) struct Trace {
    next: AtomicU64,
    entries: [[AtomicU64; 2]; LENGTH],
}

/// Addresses of programs have 47 bits. Beside them are, in the first word, the length less one (4 bits), whether it is a write (1), the end of the moment (7) and the upper part of the call (5); in the
/// second word the rest of the call.
const ADDRESS_BITS: u32 = 47;
const LENGTH_SHIFT: u32 = ADDRESS_BITS;
const WRITE_SHIFT: u32 = LENGTH_SHIFT + 4;
const MOMENT_SHIFT: u32 = WRITE_SHIFT + 1;
const MOMENT_MASK: u64 = 0x7f;
const CALL_SHIFT: u32 = MOMENT_SHIFT + 7;
const CALL_BITS: u32 = 64 - ADDRESS_BITS;
const ADDRESS_MASK: u64 = (1 << ADDRESS_BITS) - 1;

impl Trace {
    /// Records an access, with the moment from which on it can be known to other threads.
    #[inline(always)]
    pub(crate) fn push(&self, access: Access, since: u64, call: Call, caller: usize) {
        let next = self.next.load(Ordering::Relaxed);
        let entry = &self.entries[next as usize % LENGTH];
        let call = u64::from(call.0);
        let Access { address, bytes, write } = access;
        let length = (bytes as u64 - 1) << LENGTH_SHIFT | u64::from(write) << WRITE_SHIFT;
        let what = address as u64 | length | (since & MOMENT_MASK) << MOMENT_SHIFT;
        entry[0].store(what | call >> CALL_BITS << CALL_SHIFT, Ordering::Relaxed);
        entry[1].store(caller as u64 | call << ADDRESS_BITS, Ordering::Relaxed);
        self.next.store(next + 1, Ordering::Release);
    }

    /// Finds where the thread last read, or wrote, one of these bytes at about that moment.
    pub(crate) fn find(&self, Access { address, bytes, write }: Access, since: u64) -> Option<Found> {
        let next = self.next.load(Ordering::Acquire);
        let oldest = next.saturating_sub(LENGTH as u64);
        (oldest..next).rev().find_map(|number| {
            let [what, place] = [0, 1].map(|word| self.entries[number as usize % LENGTH][word].load(Ordering::Relaxed));
            let (start, length) = ((what & ADDRESS_MASK) as usize, (what >> LENGTH_SHIFT & 0xf) as usize + 1);
            let meets = start < address + bytes && address < start + length;
            let is_then = what >> MOMENT_SHIFT & MOMENT_MASK == since & MOMENT_MASK;
            (meets && is_then && (what >> WRITE_SHIFT & 1 == 1) == write).then(|| {
                let call = what >> CALL_SHIFT << CALL_BITS | place >> ADDRESS_BITS;
                let place = crate::frames::child(Call(call as u32), (place & ADDRESS_MASK) as usize);
                Found { address: start, bytes: length, place }
            })
        })
    }
}

/// An access: 1 to 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) write: bool,
}

/// An access that was found.
pub(crate) struct Found {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) place: Call,
}

/// The rings of threads that have ended, oldest first, each with the pointer in the thread's entry.
static ENDED: Lock<Vec<(usize, &'static AtomicPtr<Trace>)>> = Lock::new(Vec::new());
const KEPT: usize = 64;

/// Maps a ring for a new thread.
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

/// Searches the ring of a thread, alive or dead.
pub(crate) fn find(known_as: &AtomicPtr<Trace>, access: Access, since: u64) -> Option<Found> {
    // No ring is unmapped meanwhile.
    let _ended = ENDED.lock();
    // SAFETY: rings are unmapped only under the lock, after they have become unknown.
    unsafe { known_as.load(Ordering::Acquire).as_ref() }?.find(access, since)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames;

    /// The lower bits of a moment repeat after a while, so a later read must not be taken for the write that is searched for.
    #[test]
    fn reads_and_writes_are_told_apart() {
        // SAFETY: a fresh ring, zeroed, that is never unmapped.
        let ring = unsafe { &*take() };
        let access = |write| Access { address: 64, bytes: 8, write };
        ring.push(access(true), 5, Call(1), 100);
        ring.push(access(false), 5 + MOMENT_MASK + 1, Call(2), 200);
        let place = |write| ring.find(access(write), 5).map(|found| found.place);
        assert!(place(true) == Some(frames::child(Call(1), 100)));
        assert!(place(false) == Some(frames::child(Call(2), 200)));
        assert!(ring.find(Access { address: 72, bytes: 1, write: true }, 5).is_none());
        ring.push(Access { address: 128, bytes: 16, write: true }, 6, Call(1), 300);
        assert!(ring.find(Access { address: 143, bytes: 1, write: true }, 6).is_some_and(|found| found.bytes == 16));
    }
}
