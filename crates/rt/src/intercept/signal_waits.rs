//! Sending signals, and waiting for them without a handler. What the sender did before happens before what the receiver does next. The same holds for signal handlers, which acquire from the same address, and for reads of signals from a descriptor (`signalfd`).

use super::files::FILES;
use crate::{handlers, sync};
use core::ffi::c_int;
use libc::{pid_t, pthread_t, siginfo_t, sigset_t, sigval, timespec};

crate::sys::next! {
    fn kill(process: pid_t, number: c_int) -> c_int;
    fn killpg(group: pid_t, number: c_int) -> c_int;
    fn tgkill(process: pid_t, thread: pid_t, number: c_int) -> c_int;
    fn sigqueue(process: pid_t, number: c_int, value: sigval) -> c_int;
    fn pthread_kill(handle: pthread_t, number: c_int) -> c_int;
    fn pthread_sigqueue(handle: pthread_t, number: c_int, value: sigval) -> c_int;
    fn sigwait(set: *const sigset_t, number: *mut c_int) -> c_int;
    fn sigwaitinfo(set: *const sigset_t, info: *mut siginfo_t) -> c_int;
    fn sigtimedwait(set: *const sigset_t, info: *mut siginfo_t, time: *const timespec) -> c_int;
}

/// Called before a signal is sent, now or by a timer.
pub(super) fn sending(number: c_int) {
    if handlers::of(number).is_some() {
        sync::contributing(handlers::address(number));
        sync::contributing(FILES);
    }
}

fn received(number: c_int) {
    if handlers::of(number).is_some() {
        sync::acquired(handlers::address(number));
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn kill(process: pid_t, number: c_int) -> c_int {
    sending(number);
    // SAFETY: numbers that the kernel checks.
    unsafe { real::kill(process, number) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn killpg(group: pid_t, number: c_int) -> c_int {
    sending(number);
    // SAFETY: numbers that the kernel checks.
    unsafe { real::killpg(group, number) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn tgkill(process: pid_t, thread: pid_t, number: c_int) -> c_int {
    sending(number);
    // SAFETY: numbers that the kernel checks.
    unsafe { real::tgkill(process, thread, number) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigqueue(process: pid_t, number: c_int, value: sigval) -> c_int {
    sending(number);
    // SAFETY: numbers that the kernel checks; the value is only passed on.
    unsafe { real::sigqueue(process, number, value) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_kill(handle: pthread_t, number: c_int) -> c_int {
    sending(number);
    // SAFETY: the program's own arguments, passed on as they are.
    unsafe { real::pthread_kill(handle, number) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_sigqueue(handle: pthread_t, number: c_int, value: sigval) -> c_int {
    sending(number);
    // SAFETY: the program's own arguments, passed on as they are.
    unsafe { real::pthread_sigqueue(handle, number, value) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigwait(set: *const sigset_t, number: *mut c_int) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are.
    let result = unsafe { real::sigwait(set, number) };
    if result == 0 {
        // SAFETY: the original has just written there.
        received(unsafe { *number });
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigwaitinfo(set: *const sigset_t, info: *mut siginfo_t) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are.
    let number = unsafe { real::sigwaitinfo(set, info) };
    received(number);
    number
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigtimedwait(set: *const sigset_t, info: *mut siginfo_t, time: *const timespec) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are.
    let number = unsafe { real::sigtimedwait(set, info, time) };
    received(number);
    number
}
