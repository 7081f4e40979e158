//! The shadow of the program's memory: sixteen bytes for every eight, mapped where and when they are needed.
//!
//! As in [`table`](crate::table), the address space is cut into regions. A page table and not a fixed mapping, so that it does not matter where
//! the system puts the program.

use crate::sys;
use core::sync::atomic::{AtomicPtr, Ordering};
use steadfast_clocks::Cells;

const ADDRESS_BITS: u32 = 47;
const REGION_BITS: u32 = 22;
const REGIONS: usize = 1 << (ADDRESS_BITS - REGION_BITS);
const CELLS: usize = 1 << (REGION_BITS - 3);

type Region = [Cells; CELLS];

static ROOT: AtomicPtr<AtomicPtr<Region>> = AtomicPtr::new(core::ptr::null_mut());

/// The cells of an address.
#[inline(always)]
pub(crate) fn cells(address: usize) -> Option<&'static Cells> {
    Some(&region(address)?[(address >> 3) & (CELLS - 1)])
}

/// The cells of an address, if they were ever used.
#[inline(always)]
pub(crate) fn existing_cells(address: usize) -> Option<&'static Cells> {
    Some(&existing(address)?[(address >> 3) & (CELLS - 1)])
}

#[inline(always)]
fn region(address: usize) -> Option<&'static Region> {
    if address >> ADDRESS_BITS != 0 {
        return None;
    }
    existing(address).or_else(|| Some(make(address)))
}

#[inline(always)]
fn existing(address: usize) -> Option<&'static Region> {
    let root = ROOT.load(Ordering::Acquire);
    if root.is_null() || address >> ADDRESS_BITS != 0 {
        return None;
    }
    // SAFETY: the index is below the number of regions, and regions live for ever.
    unsafe { (*root.add(address >> REGION_BITS)).load(Ordering::Acquire).as_ref() }
}

/// Maps what is missing. If two threads do it at the same time, one of them was in vain.
#[cold]
fn make(address: usize) -> &'static Region {
    let root = installed(&ROOT, REGIONS * size_of::<AtomicPtr<Region>>());
    // SAFETY: as above; zeroes are valid cells.
    unsafe { &*installed(&*root.add(address >> REGION_BITS), size_of::<Region>()) }
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
            // SAFETY: nobody has seen ours.
            unsafe { sys::unmap(new.cast(), bytes) };
            other
        }
    }
}

/// From this size on, pages are given back to the system instead of being cleared.
const LARGE: usize = 1 << 16;

/// Forgets what happened in this memory.
pub(crate) fn clear(address: usize, bytes: usize) {
    let end = address.saturating_add(bytes).min(1 << ADDRESS_BITS);
    let mut from = address;
    while from < end {
        let to = end.min(((from >> REGION_BITS) + 1) << REGION_BITS);
        if let Some(region) = existing(from) {
            let first = (from >> 3) & (CELLS - 1);
            clear_cells(&region[first..first + (to - (from & !7)).div_ceil(8)]);
        }
        from = to;
    }
}

fn clear_cells(cells: &'static [Cells]) {
    const PAGE: usize = 4096;
    let (start, bytes) = (cells.as_ptr() as usize, size_of_val(cells));
    if bytes < LARGE {
        cells.iter().for_each(Cells::clear);
        return;
    }
    let (first, last) = (start.next_multiple_of(PAGE), (start + bytes) / PAGE * PAGE);
    let (before, after) = ((first - start) / size_of::<Cells>(), (last - start) / size_of::<Cells>());
    cells[..before].iter().chain(&cells[after..]).for_each(Cells::clear);
    // SAFETY: the pages belong to the shadow, and zeroes, which they are from now on, are valid cells.
    unsafe { sys::raw_syscall(libc::SYS_madvise, [first, last - first, libc::MADV_DONTNEED as usize, 0, 0, 0]) };
}

/// Calls `work` with all cells that were ever touched.
pub(crate) fn for_each(work: impl Fn(&Cells)) {
    let root = ROOT.load(Ordering::Acquire);
    if root.is_null() {
        return;
    }
    for index in 0..REGIONS {
        // SAFETY: below the number of regions.
        if let Some(region) = unsafe { (*root.add(index)).load(Ordering::Acquire).as_ref() } {
            for_each_in(region, &work);
        }
    }
}

/// Skips the pages that nobody has touched: looking at them would map them.
fn for_each_in(region: &Region, work: &impl Fn(&Cells)) {
    const PAGE: usize = 4096;
    let mut present = vec![0u8; size_of::<Region>() / PAGE];
    let arguments = [core::ptr::from_ref(region) as usize, size_of::<Region>(), present.as_mut_ptr() as usize, 0, 0, 0];
    // SAFETY: the vector has an element per page.
    let known = unsafe { sys::raw_syscall(libc::SYS_mincore, arguments) } == 0;
    for (cells, &page) in region.chunks_exact(PAGE / size_of::<Cells>()).zip(&present) {
        if !known || page & 1 != 0 {
            cells.iter().for_each(work);
        }
    }
}
