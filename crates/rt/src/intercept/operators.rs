//! `new` and `delete` of C++: libc's functions would see no further than the operators themselves, which are in a library that is not instrumented. So `steadfast c++` lets the linker put these in front of them
//! (`--wrap`), which leave word who has called. An operator of the program's own may have no need of libc; so the word is taken back when it returns.

use crate::tls::Local;
use core::mem::offset_of;

/// Leaves word, and calls the original, whichever that is: with a frame that exceptions find their way through. The list of names is that of [`steadfast c++`](../../../sanitize/src/compiler.rs).
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
            // In a program in C there is no original, and nobody who calls it.
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

/// Who has called an operator, or else who has called libc.
pub(super) fn caller_or(caller: usize) -> usize {
    match core::mem::take(&mut crate::tls::local().operator_caller) {
        0 => caller,
        operator => operator,
    }
}
