//! From a layout to the one who has such blocks.

use crate::classes::{self, ALIGNMENT, LARGEST, LARGEST_KEPT};
use crate::{local, pool, system};
use std::alloc::{GlobalAlloc, Layout, System};

/// The allocator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory;

/// Who has the blocks for a layout.
enum Home {
    /// This thread, for blocks of this class.
    Local(usize),
    /// All threads.
    Shared(usize),
    /// A mapping of its own, of this size.
    Mapped(usize),
    /// Somebody else: so few ask for a large alignment that we need not care.
    Elsewhere,
}

#[inline]
fn home(layout: Layout) -> Home {
    // Nobody should ask for nothing, but who does gets something.
    let size = layout.size().max(1);
    if layout.align() > ALIGNMENT {
        Home::Elsewhere
    } else if size <= LARGEST_KEPT {
        Home::Local(classes::class(size))
    } else if size <= LARGEST {
        Home::Shared(classes::class(size))
    } else {
        Home::Mapped(system::rounded(size))
    }
}

// SAFETY: blocks come from lists of free ones or from memory that was not used yet, and are as large as their class. Which list they come from and go to depends on the layout alone. All sizes are multiples
// of the alignment, and so all blocks are aligned.
unsafe impl GlobalAlloc for Memory {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match home(layout) {
            Home::Local(class) => local::take(class),
            Home::Shared(class) => pool::lock().take(class),
            Home::Mapped(bytes) => system::map(bytes),
            // SAFETY: by the caller's promise.
            Home::Elsewhere => unsafe { System.alloc(layout) },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from where a block with this layout comes from, and the caller gives it up.
        unsafe {
            match home(layout) {
                Home::Local(class) => local::give(class, block),
                Home::Shared(class) => pool::lock().give(class, block),
                Home::Mapped(bytes) => system::unmap(block, bytes),
                Home::Elsewhere => System.dealloc(block, layout),
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by the caller's promise.
        let block = unsafe { self.alloc(layout) };
        // What is freshly mapped is zero.
        if !block.is_null() && !matches!(home(layout), Home::Mapped(_)) {
            // SAFETY: it is as large as that.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller promises that this is a layout.
        let new = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        match (home(layout), home(new)) {
            (Home::Local(old), Home::Local(new)) | (Home::Shared(old), Home::Shared(new)) if old == new => block,
            // SAFETY: by the caller's promise, it is a mapping of that size.
            (Home::Mapped(old), Home::Mapped(new)) => unsafe { system::resize(block, old, new) },
            // SAFETY: both are large enough for what is copied, and the old one is given up only if there is a new one.
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

    /// A block that is full of one byte.
    struct Block {
        start: *mut u8,
        layout: Layout,
        byte: u8,
    }

    // SAFETY: nobody else has it.
    unsafe impl Send for Block {}

    impl Block {
        fn new(size: usize, align: usize, byte: u8) -> Self {
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: the size is not zero.
            let start = unsafe { if byte == 0 { Memory.alloc_zeroed(layout) } else { Memory.alloc(layout) } };
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
            self.start = unsafe { Memory.realloc(self.start, self.layout, size) };
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
            // SAFETY: nobody uses it after this.
            unsafe { Memory.dealloc(self.start, self.layout) };
        }
    }

    struct Dice(u64);

    impl Dice {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            ((self.0 >> 33) as usize) % limit
        }

        /// Many are small.
        fn size(&mut self) -> usize {
            let most = 1 << (1 + self.below(23));
            1 + self.below(most)
        }
    }

    #[test]
    fn blocks_do_not_overlap_whoever_frees_them() {
        let (send, receive) = mpsc::channel::<Block>();
        let receiver = std::thread::spawn(move || receive.into_iter().filter(Block::is_whole).count());
        let senders: Vec<_> = (1..=3)
            .map(|seed| {
                let send = send.clone();
                std::thread::spawn(move || {
                    let (mut dice, mut kept) = (Dice(seed), Vec::new());
                    for _ in 0..1500 {
                        let (size, align, byte) = (dice.size(), 1 << dice.below(8), dice.below(256) as u8);
                        kept.push(Block::new(size, align, byte));
                        let at = dice.below(kept.len());
                        match dice.below(4) {
                            0 => send.send(kept.swap_remove(at)).unwrap(),
                            1 => drop(kept.swap_remove(at)),
                            2 => kept[at].resize(dice.size()),
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
