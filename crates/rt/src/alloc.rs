//! The runtime's own memory. It comes directly from the system, never from the program's allocator, which may be instrumented, replaced or locked.
//!
//! The size of a block is a power of two, or a quarter, a half or three quarters above one. Freed blocks are kept in one list per size; large blocks go back to the system. Accesses do not
//! allocate on their common path, so one lock is enough.

use crate::lock::Lock;
use crate::sys;
use core::alloc::{GlobalAlloc, Layout};
use core::ptr::null_mut;

/// The size of the smallest block, and the alignment of all blocks.
const SMALLEST: usize = 16;
/// Blocks of this size and above are mapped one by one.
const LARGE: usize = 1 << 18;
/// How many bytes are mapped at a time for smaller blocks.
const CHUNK: usize = sys::LARGE_PAGE;
const CLASSES: usize = 4 * LARGE.trailing_zeros() as usize;

/// A free block holds the address of the next one.
struct Pool {
    free: [*mut u8; CLASSES],
    chunk: *mut u8,
    left: usize,
}

// SAFETY: the pointers lead to memory that belongs to the pool alone.
unsafe impl Send for Pool {}

static POOL: Lock<Pool> = Lock::new(Pool { free: [null_mut(); CLASSES], chunk: null_mut(), left: 0 });

/// The allocator.
pub(crate) struct Memory;

/// The size of a block for this layout. A block is aligned to the largest power of two that divides its size.
fn class_size(layout: Layout) -> usize {
    let size = layout.size().max(layout.align()).max(SMALLEST);
    let whole = size.next_power_of_two();
    let quarter = whole / 8;
    // In between there are only multiples of half a cache line.
    if layout.align() > SMALLEST || quarter < 32 { whole } else { size.next_multiple_of(quarter) }
}

/// The index of the list of free blocks of this size.
fn class(size: usize) -> usize {
    let exponent = size.ilog2() as usize;
    4 * exponent + ((4 * size) >> exponent) - 4
}

impl Pool {
    fn take(&mut self, size: usize) -> *mut u8 {
        let list = &mut self.free[class(size)];
        if !list.is_null() {
            let block = *list;
            // SAFETY: a free block holds the address of the next one.
            *list = unsafe { *block.cast::<*mut u8>() };
            return block;
        }
        if self.left < size {
            // The rest of the old chunk is at most a block and is leaked.
            (self.chunk, self.left) = (sys::map_large(CHUNK), CHUNK);
        }
        let block = self.chunk;
        // SAFETY: there are at least `size` bytes left.
        self.chunk = unsafe { self.chunk.add(size) };
        self.left -= size;
        block
    }
}

// SAFETY: blocks are distinct, as large as asked and aligned: a chunk begins at a page, blocks of different sizes are cut from it in the
// order of requests, and `Pool::take` keeps them aligned because `align_to` skips to a multiple of their alignment first.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = class_size(layout);
        if size >= LARGE {
            return sys::map(size);
        }
        let mut pool = POOL.lock();
        pool.align_to(size);
        pool.take(size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let size = class_size(layout);
        if size >= LARGE {
            // SAFETY: it came from `map` with this size, and the caller gives it up.
            unsafe { sys::unmap(block, size) };
            return;
        }
        let mut pool = POOL.lock();
        let list = &mut pool.free[class(size)];
        // SAFETY: the block is at least as large as an address, and nothing else uses it any more.
        unsafe { *block.cast::<*mut u8>() = *list };
        *list = block;
    }
}

impl Pool {
    /// Skips to where a block of this size would be aligned, unless one is free already.
    fn align_to(&mut self, size: usize) {
        if !self.free[class(size)].is_null() {
            return;
        }
        let alignment = 1 << size.trailing_zeros();
        let skipped = (self.chunk as usize).wrapping_neg() & (alignment - 1);
        if skipped > self.left {
            self.left = 0;
            return;
        }
        // SAFETY: there are that many bytes left.
        self.chunk = unsafe { self.chunk.add(skipped) };
        self.left -= skipped;
    }
}

/// Stops all allocation until [`after_fork`].
pub(crate) fn before_fork() {
    POOL.hold();
}

/// Undoes [`before_fork`].
pub(crate) fn after_fork() {
    POOL.let_go();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_distinct_and_used_again() {
        let sizes = [1, 24, 100, 4096, 70_000, 300_000];
        let mut blocks = Vec::new();
        for (round, &size) in sizes.iter().cycle().take(60).enumerate() {
            let layout = Layout::from_size_align(size, 1 << (round % 7)).unwrap();
            // SAFETY: the size is not zero.
            let block = unsafe { Memory.alloc(layout) };
            assert_eq!(block as usize % layout.align(), 0);
            assert!(blocks.iter().all(|&(other, _): &(*mut u8, Layout)| other != block));
            // SAFETY: the block belongs to this test.
            unsafe { block.write_bytes(round as u8, size) };
            blocks.push((block, layout));
        }
        for (round, &(block, layout)) in blocks.iter().enumerate() {
            // SAFETY: the block still belongs to this test, and is given up afterwards.
            unsafe {
                assert!(core::slice::from_raw_parts(block, layout.size()).iter().all(|&byte| byte == round as u8));
                Memory.dealloc(block, layout);
            }
        }
        let layout = Layout::from_size_align(24, 8).unwrap();
        // SAFETY: the size is not zero.
        let again = unsafe { Memory.alloc(layout) };
        assert!(blocks.iter().any(|&(block, _)| block == again));
    }
}
