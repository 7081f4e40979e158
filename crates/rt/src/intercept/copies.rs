//! `memcpy`, `memmove` and `memset`. gcc calls them directly; clang calls functions of the sanitizer instead.
//!
//! They are not replaced for the whole process: the linker redirects only the calls in the objects that it links (`--wrap`, see `steadfast cc`), so copies made by libraries are not
//! recorded. Calls of the runtime itself also come here, but are not recorded, because the thread is inside the runtime. The original is called in its checked form, which is not wrapped.

use crate::abi::shim::shim;
use crate::{plain, tls};
use core::ffi::{c_int, c_void};

unsafe extern "C" {
    fn __memcpy_chk(to: *mut c_void, from: *const c_void, bytes: usize, room: usize) -> *mut c_void;
    fn __memmove_chk(to: *mut c_void, from: *const c_void, bytes: usize, room: usize) -> *mut c_void;
    fn __memset_chk(to: *mut c_void, value: c_int, bytes: usize, room: usize) -> *mut c_void;
}

/// The size of the destination for the checked form: unlimited. If the compiler knew this number, it would call the unchecked form, which is the function here.
fn room() -> usize {
    core::hint::black_box(usize::MAX)
}

/// Records an access that libc makes for the program.
pub(super) fn observe(address: usize, bytes: usize, write: bool, caller: usize) {
    // Before the runtime knows the thread, nothing can race with it.
    if bytes != 0 && !tls::local().thread.is_null() && tls::local().inside == 0 {
        plain::range(address, bytes, write, caller);
    }
}

unsafe extern "C" fn copy(to: *mut c_void, from: *const c_void, bytes: usize, caller: usize) -> *mut c_void {
    observe(from as usize, bytes, false, caller);
    observe(to as usize, bytes, true, caller);
    // SAFETY: the program's own arguments. The size of the destination is not known, so it is given as unlimited.
    unsafe { __memcpy_chk(to, from, bytes, room()) }
}

unsafe extern "C" fn move_bytes(to: *mut c_void, from: *const c_void, bytes: usize, caller: usize) -> *mut c_void {
    observe(from as usize, bytes, false, caller);
    observe(to as usize, bytes, true, caller);
    // SAFETY: the program's own arguments. The size of the destination is not known, so it is given as unlimited.
    unsafe { __memmove_chk(to, from, bytes, room()) }
}

unsafe extern "C" fn fill(to: *mut c_void, value: c_int, bytes: usize, caller: usize) -> *mut c_void {
    observe(to as usize, bytes, true, caller);
    // SAFETY: the program's own arguments. The size of the destination is not known, so it is given as unlimited.
    unsafe { __memset_chk(to, value, bytes, room()) }
}

shim!(__wrap_memcpy => copy, "rcx");
shim!(__wrap_memmove => move_bytes, "rcx");
shim!(__wrap_memset => fill, "rcx");
