//! Annotations for other sanitizers: the functions of `sanitizer/tsan_interface.h` and the dynamic annotations of Valgrind's tools. Programs call them if `__SANITIZE_THREAD__` is defined.
//!
//! The names are those of the originals. Annotations that only improve the reports of other tools have no effect here.

use crate::lock::Lock;
use crate::{frames, sync, sys, thread, tls};
use core::ffi::{c_char, c_int, c_uint, c_void};
use std::boxed::Box;
use std::vec::Vec;

/// The flags of mutexes that the runtime uses.
const LINKER_INIT: c_uint = 1 << 0;
const READ_LOCK: c_uint = 1 << 3;
const TRY_LOCK_FAILED: c_uint = 1 << 5;

/// The address of the record for annotations of `address`. Programs often annotate the word of an atomic, which has a record of its own; so the key is an address that no program has.
fn key(address: *const c_void) -> usize {
    address as usize ^ (1 << 46)
}

fn ignore() {
    tls::local().ignored += 1;
}

fn notice() {
    tls::local().ignored = tls::local().ignored.saturating_sub(1);
}

fn taken(address: *const c_void, read: bool) {
    if read {
        sync::acquired_for_reading(key(address));
    } else {
        sync::acquired_for_writing(key(address));
    }
}

fn giving_back(address: *const c_void, read: bool) {
    sync::releasing_either(key(address), !read);
}

/// Memory whose races are not reported: address and size.
static BENIGN: Lock<Vec<(usize, usize)>> = Lock::new(Vec::new());

fn accept_races(address: *const c_void, bytes: usize) {
    let _inside = tls::Inside::enter();
    let mut benign = BENIGN.lock();
    let range = (address as usize, bytes);
    if !benign.contains(&range) {
        benign.push(range);
    }
}

/// Whether the program has said that a race there does not matter.
pub(crate) fn is_benign(address: usize) -> bool {
    BENIGN.lock().iter().any(|&(start, bytes)| address.wrapping_sub(start) < bytes)
}

/// The fiber that this thread runs: an opaque pointer. A thread is its own first fiber.
fn fiber() -> usize {
    match tls::local().fiber {
        0 => thread::current() as usize,
        fiber => fiber,
    }
}

/// Fibers have no clocks of their own. They use those of their thread, and what a fiber did in one thread happens before what it does in the next. So all fibers of one thread are ordered: this may hide a race between two of
/// them, but does not invent one.
fn switch(fiber_to: *mut c_void) {
    sync::contributing(fiber());
    tls::local().fiber = fiber_to as usize;
    sync::acquired(fiber_to as usize);
}

fn new_fiber() -> *mut c_void {
    let _inside = tls::Inside::enter();
    Box::into_raw(Box::new(0u64)).cast()
}

unsafe fn drop_fiber(fiber: *mut c_void) {
    sync::destroyed(fiber as usize, size_of::<u64>());
    let _inside = tls::Inside::enter();
    // SAFETY: it came from `new_fiber`, and a fiber that the program destroys is not used any more.
    drop(unsafe { Box::from_raw(fiber.cast::<u64>()) });
}

/// Writes the stack of this thread as addresses: names are looked up only for reports.
unsafe extern "C" fn print_stack(caller: usize) {
    let Some(_inside) = tls::Inside::first() else { return };
    // SAFETY: this thread's own structure.
    let place = unsafe { (*thread::current()).frames.place(caller) };
    let mut number = 0;
    frames::walk(place, |address| {
        sys::write_all(2, std::format!("    #{number} {address:#x}\n").as_bytes());
        number += 1;
    });
}

#[cfg(not(test))]
mod exports {
    use super::{
        LINKER_INIT, READ_LOCK, TRY_LOCK_FAILED, accept_races, c_char, c_int, c_uint, c_void, drop_fiber, fiber,
        giving_back, ignore, key, new_fiber, notice, print_stack, switch, sync, taken,
    };
    use crate::abi::shim::shim;

