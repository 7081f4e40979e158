//! Calls a signal handler as the kernel would: with the handler's signal mask, on the stack that it asks for, and with a context, which the handler may change, and to which the thread returns.
//!
//! Deviation from the kernel: the context is that of a function call, so only the registers that a call preserves have the program's values.

use crate::handlers::{self, Function, Wanted};
use crate::signals::{self, Signal};
use crate::sys;
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use libc::{siginfo_t, stack_t, ucontext_t};

/// A call of a handler.
#[repr(C)]
struct Delivery<'a> {
    /// Whether the handler has been called. The assembly below reads it.
    begun: u32,
    signal: &'a mut Signal,
    wanted: Wanted,
    /// The signals that were blocked before.
    mask: u64,
}

/// Calls the handler of a signal. All signals are blocked now; after the call those of `mask` are, unless the handler has changed the mask in its context.
pub(crate) fn deliver(signal: &mut Signal, mask: u64) {
    let Some(handler) = handlers::of(signal.number) else { return };
    let mut context = MaybeUninit::<ucontext_t>::zeroed();
    let mut delivery = Delivery { begun: 0, signal, wanted: handler.wanted(), mask };
    // SAFETY: both live until the handler has returned; if it does not return, nothing uses them.
    unsafe { returning(context.as_mut_ptr(), (&raw mut delivery).cast()) };
}

/// Saves a context, calls [`handle`] and returns to the context. The program may return to it more than once.
#[unsafe(naked)]
unsafe extern "C" fn returning(context: *mut ucontext_t, delivery: *mut c_void) {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rbx",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbx, 0",
        "push r12",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset r12, 0",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "mov rbx, rdi",
        "mov r12, rsi",
        "call {getcontext}",
        // A return to the context continues here.
        "cmp dword ptr [r12], 0",
        "jne 2f",
        "mov dword ptr [r12], 1",
        "mov rdi, rbx",
        "mov rsi, r12",
        "call {handle}",
        "mov rdi, rbx",
        "call {setcontext}",
        "2:",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "pop r12",
        ".cfi_adjust_cfa_offset -8",
        ".cfi_restore r12",
        "pop rbx",
        ".cfi_adjust_cfa_offset -8",
        ".cfi_restore rbx",
        "ret",
        ".cfi_endproc",
        getcontext = sym libc::getcontext,
        handle = sym handle,
        setcontext = sym libc::setcontext,
    )
}

/// What [`returning`] does between saving the context and returning to it.
unsafe extern "C" fn handle(context: &mut ucontext_t, delivery: &mut Delivery) {
    let (wanted, number) = (delivery.wanted, delivery.signal.number);
    // SAFETY: the mask of a context is longer than its first word.
    unsafe { *signals::first_word(&raw mut context.uc_sigmask) = delivery.mask };
    context.uc_stack = other_stack();
    wanted.begin(number);
    signals::change_mask(libc::SIG_SETMASK, wanted.mask(number, delivery.mask));
    wanted.reset_if_wanted(number);
    let info = &raw mut delivery.signal.info;
    // SAFETY: the program has given the handler, and the stack.
    unsafe {
        if wanted.flags & libc::SA_ONSTACK == 0 || context.uc_stack.ss_flags & IN_NO_USE != 0 {
            (wanted.function)(number, info, context);
            return;
        }
        let stack = context.uc_stack;
        let is_for_one = stack.ss_flags & FOR_ONE != 0;
        if is_for_one {
            let none = stack_t { ss_sp: core::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
            set_other_stack(&none);
        }
        let top = (stack.ss_sp as usize + stack.ss_size) & !15;
        on_stack(number, info, context, wanted.function, top);
        if is_for_one {
            set_other_stack(&context.uc_stack);
        }
    }
}

/// The program has no signal stack, or this thread is on it.
const IN_NO_USE: c_int = libc::SS_DISABLE | libc::SS_ONSTACK;
/// `SS_AUTODISARM`: the kernel disables the signal stack while a handler runs on it.
const FOR_ONE: c_int = 1 << 31;

/// The program's signal stack.
fn other_stack() -> stack_t {
    let mut stack = stack_t { ss_sp: core::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
    // SAFETY: the structure is a local variable.
    unsafe { sys::raw_syscall(libc::SYS_sigaltstack, [0, (&raw mut stack) as usize, 0, 0, 0, 0]) };
    stack
}

/// # Safety
/// The stack is the program's, or none.
unsafe fn set_other_stack(stack: &stack_t) {
    // SAFETY: the structure is valid while the call lasts, and the caller says that the stack in it is the program's, or none.
    unsafe { sys::raw_syscall(libc::SYS_sigaltstack, [core::ptr::from_ref(stack) as usize, 0, 0, 0, 0, 0]) };
}

/// Calls a handler on another stack.
#[unsafe(naked)]
unsafe extern "C" fn on_stack(
    number: c_int,
    info: *mut siginfo_t,
    context: *mut ucontext_t,
    function: Function,
    top: usize,
) {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rsp, r8",
        "call rcx",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}
