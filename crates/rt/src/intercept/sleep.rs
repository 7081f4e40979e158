//! Sleeping, yielding, and the system call that Rust's own locks wait with. Only a controlled schedule has an interest in them. Other system calls by that function end the process.

use super::threads;
use crate::schedule::{self, Patience, Woken};
use crate::{ending, signals, sys};
use core::ffi::{c_int, c_long, c_uint};
use libc::{clockid_t, timespec};

crate::sys::next! {
    fn nanosleep(time: *const timespec, left: *mut timespec) -> c_int;
    fn clock_nanosleep(clock: clockid_t, flags: c_int, time: *const timespec, left: *mut timespec) -> c_int;
    fn usleep(microseconds: c_uint) -> c_int;
    fn sleep(seconds: c_uint) -> c_uint;
    fn sched_yield() -> c_int;
}

/// How a sleep has ended that was none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slept {
    Enough,
    Interrupted,
}

/// Under a controlled schedule sleeping is letting others go first, and takes no real time. It can still be interrupted by a signal, and end with the thread.
fn let_others_go_first() -> Option<Slept> {
    let (before, _) = signals::handled();
    if !schedule::sleep() {
        return None;
    }
    threads::end_if_cancelled();
    let (after, _) = signals::handled();
    Some(if after == before { Slept::Enough } else { Slept::Interrupted })
}

/// The same for the functions that take a time and say how much of it is left. The error number, or zero.
unsafe fn instead_of(time: *const timespec, left: *mut timespec) -> Option<c_int> {
    let slept = let_others_go_first()?;
    if slept == Slept::Enough {
        return Some(0);
    }
    if !left.is_null() {
        // SAFETY: the arguments are the program's, here and below.
        unsafe { *left = *time };
    }
    Some(libc::EINTR)
}

/// A result as most functions say it.
fn result(error: c_int) -> c_int {
    if error == 0 {
        return 0;
    }
    sys::set_errno(error);
    -1
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(time: *const timespec, left: *mut timespec) -> c_int {
    unsafe { instead_of(time, left).map_or_else(|| real::nanosleep(time, left), result) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    time: *const timespec,
    left: *mut timespec,
) -> c_int {
    let writable = if flags & libc::TIMER_ABSTIME == 0 { left } else { core::ptr::null_mut() };
    unsafe { instead_of(time, writable).unwrap_or_else(|| real::clock_nanosleep(clock, flags, time, left)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_sleep(time: *const timespec, left: *mut timespec) -> c_int {
    unsafe { nanosleep(time, left) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn usleep(microseconds: c_uint) -> c_int {
    match let_others_go_first() {
        Some(Slept::Enough) => 0,
        Some(Slept::Interrupted) => result(libc::EINTR),
        None => unsafe { real::usleep(microseconds) },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sleep(seconds: c_uint) -> c_uint {
    match let_others_go_first() {
        Some(Slept::Enough) => 0,
        Some(Slept::Interrupted) => seconds,
        None => unsafe { real::sleep(seconds) },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sched_yield() -> c_int {
    // SAFETY: see above.
    if schedule::step_aside() { 0 } else { unsafe { real::sched_yield() } }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_yield() {
    unsafe { sched_yield() };
}

/// `syscall` takes up to six arguments after the number; passing on more than there are is harmless.
#[unsafe(no_mangle)]
unsafe extern "C" fn syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
    if number == libc::SYS_futex
        && schedule::controlled()
        && let Some(result) = unsafe { futex(a, b as c_int, c as u32, d) }
    {
        return result;
    }
    match number {
        libc::SYS_exit_group => ending::at_once(),
        libc::SYS_exit => ending::of_thread_at_once(),
        libc::SYS_execve | libc::SYS_execveat => ending::before_exec(),
        _ => {}
    }
    let result = unsafe { sys::raw_syscall(number, [a, b, c, d, e, f]) };
    if (-4095..0).contains(&result) {
        sys::set_errno(-result as c_int);
        return -1;
    }
    result as c_long
}

/// Waiting and waking among the threads of the program.
unsafe fn futex(word: usize, operation: c_int, value: u32, time: usize) -> Option<c_long> {
    match operation & libc::FUTEX_CMD_MASK {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
            // SAFETY: the word is the program's.
            if unsafe { core::ptr::read_volatile(word as *const u32) } != value {
                sys::set_errno(libc::EAGAIN);
                return Some(-1);
            }
            let patience = if time == 0 { Patience::Endless } else { Patience::Limited };
            let error = match schedule::wait_for_signal(word, patience) {
                Woken::Signalled => return Some(0),
                Woken::GaveUp => libc::ETIMEDOUT,
                Woken::Interrupted => libc::EINTR,
            };
            sys::set_errno(error);
            Some(-1)
        }
        libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => Some(schedule::signal(word, value as usize) as c_long),
        _ => None,
    }
}
