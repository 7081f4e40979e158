//! The thread-local block of the runtime: which thread this is, and whether it is inside the runtime.
//!
//! `thread_local!` needs `std` and, in a shared library, a function call per access that may allocate. So a few lines of assembly reserve the block
//! with the *initial-exec* model: an access takes two instructions and works at any time, even inside `malloc` and signal handlers.

use crate::thread::Thread;
use core::arch::{asm, global_asm};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, compiler_fence};

global_asm!(
    ".pushsection .tbss.steadfast,\"awT\",@nobits",
    ".globl __steadfast_tls",
    ".hidden __steadfast_tls",
    ".type __steadfast_tls, @object",
    ".size __steadfast_tls, 128",
    ".balign 64",
    "__steadfast_tls:",
    ".zero 128",
    ".popsection",
);

/// The block of one thread. A new thread finds zeroes.
#[repr(C)]
pub(crate) struct Local {
    /// The thread, or null if the runtime does not know it yet.
    pub(crate) thread: *mut Thread,
    /// How many calls deep this thread is inside the runtime.
    pub(crate) inside: u32,
    /// How many `ignore_begin` are open.
    pub(crate) ignored: u32,
    /// The program's return address, for the shims whose arguments leave no register free.
    pub(crate) caller: usize,
    /// What `pthread_once` should run in this thread, and for which control word.
    pub(crate) once_control: usize,
    pub(crate) once_routine: usize,
    /// The key of the destructor that comes last.
    pub(crate) end_key: u32,
    /// See [`TRUSTED`] and [`PROLOGUE`].
    pub(crate) flags: u8,
    /// The signals that are blocked only because one of them is deferred until this thread leaves the runtime.
    pub(crate) held_back: AtomicU64,
    /// How many signal handlers have run in this thread, and how many of them without `SA_RESTART`.
    pub(crate) handled: u32,
    pub(crate) handled_without_restart: u32,
    /// The caller of `new` or `delete`, until libc's function is called.
    pub(crate) operator_caller: usize,
    /// How many deferred signals this thread has.
    pub(crate) waiting: AtomicU32,
    /// How many handlers run although this thread is inside the runtime, which may hold a lock.
    pub(crate) interrupted: u32,
    /// The fiber that this thread is in, or 0 if it never was in one.
    pub(crate) fiber: usize,
    _rest: [u8; 40],
}

const _: () = assert!(core::mem::size_of::<Local>() == 128);

/// The next access comes from trusted code: Rust's standard library.
pub(crate) const TRUSTED: u8 = 1;
/// Rust's standard library has started the thread and has not called its function yet.
pub(crate) const PROLOGUE: u8 = 2;

/// The block of this thread.
#[inline(always)]
pub(crate) fn local() -> &'static mut Local {
    let address: *mut Local;
    // SAFETY: the block is reserved above, has the size and alignment of `Local`, and zeroes are a valid `Local`. Only its own thread gets
    // a reference to it, and no reference is kept across a call into the program.
    unsafe {
        asm!(
            "mov {0}, qword ptr [rip + __steadfast_tls@GOTTPOFF]",
            "add {0}, qword ptr fs:[0]",
            out(reg) address,
            options(pure, readonly, nostack),
        );
        &mut *address
    }
}

/// How much stack the runtime needs at most while it holds a lock.
const ROOM: usize = 1536;

/// If the stack has no room for the runtime, the program's handler for the fault runs now, and not while something is locked.
#[inline(always)]
fn touch_stack() {
    // SAFETY: what is read is not used, and belongs to the stack unless that is about to overflow.
    unsafe { asm!("test byte ptr [rsp - {room}], al", room = const ROOM, options(nostack, readonly)) };
}

/// While this value exists, the thread is inside the runtime: what it calls is not recorded.
pub(crate) struct Inside;

impl Inside {
    /// Enters the runtime.
    #[inline(always)]
    pub(crate) fn enter() -> Self {
        let local = local();
        if local.inside == 0 {
            touch_stack();
        }
        local.inside += 1;
        Self
    }

    /// Enters the runtime, unless this thread is inside already or its accesses are ignored.
    #[inline(always)]
    pub(crate) fn first() -> Option<Self> {
        let local = local();
        if local.inside != 0 {
            return None;
        }
        touch_stack();
        local.inside = 1;
        Some(Self)
    }
}

impl Drop for Inside {
    #[inline(always)]
    fn drop(&mut self) {
        let local = local();
        local.inside -= 1;
        // From here on signals are not deferred any more, so no later one is missed.
        compiler_fence(Ordering::SeqCst);
        if local.waiting.load(Ordering::Relaxed) != 0 && local.inside == 0 {
            crate::signals::let_through();
        }
    }
}
