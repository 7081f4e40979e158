//! Where heap blocks were allocated: eight bytes for every sixteen of the program's memory, mapped where they are needed.

use crate::sys;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

const ADDRESS_BITS: u32 = 47;
const REGION_BITS: u32 = 22;
const REGIONS: usize = 1 << (ADDRESS_BITS - REGION_BITS);
const ENTRIES: usize = 1 << (REGION_BITS - 4);

/// An entry has the thread in its upper half and the place of the allocation in its lower half.
type Region = [AtomicU64; ENTRIES];

static ROOT: AtomicPtr<AtomicPtr<Region>> = AtomicPtr::new(core::ptr::null_mut());

/// A heap block.
pub(crate) struct Block {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) thread: u32,
    pub(crate) place: u32,
}

/// Records that a block begins here.
pub(crate) fn remember(address: usize, thread: u32, place: u32) {
    let root = installed(&ROOT, REGIONS * size_of::<AtomicPtr<Region>>());
    // SAFETY: the index is below the number of regions, as many of which the root has; the root and the regions live for ever.
    let region = unsafe { &*installed(&*root.add((address >> REGION_BITS) % REGIONS), size_of::<Region>()) };
    region[(address >> 4) % ENTRIES].store(u64::from(thread) << 32 | u64::from(place), Ordering::Relaxed);
}

/// Records that the block is freed.
pub(crate) fn forget(address: usize) {
    if let Some(region) = existing(address) {
        region[(address >> 4) % ENTRIES].store(0, Ordering::Relaxed);
    }
}

fn installed<T>(place: &AtomicPtr<T>, bytes: usize) -> *mut T {
    let old = place.load(Ordering::Acquire);
    if !old.is_null() {
        return old;
    }
    let new: *mut T = sys::map(bytes).cast();
    match place.compare_exchange(core::ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => new,
        Err(other) => {
            // SAFETY: no other thread has seen this mapping.
            unsafe { sys::unmap(new.cast(), bytes) };
            other
        }
    }
}

/// How far back the beginning of a block is searched.
const FAR: usize = 1 << 20;

/// The allocated block that contains the address.
pub(crate) fn find(address: usize) -> Option<Block> {
    let mut start = address & !15;
    let end = start.saturating_sub(FAR);
    while start > end {
        let origin = existing(start)?[(start >> 4) % ENTRIES].load(Ordering::Relaxed);
        if origin != 0 {
            // SAFETY: a block began here and was not given back.
            let bytes = unsafe { libc::malloc_usable_size(start as *mut _) };
            let inside = address < start.saturating_add(bytes);
            return inside.then_some(Block {
                address: start,
                bytes,
                thread: (origin >> 32) as u32,
                place: origin as u32,
            });
        }
        start -= 16;
    }
    None
}

fn existing(address: usize) -> Option<&'static Region> {
    let root = ROOT.load(Ordering::Acquire);
    if root.is_null() || address >> ADDRESS_BITS != 0 {
        return None;
    }
    // SAFETY: the address has 47 bits, so the index is below the number of regions; the root and the regions live for ever.
    unsafe { (*root.add(address >> REGION_BITS)).load(Ordering::Acquire).as_ref() }
}
