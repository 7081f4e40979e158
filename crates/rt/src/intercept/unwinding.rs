//! Calls that the program may leave by unwinding: a thread is cancelled while it waits, or the called function throws an exception.
//!
//! The runtime is compiled without unwinding, so none of its destructors run then. Therefore such a call goes through a frame with a *personality*: a function that the
//! unwinder calls for this frame, and that does the cleanup.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{Ordering, compiler_fence};

/// The cleanup for a call that is left early; it gets a word.
pub(super) type Cleanup = fn(usize);

/// A call that may be left early. The frame keeps its address in a register that the unwinder can read.
#[repr(C)]
struct Guarded<F> {
    cleanup: Cleanup,
    word: usize,
    call: Option<F>,
    result: c_int,
}

/// Calls `call`. If unwinding leaves it, calls `cleanup(word)` on the way.
pub(super) fn or_else(cleanup: Cleanup, word: usize, call: impl FnOnce() -> c_int) -> c_int {
    let mut guarded = Guarded { cleanup, word, call: Some(call), result: 0 };
    let run = runner(&guarded);
    // SAFETY: the function is the one for this type, and `guarded` lives until it returns. If it does not return, nothing in `guarded` has a destructor to run.
    unsafe { through_frame(run, (&raw mut guarded).cast()) };
    compiler_fence(Ordering::SeqCst);
    guarded.result
}

fn runner<F: FnOnce() -> c_int>(_: &Guarded<F>) -> unsafe extern "C" fn(*mut c_void) {
    run::<F>
}

unsafe extern "C" fn run<F: FnOnce() -> c_int>(guarded: *mut c_void) {
    // SAFETY: by `or_else`.
    let guarded = unsafe { &mut *guarded.cast::<Guarded<F>>() };
    if let Some(call) = guarded.call.take() {
        guarded.result = call();
    }
}

/// Calls a function with an argument, from a frame that keeps the argument in `rbx`.
#[unsafe(naked)]
unsafe extern "C" fn through_frame(function: unsafe extern "C" fn(*mut c_void), guarded: *mut c_void) {
    core::arch::naked_asm!(
        ".cfi_startproc",
        ".cfi_personality 0x1b, {personality}",
        "push rbx",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbx, 0",
        "mov rbx, rsi",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "pop rbx",
        ".cfi_adjust_cfa_offset -8",
        ".cfi_restore rbx",
        "ret",
        ".cfi_endproc",
        personality = sym personality,
    )
}

unsafe extern "C" {
    #[link_name = "_Unwind_GetGR"]
    fn register(context: *mut c_void, number: c_int) -> usize;
}

/// `rbx` in the numbering of debuggers.
const RBX: c_int = 3;
/// The unwinder leaves the frames now. In the phase before, it only searches for a handler of the exception.
const IN_CLEANUP_PHASE: c_int = 2;
const GO_ON: c_int = 8;

/// The unwinder calls this for the frame of [`through_frame`].
unsafe extern "C" fn personality(
    _version: c_int,
    actions: c_int,
    _class: u64,
    _exception: *mut c_void,
    context: *mut c_void,
) -> c_int {
    if actions & IN_CLEANUP_PHASE != 0 {
        // SAFETY: the frame is in its call, so the register has what the frame put there; the first two fields do not depend on the type of the call.
        let guarded = unsafe { &*(register(context, RBX) as *const Guarded<()>) };
        (guarded.cleanup)(guarded.word);
    }
    GO_ON
}
