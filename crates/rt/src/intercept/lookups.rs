//! Asynchronous lookup of host names. libc does it in threads of its own; the runtime does not see them start.

use super::notices::{self, Event};
use core::ffi::{c_int, c_void};

crate::sys::next! {
    fn getaddrinfo_a(mode: c_int, requests: *mut *mut c_void, count: c_int, event: *mut Event) -> c_int;
}

/// `GAI_NOWAIT`: the caller does not wait, and gets a notice after the last request.
const WITHOUT_WAITING: c_int = 1;

/// libc copies the event. The notice comes even if no request could start.
#[unsafe(no_mangle)]
unsafe extern "C" fn getaddrinfo_a(mode: c_int, requests: *mut *mut c_void, count: c_int, event: *mut Event) -> c_int {
    // SAFETY: the program's event, or null.
    let mut changed = unsafe { event.as_ref() }.filter(|_| mode == WITHOUT_WAITING).copied().map(notices::once);
    let event = changed.as_mut().map_or(event, core::ptr::from_mut);
    // SAFETY: the program's own arguments; libc copies the event, so it may be on this stack.
    unsafe { real::getaddrinfo_a(mode, requests, count, event) }
}
