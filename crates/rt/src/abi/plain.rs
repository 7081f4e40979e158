//! `__tsan_read*`, `__tsan_write*`: the plain accesses of the program.

use core::ffi::{c_int, c_void};

unsafe extern "C" fn read<const BYTES: usize>(address: usize, caller: usize) {
    crate::plain::access(address, BYTES, false, caller);
}

unsafe extern "C" fn write<const BYTES: usize>(address: usize, caller: usize) {
    crate::plain::access(address, BYTES, true, caller);
}

unsafe extern "C" fn read_range(address: usize, bytes: usize, caller: usize) {
    crate::plain::range(address, bytes, false, caller);
}

unsafe extern "C" fn write_range(address: usize, bytes: usize, caller: usize) {
    crate::plain::range(address, bytes, true, caller);
}

/// Each constructor and destructor of a class writes the pointer to the virtual functions. Writing the same value again does not count as a write.
unsafe extern "C" fn vptr_update(address: *mut *mut c_void, new: *mut c_void, caller: usize) {
    // SAFETY: the program is about to write there.
    if unsafe { *address } != new {
        crate::plain::access(address as usize, 8, true, caller);
    }
}

unsafe extern "C" fn copy(to: *mut c_void, from: *const c_void, bytes: usize, caller: usize) -> *mut c_void {
    crate::plain::range(from as usize, bytes, false, caller);
    crate::plain::range(to as usize, bytes, true, caller);
    // SAFETY: as the program promised; overlapping blocks are allowed here.
    unsafe { libc::memmove(to, from, bytes) }
}

unsafe extern "C" fn fill(to: *mut c_void, value: c_int, bytes: usize, caller: usize) -> *mut c_void {
    crate::plain::range(to as usize, bytes, true, caller);
    // SAFETY: as the program promised.
    unsafe { libc::memset(to, value, bytes) }
}

#[cfg(not(test))]
mod exports {
    use super::{copy, fill, read, read_range, vptr_update, write, write_range};
    use crate::abi::shim::shim;

    macro_rules! sizes {
        ($($bytes:literal: $($read:ident)* / $($write:ident)*;)*) => { $(
            $(shim!($read => read::<$bytes>, "rsi");)*
            $(shim!($write => write::<$bytes>, "rsi");)*
        )* };
    }
    // An access that reads and writes is checked as a write: an access that races with the read also races with the write.
    sizes! {
        1: __tsan_read1 __tsan_volatile_read1 / __tsan_write1 __tsan_volatile_write1 __tsan_read_write1;
        2: __tsan_read2 __tsan_volatile_read2 __tsan_unaligned_read2 __tsan_unaligned_volatile_read2
         / __tsan_write2 __tsan_volatile_write2 __tsan_read_write2 __tsan_unaligned_write2 __tsan_unaligned_volatile_write2
           __tsan_unaligned_read_write2;
        4: __tsan_read4 __tsan_volatile_read4 __tsan_unaligned_read4 __tsan_unaligned_volatile_read4
         / __tsan_write4 __tsan_volatile_write4 __tsan_read_write4 __tsan_unaligned_write4 __tsan_unaligned_volatile_write4
           __tsan_unaligned_read_write4;
        8: __tsan_read8 __tsan_volatile_read8 __tsan_unaligned_read8 __tsan_unaligned_volatile_read8 __tsan_vptr_read
         / __tsan_write8 __tsan_volatile_write8 __tsan_read_write8 __tsan_unaligned_write8 __tsan_unaligned_volatile_write8
           __tsan_unaligned_read_write8;
        16: __tsan_read16 __tsan_volatile_read16 __tsan_unaligned_read16 __tsan_unaligned_volatile_read16
         / __tsan_write16 __tsan_volatile_write16 __tsan_read_write16 __tsan_unaligned_write16
           __tsan_unaligned_volatile_write16 __tsan_unaligned_read_write16;
    }
    shim!(__tsan_read_range => read_range, "rdx");
    shim!(__tsan_write_range => write_range, "rdx");
    shim!(__tsan_vptr_update => vptr_update, "rdx");
    shim!(__tsan_memcpy => copy, "rcx");
    shim!(__tsan_memmove => copy, "rcx");
    shim!(__tsan_memset => fill, "rcx");
}
