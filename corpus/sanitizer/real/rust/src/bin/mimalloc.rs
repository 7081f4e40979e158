//! Threads that allocate, hand blocks to each other, and free what they got.
use libmimalloc_sys::{mi_free, mi_malloc};
use std::sync::atomic::{AtomicPtr, Ordering::{AcqRel, Acquire}};

const SLOTS: usize = 64;

fn main() {
    let threads: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(4);
    let turns: usize = std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(300);
    let slots: Vec<AtomicPtr<std::ffi::c_void>> = (0..SLOTS).map(|_| AtomicPtr::default()).collect();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let slots = &slots;
            scope.spawn(move || {
                let mut random = thread as u64 * 7919 + 1;
                let mut mine = Vec::new();
                for turn in 0..turns {
                    random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let bytes = 1usize << (4 + (random >> 60) % 12);
                    // SAFETY: blocks belong to whoever has taken them out of a slot.
                    unsafe {
                        let block = mi_malloc(bytes);
                        block.cast::<u8>().write_bytes(turn as u8, bytes.min(64));
                        let other = slots[(random >> 33) as usize % SLOTS].swap(block, AcqRel);
                        if random >> 63 == 0 { mi_free(other) } else { mine.push(other) }
                        if mine.len() > 20 {
                            mine.drain(..).for_each(|block| mi_free(block));
                        }
                    }
                }
                // SAFETY: as above.
                unsafe { mine.drain(..).for_each(|block| mi_free(block)) };
            });
        }
    });
    // SAFETY: nobody else is there.
    unsafe {
        slots.iter().for_each(|slot| mi_free(slot.load(Acquire)));

    }
}
