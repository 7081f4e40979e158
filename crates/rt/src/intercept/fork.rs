//! Fork: the child has one thread, and must not find the runtime in the middle of something.

use crate::tls::Inside;
use crate::{engine, frames, report, schedule, table, thread};

crate::sys::next! {
    fn fork() -> libc::pid_t;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fork() -> libc::pid_t {
    let inside = Inside::enter();
    report::before_fork();
    thread::before_fork();
    engine::before_fork();
    table::before_fork();
    frames::before_fork();
    crate::shadow::before_fork();
    crate::alloc::before_fork();
    // SAFETY: no arguments.
    let child = unsafe { real::fork() };
    crate::alloc::after_fork();
    crate::shadow::after_fork();
    frames::after_fork();
    table::after_fork();
    engine::after_fork();
    thread::after_fork();
    report::after_fork(child == 0);
    if child == 0 {
        crate::lock::alone_after_fork();
        schedule::alone_after_fork();
    }
    drop(inside);
    child
}
