//! Fork. The child has one thread, and must not find a lock of the runtime held or its data half changed.

use super::turns;
use crate::tls::Inside;
use crate::{ending, engine, frames, report, schedule, spin, table, thread};

/// Registers handlers that run around every fork. They are registered first, so before a fork they run after the program's handlers, and after it before them: the program's handlers always find the runtime working.
pub(crate) fn prepare() {
    // SAFETY: the functions are of the right type and stay where they are.
    unsafe { libc::pthread_atfork(Some(before), Some(after_in_parent), Some(after_in_child)) };
}

unsafe extern "C" fn before() {
    core::mem::forget(Inside::enter());
    report::before_fork();
    thread::before_fork();
    engine::before_fork();
    table::before_fork();
    frames::before_fork();
    crate::shadow::before_fork();
    crate::alloc::before_fork();
}

crate::sys::next! {
    fn _Fork() -> libc::pid_t;
}

/// A fork without handlers, so the runtime's handlers are called here.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "this is its name")]
unsafe extern "C" fn _Fork() -> libc::pid_t {
    // SAFETY: as libc does it for the other form.
    unsafe {
        before();
        let child = real::_Fork();
        if child == 0 {
            after_in_child();
        } else {
            after_in_parent();
        }
        child
    }
}

fn let_go(child: bool) {
    crate::alloc::after_fork();
    crate::shadow::after_fork();
    frames::after_fork();
    table::after_fork();
    engine::after_fork();
    thread::after_fork();
    report::after_fork(child);
}

unsafe extern "C" fn after_in_parent() {
    let_go(false);
    // Ends the `Inside` that `before` has entered.
    drop(Inside);
}

unsafe extern "C" fn after_in_child() {
    let_go(true);
    crate::lock::alone_after_fork();
    schedule::alone_after_fork();
    turns::alone_after_fork();
    ending::begin();
    spin::forget_all();
    drop(Inside);
}
