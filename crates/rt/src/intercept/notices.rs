//! Notices (`SIGEV_THREAD`): functions that libc calls when an event has happened, in threads that it starts itself. The request for a notice happens before the call.

use super::files::FILES;
use crate::tls::Inside;
use crate::{outside, sync};
use core::ffi::c_void;

/// The system's `sigevent`, as words: the value, the kind of notice (in the upper half of a word), and the function.
pub(super) type Event = [usize; 8];

/// An address that no object of the program can have.
const NOTICES: usize = 96;

/// The program's function and its argument.
struct Call {
    function: usize,
    value: usize,
    /// Where the program keeps the event, if the runtime has changed it there.
    event: *mut Event,
}

/// Whether the event calls a function.
pub(super) fn is_call(event: &Event) -> bool {
    event[1] >> 32 == libc::SIGEV_THREAD as usize
}

/// This thread asks for a notice: what it did before happens before the notice.
pub(super) fn asking() {
    sync::contributing(NOTICES);
}

/// Changes an event that calls a function: it calls a function of the runtime first.
fn through_us(event: &mut Event, ours: unsafe extern "C" fn(*mut Call), place: *mut Event) {
    asking();
    if is_call(event) {
        let _inside = Inside::enter();
        let call = Box::into_raw(Box::new(Call { function: event[2], value: event[0], event: place }));
        (event[0], event[2]) = (call as usize, ours as *const c_void as usize);
    }
}

/// For an event that may happen repeatedly. Its `Call` is never freed, because the runtime cannot know which time is the last.
pub(super) fn again_and_again(mut event: Event) -> Event {
    through_us(&mut event, notified, core::ptr::null_mut());
    event
}

/// For an event that happens once. Until it has happened, waiting threads are not a deadlock.
pub(super) fn once(mut event: Event) -> Event {
    if is_call(&event) {
        outside::timer_made();
    }
    through_us(&mut event, notified_once, core::ptr::null_mut());
    event
}

/// The event will not happen.
///
/// # Safety
/// The event comes from [`once`] or [`once_in_place`], and nothing else has it.
pub(super) unsafe fn withdraw(event: Event) {
    if is_call(&event) {
        outside::timer_deleted();
        // SAFETY: the caller says that the event comes from `once` or `once_in_place`, so its value is a `Call`, and that nothing else has it.
        unsafe { take_back(event[0] as *mut Call) };
    }
}

/// The same as [`once`], where libc reads the program's own event when it happens. Its old content is restored then.
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

/// Returns the function and the value that the program gave, and restores the program's event if it still has the runtime's values.
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
    // SAFETY: the runtime made it, and it stays.
    unsafe { pass_on((*call).function, (*call).value) };
}

unsafe extern "C" fn notified_once(call: *mut Call) {
    // SAFETY: the runtime made it, for this call.
    unsafe {
        let (function, value) = take_back(call);
        pass_on(function, value);
    }
    outside::timer_deleted();
}
