//! Functions of libc that read and write strings for the program.
//!
//! As in [`copies`](super::copies), only calls of the program itself come here: the linker redirects them (`--wrap`). The runtime records only the bytes that they really access: what is behind the end of a string, or behind
//! the first difference, may belong to another thread.

use super::copies::observe;
use crate::abi::shim::shim;
use core::ffi::{c_char, c_int, c_void};

crate::sys::next! {
    fn strlen(text: *const c_char) -> usize;
    fn strnlen(text: *const c_char, most: usize) -> usize;
    fn strcpy(to: *mut c_char, from: *const c_char) -> *mut c_char;
    fn stpcpy(to: *mut c_char, from: *const c_char) -> *mut c_char;
    fn strncpy(to: *mut c_char, from: *const c_char, most: usize) -> *mut c_char;
    fn strcat(to: *mut c_char, from: *const c_char) -> *mut c_char;
    fn strncat(to: *mut c_char, from: *const c_char, most: usize) -> *mut c_char;
    fn strdup(text: *const c_char) -> *mut c_char;
    fn strchr(text: *const c_char, letter: c_int) -> *mut c_char;
    fn strcmp(one: *const c_char, other: *const c_char) -> c_int;
    fn strncmp(one: *const c_char, other: *const c_char, most: usize) -> c_int;
    fn memcmp(one: *const c_void, other: *const c_void, bytes: usize) -> c_int;
    fn memchr(bytes: *const c_void, byte: c_int, most: usize) -> *mut c_void;
}

/// How many bytes are read to find the end of a string of at most `most` bytes, which may have no end.
///
/// # Safety
/// As for `strnlen`.
unsafe fn extent(text: *const c_char, most: usize) -> usize {
    // SAFETY: the caller passes what `strnlen` can read.
    unsafe { real::strnlen(text, most) }.saturating_add(1).min(most)
}

unsafe extern "C" fn length(text: *const c_char, caller: usize) -> usize {
    // SAFETY: the program passes a string.
    let length = unsafe { real::strlen(text) };
    observe(text as usize, length + 1, false, caller);
    length
}

unsafe extern "C" fn length_at_most(text: *const c_char, most: usize, caller: usize) -> usize {
    // SAFETY: the program passes a string, or bytes up to `most`.
    unsafe {
        observe(text as usize, extent(text, most), false, caller);
        real::strnlen(text, most)
    }
}

/// Records the copy of a whole string.
unsafe fn observe_copy(to: *mut c_char, from: *const c_char, caller: usize) {
    // SAFETY: the program passes a string.
    let bytes = unsafe { real::strlen(from) } + 1;
    observe(from as usize, bytes, false, caller);
    observe(to as usize, bytes, true, caller);
}

unsafe extern "C" fn copy(to: *mut c_char, from: *const c_char, caller: usize) -> *mut c_char {
    // SAFETY: the program passes a string, and enough room for it.
    unsafe {
        observe_copy(to, from, caller);
        real::strcpy(to, from)
    }
}

unsafe extern "C" fn copy_to_end(to: *mut c_char, from: *const c_char, caller: usize) -> *mut c_char {
    // SAFETY: the program passes a string, and enough room for it.
    unsafe {
        observe_copy(to, from, caller);
        real::stpcpy(to, from)
    }
}

unsafe extern "C" fn copy_at_most(to: *mut c_char, from: *const c_char, most: usize, caller: usize) -> *mut c_char {
    // SAFETY: the program passes a string, or bytes up to `most`, and room for `most` bytes.
    unsafe {
        observe(from as usize, extent(from, most), false, caller);
        // The rest is filled with zeroes.
        observe(to as usize, most, true, caller);
        real::strncpy(to, from, most)
    }
}

/// Records that this many bytes, and then a zero, are appended to a string.
unsafe fn observe_append(to: *mut c_char, bytes: usize, caller: usize) {
    // SAFETY: the program passes a string to append to.
    let length = unsafe { real::strlen(to) };
    observe(to as usize, length + 1, false, caller);
    observe(to as usize + length, bytes + 1, true, caller);
}

