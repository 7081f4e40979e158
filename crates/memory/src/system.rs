//! Memory from the system, in whole pages.

use std::ptr::{null_mut, without_provenance_mut};

/// The size of a large page.
pub(crate) const LARGE_PAGE: usize = 1 << 21;
const PAGE: usize = 1 << 12;

/// How many bytes a mapping for a block of this size has.
pub(crate) fn rounded(bytes: usize) -> usize {
    bytes.next_multiple_of(PAGE)
}

/// Fresh zeroed memory, or null. What is worth it is in large pages.
pub(crate) fn map(bytes: usize) -> *mut u8 {
    if bytes < LARGE_PAGE {
        return mapped(bytes, libc::PROT_READ | libc::PROT_WRITE);
    }
    let start = aligned(bytes, libc::PROT_READ | libc::PROT_WRITE);
    if !start.is_null() {
        // It is only a wish, and nothing depends on whether it is granted.
        // SAFETY: the mapping is ours.
        unsafe { libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE) };
    }
    start
}

/// Gives memory back.
///
/// # Safety
/// It is a whole mapping, or a part of one, that nobody uses any more.
pub(crate) unsafe fn unmap(start: *mut u8, bytes: usize) {
    // SAFETY: by the caller's promise.
    unsafe { libc::munmap(start.cast(), bytes) };
}

/// Makes a mapping longer or shorter, and moves it if need be, without copying what is in it. Null if there is no memory; then it stays what it was.
///
/// # Safety
/// It is a whole mapping with that many bytes.
pub(crate) unsafe fn resize(start: *mut u8, old: usize, new: usize) -> *mut u8 {
    // SAFETY: by the caller's promise; where the new place is given, it was reserved for this.
    unsafe {
        let resized = libc::mremap(start.cast(), old, new, 0);
        if resized != libc::MAP_FAILED {
            return resized.cast();
        }
        // Pages are only moved as they are if old and new place have the same alignment.
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

/// A mapping that begins with a large page.
fn aligned(bytes: usize, protection: i32) -> *mut u8 {
    let all = mapped(bytes + LARGE_PAGE, protection);
    if all.is_null() {
        return all;
    }
    let before = all.align_offset(LARGE_PAGE);
    // SAFETY: what is cut off on both sides belongs to the fresh mapping, and nobody knows it yet.
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
    // SAFETY: a fresh anonymous mapping touches nothing that exists.
    let start = unsafe { libc::mmap(without_provenance_mut(0), bytes, protection, flags, -1, 0) };
    if start == libc::MAP_FAILED { null_mut() } else { start.cast() }
}
