//! `memcpy`, `memmove` and `memset`, which gcc calls as they are, where clang calls functions of the sanitizer.
//!
//! They are not replaced for the whole process: the linker passes only the calls of the objects that it links to us (`--wrap`, see `steadfast cc`), and what libraries copy is their
//! own business. The calls of the runtime itself come here, too, and are not looked at, because it is inside. What is meant to be the original is the checked form, which nobody wraps.

use crate::abi::shim::shim;
use crate::{plain, tls};
use core::ffi::{c_int, c_void};

unsafe extern "C" {
    fn __memcpy_chk(to: *mut c_void, from: *const c_void, bytes: usize, room: usize) -> *mut c_void;
    fn __memmove_chk(to: *mut c_void, from: *const c_void, bytes: usize, room: usize) -> *mut c_void;
    fn __memset_chk(to: *mut c_void, value: c_int, bytes: usize, room: usize) -> *mut c_void;
}

/// As much room as it takes. If the compiler knew this number, it would call the unchecked form, and that is us.
fn room() -> usize {
    core::hint::black_box(usize::MAX)
}

/// Notes what is done in the name of the program.
pub(super) fn observe(address: usize, bytes: usize, write: bool, caller: usize) {
    // Before the runtime has met the thread there is nobody to race with.
    if bytes != 0 && !tls::local().thread.is_null() && tls::local().inside == 0 {
        plain::range(address, bytes, write, caller);
    }
}

unsafe extern "C" fn copy(to: *mut c_void, from: *const c_void, bytes: usize, caller: usize) -> *mut c_void {
    observe(from as usize, bytes, false, caller);
    observe(to as usize, bytes, true, caller);
    // SAFETY: the program's own arguments. Nobody knows how much room there is, so it is said to be enough for anything.
    unsafe { __memcpy_chk(to, from, bytes, room()) }
}

unsafe extern "C" fn move_bytes(to: *mut c_void, from: *const c_void, bytes: usize, caller: usize) -> *mut c_void {
    observe(from as usize, bytes, false, caller);
    observe(to as usize, bytes, true, caller);
    // SAFETY: the program's own arguments. Nobody knows how much room there is, so it is said to be enough for anything.
    unsafe { __memmove_chk(to, from, bytes, room()) }
}

unsafe extern "C" fn fill(to: *mut c_void, value: c_int, bytes: usize, caller: usize) -> *mut c_void {
    observe(to as usize, bytes, true, caller);
    // SAFETY: the program's own arguments. Nobody knows how much room there is, so it is said to be enough for anything.
    unsafe { __memset_chk(to, value, bytes, room()) }
}

shim!(__wrap_memcpy => copy, "rcx");
shim!(__wrap_memmove => move_bytes, "rcx");
shim!(__wrap_memset => fill, "rcx");
