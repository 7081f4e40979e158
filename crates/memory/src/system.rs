//! Memory of the system, in whole pages.

use std::ptr::{null_mut, without_provenance_mut};

/// The size of a large page.
pub(crate) const LARGE_PAGE: usize = 1 << 21;
const PAGE: usize = 1 << 12;

/// The size of a mapping for a block of this size.
pub(crate) fn rounded(bytes: usize) -> usize {
    bytes.next_multiple_of(PAGE)
}

/// New zeroed memory, or null. If it is large enough, it is in large pages.
pub(crate) fn map(bytes: usize) -> *mut u8 {
    if bytes < LARGE_PAGE {
        return mapped(bytes, libc::PROT_READ | libc::PROT_WRITE);
    }
    let start = aligned(bytes, libc::PROT_READ | libc::PROT_WRITE);
    if !start.is_null() {
        // This is only advice; nothing depends on whether the system follows it.
        // SAFETY: the mapping is ours.
        unsafe { libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE) };
    }
    start
}

/// Returns memory to the system.
///
/// # Safety
/// It is a whole mapping, or a part of one, and is not used any more.
pub(crate) unsafe fn unmap(start: *mut u8, bytes: usize) {
    // SAFETY: the caller says that it is mapped, and not used any more.
    unsafe { libc::munmap(start.cast(), bytes) };
}

/// Makes a mapping larger or smaller, and moves it if necessary, without copying its content. Null if there is no memory; the mapping is then unchanged.
///
/// # Safety
/// It is a whole mapping of `old` bytes.
pub(crate) unsafe fn resize(start: *mut u8, old: usize, new: usize) -> *mut u8 {
    // SAFETY: the caller says that it is a mapping of `old` bytes; a target address is given only for memory that was reserved for this.
    unsafe {
        let resized = libc::mremap(start.cast(), old, new, 0);
        if resized != libc::MAP_FAILED {
            return resized.cast();
        }
        // Whole page tables can be moved only if the old and the new address have the same alignment.
        let target = aligned(new, libc::PROT_NONE);
        if target.is_null() {
            return null_mut();
        }
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        let moved = libc::mremap(start.cast(), old, new, flags, target.cast::<libc::c_void>());
        if moved == libc::MAP_FAILED {
            unmap(target, new);
            return null_mut();
        }
        libc::madvise(moved, new, libc::MADV_HUGEPAGE);
        moved.cast()
    }
}

/// A mapping that starts at a large page.
fn aligned(bytes: usize, protection: i32) -> *mut u8 {
    let all = mapped(bytes + LARGE_PAGE, protection);
    if all.is_null() {
        return all;
    }
    let before = all.align_offset(LARGE_PAGE);
    // SAFETY: the parts that are cut off belong to the new mapping, and nothing refers to them yet.
    unsafe {
        let start = all.add(before);
        if before > 0 {
            unmap(all, before);
        }
        if before < LARGE_PAGE {
            unmap(start.add(bytes), LARGE_PAGE - before);
        }
        start
    }
}

fn mapped(bytes: usize, protection: i32) -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new anonymous mapping does not touch existing memory.
    let start = unsafe { libc::mmap(without_provenance_mut(0), bytes, protection, flags, -1, 0) };
    if start == libc::MAP_FAILED { null_mut() } else { start.cast() }
}
