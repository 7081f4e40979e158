//! The guards of variables that C++ initialises when a function first runs, after the Itanium ABI.
//!
//! They are implemented here, because there need not be anything to call: the functions of a program that is linked with `-static-libstdc++` are in the executable, where ours take their place. The bits
//! are those of libstdc++, and sleeping and waking as well, so that a module that brings its own copy can share a guard with us. As there, who initialises a variable while it does so waits for itself.

use crate::access::{Kind, Step, perform};
use crate::order::Order;
use crate::schedule::{self, Deadline, Operation};
use crate::{sync, sys};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};

const ACQUIRE: Order = Order::from_abi(2);
const RELEASE: Order = Order::from_abi(3);
/// The variable is there. This is the byte that the program looks at itself.
const DONE: u32 = 1;
/// Somebody initialises it,
const PENDING: u32 = 0x100;
/// and somebody else sleeps until that is over.
const AWAITED: u32 = 0x1_0000;

/// What passes from one who has failed to the next one, who tries again. The last bytes of a guard are nobody's.
fn failures(guard: *mut u64) -> usize {
    guard as usize + 4
}

unsafe fn word<'a>(guard: *mut u64) -> &'a AtomicU32 {
    // SAFETY: the caller passes a guard that the compiler has made, which is aligned and stays.
    unsafe { AtomicU32::from_ptr(guard.cast()) }
}

/// Whether it is this thread that initialises the variable. Nothing as long as somebody else does.
fn attempt(word: &AtomicU32) -> Option<bool> {
    match word.compare_exchange(0, PENDING, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Some(true),
        Err(found) if found & DONE != 0 => Some(false),
        Err(_) => None,
    }
}

/// The same, however long it takes.
fn sleep_until_decided(word: &AtomicU32) -> bool {
    loop {
        if let Some(decided) = attempt(word) {
            return decided;
        }
        let awaited = PENDING | AWAITED;
        let change = word.compare_exchange(PENDING, awaited, Ordering::Relaxed, Ordering::Relaxed);
        if change.is_ok() || change == Err(awaited) {
            let arguments = [word.as_ptr() as usize, libc::FUTEX_WAIT as usize, awaited as usize, 0, 0, 0];
            // SAFETY: the word stays. Whatever ends the wait, we look again.
            unsafe { sys::raw_syscall(libc::SYS_futex, arguments) };
        }
    }
}

/// It is over, in one way or the other.
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
    // Whoever comes later reads the guard with an ordinary atomic load, so this has to be the store that it reads from.
    let set = || {
        // SAFETY: the compiler passes the guard of a static variable.
        leave(unsafe { word(guard) }, DONE);
        ((), Step::Store { old: 0, new: 1 })
    };
    perform(guard as usize, 1, RELEASE, Kind::Store, 0, set);
    schedule::notify(Operation::Initialised, guard as usize);
}

/// An exception has left the initialisation.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cxa_guard_abort(guard: *mut u64) {
    sync::contributing(failures(guard));
    // SAFETY: the compiler passes the guard of a static variable.
    leave(unsafe { word(guard) }, 0);
    schedule::notify(Operation::Initialised, guard as usize);
}
