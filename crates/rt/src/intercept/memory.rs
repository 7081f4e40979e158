//! The allocator. libc's allocator does the work; the runtime forgets the accesses to freed memory, because its next use is unrelated to the last one.

use super::operators::caller_or;
use crate::abi::shim::shim;
use crate::tls::Inside;
use crate::{origins, plain, table};
use core::ffi::{c_int, c_void};

unsafe extern "C" {
    fn __libc_malloc(bytes: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, bytes: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, bytes: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, bytes: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
}

crate::sys::next! {
    fn mmap(address: *mut c_void, bytes: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void;
    fn munmap(address: *mut c_void, bytes: usize) -> c_int;
}

/// Forgets everything about this memory.
pub(super) fn forget(address: usize, bytes: usize) {
    if let Some(_inside) = Inside::first() {
        table::forget(address, bytes);
        plain::forget(address, bytes);
    }
}

/// A new block: earlier uses of the same memory, as a block, a stack or a mapping, are unrelated to it.
fn fresh(block: *mut c_void, caller: usize) -> *mut c_void {
    let caller = caller_or(caller);
    if block.is_null() || crate::tls::local().thread.is_null() {
        return block;
    }
    if let Some(_inside) = Inside::first() {
        // SAFETY: the block comes from libc, and the structure is this thread's own.
        let (bytes, thread) = unsafe { (libc::malloc_usable_size(block), &mut *crate::tls::local().thread) };
        table::forget(block as usize, bytes);
        plain::forget(block as usize, bytes);
        origins::remember(block as usize, thread.number, thread.frames.place(caller).0);
    }
    block
}

unsafe fn released(block: *mut c_void, caller: usize) {
    let caller = caller_or(caller);
    if block.is_null() || crate::tls::local().thread.is_null() {
        return;
    }
    // SAFETY: the block is the program's.
    let bytes = unsafe { libc::malloc_usable_size(block) };
    plain::released(block as usize, bytes, caller);
    // Its shadow stays until the memory is used again, so that a use after this is a race.
    if let Some(_inside) = Inside::first() {
        table::forget(block as usize, bytes);
        origins::forget(block as usize);
    }
}

unsafe extern "C" fn release(block: *mut c_void, caller: usize) {
    // SAFETY: the block is the program's, which gives it up.
    unsafe {
        released(block, caller);
        __libc_free(block);
    }
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn free() {
    core::arch::naked_asm!("mov rsi, qword ptr [rsp]", "jmp {release}", release = sym release)
}

unsafe extern "C" fn malloc_from(bytes: usize, caller: usize) -> *mut c_void {
    // SAFETY: the original takes any number of bytes.
    fresh(unsafe { __libc_malloc(bytes) }, caller)
}

shim!(malloc => malloc_from, "rsi");

unsafe extern "C" fn calloc_from(count: usize, bytes: usize, caller: usize) -> *mut c_void {
    // SAFETY: the original takes any numbers.
    fresh(unsafe { __libc_calloc(count, bytes) }, caller)
}

shim!(calloc => calloc_from, "rdx");

unsafe extern "C" fn realloc_from(block: *mut c_void, bytes: usize, caller: usize) -> *mut c_void {
    // SAFETY: the block is null or a block of the program, which gives it up if another one comes back.
    unsafe {
        let before = if block.is_null() { 0 } else { libc::malloc_usable_size(block) };
        let moved = __libc_realloc(block, bytes);
        if moved == block {
            grown(block, before);
            return moved;
        }
        if !moved.is_null() {
            // Everything else that is known about its memory stays until it is allocated again; another thread may have done so already.
            origins::forget(block as usize);
        }
        fresh(moved, caller)
    }
}

/// A block has grown in place: the added memory was unrelated to it before.
unsafe fn grown(block: *mut c_void, before: usize) {
    // SAFETY: the block is the program's, if there is one.
    let after = if block.is_null() { 0 } else { unsafe { libc::malloc_usable_size(block) } };
    if after > before {
        forget(block as usize + before, after - before);
    }
}

shim!(realloc => realloc_from, "rdx");

unsafe extern "C" fn reallocarray_from(block: *mut c_void, count: usize, bytes: usize, caller: usize) -> *mut c_void {
    let Some(all) = count.checked_mul(bytes) else {
        crate::sys::set_errno(libc::ENOMEM);
        return core::ptr::null_mut();
    };
    // SAFETY: the block is null or a block of the program, as for `realloc`.
    unsafe { realloc_from(block, all, caller) }
}

shim!(reallocarray => reallocarray_from, "rcx");

unsafe extern "C" fn memalign_from(alignment: usize, bytes: usize, caller: usize) -> *mut c_void {
    // SAFETY: the original takes any numbers.
    fresh(unsafe { __libc_memalign(alignment, bytes) }, caller)
}

shim!(memalign => memalign_from, "rdx");

unsafe extern "C" fn aligned_alloc_from(alignment: usize, bytes: usize, caller: usize) -> *mut c_void {
    // SAFETY: the original takes any numbers.
    fresh(unsafe { __libc_memalign(alignment, bytes) }, caller)
}

shim!(aligned_alloc => aligned_alloc_from, "rdx");

#[unsafe(no_mangle)]
unsafe extern "C" fn valloc(bytes: usize) -> *mut c_void {
    // SAFETY: the original takes any number of bytes, and 4096 is a power of two.
    fresh(unsafe { __libc_memalign(4096, bytes) }, 0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pvalloc(bytes: usize) -> *mut c_void {
    // The original refuses too large a size, too.
    // SAFETY: the original takes any number of bytes, and 4096 is a power of two.
    fresh(unsafe { __libc_memalign(4096, bytes.checked_next_multiple_of(4096).unwrap_or(usize::MAX)) }, 0)
}

unsafe extern "C" fn posix_memalign_from(
    result: *mut *mut c_void,
    alignment: usize,
    bytes: usize,
    caller: usize,
) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    // SAFETY: the original takes any number of bytes, and the alignment is a power of two.
    let block = fresh(unsafe { __libc_memalign(alignment, bytes) }, caller);
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the program passes the address of a variable for the result.
    unsafe { *result = block };
    0
}

shim!(posix_memalign => posix_memalign_from, "rcx");

#[unsafe(no_mangle)]
unsafe extern "C" fn mmap(
    address: *mut c_void,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> *mut c_void {
    // SAFETY: the program's own arguments, passed on as they are.
    let mapped = unsafe { real::mmap(address, bytes, protection, flags, file, offset) };
    if mapped != libc::MAP_FAILED {
        forget(mapped as usize, bytes);
    }
    mapped
}

/// `mmap` for programs that are compiled with `_FILE_OFFSET_BITS=64`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mmap64(
    address: *mut c_void,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> *mut c_void {
    // SAFETY: the program's own arguments; on this machine `mmap64` is `mmap`.
    unsafe { mmap(address, bytes, protection, flags, file, offset) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn munmap(address: *mut c_void, bytes: usize) -> c_int {
    forget(address as usize, bytes);
    // SAFETY: the program's own mapping, which it gives up.
    unsafe { real::munmap(address, bytes) }
}
