//! Timers. One that calls a function does that in a thread that libc starts, without us; what was done before the timer was made is known there.

use super::notices::{self, Event};
use crate::outside;
use core::ffi::c_int;
use libc::{clockid_t, timer_t};

crate::sys::next! {
    fn timer_create(clock: clockid_t, event: *mut Event, timer: *mut timer_t) -> c_int;
    fn timer_delete(timer: timer_t) -> c_int;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_create(clock: clockid_t, event: *mut Event, timer: *mut timer_t) -> c_int {
    // SAFETY: in this file, the arguments are the program's, as the manual wants them.
    let mut changed = unsafe { event.as_ref() }.copied().map(notices::again_and_again);
    let event = changed.as_mut().map_or(core::ptr::null_mut(), core::ptr::from_mut);
    let result = unsafe { real::timer_create(clock, event, timer) };
    if result == 0 {
        outside::timer_made();
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_delete(timer: timer_t) -> c_int {
    let result = unsafe { real::timer_delete(timer) };
    if result == 0 {
        outside::timer_deleted();
    }
    result
}
