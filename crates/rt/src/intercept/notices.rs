//! Functions that the system calls when something has happened (`SIGEV_THREAD`), in threads that libc starts, without us: what was done before somebody asked for that is known there.

use super::files::FILES;
use crate::tls::Inside;
use crate::{outside, sync};
use core::ffi::c_void;

/// The system's `sigevent`, as words: the value, what is to be done (in the upper half of a word), and with which function.
pub(super) type Event = [usize; 8];

/// An address at which nothing else can be.
const NOTICES: usize = 96;

/// What is to be called.
struct Call {
    function: usize,
    value: usize,
    /// Where the program keeps the event, if we had to change it there.
    event: *mut Event,
}

/// Whether a function is to be called.
pub(super) fn is_call(event: &Event) -> bool {
    event[1] >> 32 == libc::SIGEV_THREAD as usize
}

/// Somebody asks for a notice, now or once more: what it has done is known there.
pub(super) fn asking() {
    sync::contributing(NOTICES);
}

/// Lets an event that calls a function, if it does, call one of ours first.
fn through_us(event: &mut Event, ours: unsafe extern "C" fn(*mut Call), place: *mut Event) {
    asking();
    if is_call(event) {
        let _inside = Inside::enter();
        let call = Box::into_raw(Box::new(Call { function: event[2], value: event[0], event: place }));
        (event[0], event[2]) = (call as usize, ours as *const c_void as usize);
    }
}

/// For what may happen again and again. What is to be called stays: nobody says when that was the last time.
pub(super) fn again_and_again(mut event: Event) -> Event {
    through_us(&mut event, notified, core::ptr::null_mut());
    event
}

/// For what happens once. Until then, nobody waits in vain.
pub(super) fn once(mut event: Event) -> Event {
    if is_call(&event) {
        outside::timer_made();
    }
    through_us(&mut event, notified_once, core::ptr::null_mut());
    event
}

/// It will not happen after all.
///
/// # Safety
/// The event comes from [`once`] or [`once_in_place`], and nobody else has it.
pub(super) unsafe fn withdraw(event: Event) {
    if is_call(&event) {
        outside::timer_deleted();
        // SAFETY: the caller says that the event comes from `once` or `once_in_place`, so its value is a `Call`, and that nobody else has it.
        unsafe { take_back(event[0] as *mut Call) };
    }
}

/// The same as [`once`] where libc looks at the program's own event only when it has happened. Then it is as it was.
///
/// # Safety
/// The event stays there until then.
pub(super) unsafe fn once_in_place(place: *mut Event) {
    // SAFETY: the caller says that the program's event stays there until the notice comes.
    unsafe {
        let mut event = *place;
        if is_call(&event) {
            outside::timer_made();
        }
        through_us(&mut event, notified_once, place);
        *place = event;
    }
}

/// The function and the value that the program has given. Its event, if it still is ours, becomes that again.
unsafe fn take_back(call: *mut Call) -> (usize, usize) {
    let _inside = Inside::enter();
    // SAFETY: it was made for one call, which this is, and the program keeps its event until it hears of it.
    unsafe {
        let Call { function, value, event } = *Box::from_raw(call);
        if let Some(event) = event.as_mut()
            && event[0] == call as usize
        {
            (event[0], event[2]) = (value, function);
        }
        (function, value)
    }
}

unsafe fn pass_on(function: usize, value: usize) {
    sync::acquired(NOTICES);
    sync::acquired(FILES);
    // SAFETY: it is what the program has given.
    unsafe { core::mem::transmute::<usize, unsafe extern "C" fn(usize)>(function)(value) };
}

unsafe extern "C" fn notified(call: *mut Call) {
    // SAFETY: it was made by us, and stays.
    unsafe { pass_on((*call).function, (*call).value) };
}

unsafe extern "C" fn notified_once(call: *mut Call) {
    // SAFETY: it was made by us, for this.
    unsafe {
        let (function, value) = take_back(call);
        pass_on(function, value);
    }
    outside::timer_deleted();
}