    shim!(__sanitizer_print_stack_trace => print_stack, "rdi");

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_acquire(address: *mut c_void) {
        sync::acquired(key(address));
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_release(address: *mut c_void) {
        sync::contributing(key(address));
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_mutex_create(_address: *mut c_void, _flags: c_uint) {}

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_mutex_destroy(address: *mut c_void, flags: c_uint) {
        if flags & LINKER_INIT == 0 {
            sync::destroyed(key(address), 1);
        }
    }

    // The implementation of a mutex is not checked: nothing is reported between the beginning and the end of an operation.
    #[unsafe(no_mangle)]
    extern "C" fn __tsan_mutex_pre_lock(_address: *mut c_void, _flags: c_uint) {
        ignore();
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_mutex_post_lock(address: *mut c_void, flags: c_uint, _recursion: c_int) {
        notice();
        if flags & TRY_LOCK_FAILED == 0 {
            taken(address, flags & READ_LOCK != 0);
        }
    }

    /// In the original, returns how often a recursive mutex was locked, so that the program can lock it as often again. The number does not matter here.
    #[unsafe(no_mangle)]
    extern "C" fn __tsan_mutex_pre_unlock(address: *mut c_void, flags: c_uint) -> c_int {
        giving_back(address, flags & READ_LOCK != 0);
        ignore();
        1
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_mutex_post_unlock(_address: *mut c_void, _flags: c_uint) {
        notice();
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_mutex_pre_signal(_address: *mut c_void, _flags: c_uint) {
        ignore();
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_mutex_post_signal(_address: *mut c_void, _flags: c_uint) {
        notice();
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_mutex_pre_divert(_address: *mut c_void, _flags: c_uint) {
        notice();
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_mutex_post_divert(_address: *mut c_void, _flags: c_uint) {
        ignore();
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_get_current_fiber() -> *mut c_void {
        fiber() as *mut c_void
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_create_fiber(_flags: c_uint) -> *mut c_void {
        new_fiber()
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn __tsan_destroy_fiber(fiber: *mut c_void) {
        // SAFETY: the header wants a fiber that was created and is not in use.
        unsafe { drop_fiber(fiber) };
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_switch_to_fiber(fiber: *mut c_void, _flags: c_uint) {
        switch(fiber);
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_set_fiber_name(_fiber: *mut c_void, _name: *const c_char) {}

    /// Defines functions that take the file and the line of the call before all other arguments. `WebKit` uses names with `WTF`.
    macro_rules! annotations {
        ($($name:ident($($argument:ident: $type:ty),*) $body:block)*) => { $(
            #[unsafe(no_mangle)]
            extern "C" fn $name(_file: *const c_char, _line: c_int $(, $argument: $type)*) $body
        )* };
    }

    annotations! {
        AnnotateHappensBefore(address: *const c_void) { sync::contributing(key(address)); }
        AnnotateHappensAfter(address: *const c_void) { sync::acquired(key(address)); }
        WTFAnnotateHappensBefore(address: *const c_void) { sync::contributing(key(address)); }
        WTFAnnotateHappensAfter(address: *const c_void) { sync::acquired(key(address)); }
        AnnotateRWLockCreate(_lock: *const c_void) {}
        AnnotateRWLockCreateStatic(_lock: *const c_void) {}
        AnnotateRWLockDestroy(lock: *const c_void) { sync::destroyed(key(lock), 1); }
        AnnotateRWLockAcquired(lock: *const c_void, writer: usize) { taken(lock, writer == 0); }
        AnnotateRWLockReleased(lock: *const c_void, writer: usize) { giving_back(lock, writer == 0); }
        AnnotateIgnoreReadsBegin() { ignore(); }
        AnnotateIgnoreReadsEnd() { notice(); }
        AnnotateIgnoreWritesBegin() { ignore(); }
        AnnotateIgnoreWritesEnd() { notice(); }
        AnnotateBenignRace(address: *const c_void, _why: *const c_char) { accept_races(address, 1); }
        AnnotateBenignRaceSized(address: *const c_void, bytes: usize, _why: *const c_char) { accept_races(address, bytes); }
        WTFAnnotateBenignRaceSized(address: *const c_void, bytes: usize, _why: *const c_char) { accept_races(address, bytes); }
    }

    // Synchronisation counts even where the program asks to ignore it (to find more races). The other annotations have no effect, as in ThreadSanitizer.
    annotations! {
        AnnotateIgnoreSyncBegin() {}
        AnnotateIgnoreSyncEnd() {}
        AnnotateNewMemory(_address: *const c_void, _bytes: usize) {}
        AnnotateThreadName(_name: *const c_char) {}
        AnnotateFlushState() {}
        AnnotateNoOp(_address: *const c_void) {}
        AnnotateTraceMemory(_address: *const c_void) {}
        AnnotateExpectRace(_address: *const c_void, _why: *const c_char) {}
        AnnotateFlushExpectedRaces() {}
        AnnotateEnableRaceDetection(_enable: c_int) {}
        AnnotateMutexIsUsedAsCondVar(_mutex: *const c_void) {}
        AnnotateMutexIsNotPHB(_mutex: *const c_void) {}
        AnnotateCondVarSignal(_condition: *const c_void) {}
        AnnotateCondVarSignalAll(_condition: *const c_void) {}
        AnnotateCondVarWait(_condition: *const c_void, _lock: *const c_void) {}
        AnnotatePublishMemoryRange(_address: *const c_void, _bytes: usize) {}
        AnnotateUnpublishMemoryRange(_address: *const c_void, _bytes: usize) {}
        AnnotatePCQCreate(_queue: *const c_void) {}
        AnnotatePCQDestroy(_queue: *const c_void) {}
        AnnotatePCQPut(_queue: *const c_void) {}
        AnnotatePCQGet(_queue: *const c_void) {}
        AnnotateMemoryIsInitialized(_address: *const c_void, _bytes: usize) {}
        AnnotateMemoryIsUninitialized(_address: *const c_void, _bytes: usize) {}
    }

    #[unsafe(no_mangle)]
    extern "C" fn RunningOnValgrind() -> c_int {
        0
    }

    #[unsafe(no_mangle)]
    extern "C" fn ValgrindSlowdown() -> f64 {
        10.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_are_accepted_only_where_the_program_says_so() {
        let memory = [0u8; 8];
        accept_races(memory[2..].as_ptr().cast(), 4);
        let accepted = memory.each_ref().map(|byte| is_benign((&raw const *byte) as usize));
        assert_eq!(accepted, [false, false, true, true, true, true, false, false]);
    }
}
