//! The beginning of the program, and the beginning and end of its functions.

use crate::{start, thread};

/// `pc` is the return address of the function, `stack` the stack pointer at the call.
unsafe extern "C" fn entered(pc: usize, stack: usize) {
    // SAFETY: this thread's own structure.
    unsafe { (*thread::current()).frames.enter(pc, stack) };
}

unsafe extern "C" fn left() {
    // SAFETY: this thread's own structure.
    unsafe { (*thread::current()).frames.leave() };
}

#[cfg(not(test))]
mod exports {
    use super::{entered, left, start};

    /// A constructor of every instrumented file calls this.
    #[unsafe(no_mangle)]
    extern "C" fn __tsan_init() {
        start::ensure();
    }

    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn __tsan_func_entry() {
        core::arch::naked_asm!("mov rsi, rsp", "jmp {target}", target = sym entered)
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn __tsan_func_exit() {
        // SAFETY: the instrumentation calls it at the end of every function that called `func_entry`.
        unsafe { left() };
    }
}
