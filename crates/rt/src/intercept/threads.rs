//! Starting, joining and ending threads.

use super::signal_stack;
use crate::schedule::{self, Deadline, Object, Operation};
use crate::tls::Inside;
use crate::{plain, signals, start, sync, sys, table, thread};
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::sync::atomic::{AtomicU32, Ordering};
use libc::{CLOCK_REALTIME, clockid_t, pthread_attr_t, pthread_t, timespec};

type Routine = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

crate::sys::next! {
    fn pthread_create(handle: *mut pthread_t, attributes: *const pthread_attr_t, routine: Routine, argument: *mut c_void) -> c_int;
    fn pthread_join(handle: pthread_t, result: *mut *mut c_void) -> c_int;
    fn pthread_tryjoin_np(handle: pthread_t, result: *mut *mut c_void) -> c_int;
    fn pthread_timedjoin_np(handle: pthread_t, result: *mut *mut c_void, until: *const timespec) -> c_int;
    fn pthread_clockjoin_np(handle: pthread_t, result: *mut *mut c_void, clock: clockid_t, until: *const timespec) -> c_int;
    fn pthread_detach(handle: pthread_t) -> c_int;
    fn pthread_exit(result: *mut c_void) -> !;
    fn pthread_cancel(handle: pthread_t) -> c_int;
    fn pthread_testcancel();
    fn pthread_setname_np(handle: pthread_t, name: *const c_char) -> c_int;
}

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const pthread_attr_t, state: *mut c_int) -> c_int;
}

/// What a new thread should do. The new thread frees it.
struct Task {
    thread: *mut thread::Thread,
    routine: Routine,
    argument: *mut c_void,
    /// The signals that are blocked in the creator, and in the new thread until the runtime knows it.
    blocked: signals::Blocked,
    /// Whether the creator has finished its part.
    ready: AtomicU32,
}

unsafe extern "C" fn create(
    handle: *mut pthread_t,
    attributes: *const pthread_attr_t,
    routine: Routine,
    argument: *mut c_void,
    caller: usize,
) -> c_int {
    start::ensure();
    let Some(inside) = Inside::first() else {
        // SAFETY: the program's own arguments, passed on as they are.
        return unsafe { real::pthread_create(handle, attributes, routine, argument) };
    };
    // SAFETY: this thread's own structure.
    let thread = thread::announce(Some(unsafe { &mut *thread::current() }), caller);
    // SAFETY: it was just made, and no thread runs with it yet.
    let number = unsafe { (*thread).number };
    // SAFETY: the attributes are the program's, or null.
    let detached = unsafe { is_detached(attributes) };
    if detached {
        thread::detach(number);
    }
    let blocked = signals::block();
    let task = Box::into_raw(Box::new(Task { thread, routine, argument, blocked, ready: AtomicU32::new(0) }));
    schedule::announce(thread);
    // SAFETY: the program's own handle and attributes; `run` gets the task that it expects, and frees it.
    let result = unsafe { real::pthread_create(handle, attributes, run, task.cast()) };
    blocked.restore();
    if result == 0 {
        // SAFETY: the original has just written there, and the new thread, which may free that memory, waits for this thread.
        thread::entry(number).handle.store(unsafe { *handle }, Ordering::Relaxed);
        // SAFETY: the new thread frees the task only after this.
        unsafe { (*task).ready.store(1, Ordering::Release) };
        drop(inside);
        schedule::step(Operation::Create, Object::NewThread(number));
    } else {
        // SAFETY: this thread's own structure, and a task that no other thread knows.
        unsafe {
            thread::withdraw(thread, &mut *thread::current());
            drop(Box::from_raw(task));
        }
    }
    result
}

unsafe fn is_detached(attributes: *const pthread_attr_t) -> bool {
    let mut state = 0;
    // SAFETY: the attributes are the program's, if there are any.
    !attributes.is_null()
        && unsafe { pthread_attr_getdetachstate(attributes, &raw mut state) } == 0
        && state == libc::PTHREAD_CREATE_DETACHED
}

