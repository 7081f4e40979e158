//! One-time initialisation: `pthread_once` and `call_once`.

use super::unwinding;
use crate::schedule::{self, Deadline, Operation};
use crate::sync;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};

crate::sys::next! {
    fn pthread_once(control: *mut c_int, routine: Option<unsafe extern "C" fn()>) -> c_int;
}

/// The lowest bits of glibc's control word.
const IN_PROGRESS: u32 = 1;
const DONE: u32 = 2;

/// Under a controlled schedule, waits until no thread runs the routine: the original would block.
unsafe fn wait_while(word: *mut u32, busy: u32) {
    if schedule::controlled() {
        // SAFETY: the word is the program's control word.
        let idle = || (unsafe { AtomicU32::from_ptr(word) }.load(Ordering::Acquire) & busy == 0).then_some(());
        schedule::wait_for(Operation::Once, word as usize, Deadline::Never, idle);
    }
}

unsafe fn once(control: *mut c_int, routine: Option<unsafe extern "C" fn()>) -> c_int {
    // SAFETY: the program's own flag and routine, as the manual wants them.
    unsafe {
        if AtomicU32::from_ptr(control.cast()).load(Ordering::Acquire) & DONE == 0 {
            wait_while(control.cast(), IN_PROGRESS);
        }
        // The thread that runs the routine may throw an exception; then this thread runs it.
        let is_done = AtomicU32::from_ptr(control.cast()).load(Ordering::Acquire) & DONE != 0;
        let routine = if is_done { routine } else { Some(RunAndRelease::remember(control, routine)) };
        let notify = |control| schedule::notify(Operation::Initialised, control);
        let result = unwinding::or_else(notify, control as usize, || real::pthread_once(control, routine));
        notify(control as usize);
        sync::acquired(control as usize);
        result
    }
}

/// The routine takes no argument, so the thread's block keeps what it should run.
struct RunAndRelease;

impl RunAndRelease {
    /// Returns a routine that runs the given one and then releases its effects to the other threads.
    fn remember(control: *mut c_int, routine: Option<unsafe extern "C" fn()>) -> unsafe extern "C" fn() {
        let local = crate::tls::local();
        (local.once_control, local.once_routine) = (control as usize, routine.map_or(0, |routine| routine as usize));
        Self::run
    }

    unsafe extern "C" fn run() {
        let (control, routine) = (crate::tls::local().once_control, crate::tls::local().once_routine);
        // Another thread may have tried before and thrown an exception. What it did until then happens before this.
        sync::acquired(control);
        let call = || {
            if routine != 0 {
                // SAFETY: it is what the program gave to this very call.
                unsafe { core::mem::transmute::<usize, unsafe extern "C" fn()>(routine)() };
            }
            0
        };
        unwinding::or_else(sync::releasing, control, call);
        sync::releasing(control);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_once(control: *mut c_int, routine: Option<unsafe extern "C" fn()>) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are.
    unsafe { once(control, routine) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn call_once(control: *mut c_int, routine: Option<unsafe extern "C" fn()>) {
    // SAFETY: in glibc, the flag of C11 is that of POSIX; the arguments are the program's.
    unsafe { once(control, routine) };
}
