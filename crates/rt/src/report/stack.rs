//! The stack for reports.
//!
//! A signal handler may run on a stack of a few kilobytes, most of which the kernel has used already, and a thread may have hardly more. A report needs more than
//! that: texts, paths, the linker's list of libraries. So there is one stack for all reports, which are made one after the other.
//!
//! Signals are blocked meanwhile, also those of faults, which other processes can send: when a thread has left its signal stack, the kernel would start the next handler at the top of it and overwrite what is still needed.

use crate::lock::Lock;
use crate::{signals, sys};
use core::ffi::c_void;

/// Enough for everything that a report calls, with an inaccessible page at its end.
const BYTES: usize = 1 << 17;
const PAGE: usize = 4096;

/// The upper end of the stack, or zero until there is one.
static TOP: Lock<usize> = Lock::new(0);

/// Calls `work` on the stack for reports. It must not be called on that stack: it would wait for itself.
pub(super) fn on_own<R>(work: impl FnOnce() -> R) -> R {
    let blocked = signals::block_even_faults();
    let mut task = Task { work: Some(work), result: None };
    let run = runner(&task);
    {
        let mut top = TOP.lock();
        if *top == 0 {
            *top = made();
        }
        // SAFETY: the function is the one for this type, `task` lives until it returns, and nothing else uses the stack.
        unsafe { switch(run, (&raw mut task).cast(), *top) };
    }
    blocked.restore();
    let Some(result) = task.result else { sys::fatal("a report did not return") };
    result
}

/// Maps a stack and returns its upper end.
fn made() -> usize {
    let bottom = sys::map(BYTES) as usize;
    // SAFETY: nothing uses the mapping yet.
    unsafe { sys::raw_syscall(libc::SYS_mprotect, [bottom, PAGE, libc::PROT_NONE as usize, 0, 0, 0]) };
    bottom + BYTES
}

/// The work, and its result.
struct Task<F, R> {
    work: Option<F>,
    result: Option<R>,
}

fn runner<R, F: FnOnce() -> R>(_: &Task<F, R>) -> unsafe extern "C" fn(*mut c_void) {
    run::<R, F>
}

unsafe extern "C" fn run<R, F: FnOnce() -> R>(task: *mut c_void) {
    // SAFETY: by `on_own`.
    let task = unsafe { &mut *task.cast::<Task<F, R>>() };
    task.result = task.work.take().map(|work| work());
}

/// Calls a function with an argument, with the stack pointer at `top`. Debuggers find the caller through `rbp`.
#[unsafe(naked)]
unsafe extern "C" fn switch(function: unsafe extern "C" fn(*mut c_void), argument: *mut c_void, top: usize) {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbp, 0",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rsp, rdx",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "mov rsp, rbp",
        ".cfi_def_cfa_register rsp",
        "pop rbp",
        ".cfi_adjust_cfa_offset -8",
        ".cfi_restore rbp",
        "ret",
        ".cfi_endproc",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_there_is_far_from_here_and_comes_back() {
        let here = 0u8;
        let [first, second] = [7usize, 8].map(|word| {
            on_own(|| {
                let there = [word; 100];
                (core::hint::black_box(&there).as_ptr() as usize, there.iter().sum::<usize>())
            })
        });
        assert_eq!((first.1, second.1), (700, 800));
        assert!(first.0.abs_diff((&raw const here) as usize) > BYTES);
        assert!(first.0.abs_diff(second.0) < BYTES);
    }
}
