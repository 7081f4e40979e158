//! Timers. One that calls a function does that in a thread that libc starts, without us; what was done before the timer was made is known there.

use crate::tls::Inside;
use crate::{outside, sync};
use core::ffi::{c_int, c_void};
use libc::{clockid_t, timer_t};

/// The system's `sigevent`, as words: the value, what is to be done (in the upper half of a word), and with which function.
type Event = [usize; 8];

crate::sys::next! {
    fn timer_create(clock: clockid_t, event: *mut Event, timer: *mut timer_t) -> c_int;
    fn timer_delete(timer: timer_t) -> c_int;
}

/// An address at which nothing else can be.
const TIMERS: usize = 96;

/// What a timer is to call. It stays: nobody says when a timer has called for the last time.
struct Call {
    function: usize,
    value: usize,
}

unsafe extern "C" fn notified(call: *const Call) {
    sync::acquired(TIMERS);
    // SAFETY: it is what the program has given.
    unsafe {
        let function: unsafe extern "C" fn(usize) = core::mem::transmute((*call).function);
        function((*call).value);
    }
}

/// Lets a timer that calls a function call us first.
fn through_us(mut event: Event) -> Event {
    if event[1] >> 32 == libc::SIGEV_THREAD as usize {
        let _inside = Inside::enter();
        let call = Box::into_raw(Box::new(Call { function: event[2], value: event[0] }));
        (event[0], event[2]) = (call as usize, notified as *const c_void as usize);
    }
    event
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_create(clock: clockid_t, event: *mut Event, timer: *mut timer_t) -> c_int {
    // SAFETY: in this file, the arguments are the program's, as the manual wants them.
    let mut changed = unsafe { event.as_ref() }.copied().map(through_us);
    sync::contributing(TIMERS);
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
