//! The shadow of the program's memory: sixteen bytes for every eight, mapped where they are needed.
//!
//! As in [`table`](crate::table), the address space is divided into regions. A table of regions, instead of a mapping at a fixed address, works wherever
//! the system puts the program.

use crate::lock::Lock;
use crate::sys;
use core::sync::atomic::{AtomicPtr, Ordering};
use steadfast_clocks::Cells;

const ADDRESS_BITS: u32 = 47;
const REGION_BITS: u32 = 22;
const CELLS: usize = 1 << (REGION_BITS - 3);

type Region = [Cells; CELLS];

/// All regions. Without shadow this costs only addresses.
static REGIONS: [AtomicPtr<Region>; 1 << (ADDRESS_BITS - REGION_BITS)] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; 1 << (ADDRESS_BITS - REGION_BITS)];

/// The cells of an address. Addresses of programs have 47 bits.
#[inline(always)]
pub(crate) fn cells(address: usize) -> &'static Cells {
    let region = existing(address).unwrap_or_else(|| make(address));
    &region[(address >> 3) % CELLS]
}

/// The cells of an address, if they were ever used.
#[inline(always)]
pub(crate) fn existing_cells(address: usize) -> Option<&'static Cells> {
    Some(&existing(address)?[(address >> 3) % CELLS])
}

/// The cells of sixteen bytes, if they were ever used and are side by side.
#[inline(always)]
pub(crate) fn existing_pair(address: usize) -> Option<&'static [Cells; 2]> {
    existing(address)?[(address >> 3) % CELLS..].first_chunk()
}

#[inline(always)]
fn slot(address: usize) -> &'static AtomicPtr<Region> {
    &REGIONS[(address >> REGION_BITS) % REGIONS.len()]
}

#[inline(always)]
fn existing(address: usize) -> Option<&'static Region> {
    // SAFETY: regions live for ever.
    unsafe { slot(address).load(Ordering::Acquire).as_ref() }
}

/// The regions that have a shadow.
static MADE: Lock<Vec<&'static Region>> = Lock::new(Vec::new());

/// Maps a missing region.
#[cold]
fn make(address: usize) -> &'static Region {
    let mut made = MADE.lock();
    if let Some(region) = existing(address) {
        return region;
    }
    let new: *mut Region = sys::map(size_of::<Region>()).cast();
    slot(address).store(new, Ordering::Release);
    // SAFETY: the mapping is large enough and lives for ever, and zeroes are valid cells.
    let region = unsafe { &*new };
    made.push(region);
    region
}

/// From this size on, pages are returned to the system instead of being cleared.
const LARGE: usize = 1 << 16;

/// Forgets the accesses to this memory.
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

/// Calls `work` with all cells that were ever used.
pub(crate) fn for_each(work: impl Fn(&Cells)) {
    // Other threads may add regions meanwhile: their content is newer than this sweep.
    let mut next = 0;
    loop {
        let Some(region) = MADE.lock().get(next).copied() else { return };
        for_each_in(region, &work);
        next += 1;
    }
}

/// Skips pages that were never used: reading them would map them.
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

/// Stops adding regions until [`after_fork`].
pub(crate) fn before_fork() {
    MADE.hold();
}

/// Undoes [`before_fork`].
pub(crate) fn after_fork() {
    MADE.let_go();
}
