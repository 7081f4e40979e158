//! The threads of C11. In glibc they are POSIX threads with another type of result, but they do not call the POSIX functions by their symbols.

use super::mutex::c11;
use super::threads;
use crate::tls::Inside;
use core::ffi::{c_int, c_void};
use libc::pthread_t;

type Routine = unsafe extern "C" fn(*mut c_void) -> c_int;

struct Task {
    routine: Routine,
    argument: *mut c_void,
}

unsafe extern "C" fn run(task: *mut c_void) -> *mut c_void {
    let task = {
        let _inside = Inside::enter();
        // SAFETY: the creator made it for this thread.
        let task = unsafe { Box::from_raw(task.cast::<Task>()) };
        Task { ..*task }
    };
    // SAFETY: as the program asked.
    unsafe { (task.routine)(task.argument) as isize as *mut c_void }
}

unsafe extern "C" fn create(handle: *mut pthread_t, routine: Routine, argument: *mut c_void, caller: usize) -> c_int {
    let task = {
        let _inside = Inside::enter();
        Box::into_raw(Box::new(Task { routine, argument }))
    };
    // SAFETY: the program's own handle; `run` gets the task that it expects, and frees it.
    c11(unsafe { threads::create_from(handle, run, task.cast(), caller) })
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_create() {
    core::arch::naked_asm!("mov rcx, qword ptr [rsp]", "jmp {create}", create = sym create)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_join(handle: pthread_t, result: *mut c_int) -> c_int {
    let mut value = core::ptr::null_mut();
    // SAFETY: the program's own handle, and a local variable for the result.
    let outcome = unsafe { threads::pthread_join(handle, &raw mut value) };
    if outcome == 0 && !result.is_null() {
        // SAFETY: it is not null, so it is the program's variable for the result.
        unsafe { *result = value as isize as c_int };
    }
    c11(outcome)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_detach(handle: pthread_t) -> c_int {
    // SAFETY: in glibc, a thread of C11 is one of POSIX; the argument is the program's.
    c11(unsafe { threads::pthread_detach(handle) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_exit(result: c_int) -> ! {
    // SAFETY: in glibc, a thread of C11 is one of POSIX; the program ends its own thread here.
    unsafe { threads::pthread_exit(result as isize as *mut c_void) }
}