/// The start routine of every thread that the program creates.
unsafe extern "C" fn run(task: *mut c_void) -> *mut c_void {
    let inside = Inside::enter();
    // SAFETY: the creator made it for this thread.
    let task = unsafe { Box::from_raw(task.cast::<Task>()) };
    while task.ready.load(Ordering::Acquire) == 0 {
        sys::pause();
    }
    at_end();
    take_over_stack(&task);
    thread::begin(task.thread);
    let (routine, argument) = (task.routine, task.argument);
    task.blocked.restore_if_inherited();
    drop(task);
    drop(inside);
    signal_stack::begin();
    // SAFETY: as the program asked.
    unsafe { routine(argument) }
}

/// The memory of the stack may have been used before, by another thread or as something else.
fn take_over_stack(task: &Task) {
    // SAFETY: the attributes are a local variable; zeroes are good enough for what is about to be overwritten.
    unsafe {
        let mut attributes: pthread_attr_t = core::mem::zeroed();
        let (mut start, mut bytes) = (core::ptr::null_mut(), 0);
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return;
        }
        if libc::pthread_attr_getstack(&raw const attributes, &raw mut start, &raw mut bytes) == 0 {
            table::forget(start as usize, bytes);
            plain::forget(start as usize, bytes);
            let end = start as usize + bytes;
            // The stack of this function is where the program's part of the stack begins; `attributes` is on it.
            (*task.thread).entry().stack.note(start as usize, (&raw const attributes) as usize, end);
        }
        libc::pthread_attr_destroy(&raw mut attributes);
    }
}

/// How many rounds libc makes over the destructors of thread-specific data; the runtime's destructor acts in the last.
const ROUNDS: usize = 4;

/// The key whose destructor comes last. [`NO_KEY`] if there was none left.
static KEY: AtomicU32 = AtomicU32::new(NO_KEY);
const NO_KEY: u32 = u32::MAX;

/// Makes the key, before the program can take them all. It must have the highest number, because libc calls destructors in the order of their numbers; a new key gets the lowest number that is free.
pub(crate) fn prepare() {
    let mut keys = Vec::new();
    let mut key: c_uint = 0;
    // SAFETY: the destructor is a function of the right type.
    while unsafe { libc::pthread_key_create(&raw mut key, Some(ending)) } == 0 {
        keys.push(key);
    }
    if let Some(last) = keys.pop() {
        KEY.store(last, Ordering::Relaxed);
    }
    for key in keys {
        // SAFETY: it was just made, and is not used yet.
        unsafe { libc::pthread_key_delete(key) };
    }
}

/// Lets `ending` run when the thread ends, after all other destructors.
fn at_end() {
    let key = KEY.load(Ordering::Relaxed);
    crate::tls::local().end_key = key;
    if key != NO_KEY {
        // SAFETY: the key exists. The value is only a number.
        unsafe { libc::pthread_setspecific(key, ROUNDS as *const c_void) };
    }
}

unsafe extern "C" fn ending(rounds: *mut c_void) {
    let left = rounds as usize - 1;
    if left > 0 {
        // SAFETY: the key exists.
        unsafe { libc::pthread_setspecific(crate::tls::local().end_key, left as *const c_void) };
    } else {
        // The next thread that locks one of them learns that its owner has died, and may rely on what the owner did.
        sys::held_robust_mutexes(sync::releasing);
        thread::end();
    }
}

