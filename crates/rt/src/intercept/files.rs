//! Pipes, sockets and other descriptors. A write happens before the read that receives it, closing a descriptor before the read that finds its end, and setting a timer before the read of its expiry.
//!
//! The runtime does not know which descriptors are connected, so it treats all of them as one object. This can hide a race, but not invent one.

use crate::{schedule, sync, sys};
use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::{AtomicU64, Ordering};
use libc::{
    epoll_event, fd_set, iovec, itimerspec, mmsghdr, msghdr, nfds_t, off_t, pollfd, sigset_t, size_t, sockaddr,
    socklen_t, ssize_t, timespec, timeval,
};

/// An address that no object of the program can have.
pub(super) const FILES: usize = 64;

/// The [`identity`] of standard output and standard error when the process began.
static OUTPUTS: [[AtomicU64; 2]; 2] = [const { [AtomicU64::new(0), AtomicU64::new(0)] }; 2];

/// Called when the process begins.
pub(crate) fn begin() {
    for (file, output) in (1..).zip(&OUTPUTS) {
        for (part, known) in identity(file).into_iter().zip(output) {
            known.store(part, Ordering::Relaxed);
        }
    }
}

/// Whether this is still the original standard output or standard error, which no thread of this process reads. If the program has closed it, the number may now be another file, such as a pipe.
fn is_output(file: c_int) -> bool {
    (file == 1 || file == 2)
        && identity(file) == OUTPUTS[file as usize - 1].each_ref().map(|known| known.load(Ordering::Relaxed))
}

/// The numbers of the device and of the file on it, or zeroes if the descriptor is not open.
fn identity(file: c_int) -> [u64; 2] {
    // SAFETY: the structure is a local variable, and zeroes are valid.
    unsafe {
        let mut status: libc::stat = core::mem::zeroed();
        sys::raw_syscall(libc::SYS_fstat, [file as usize, (&raw mut status) as usize, 0, 0, 0, 0]);
        [status.st_dev, status.st_ino]
    }
}

/// There is no data, and the program does not block: it will poll again, so another thread should run first.
pub(super) fn found_nothing() {
    schedule::step_aside();
}

/// Called before an operation that passes nothing on to other threads.
pub(super) fn nothing<T>(_: T) {}

/// Called before a write.
pub(super) fn will_write<T>(_: T) {
    sync::contributing(FILES);
}

/// Called before a write to a descriptor. A write to standard output or standard error orders nothing.
fn will_write_to(file: c_int) {
    if !is_output(file) {
        sync::contributing(FILES);
    }
}

/// Called after a write, with the result of the original.
pub(super) fn has_written(result: isize) {
    if result < 0 && sys::errno() == libc::EAGAIN {
        found_nothing();
    }
}

/// Called after a read, with the result of the original.
pub(super) fn has_read(result: isize) {
    if result >= 0 {
        sync::acquired(FILES);
    } else if matches!(sys::errno(), libc::EAGAIN | libc::ENOMSG) {
        found_nothing();
    }
}

/// Called after a wait, with the number of descriptors that are ready.
fn has_waited(result: isize) {
    match result {
        0 => found_nothing(),
        1.. => sync::acquired(FILES),
        _ => {}
    }
}

/// Defines functions that call `$before` with the first argument, then the original, then `$after` with the result. It also declares the originals, as `next!` does.
macro_rules! surrounded {
    ($($before:ident, $after:ident {
        $(fn $name:ident($first:ident: $first_type:ty $(, $argument:ident: $type:ty)*) -> $result:ty;)*
    })*) => {
        crate::sys::next! { $($(fn $name($first: $first_type $(, $argument: $type)*) -> $result;)*)* }
        $($(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($first: $first_type $(, $argument: $type)*) -> $result {
                $before($first);
                // SAFETY: the program's own arguments, passed on as they are.
                let result = unsafe { real::$name($first $(, $argument)*) };
                $after(result as isize);
                result
            }
        )*)*
    };
}
pub(super) use surrounded;

