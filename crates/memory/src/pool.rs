//! What all threads share: memory that nobody has used yet, and free blocks in batches.
//!
//! A free block holds the address of the next one of its batch; the first of a batch also holds that of the next batch.

use crate::{classes, system};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much the executable brings along. As long as it lasts, the system is not asked for anything; what is not used costs nothing.
const FIRST: usize = 1 << 21;
/// The most that is mapped at a time.
const MOST: usize = 1 << 25;
/// How much a thread takes at a time.
pub(crate) const PIECE: usize = 1 << 15;

#[repr(C, align(4096))]
struct First([u8; FIRST]);
static mut FIRST_REGION: First = First([0; FIRST]);

/// Memory that nobody has used yet.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) start: *mut u8,
    pub(crate) bytes: usize,
}

impl Piece {
    pub(crate) const NONE: Self = Self { start: null_mut(), bytes: 0 };

    /// Cuts a block off, or says null.
    #[inline]
    pub(crate) fn cut(&mut self, bytes: usize) -> *mut u8 {
        if self.bytes < bytes {
            return null_mut();
        }
        let block = self.start;
        // SAFETY: there are at least that many bytes.
        self.start = unsafe { self.start.add(bytes) };
        self.bytes -= bytes;
        block
    }
}

/// A free block. All blocks are large enough for it.
pub(crate) struct Free {
    pub(crate) next: *mut Free,
    next_batch: *mut Free,
}

/// A piece that a thread has left behind when it ended.
struct Rest {
    next: *mut Rest,
    bytes: usize,
}

pub(crate) struct Pool {
    region: Piece,
    /// How much was mapped so far.
    mapped: usize,
    batches: [*mut Free; classes::COUNT],
    rests: *mut Rest,
}

// SAFETY: the pointers lead to memory that belongs to the pool alone.
unsafe impl Send for Pool {}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    region: Piece { start: (&raw mut FIRST_REGION).cast(), bytes: FIRST },
    mapped: 0,
    batches: [null_mut(); classes::COUNT],
    rests: null_mut(),
});

/// The pool. Nothing can go wrong while it is locked.
pub(crate) fn lock() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// A block of a class, or null.
    pub(crate) fn take(&mut self, class: usize) -> *mut u8 {
        let batch = self.batches[class];
        if batch.is_null() {
            return self.fresh(classes::size(class));
        }
        // SAFETY: a batch has at least one block, and what it says about the others is true.
        unsafe {
            let (next, next_batch) = ((*batch).next, (*batch).next_batch);
            if next.is_null() {
                self.batches[class] = next_batch;
            } else {
                (*next).next_batch = next_batch;
                self.batches[class] = next;
            }
        }
        batch.cast()
    }

    /// All blocks of a batch, one leading to the next; null if there is none.
    pub(crate) fn take_batch(&mut self, class: usize) -> *mut Free {
        let batch = self.batches[class];
        if !batch.is_null() {
            // SAFETY: as above.
            self.batches[class] = unsafe { (*batch).next_batch };
        }
        batch
    }

    /// Gives back blocks of a class, one leading to the next.
    ///
    /// # Safety
    /// They belong to the caller, who gives them up.
    pub(crate) unsafe fn give_batch(&mut self, class: usize, first: *mut Free) {
        // SAFETY: by the caller's promise.
        unsafe { (*first).next_batch = self.batches[class] };
        self.batches[class] = first;
    }

    /// Gives back one block.
    ///
    /// # Safety
    /// It belongs to the caller, who gives it up.
    pub(crate) unsafe fn give(&mut self, class: usize, block: *mut u8) {
        let block: *mut Free = block.cast();
        // SAFETY: by the caller's promise.
        unsafe {
            (*block).next = null_mut();
            self.give_batch(class, block);
        }
    }

    /// Memory for a thread to cut blocks from.
    pub(crate) fn piece(&mut self) -> Piece {
        let rest = self.rests;
        if rest.is_null() {
            let start = self.fresh(PIECE);
            return if start.is_null() { Piece::NONE } else { Piece { start, bytes: PIECE } };
        }
        // SAFETY: what was left behind says how much it is.
        unsafe {
            self.rests = (*rest).next;
            Piece { start: rest.cast(), bytes: (*rest).bytes }
        }
    }

    /// A thread leaves what it has not used. What would hardly be of use to another one is forgotten.
    ///
    /// # Safety
    /// It belongs to the caller, who gives it up.
    pub(crate) unsafe fn leave(&mut self, piece: Piece) {
        if piece.bytes < PIECE / 16 {
            return;
        }
        let rest: *mut Rest = piece.start.cast();
        // SAFETY: by the caller's promise; pieces are aligned as blocks are.
        unsafe { *rest = Rest { next: self.rests, bytes: piece.bytes } };
        self.rests = rest;
    }

    fn fresh(&mut self, bytes: usize) -> *mut u8 {
        if self.region.bytes < bytes {
            // As much as there is already: few requests, and never much more than is needed.
            let wanted = self.mapped.clamp(FIRST, MOST);
            let start = system::map(wanted);
            if start.is_null() {
                return null_mut();
            }
            // What is left of the old region is less than a block; it is not worth keeping track of.
            self.region = Piece { start, bytes: wanted };
            self.mapped += wanted;
        }
        self.region.cut(bytes)
    }
}
