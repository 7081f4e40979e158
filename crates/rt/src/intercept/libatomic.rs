//! Atomics that compilers leave to libatomic: sixteen bytes without `-mcx16`, and structures of any size.
//!
//! Those of sixteen bytes are like all others if they are called by their names. The functions for any size, which clang calls for structures, only order threads here; inside they may call
//! those for sixteen bytes, which must not count once more.

use crate::abi::atomics::{Strength, compare, load, store};
use crate::abi::atomics::{exchange, fetch_add, fetch_and, fetch_nand, fetch_or, fetch_sub, fetch_xor};
use crate::abi::shim::{shim, shim_through_block};
use crate::sync;
use crate::tls::Inside;
use core::ffi::{c_int, c_void};

crate::sys::next! {
    fn __atomic_load(bytes: usize, from: *mut c_void, to: *mut c_void, order: c_int);
    fn __atomic_store(bytes: usize, to: *mut c_void, from: *mut c_void, order: c_int);
    fn __atomic_exchange(bytes: usize, at: *mut c_void, value: *mut c_void, old: *mut c_void, order: c_int);
    fn __atomic_compare_exchange(bytes: usize, at: *mut c_void, expected: *mut c_void, value: *mut c_void, order: c_int, failure: c_int) -> bool;
}

unsafe extern "C" fn compare_16(
    address: *mut u128,
    expected: *mut u128,
    value: u128,
    order: c_int,
    failure: c_int,
) -> bool {
    let caller = crate::tls::local().caller;
    // SAFETY: the arguments are the program's, here and below.
    match unsafe { compare(address, *expected, value, (order, failure), Strength::Strong, caller) } {
        Ok(_) => true,
        Err(old) => {
            unsafe { *expected = old };
            false
        }
    }
}

shim!(__atomic_load_16 => load::<u128>, "rdx");
shim!(__atomic_store_16 => store::<u128>, "r8");
shim!(__atomic_exchange_16 => exchange::<u128>, "r8");
shim!(__atomic_fetch_add_16 => fetch_add::<u128>, "r8");
shim!(__atomic_fetch_sub_16 => fetch_sub::<u128>, "r8");
shim!(__atomic_fetch_and_16 => fetch_and::<u128>, "r8");
shim!(__atomic_fetch_or_16 => fetch_or::<u128>, "r8");
shim!(__atomic_fetch_xor_16 => fetch_xor::<u128>, "r8");
shim!(__atomic_fetch_nand_16 => fetch_nand::<u128>, "r8");
shim_through_block!(__atomic_compare_exchange_16 => compare_16);

/// What libatomic does is no access of the program.
fn unobserved<R>(work: impl FnOnce() -> R) -> R {
    let _inside = Inside::enter();
    work()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __atomic_load(bytes: usize, from: *mut c_void, to: *mut c_void, order: c_int) {
    unobserved(|| unsafe { real::__atomic_load(bytes, from, to, order) });
    sync::acquired(from as usize);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __atomic_store(bytes: usize, to: *mut c_void, from: *mut c_void, order: c_int) {
    sync::contributing(to as usize);
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
    let changed = unobserved(|| unsafe { real::__atomic_compare_exchange(bytes, at, expected, value, order, failure) });
    sync::acquired(at as usize);
    changed
}
