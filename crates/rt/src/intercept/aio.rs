//! Asynchronous I/O (`aio_*`) and notices of messages (`mq_notify`). libc does the work in threads of its own; the runtime does not see them start.

use super::files::{FILES, found_nothing};
use super::notices::{self, Event};
use crate::sync;
use core::ffi::c_int;
use libc::{aiocb, mqd_t, timespec};

crate::sys::next! {
    fn aio_read(request: *mut aiocb) -> c_int;
    fn aio_write(request: *mut aiocb) -> c_int;
    fn aio_fsync(operation: c_int, request: *mut aiocb) -> c_int;
    fn aio_error(request: *const aiocb) -> c_int;
    fn aio_suspend(requests: *const *const aiocb, count: c_int, time: *const timespec) -> c_int;
    fn lio_listio(mode: c_int, requests: *const *mut aiocb, count: c_int, event: *mut Event) -> c_int;
    fn mq_notify(queue: mqd_t, event: *const Event) -> c_int;
}

/// The event that a request asks for at its end.
unsafe fn event_of(request: *mut aiocb) -> *mut Event {
    // SAFETY: the request is the program's; only the address of a part is taken.
    unsafe { (&raw mut (*request).aio_sigevent).cast() }
}

/// Starts one request.
unsafe fn begin(request: *mut aiocb, original: impl FnOnce(*mut aiocb) -> c_int) -> c_int {
    sync::contributing(FILES);
    // SAFETY: the program's request stays until it is done, as the manual wants; if it could not begin, libc has let go of its event.
    unsafe {
        notices::once_in_place(event_of(request));
        let result = original(request);
        if result != 0 {
            notices::withdraw(*event_of(request));
        }
        result
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aio_read(request: *mut aiocb) -> c_int {
    // SAFETY: the program's own request; the original gets what the program gave.
    unsafe { begin(request, |request| real::aio_read(request)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aio_read64(request: *mut aiocb) -> c_int {
    // SAFETY: `aio_read64` is `aio_read` on this machine: the structures are the same.
    unsafe { begin(request, |request| real::aio_read(request)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aio_write(request: *mut aiocb) -> c_int {
    // SAFETY: the program's own request; the original gets what the program gave.
    unsafe { begin(request, |request| real::aio_write(request)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aio_write64(request: *mut aiocb) -> c_int {
    // SAFETY: `aio_write64` is `aio_write` on this machine: the structures are the same.
    unsafe { begin(request, |request| real::aio_write(request)) }
}

/// The notice comes when everything that was written before is on disk.
#[unsafe(no_mangle)]
unsafe extern "C" fn aio_fsync(operation: c_int, request: *mut aiocb) -> c_int {
    // SAFETY: the program's own request; the original gets what the program gave.
    unsafe { begin(request, |request| real::aio_fsync(operation, request)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aio_fsync64(operation: c_int, request: *mut aiocb) -> c_int {
    // SAFETY: `aio_fsync64` is `aio_fsync` on this machine: the structures are the same.
    unsafe { aio_fsync(operation, request) }
}

/// A finished read may return what another thread wrote. A program that polls asks again.
#[unsafe(no_mangle)]
unsafe extern "C" fn aio_error(request: *const aiocb) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    let result = unsafe { real::aio_error(request) };
    if result == libc::EINPROGRESS {
        found_nothing();
    } else {
        sync::acquired(FILES);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aio_error64(request: *const aiocb) -> c_int {
    // SAFETY: `aio_error64` is `aio_error` on this machine: the structures are the same.
    unsafe { aio_error(request) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aio_suspend(requests: *const *const aiocb, count: c_int, time: *const timespec) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are.
    let result = unsafe { real::aio_suspend(requests, count, time) };
    if result == 0 {
        sync::acquired(FILES);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aio_suspend64(requests: *const *const aiocb, count: c_int, time: *const timespec) -> c_int {
    // SAFETY: `aio_suspend64` is `aio_suspend` on this machine: the structures are the same.
    unsafe { aio_suspend(requests, count, time) }
}

/// Starts all requests, with one notice after the last. The notice comes even if no request could start. The runtime does not replace the events of the single requests: if only some can start, it cannot know which.
#[unsafe(no_mangle)]
unsafe extern "C" fn lio_listio(mode: c_int, requests: *const *mut aiocb, count: c_int, event: *mut Event) -> c_int {
    sync::contributing(FILES);
    // SAFETY: the program's event, or null.
    let mut changed = unsafe { event.as_ref() }.filter(|_| mode == libc::LIO_NOWAIT).copied().map(notices::once);
    let event = changed.as_mut().map_or(event, core::ptr::from_mut);
    // SAFETY: the program's own arguments; libc copies the event, so it may be on this stack.
    let result = unsafe { real::lio_listio(mode, requests, count, event) };
    if result == 0 && mode == libc::LIO_WAIT {
        sync::acquired(FILES);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn lio_listio64(mode: c_int, requests: *const *mut aiocb, count: c_int, event: *mut Event) -> c_int {
    // SAFETY: `lio_listio64` is `lio_listio` on this machine: the structures are the same.
    unsafe { lio_listio(mode, requests, count, event) }
}

/// libc copies the event.
#[unsafe(no_mangle)]
unsafe extern "C" fn mq_notify(queue: mqd_t, event: *const Event) -> c_int {
    // SAFETY: the program's event, or null.
    let changed = unsafe { event.as_ref() }.copied().map(notices::once);
    let event = changed.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
    // SAFETY: the program's own queue; libc copies the event, so it may be on this stack.
    let result = unsafe { real::mq_notify(queue, event) };
    if let (Some(event), true) = (changed, result != 0) {
        // SAFETY: the event is the one that `once` has made, and libc has refused it.
        unsafe { notices::withdraw(event) };
    }
    result
}
