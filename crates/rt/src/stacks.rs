//! Whose stack an address is on, for reports.

use crate::sys;
use crate::thread::{self, Entry, RUNNING};
use core::sync::atomic::{AtomicUsize, Ordering};

/// Where the stack of a thread is. Zeroes: not known.
#[repr(C)]
pub(crate) struct Bounds {
    start: AtomicUsize,
    /// Where the program's part begins, which grows downwards from here. What is above belongs to libc: thread-local variables, mostly.
    top: AtomicUsize,
    end: AtomicUsize,
}

/// What an address is a part of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Stack,
    ThreadLocal,
}

impl Bounds {
    /// The stack is there.
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
/// How large a stack without a limit is taken to be.
const LARGE: usize = 1 << 30;

/// The first thread calls this early. How much of its stack will be used is not known, only how much may be.
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
