//! Ends of the process that skip its exit handlers: `_exit`, the `exec` functions, and `daemon`, which ends the parent.

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

/// Some of these functions are variadic. So each one saves the argument registers, calls [`before_exec`], restores them and jumps to the original.
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
    execveat EXECVEAT c"execveat"
}

/// Returns the address of the original.
extern "C" fn before_exec(original: &Next) -> usize {
    ending::before_exec();
    original.address()
}

/// libc's `daemon` would end the parent without a call of the runtime's `_exit`, so it is implemented here. Held-back findings are reported before the fork, so that only one of the two processes reports them.
#[unsafe(no_mangle)]
unsafe extern "C" fn daemon(stays: c_int, keeps_files: c_int) -> c_int {
    ending::before_exec();
    // SAFETY: system calls without any memory but a string.
    unsafe {
        match libc::fork() {
            -1 => return -1,
            0 => {}
            _ => end(0),
        }
        if libc::setsid() == -1 {
            return -1;
        }
        if stays == 0 {
            libc::chdir(c"/".as_ptr());
        }
        if keeps_files == 0 { without_files() } else { 0 }
    }
}

/// Redirects the standard files to `/dev/null`.
fn without_files() -> c_int {
    // SAFETY: a string of C, and a file that this function opens.
    unsafe {
        let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        if nothing == -1 {
            return -1;
        }
        for standard in 0..3 {
            libc::dup2(nothing, standard);
        }
        if nothing > 2 {
            libc::close(nothing);
        }
    }
    0
}
