//! Timers. A timer that calls a function does so in a thread that libc starts itself; making or setting the timer happens before that call. A timer that sends a signal counts as a sender of it.

use super::notices::{self, Event};
use super::signal_waits::sending;
use crate::{outside, signals};
use core::ffi::{c_int, c_uint};
use core::sync::atomic::{AtomicU64, Ordering};
use libc::{clockid_t, itimerspec, itimerval, timer_t};

crate::sys::next! {
    fn timer_create(clock: clockid_t, event: *mut Event, timer: *mut timer_t) -> c_int;
    fn timer_settime(timer: timer_t, flags: c_int, new: *const itimerspec, old: *mut itimerspec) -> c_int;
    fn timer_delete(timer: timer_t) -> c_int;
    fn alarm(seconds: c_uint) -> c_uint;
    fn ualarm(microseconds: c_uint, interval: c_uint) -> c_uint;
    fn setitimer(which: c_int, new: *const itimerval, old: *mut itimerval) -> c_int;
}

/// The signals that timers send. The runtime does not know which timer sends which, so each counts as sending all of them. This can hide a race, but not invent one.
static SENT: AtomicU64 = AtomicU64::new(0);

/// The signal that an event sends.
fn signal_of(event: Option<&Event>) -> Option<c_int> {
    match event {
        None => Some(libc::SIGALRM),
        Some(event) if notices::is_call(event) => None,
        Some(event) => Some(event[1] as c_int).filter(|&number| signals::can_be_handled(number)),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_create(clock: clockid_t, event: *mut Event, timer: *mut timer_t) -> c_int {
    // SAFETY: the program's event, or null.
    if let Some(number) = signal_of(unsafe { event.as_ref() }) {
        SENT.fetch_or(signals::bit(number), Ordering::Relaxed);
    }
    // SAFETY: the program's event, or null.
    let mut changed = unsafe { event.as_ref() }.copied().map(notices::again_and_again);
    let event = changed.as_mut().map_or(core::ptr::null_mut(), core::ptr::from_mut);
    // SAFETY: the program's own arguments; libc copies the event, so it may be on this stack.
    let result = unsafe { real::timer_create(clock, event, timer) };
    if result == 0 {
        outside::timer_made();
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_settime(
    timer: timer_t,
    flags: c_int,
    new: *const itimerspec,
    old: *mut itimerspec,
) -> c_int {
    notices::asking();
    let sent = SENT.load(Ordering::Relaxed);
    (1..=64).filter(|&number| sent & signals::bit(number) != 0).for_each(sending);
    // SAFETY: the program's own arguments, passed on as they are.
    unsafe { real::timer_settime(timer, flags, new, old) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_delete(timer: timer_t) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    let result = unsafe { real::timer_delete(timer) };
    if result == 0 {
        outside::timer_deleted();
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn alarm(seconds: c_uint) -> c_uint {
    sending(libc::SIGALRM);
    // SAFETY: a number, which the original takes as it is.
    unsafe { real::alarm(seconds) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ualarm(microseconds: c_uint, interval: c_uint) -> c_uint {
    sending(libc::SIGALRM);
    // SAFETY: numbers, which the original checks.
    unsafe { real::ualarm(microseconds, interval) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn setitimer(which: c_int, new: *const itimerval, old: *mut itimerval) -> c_int {
    match which {
        libc::ITIMER_REAL => sending(libc::SIGALRM),
        libc::ITIMER_VIRTUAL => sending(libc::SIGVTALRM),
        _ => sending(libc::SIGPROF),
    }
    // SAFETY: the program's own arguments, passed on as they are.
    unsafe { real::setitimer(which, new, old) }
}
