//! Ends of the process that skip its handlers: `_exit`, and becoming another program.

use crate::ending;
use crate::sys::Next;
use core::ffi::c_int;

crate::sys::next! {
    fn _exit(code: c_int) -> ();
}

fn end(code: c_int) {
    ending::at_once();
    // SAFETY: the code is the program's.
    unsafe { real::_exit(code) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _exit(code: c_int) {
    end(code);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _Exit(code: c_int) {
    end(code);
}

/// Some of these functions take as many arguments as one likes: so what is in registers is put aside, and the original finds everything as it was.
macro_rules! exec {
    ($($name:ident $next:ident $original:literal)*) => { $(
        static $next: Next = Next::new($original);

        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push rax",
                "lea rdi, [rip + {next}]",
                "call {before}",
                "mov r11, rax",
                "pop rax", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
                "jmp r11",
                next = sym $next,
                before = sym before_exec,
            )
        }
    )* };
}

exec! {
    execve EXECVE c"execve"
    execv EXECV c"execv"
    execvp EXECVP c"execvp"
    execvpe EXECVPE c"execvpe"
    execl EXECL c"execl"
    execlp EXECLP c"execlp"
    execle EXECLE c"execle"
    fexecve FEXECVE c"fexecve"
}

/// Says where the original is.
extern "C" fn before_exec(original: &Next) -> usize {
    ending::before_exec();
    original.address()
}
