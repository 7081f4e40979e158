//! Chooses the source of the blocks for a layout.

use crate::classes::{self, ALIGNMENT, LARGEST, LARGEST_KEPT};
use crate::{local, pool, system};
use std::alloc::{GlobalAlloc, Layout, System};

/// The allocator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocator;

/// The source of the blocks for a layout.
enum Origin {
    /// The blocks of this thread, of this class.
    Local(usize),
    /// The pool, for blocks of this class.
    Shared(usize),
    /// A mapping of its own, of this size.
    Mapped(usize),
    /// The system's allocator, for large alignments, which are rare.
    System,
}

#[inline]
fn origin(layout: Layout) -> Origin {
    // A size of zero is not allowed, but gets a block.
    let size = layout.size().max(1);
    if layout.align() > ALIGNMENT {
        Origin::System
    } else if size <= LARGEST_KEPT {
        Origin::Local(classes::class(size))
    } else if size <= LARGEST {
        Origin::Shared(classes::class(size))
    } else {
        Origin::Mapped(system::rounded(size))
    }
}

// SAFETY: blocks come from lists of free blocks or from unused memory, and are as large as their class. The layout alone decides which list they come from and go to. All sizes are
// multiples of the alignment, so all blocks are aligned.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match origin(layout) {
            Origin::Local(class) => local::take(class),
            Origin::Shared(class) => pool::lock().take(class),
            Origin::Mapped(bytes) => system::map(bytes),
            // SAFETY: the caller promises that the size is not zero, which is all that the system's allocator asks for.
            Origin::System => unsafe { System.alloc(layout) },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from the source for this layout, and the caller does not use it any more.
        unsafe {
            match origin(layout) {
                Origin::Local(class) => local::give(class, block),
                Origin::Shared(class) => pool::lock().give(class, block),
                Origin::Mapped(bytes) => system::unmap(block, bytes),
                Origin::System => System.dealloc(block, layout),
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises that the size is not zero.
        let block = unsafe { self.alloc(layout) };
        // A new mapping is zero.
        if !block.is_null() && !matches!(origin(layout), Origin::Mapped(_)) {
            // SAFETY: the block has at least this size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller promises that this is a layout.
        let new = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        match (origin(layout), origin(new)) {
            (Origin::Local(old), Origin::Local(new)) | (Origin::Shared(old), Origin::Shared(new)) if old == new => {
                block
            }
            // SAFETY: the caller promises that the block has this layout, so it is a mapping of `old` bytes.
            (Origin::Mapped(old), Origin::Mapped(new)) => unsafe { system::resize(block, old, new) },
            // SAFETY: both blocks are large enough for what is copied, and the old one is freed only if there is a new one.
            _ => unsafe {
                let moved = self.alloc(new);
                if !moved.is_null() {
                    moved.copy_from_nonoverlapping(block, layout.size().min(bytes));
                    self.dealloc(block, layout);
                }
                moved
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use steadfast_random::Rng;

    /// A block that is full of one byte.
    struct Block {
        start: *mut u8,
        layout: Layout,
        byte: u8,
    }

    // SAFETY: a block has only one owner.
    unsafe impl Send for Block {}

    impl Block {
        fn new(size: usize, align: usize, byte: u8) -> Self {
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: the size is not zero.
            let start = unsafe { if byte == 0 { Allocator.alloc_zeroed(layout) } else { Allocator.alloc(layout) } };
            assert!(!start.is_null() && start.align_offset(align) == 0);
            let block = Self { start, layout, byte };
            if byte != 0 {
                block.fill();
            }
            block
        }

        fn fill(&self) {
            // SAFETY: it is ours.
            unsafe { self.start.write_bytes(self.byte, self.layout.size()) };
        }

        fn is_whole(&self) -> bool {
            // SAFETY: it is ours, and was written.
            unsafe { std::slice::from_raw_parts(self.start, self.layout.size()) }.iter().all(|&byte| byte == self.byte)
        }

        fn resize(&mut self, size: usize) {
            let kept = self.layout.size().min(size);
            // SAFETY: it is ours, and the size is not zero.
            self.start = unsafe { Allocator.realloc(self.start, self.layout, size) };
            assert!(!self.start.is_null());
            self.layout = Layout::from_size_align(kept, self.layout.align()).unwrap();
            assert!(self.is_whole());
            self.layout = Layout::from_size_align(size, self.layout.align()).unwrap();
            self.fill();
        }
    }

    impl Drop for Block {
        fn drop(&mut self) {
            assert!(self.is_whole());
            // SAFETY: the block is not used after this.
            unsafe { Allocator.dealloc(self.start, self.layout) };
        }
    }

    /// A random size. Most are small.
    fn random_size(rng: &mut Rng) -> usize {
        let most = 1 << (1 + rng.below(23));
        1 + rng.below(most)
    }

    #[test]
    fn blocks_do_not_overlap_whoever_frees_them() {
        let (send, receive) = mpsc::channel::<Block>();
        let receiver = std::thread::spawn(move || receive.into_iter().filter(Block::is_whole).count());
        let senders: Vec<_> = (1..=3)
            .map(|seed| {
                let send = send.clone();
                std::thread::spawn(move || {
                    let (mut rng, mut kept) = (Rng::new(seed), Vec::new());
                    for _ in 0..1500 {
                        let (size, align, byte) = (random_size(&mut rng), 1 << rng.below(8), rng.below(256) as u8);
                        kept.push(Block::new(size, align, byte));
                        let at = rng.below(kept.len());
                        match rng.below(4) {
                            0 => send.send(kept.swap_remove(at)).unwrap(),
                            1 => drop(kept.swap_remove(at)),
                            2 => kept[at].resize(random_size(&mut rng)),
                            _ => {}
                        }
                    }
                })
            })
            .collect();
        drop(send);
        for sender in senders {
            sender.join().unwrap();
        }
        assert!(receiver.join().unwrap() > 300);
    }

    /// Few steps, for controlled schedules: blocks of a thread and of the pool change hands, are freed elsewhere, and are used again.
    #[test]
    fn concurrent_threads_pass_blocks_on() {
        const SIZES: [usize; 3] = [24, 3_000, 70_000];
        let (send, receive) = mpsc::channel::<Block>();
        let other = std::thread::spawn(move || {
            for (number, block) in receive.into_iter().enumerate() {
                drop(block);
                drop(Block::new(SIZES[number % 3], 8, 7));
            }
        });
        for number in 0..6 {
            let kept = Block::new(SIZES[number % 3], 16, 3);
            send.send(Block::new(SIZES[number % 3], 8, number as u8)).unwrap();
            drop(kept);
        }
        drop(send);
        other.join().unwrap();
    }

    #[test]
    fn what_a_thread_leaves_is_used_again() {
        let addresses: Vec<_> =
            (0..200).map(|_| std::thread::spawn(|| Block::new(10_000, 8, 1).start as usize).join().unwrap()).collect();
        let mut distinct = addresses.clone();
        distinct.sort_unstable();
        distinct.dedup();
        // Other tests run at the same time and take some.
        assert!(distinct.len() < addresses.len() / 2, "{}", distinct.len());
    }
}