unsafe extern "C" fn append(to: *mut c_char, from: *const c_char, caller: usize) -> *mut c_char {
    // SAFETY: the program passes two strings, the first of which has room for both.
    unsafe {
        let bytes = real::strlen(from);
        observe(from as usize, bytes + 1, false, caller);
        observe_append(to, bytes, caller);
        real::strcat(to, from)
    }
}

unsafe extern "C" fn append_at_most(to: *mut c_char, from: *const c_char, most: usize, caller: usize) -> *mut c_char {
    // SAFETY: the program passes a string with room for what is appended, and a string, or bytes up to `most`.
    unsafe {
        observe(from as usize, extent(from, most), false, caller);
        observe_append(to, real::strnlen(from, most), caller);
        real::strncat(to, from, most)
    }
}

unsafe extern "C" fn duplicate(text: *const c_char, caller: usize) -> *mut c_char {
    // SAFETY: the program passes a string.
    unsafe {
        observe(text as usize, real::strlen(text) + 1, false, caller);
        real::strdup(text)
    }
}

unsafe extern "C" fn find(text: *const c_char, letter: c_int, caller: usize) -> *mut c_char {
    // SAFETY: the program passes a string.
    unsafe {
        let found = real::strchr(text, letter);
        let last = if found.is_null() { real::strlen(text) } else { found as usize - text as usize };
        observe(text as usize, last + 1, false, caller);
        found
    }
}

/// How many bytes are compared until the strings differ or end.
unsafe fn common(one: *const c_char, other: *const c_char, most: usize) -> usize {
    // SAFETY: the places are read one after the other, up to the end of the shorter string or to `most`.
    let at = |text: *const c_char, place: usize| unsafe { text.add(place).read_volatile() };
    let end = (0..most).find(|&place| at(one, place) != at(other, place) || at(one, place) == 0);
    end.map_or(most, |last| last + 1)
}

/// Records that the first bytes of both are read.
fn observe_both(one: usize, other: usize, bytes: usize, caller: usize) {
    observe(one, bytes, false, caller);
    observe(other, bytes, false, caller);
}

unsafe extern "C" fn compare(one: *const c_char, other: *const c_char, caller: usize) -> c_int {
    // SAFETY: the program passes two strings.
    unsafe {
        observe_both(one as usize, other as usize, common(one, other, usize::MAX), caller);
        real::strcmp(one, other)
    }
}

unsafe extern "C" fn compare_at_most(one: *const c_char, other: *const c_char, most: usize, caller: usize) -> c_int {
    // SAFETY: the program passes two strings, or bytes up to `most`.
    unsafe {
        observe_both(one as usize, other as usize, common(one, other, most), caller);
        real::strncmp(one, other, most)
    }
}

unsafe extern "C" fn compare_bytes(one: *const c_void, other: *const c_void, bytes: usize, caller: usize) -> c_int {
    observe_both(one as usize, other as usize, bytes, caller);
    // SAFETY: the program's own arguments, passed on as they are.
    unsafe { real::memcmp(one, other, bytes) }
}

unsafe extern "C" fn find_byte(bytes: *const c_void, byte: c_int, most: usize, caller: usize) -> *mut c_void {
    // SAFETY: the program passes bytes up to `most`, or up to the byte that it looks for.
    unsafe {
        let found = real::memchr(bytes, byte, most);
        let looked_at = if found.is_null() { most } else { found as usize - bytes as usize + 1 };
        observe(bytes as usize, looked_at, false, caller);
        found
    }
}

shim!(__wrap_strlen => length, "rsi");
shim!(__wrap_strnlen => length_at_most, "rdx");
shim!(__wrap_strcpy => copy, "rdx");
shim!(__wrap_stpcpy => copy_to_end, "rdx");
shim!(__wrap_strncpy => copy_at_most, "rcx");
shim!(__wrap_strcat => append, "rdx");
shim!(__wrap_strncat => append_at_most, "rcx");
shim!(__wrap_strdup => duplicate, "rsi");
shim!(__wrap_strchr => find, "rdx");
shim!(__wrap_strcmp => compare, "rdx");
shim!(__wrap_strncmp => compare_at_most, "rcx");
shim!(__wrap_memcmp => compare_bytes, "rcx");
shim!(__wrap_bcmp => compare_bytes, "rcx");
shim!(__wrap_memchr => find_byte, "rcx");
