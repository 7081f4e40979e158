//! The guards of C++ variables that are initialised when a function first runs, as in the Itanium ABI.
//!
//! They are implemented here, because there may be no original to call: in a program that is linked with `-static-libstdc++`, these functions replace those in the executable. The bits and the
//! futex calls are those of libstdc++, so that a module with its own copy can share a guard with the runtime. As in libstdc++, a recursive initialisation waits for itself.

use crate::access::{Kind, Step, perform};
use crate::order::Order;
use crate::schedule::{self, Deadline, Operation};
use crate::{sync, sys};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};

const ACQUIRE: Order = Order::from_abi(2);
const RELEASE: Order = Order::from_abi(3);
/// The variable is initialised. The program itself reads this byte.
const DONE: u32 = 1;
/// A thread is initialising the variable,
const PENDING: u32 = 0x100;
/// and another thread sleeps until it has finished.
const AWAITED: u32 = 0x1_0000;

/// The address of the clock that a failed initialisation passes to the next attempt. The ABI does not use the last bytes of a guard.
fn failures(guard: *mut u64) -> usize {
    guard as usize + 4
}

unsafe fn word<'a>(guard: *mut u64) -> &'a AtomicU32 {
    // SAFETY: the caller passes a guard that the compiler has made, which is aligned and stays.
    unsafe { AtomicU32::from_ptr(guard.cast()) }
}

/// Whether this thread must initialise the variable. `None` while another thread does.
fn attempt(word: &AtomicU32) -> Option<bool> {
    match word.compare_exchange(0, PENDING, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Some(true),
        Err(found) if found & DONE != 0 => Some(false),
        Err(_) => None,
    }
}

/// The same as [`attempt`], but waits until it is decided.
fn sleep_until_decided(word: &AtomicU32) -> bool {
    loop {
        if let Some(decided) = attempt(word) {
            return decided;
        }
        let awaited = PENDING | AWAITED;
        let change = word.compare_exchange(PENDING, awaited, Ordering::Relaxed, Ordering::Relaxed);
        if change.is_ok() || change == Err(awaited) {
            let arguments = [word.as_ptr() as usize, libc::FUTEX_WAIT as usize, awaited as usize, 0, 0, 0];
            // SAFETY: the word stays. Whatever ends the wait, the loop looks again.
            unsafe { sys::raw_syscall(libc::SYS_futex, arguments) };
        }
    }
}

/// Ends the initialisation, and wakes the threads that wait for it.
fn leave(word: &AtomicU32, state: u32) {
    if word.swap(state, Ordering::AcqRel) & AWAITED != 0 {
        let arguments = [word.as_ptr() as usize, libc::FUTEX_WAKE as usize, i32::MAX as usize, 0, 0, 0];
        // SAFETY: the word is only an address here.
        unsafe { sys::raw_syscall(libc::SYS_futex, arguments) };
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cxa_guard_acquire(guard: *mut u64) -> c_int {
    // SAFETY: the compiler passes the guard of a static variable.
    let word = unsafe { word(guard) };
    let controlled = schedule::controlled()
        .then(|| schedule::wait_for(Operation::Once, guard as usize, Deadline::Never, || attempt(word)))
        .flatten();
    if controlled.unwrap_or_else(|| sleep_until_decided(word)) {
        sync::acquired(failures(guard));
        return 1;
    }
    // SAFETY: the first byte says whether the variable is there.
    let look = || ((), Step::Load { value: u128::from(unsafe { core::ptr::read_volatile(guard.cast::<u8>()) }) });
    perform(guard as usize, 1, ACQUIRE, Kind::Load, 0, look);
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cxa_guard_release(guard: *mut u64) {
    // Later users read the guard with an ordinary atomic load, so this must be the store that they read from.
    let set = || {
        // SAFETY: the compiler passes the guard of a static variable.
        leave(unsafe { word(guard) }, DONE);
        ((), Step::Store { old: 0, new: 1 })
    };
    perform(guard as usize, 1, RELEASE, Kind::Store, 0, set);
    schedule::notify(Operation::Initialised, guard as usize);
}

/// Called when an exception has left the initialisation.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cxa_guard_abort(guard: *mut u64) {
    sync::contributing(failures(guard));
    // SAFETY: the compiler passes the guard of a static variable.
    leave(unsafe { word(guard) }, 0);
    schedule::notify(Operation::Initialised, guard as usize);
}
