//! Sleeping, yielding, and the futex system call, which Rust's own locks use. They matter only under a controlled schedule. `syscall` is also intercepted because it can end the process.

use super::threads;
use crate::schedule::{self, Deadline, Woken};
use crate::{ending, signals, sys};
use core::ffi::{c_int, c_long, c_uint};
use core::sync::atomic::{AtomicU32, Ordering};
use libc::{clockid_t, timespec};

crate::sys::next! {
    fn nanosleep(time: *const timespec, left: *mut timespec) -> c_int;
    fn clock_nanosleep(clock: clockid_t, flags: c_int, time: *const timespec, left: *mut timespec) -> c_int;
    fn usleep(microseconds: c_uint) -> c_int;
    fn sleep(seconds: c_uint) -> c_uint;
    fn sched_yield() -> c_int;
}

/// How a sleep under a controlled schedule has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slept {
    Enough,
    Interrupted,
}

/// Under a controlled schedule a sleep lets other threads go first, and takes no real time. A signal can still interrupt it, and a cancellation can end the thread.
fn let_others_go_first() -> Option<Slept> {
    let (before, _) = signals::handled();
    if !schedule::sleep() {
        return None;
    }
    threads::end_if_cancelled();
    let (after, _) = signals::handled();
    Some(if after == before { Slept::Enough } else { Slept::Interrupted })
}

/// The same for functions that take a time and return how much of it is left. Returns an error number, or zero.
unsafe fn instead_of(time: *const timespec, left: *mut timespec) -> Option<c_int> {
    let slept = let_others_go_first()?;
    if slept == Slept::Enough {
        return Some(0);
    }
    if !left.is_null() {
        // SAFETY: `time` and `left` are the program's, as for `nanosleep`.
        unsafe { *left = *time };
    }
    Some(libc::EINTR)
}

/// Converts an error number to a result of -1 with `errno`.
fn result(error: c_int) -> c_int {
    if error == 0 {
        return 0;
    }
    sys::set_errno(error);
    -1
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(time: *const timespec, left: *mut timespec) -> c_int {
    // SAFETY: the program's own arguments, for `instead_of` and for the original.
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
    // SAFETY: the program's own arguments, for `instead_of` and for the original; nothing is left of an absolute time.
    unsafe { instead_of(time, writable).unwrap_or_else(|| real::clock_nanosleep(clock, flags, time, left)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_sleep(time: *const timespec, left: *mut timespec) -> c_int {
    // SAFETY: the program's own arguments, as for `nanosleep`.
    unsafe { nanosleep(time, left) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn usleep(microseconds: c_uint) -> c_int {
    match let_others_go_first() {
        Some(Slept::Enough) => 0,
        Some(Slept::Interrupted) => result(libc::EINTR),
        // SAFETY: a number, which the original checks.
        None => unsafe { real::usleep(microseconds) },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sleep(seconds: c_uint) -> c_uint {
    match let_others_go_first() {
        Some(Slept::Enough) => 0,
        Some(Slept::Interrupted) => seconds,
        // SAFETY: a number, which the original takes as it is.
        None => unsafe { real::sleep(seconds) },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sched_yield() -> c_int {
    // SAFETY: it has no arguments.
    if schedule::step_aside() { 0 } else { unsafe { real::sched_yield() } }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_yield() {
    // SAFETY: it has no arguments.
    unsafe { sched_yield() };
}

/// `syscall` takes up to six arguments after the number; passing on more than the program gave is harmless.
#[unsafe(no_mangle)]
unsafe extern "C" fn syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
    if number == libc::SYS_futex
        && schedule::controlled()
        // SAFETY: the program passes a word to wait on and, where the operation wants that, a time.
        && let Some(result) = unsafe {
            futex(&Futex { word: a, operation: b as c_int, value: c as u32, time: d, other: e, last: f as u32 })
        }
    {
        return result;
    }
    match number {
        libc::SYS_exit_group => ending::at_once(),
        libc::SYS_exit => ending::of_thread_at_once(),
        libc::SYS_execve | libc::SYS_execveat => ending::before_exec(),
        _ => {}
    }
    // SAFETY: the program's own system call, as it is.
    let result = unsafe { sys::raw_syscall(number, [a, b, c, d, e, f]) };
    if (-4095..0).contains(&result) {
        sys::set_errno(-result as c_int);
        return -1;
    }
    result as c_long
}

/// The arguments of the futex system call. The meaning of some depends on the operation.
struct Futex {
    word: usize,
    operation: c_int,
    value: u32,
    /// A time, or a number.
    time: usize,
    other: usize,
    /// Bits, or a value.
    last: u32,
}

/// Waiting and waking among the threads of the program.
unsafe fn futex(call: &Futex) -> Option<c_long> {
    if !call.word.is_multiple_of(align_of::<AtomicU32>()) {
        // The system returns the error.
        return None;
    }
    // SAFETY: the program passes the address of an aligned word, which other threads change with atomic instructions.
    let has = |value: u32| unsafe { AtomicU32::from_ptr(call.word as *mut u32) }.load(Ordering::SeqCst) == value;
    let (word, count) = (call.word, call.value as usize);
    match call.operation & libc::FUTEX_CMD_MASK {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET if !has(call.value) => Some(failed(libc::EAGAIN)),
        libc::FUTEX_WAIT => Some(sleep_on(word, schedule::ALL, deadline(call, false))),
        libc::FUTEX_WAIT_BITSET => Some(sleep_on(word, call.last, deadline(call, true))),
        libc::FUTEX_WAKE => Some(schedule::signal(word, schedule::ALL, count) as c_long),
        libc::FUTEX_WAKE_BITSET => Some(schedule::signal(word, call.last, count) as c_long),
        libc::FUTEX_CMP_REQUEUE if !has(call.last) => Some(failed(libc::EAGAIN)),
        operation @ (libc::FUTEX_REQUEUE | libc::FUTEX_CMP_REQUEUE) => {
            let woken = schedule::signal(word, schedule::ALL, count);
            let diverted = schedule::divert(word, call.time, call.other);
            Some((if operation == libc::FUTEX_REQUEUE { woken } else { woken + diverted }) as c_long)
        }
        _ => None,
    }
}

/// The deadline of such a call.
fn deadline(call: &Futex, absolute: bool) -> Deadline {
    let time = call.time as *const timespec;
    match (time.is_null(), absolute) {
        (true, _) => Deadline::Never,
        (_, false) => Deadline::After(time),
        _ if call.operation & libc::FUTEX_CLOCK_REALTIME != 0 => Deadline::At(libc::CLOCK_REALTIME, time),
        _ => Deadline::At(libc::CLOCK_MONOTONIC, time),
    }
}

fn sleep_on(word: usize, bits: u32, deadline: Deadline) -> c_long {
    match schedule::wait_for_signal(word, bits, deadline) {
        Woken::Signalled => 0,
        Woken::TimedOut => failed(libc::ETIMEDOUT),
        Woken::Interrupted => failed(libc::EINTR),
    }
}

/// Converts an error number to a result of a system call.
fn failed(error: c_int) -> c_long {
    c_long::from(result(error))
}
