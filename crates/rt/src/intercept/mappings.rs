//! Mappings that change their size or address: the memory that they leave is freed, and the memory that they get is new.

use super::memory::forget;
use crate::sys;
use core::ffi::{c_int, c_void};

crate::sys::next! {
    fn mremap(address: *mut c_void, before: usize, after: usize, flags: c_int, to: *mut c_void) -> *mut c_void;
}

/// Rounds up to whole pages, as the kernel does.
fn pages(bytes: usize) -> usize {
    bytes.wrapping_add(4095) & !4095
}

/// The fifth argument exists only with some flags; passing it on anyway is harmless. Memory that stays must not be forgotten, and memory that is left must be forgotten before another
/// thread can get it. So the call is first tried without permission to move, as the kernel does.
#[unsafe(no_mangle)]
unsafe extern "C" fn mremap(
    address: *mut c_void,
    before: usize,
    after: usize,
    flags: c_int,
    to: *mut c_void,
) -> *mut c_void {
    let (start, old, new) = (address as usize, pages(before), pages(after));
    if flags & !libc::MREMAP_MAYMOVE == 0 {
        if new < old {
            forget(start + new, old - new);
        }
        let error = sys::errno();
        // SAFETY: the program's own mapping, which may grow or shrink but not move, as the program has allowed.
        let stayed = unsafe { real::mremap(address, before, after, 0, to) };
        if stayed != libc::MAP_FAILED && new > old {
            forget(start + old, new - old);
        }
        if stayed != libc::MAP_FAILED || flags == 0 {
            return stayed;
        }
        sys::set_errno(error);
    }
    forget(start, old);
    // SAFETY: the program's own arguments, passed on as they are.
    let moved = unsafe { real::mremap(address, before, after, flags, to) };
    if moved != libc::MAP_FAILED {
        forget(moved as usize, new);
    }
    moved
}
