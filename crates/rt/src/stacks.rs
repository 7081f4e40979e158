//! Finds the thread on whose stack an address is, for reports.

use crate::sys;
use crate::thread::{self, Entry, RUNNING};
use core::sync::atomic::{AtomicUsize, Ordering};

/// The addresses of a thread's stack. Zeroes: not known.
#[repr(C)]
pub(crate) struct Bounds {
    start: AtomicUsize,
    /// The upper end of the program's part, which grows downwards. The memory above belongs to libc: mostly thread-local variables.
    top: AtomicUsize,
    end: AtomicUsize,
}

/// The part of a stack that an address is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Stack,
    ThreadLocal,
}

impl Bounds {
    /// Sets the addresses.
    pub(crate) fn note(&self, start: usize, top: usize, end: usize) {
        self.start.store(start, Ordering::Relaxed);
        self.top.store(top, Ordering::Relaxed);
        self.end.store(end, Ordering::Relaxed);
    }

    fn part(&self, address: usize) -> Option<Part> {
        let [start, top, end] = [&self.start, &self.top, &self.end].map(|bound| bound.load(Ordering::Relaxed));
        (start..end).contains(&address).then_some(if address < top { Part::Stack } else { Part::ThreadLocal })
    }
}

/// How far above this function the arguments and the environment of a process can be.
const ABOVE: usize = 1 << 20;
/// The assumed size of a stack without a limit.
const LARGE: usize = 1 << 30;

/// Sets the addresses for the first thread, which calls this early. The stack has the largest size that the limit allows.
#[inline(never)]
pub(crate) fn note_first() {
    let mut limit = [0u64; 2];
    let here = (&raw const limit) as usize;
    let arguments = [libc::RLIMIT_STACK as usize, (&raw mut limit) as usize, 0, 0, 0, 0];
    // SAFETY: the structure has two words.
    unsafe { sys::raw_syscall(libc::SYS_getrlimit, arguments) };
    let end = here + ABOVE;
    thread::entry(0).stack.note(here.saturating_sub((limit[0] as usize).min(LARGE)), end, end);
}

/// The running thread whose stack the address is on.
pub(crate) fn owner(address: usize) -> Option<(u32, Part)> {
    let running = |entry: &Entry| entry.state.load(Ordering::Acquire) & 7 == RUNNING;
    let mut all = thread::entries().filter(|(_, entry)| running(entry));
    all.find_map(|(number, entry)| Some((number, entry.stack.part(address)?)))
}