/// Joins with one of the originals. For a thread that the runtime does not know, only the original is called.
fn join(handle: pthread_t, deadline: Deadline, original: impl FnOnce() -> c_int) -> c_int {
    let number = thread::by_handle(handle);
    if let (Some(number), true) = (number, schedule::controlled()) {
        let entry = thread::entry(number);
        let ended = || {
            end_if_cancelled();
            (entry.state.load(Ordering::Acquire) & 7 != thread::RUNNING).then_some(())
        };
        if schedule::wait_for(Operation::Join, Object::Thread(number), deadline, ended).is_none() {
            return libc::ETIMEDOUT;
        }
    }
    let result = original();
    if let (Some(number), 0) = (number, result) {
        let _inside = Inside::enter();
        thread::join(number);
    }
    result
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create() {
    core::arch::naked_asm!("mov r8, qword ptr [rsp]", "jmp {create}", create = sym create)
}

/// Creates a thread for C11.
pub(super) unsafe fn create_from(
    handle: *mut pthread_t,
    routine: Routine,
    argument: *mut c_void,
    caller: usize,
) -> c_int {
    // SAFETY: the caller passes the program's own arguments.
    unsafe { create(handle, core::ptr::null(), routine, argument, caller) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_join(handle: pthread_t, result: *mut *mut c_void) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are.
    join(handle, Deadline::Never, || unsafe { real::pthread_join(handle, result) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_tryjoin_np(handle: pthread_t, result: *mut *mut c_void) -> c_int {
    let number = thread::by_handle(handle);
    let has_ended =
        number.is_some_and(|number| thread::entry(number).state.load(Ordering::Acquire) & 7 != thread::RUNNING);
    let outcome = if has_ended && schedule::controlled() {
        // The thread will be gone in a moment. A repeatable schedule must not depend on how long that takes.
        // SAFETY: the program's own arguments; a thread that may try to join may join.
        unsafe { real::pthread_join(handle, result) }
    } else {
        // SAFETY: the program's own arguments, passed on as they are.
        unsafe { real::pthread_tryjoin_np(handle, result) }
    };
    if let (Some(number), 0) = (number, outcome) {
        let _inside = Inside::enter();
        thread::join(number);
    } else if outcome == libc::EBUSY {
        // The program will poll again; the other thread should have a chance to end.
        schedule::step_aside();
    }
    outcome
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_timedjoin_np(
    handle: pthread_t,
    result: *mut *mut c_void,
    until: *const timespec,
) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are.
    join(handle, Deadline::At(CLOCK_REALTIME, until), || unsafe { real::pthread_timedjoin_np(handle, result, until) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_clockjoin_np(
    handle: pthread_t,
    result: *mut *mut c_void,
    clock: clockid_t,
    until: *const timespec,
) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are.
    join(handle, Deadline::At(clock, until), || unsafe { real::pthread_clockjoin_np(handle, result, clock, until) })
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_detach(handle: pthread_t) -> c_int {
    if let Some(number) = thread::by_handle(handle) {
        let _inside = Inside::enter();
        thread::detach(number);
    }
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { real::pthread_detach(handle) }
}

/// Ends the thread if it is cancelled. Functions that wait call this under a controlled schedule, because they do not call the original, which would do it.
pub(super) fn end_if_cancelled() {
    // SAFETY: no work of the runtime is left half done in the frames of the callers, none of which has a destructor to run.
    unsafe { real::pthread_testcancel() };
}

/// A thread that polls this waits to be cancelled, so others should go first.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_testcancel() {
    schedule::step_aside();
    end_if_cancelled();
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cancel(handle: pthread_t) -> c_int {
    schedule::step(Operation::Cancel, 0);
    // SAFETY: the program's own argument, passed on as it is.
    let result = unsafe { real::pthread_cancel(handle) };
    schedule::interrupt(handle);
    result
}

/// Remembers the name for reports.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_setname_np(handle: pthread_t, name: *const c_char) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are.
    let result = unsafe { real::pthread_setname_np(handle, name) };
    if result != 0 {
        return result;
    }
    let Some(_inside) = Inside::first() else { return result };
    if let Some(number) = thread::by_handle(handle) {
        let mut short = [0; thread::NAME];
        // The original has accepted it, so it is a string, and short.
        // SAFETY: the original has accepted it, so it is a string, and short.
        let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
        short.iter_mut().zip(bytes).for_each(|(to, &from)| *to = from);
        *thread::entry(number).name.lock() = short;
    }
    result
}

/// The first thread, too, can end before the others.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_exit(result: *mut c_void) -> ! {
    at_end();
    // SAFETY: the program ends its own thread here, by whose frames it stands.
    unsafe { real::pthread_exit(result) }
}