surrounded! {
    nothing, has_read {
        fn read(file: c_int, buffer: *mut c_void, bytes: size_t) -> ssize_t;
        fn readv(file: c_int, buffers: *const iovec, count: c_int) -> ssize_t;
        fn recv(file: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int) -> ssize_t;
        fn recvfrom(file: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int, from: *mut sockaddr, length: *mut socklen_t) -> ssize_t;
        fn recvmsg(file: c_int, message: *mut msghdr, flags: c_int) -> ssize_t;
        fn eventfd_read(file: c_int, value: *mut u64) -> c_int;
        fn accept(file: c_int, from: *mut sockaddr, length: *mut socklen_t) -> c_int;
        fn accept4(file: c_int, from: *mut sockaddr, length: *mut socklen_t, flags: c_int) -> c_int;
        fn __read_chk(file: c_int, buffer: *mut c_void, bytes: size_t, room: size_t) -> ssize_t;
        fn pread(file: c_int, buffer: *mut c_void, bytes: size_t, offset: off_t) -> ssize_t;
        fn pread64(file: c_int, buffer: *mut c_void, bytes: size_t, offset: off_t) -> ssize_t;
        fn __pread_chk(file: c_int, buffer: *mut c_void, bytes: size_t, offset: off_t, room: size_t) -> ssize_t;
        fn __pread64_chk(file: c_int, buffer: *mut c_void, bytes: size_t, offset: off_t, room: size_t) -> ssize_t;
        fn preadv(file: c_int, buffers: *const iovec, count: c_int, offset: off_t) -> ssize_t;
        fn preadv64(file: c_int, buffers: *const iovec, count: c_int, offset: off_t) -> ssize_t;
        fn preadv2(file: c_int, buffers: *const iovec, count: c_int, offset: off_t, flags: c_int) -> ssize_t;
        fn preadv64v2(file: c_int, buffers: *const iovec, count: c_int, offset: off_t, flags: c_int) -> ssize_t;
        fn __recv_chk(file: c_int, buffer: *mut c_void, bytes: size_t, room: size_t, flags: c_int) -> ssize_t;
        fn __recvfrom_chk(file: c_int, buffer: *mut c_void, bytes: size_t, room: size_t, flags: c_int, from: *mut sockaddr, length: *mut socklen_t) -> ssize_t;
        fn recvmmsg(file: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int, time: *mut timespec) -> c_int;
    }
    nothing, has_waited {
        fn poll(files: *mut pollfd, count: nfds_t, time: c_int) -> c_int;
        fn ppoll(files: *mut pollfd, count: nfds_t, time: *const timespec, mask: *const sigset_t) -> c_int;
        fn select(count: c_int, read: *mut fd_set, write: *mut fd_set, except: *mut fd_set, time: *mut timeval) -> c_int;
        fn pselect(count: c_int, read: *mut fd_set, write: *mut fd_set, except: *mut fd_set, time: *const timespec, mask: *const sigset_t) -> c_int;
        fn epoll_wait(file: c_int, events: *mut epoll_event, most: c_int, time: c_int) -> c_int;
        fn epoll_pwait(file: c_int, events: *mut epoll_event, most: c_int, time: c_int, mask: *const sigset_t) -> c_int;
        fn __poll_chk(files: *mut pollfd, count: nfds_t, time: c_int, room: size_t) -> c_int;
        fn __ppoll_chk(files: *mut pollfd, count: nfds_t, time: *const timespec, mask: *const sigset_t, room: size_t) -> c_int;
        fn epoll_pwait2(file: c_int, events: *mut epoll_event, most: c_int, time: *const timespec, mask: *const sigset_t) -> c_int;
    }
    will_write_to, has_written {
        fn connect(file: c_int, to: *const sockaddr, length: socklen_t) -> c_int;
        fn epoll_ctl(file: c_int, operation: c_int, other: c_int, event: *mut epoll_event) -> c_int;
        fn write(file: c_int, buffer: *const c_void, bytes: size_t) -> ssize_t;
        fn writev(file: c_int, buffers: *const iovec, count: c_int) -> ssize_t;
        fn send(file: c_int, buffer: *const c_void, bytes: size_t, flags: c_int) -> ssize_t;
        fn sendto(file: c_int, buffer: *const c_void, bytes: size_t, flags: c_int, to: *const sockaddr, length: socklen_t) -> ssize_t;
        fn sendmsg(file: c_int, message: *const msghdr, flags: c_int) -> ssize_t;
        fn eventfd_write(file: c_int, value: u64) -> c_int;
        fn pwrite(file: c_int, buffer: *const c_void, bytes: size_t, offset: off_t) -> ssize_t;
        fn pwrite64(file: c_int, buffer: *const c_void, bytes: size_t, offset: off_t) -> ssize_t;
        fn pwritev(file: c_int, buffers: *const iovec, count: c_int, offset: off_t) -> ssize_t;
        fn pwritev64(file: c_int, buffers: *const iovec, count: c_int, offset: off_t) -> ssize_t;
        fn pwritev2(file: c_int, buffers: *const iovec, count: c_int, offset: off_t, flags: c_int) -> ssize_t;
        fn pwritev64v2(file: c_int, buffers: *const iovec, count: c_int, offset: off_t, flags: c_int) -> ssize_t;
        fn sendmmsg(file: c_int, messages: *mut mmsghdr, count: c_uint, flags: c_int) -> c_int;
        fn vmsplice(file: c_int, buffers: *const iovec, count: size_t, flags: c_uint) -> ssize_t;
        fn shutdown(file: c_int, how: c_int) -> c_int;
        fn close(file: c_int) -> c_int;
        fn timerfd_settime(file: c_int, flags: c_int, new: *const itimerspec, old: *mut itimerspec) -> c_int;
    }
    // These read from one descriptor and write to another. `dup2` also closes the old file of the target.
    will_write, has_read {
        fn sendfile(to: c_int, from: c_int, offset: *mut off_t, bytes: size_t) -> ssize_t;
        fn sendfile64(to: c_int, from: c_int, offset: *mut off_t, bytes: size_t) -> ssize_t;
        fn splice(from: c_int, from_offset: *mut off_t, to: c_int, to_offset: *mut off_t, bytes: size_t, flags: c_uint) -> ssize_t;
        fn tee(from: c_int, to: c_int, bytes: size_t, flags: c_uint) -> ssize_t;
        fn copy_file_range(from: c_int, from_offset: *mut off_t, to: c_int, to_offset: *mut off_t, bytes: size_t, flags: c_uint) -> ssize_t;
        fn dup2(old: c_int, new: c_int) -> c_int;
        fn dup3(old: c_int, new: c_int, flags: c_int) -> c_int;
    }
}
