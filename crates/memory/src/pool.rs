//! Memory that all threads share: unused memory, and free blocks in batches.
//!
//! A free block contains the address of the next block of its batch; the first block of a batch also contains the address of the next batch.

use crate::{classes, system};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much memory the executable contains. As long as it lasts, there are no system calls. The part that is not used costs nothing.
const INITIAL: usize = 1 << 21;
/// The maximum size of a mapping.
const MOST: usize = 1 << 25;
/// The size of a piece.
pub(crate) const PIECE: usize = 1 << 15;

#[repr(C, align(4096))]
struct InitialRegion([u8; INITIAL]);
static mut INITIAL_REGION: InitialRegion = InitialRegion([0; INITIAL]);

/// A piece of unused memory.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) start: *mut u8,
    pub(crate) bytes: usize,
}

impl Piece {
    pub(crate) const NONE: Self = Self { start: null_mut(), bytes: 0 };

    /// Cuts off a block. Null if the piece is too small.
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

/// A free block. All blocks are large enough for this.
pub(crate) struct Free {
    pub(crate) next: *mut Free,
    next_batch: *mut Free,
}

/// The unused part of the piece of a thread that has ended.
struct LeftPiece {
    next: *mut LeftPiece,
    bytes: usize,
}

pub(crate) struct Pool {
    region: Piece,
    /// How many bytes were mapped so far.
    mapped: usize,
    batches: [*mut Free; classes::COUNT],
    left: *mut LeftPiece,
}

// SAFETY: the pointers point to memory that belongs to the pool alone.
unsafe impl Send for Pool {}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    region: Piece { start: (&raw mut INITIAL_REGION).cast(), bytes: INITIAL },
    mapped: 0,
    batches: [null_mut(); classes::COUNT],
    left: null_mut(),
});

/// Locks the pool. No panic is possible while it is locked.
pub(crate) fn lock() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// A block of a class, or null.
    pub(crate) fn take(&mut self, class: usize) -> *mut u8 {
        let batch = self.batches[class];
        if batch.is_null() {
            return self.new_memory(classes::size(class));
        }
        // SAFETY: a batch has at least one block, and its pointers are valid.
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

    /// All blocks of a batch, as a list, or null if there is none.
    pub(crate) fn take_batch(&mut self, class: usize) -> *mut Free {
        let batch = self.batches[class];
        if !batch.is_null() {
            // SAFETY: batches in the list belong to the pool and begin with a list entry.
            self.batches[class] = unsafe { (*batch).next_batch };
        }
        batch
    }

    /// Gives back a list of blocks of one class.
    ///
    /// # Safety
    /// The caller owns the blocks and does not use them any more.
    pub(crate) unsafe fn give_batch(&mut self, class: usize, first: *mut Free) {
        // SAFETY: the caller gives the blocks up, and every block has room for a list entry.
        unsafe { (*first).next_batch = self.batches[class] };
        self.batches[class] = first;
    }

    /// Gives back one block.
    ///
    /// # Safety
    /// The caller owns the block and does not use it any more.
    pub(crate) unsafe fn give(&mut self, class: usize, block: *mut u8) {
        let block: *mut Free = block.cast();
        // SAFETY: the caller gives the block up, and every block has room for a list entry.
        unsafe {
            (*block).next = null_mut();
            self.give_batch(class, block);
        }
    }

    /// A piece for a thread, to cut blocks from.
    pub(crate) fn piece(&mut self) -> Piece {
        let piece = self.left;
        if piece.is_null() {
            let start = self.new_memory(PIECE);
            return if start.is_null() { Piece::NONE } else { Piece { start, bytes: PIECE } };
        }
        // SAFETY: the piece contains its own size and the next one.
        unsafe {
            self.left = (*piece).next;
            Piece { start: piece.cast(), bytes: (*piece).bytes }
        }
    }

    /// Takes the unused part of a thread's piece. If it is too small to be useful, it is lost.
    ///
    /// # Safety
    /// The caller owns the piece and does not use it any more.
    pub(crate) unsafe fn leave(&mut self, piece: Piece) {
        if piece.bytes < PIECE / 16 {
            return;
        }
        let left: *mut LeftPiece = piece.start.cast();
        // SAFETY: the caller gives the piece up. It is large enough, and pieces are aligned as blocks are.
        unsafe { *left = LeftPiece { next: self.left, bytes: piece.bytes } };
        self.left = left;
    }

    fn new_memory(&mut self, bytes: usize) -> *mut u8 {
        if self.region.bytes < bytes {
            // As much as was mapped already: this needs few system calls, and never maps much more than is needed.
            let wanted = self.mapped.clamp(INITIAL, MOST);
            let start = system::map(wanted);
            if start.is_null() {
                return null_mut();
            }
            // The rest of the old region is smaller than a block, and is lost.
            self.region = Piece { start, bytes: wanted };
            self.mapped += wanted;
        }
        self.region.cut(bytes)
    }
}
