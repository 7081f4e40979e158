//! Atomics that compilers leave to libatomic: those of sixteen bytes without `-mcx16`, and structures of any size.
//!
//! The functions for sixteen bytes are checked like all other atomics. The functions for any size, which clang calls for structures, only order threads. They may call those
//! for sixteen bytes inside; these inner calls are not recorded again.

use crate::abi::atomics::compare_strong_16;
use crate::abi::atomics::exports::operations;
use crate::abi::shim::shim_through_block;
use crate::sync;
use crate::tls::Inside;
use core::ffi::{c_int, c_void};

crate::sys::next! {
    fn __atomic_load(bytes: usize, from: *mut c_void, to: *mut c_void, order: c_int);
    fn __atomic_store(bytes: usize, to: *mut c_void, from: *mut c_void, order: c_int);
    fn __atomic_exchange(bytes: usize, at: *mut c_void, value: *mut c_void, old: *mut c_void, order: c_int);
    fn __atomic_compare_exchange(bytes: usize, at: *mut c_void, expected: *mut c_void, value: *mut c_void, order: c_int, failure: c_int) -> bool;
}

operations!(u128, "rdx", "r8"; __atomic_load_16 __atomic_store_16 __atomic_exchange_16
    __atomic_fetch_add_16 __atomic_fetch_sub_16 __atomic_fetch_and_16 __atomic_fetch_or_16
    __atomic_fetch_xor_16 __atomic_fetch_nand_16);
shim_through_block!(__atomic_compare_exchange_16 => compare_strong_16);

/// Calls libatomic without recording its own accesses.
fn unobserved<R>(work: impl FnOnce() -> R) -> R {
    let _inside = Inside::enter();
    work()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __atomic_load(bytes: usize, from: *mut c_void, to: *mut c_void, order: c_int) {
    // SAFETY: the program's own arguments, passed on as they are.
    unobserved(|| unsafe { real::__atomic_load(bytes, from, to, order) });
    sync::acquired(from as usize);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __atomic_store(bytes: usize, to: *mut c_void, from: *mut c_void, order: c_int) {
    sync::contributing(to as usize);
    // SAFETY: the program's own arguments, passed on as they are.
    unobserved(|| unsafe { real::__atomic_store(bytes, to, from, order) });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __atomic_exchange(
    bytes: usize,
    at: *mut c_void,
    value: *mut c_void,
    old: *mut c_void,
    order: c_int,
) {
    sync::contributing(at as usize);
    // SAFETY: the program's own arguments, passed on as they are.
    unobserved(|| unsafe { real::__atomic_exchange(bytes, at, value, old, order) });
    sync::acquired(at as usize);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __atomic_compare_exchange(
    bytes: usize,
    at: *mut c_void,
    expected: *mut c_void,
    value: *mut c_void,
    order: c_int,
    failure: c_int,
) -> bool {
    sync::contributing(at as usize);
    // SAFETY: the program's own arguments, passed on as they are.
    let changed = unobserved(|| unsafe { real::__atomic_compare_exchange(bytes, at, expected, value, order, failure) });
    sync::acquired(at as usize);
    changed
}
