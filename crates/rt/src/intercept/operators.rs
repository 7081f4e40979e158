//! `new` and `delete` of C++. They are in a library that is not instrumented, so libc's functions would see only the operators as their callers. So `steadfast c++` wraps the operators with these
//! functions (`--wrap`), which save the address of the real caller in the thread's block. An operator of the program's own may not call libc, so the address is cleared when it returns.

use crate::tls::Local;
use core::mem::offset_of;

/// Saves the address of the caller and calls the original. The frame has unwind information, so that exceptions can pass through it. The list of names is the same as in [`steadfast c++`](../../../sanitize/src/compiler.rs).
macro_rules! operators {
    ($($name:literal)*) => { $(
        core::arch::global_asm!(
            concat!(".weak __real_", $name),
            concat!(".globl __wrap_", $name),
            concat!(".type __wrap_", $name, ", @function"),
            concat!("__wrap_", $name, ":"),
            ".cfi_startproc",
            "mov rax, qword ptr [rsp]",
            "mov r11, qword ptr [rip + __steadfast_tls@GOTTPOFF]",
            "mov qword ptr fs:[r11 + {caller}], rax",
            "sub rsp, 8",
            ".cfi_adjust_cfa_offset 8",
            // In a C program there is no original, and no call of it.
            concat!("call qword ptr [rip + __real_", $name, "@GOTPCREL]"),
            "add rsp, 8",
            ".cfi_adjust_cfa_offset -8",
            "mov r11, qword ptr [rip + __steadfast_tls@GOTTPOFF]",
            "mov qword ptr fs:[r11 + {caller}], 0",
            "ret",
            ".cfi_endproc",
            concat!(".size __wrap_", $name, ", . - __wrap_", $name),
            caller = const offset_of!(Local, operator_caller),
        );
    )* };
}

operators! {
    "_Znwm" "_Znam" "_ZnwmRKSt9nothrow_t" "_ZnamRKSt9nothrow_t" "_ZnwmSt11align_val_t" "_ZnamSt11align_val_t"
    "_ZdlPv" "_ZdaPv" "_ZdlPvm" "_ZdaPvm" "_ZdlPvSt11align_val_t" "_ZdaPvSt11align_val_t"
    "_ZdlPvmSt11align_val_t" "_ZdaPvmSt11align_val_t"
}

/// The caller of the operator if there is one, else the caller of libc.
pub(super) fn caller_or(caller: usize) -> usize {
    match core::mem::take(&mut crate::tls::local().operator_caller) {
        0 => caller,
        operator => operator,
    }
}
