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

/// What a new thread is to do. It is freed by the new thread.
struct Task {
    thread: *mut thread::Thread,
    routine: Routine,
    argument: *mut c_void,
    /// The signals that the creator has blocked, and with it the new thread as long as it is not known.
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
        // SAFETY: the original has just written there, and the new thread, which may free that memory, waits for us.
        thread::entry(number).handle.store(unsafe { *handle }, Ordering::Relaxed);
        // SAFETY: the new thread frees the task only after this.
        unsafe { (*task).ready.store(1, Ordering::Release) };
        drop(inside);
        schedule::step(Operation::Create, Object::NewThread(number));
    } else {
        // SAFETY: this thread's own structure, and a task that nobody else knows.
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

/// What every thread that we start runs.
unsafe extern "C" fn run(task: *mut c_void) -> *mut c_void {
    let inside = Inside::enter();
    // SAFETY: the creator made it for us.
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

/// The stack may have been that of another thread, or something else, before.
fn take_over_stack(task: &Task) {
    // SAFETY: the attributes are ours; zeroes are good enough for what is about to be overwritten.
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
            // The task is somewhere on the heap; whatever is on the stack of this function is where the program's part begins.
            (*task.thread).entry().stack.note(start as usize, (&raw const attributes) as usize, end);
        }
        libc::pthread_attr_destroy(&raw mut attributes);
    }
}

/// How often the destructors of thread-specific data are called as long as there are some left; ours is the last.
const ROUNDS: usize = 4;

/// The key whose destructor comes last. [`NO_KEY`] if there was none left.
static KEY: AtomicU32 = AtomicU32::new(NO_KEY);
const NO_KEY: u32 = u32::MAX;

/// Makes the key, before the program can take them all. It has to be the one with the highest number, because libc looks at them in that order; a new one gets the lowest that is free.
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
        // SAFETY: it was just made, and nobody has used it.
        unsafe { libc::pthread_key_delete(key) };
    }
}

/// Asks to be called when the thread ends, after everything else in it.
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
        // Whoever gets one of them learns that its owner has died, and may look at what it did until then.
        sys::held_robust_mutexes(sync::releasing);
        thread::end();
    }
}

/// Joins with one of the originals. A thread that we do not know is just joined.
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

/// For the threads of C11.
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
        // It will be gone in a moment. How long that takes is not for a schedule that can be repeated.
        // SAFETY: the program's own arguments; whoever may try to join may join.
        unsafe { real::pthread_join(handle, result) }
    } else {
        // SAFETY: the program's own arguments, passed on as they are.
        unsafe { real::pthread_tryjoin_np(handle, result) }
    };
    if let (Some(number), 0) = (number, outcome) {
        let _inside = Inside::enter();
        thread::join(number);
    } else if outcome == libc::EBUSY {
        // It will ask again; the other thread should have a chance to end.
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

/// What a function that waits has to do under a controlled schedule, where the original, which does it, is not called.
pub(super) fn end_if_cancelled() {
    // SAFETY: nothing of ours is left half done in the frames of the callers, none of which has a destructor to run.
    unsafe { real::pthread_testcancel() };
}

/// Who only asks whether it should end waits for whoever wants that.
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

/// Names are for reports.
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

/// The first thread can end before the others as well.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_exit(result: *mut c_void) -> ! {
    at_end();
    // SAFETY: the program ends its own thread here, by whose frames it stands.
    unsafe { real::pthread_exit(result) }
}
