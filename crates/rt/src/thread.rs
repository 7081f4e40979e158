//! The threads of the program.
//!
//! A [`Thread`] has what a running thread needs at every access; only the thread itself uses it. An [`Entry`] has what other threads need to know
//! about it, also after its end: which thread started it and where, and its last clock, for the thread that joins it.

use crate::engine;
use crate::frames::{Call, Frames};
use crate::lock::Lock;
use crate::spin::Held;
use crate::stacks::Bounds;
use crate::tls::{self, Inside};
use crate::trace::{self, Trace};
use crate::{schedule, signals, sys};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// A running thread. It lives in mapped memory of its own.
#[repr(C)]
pub(crate) struct Thread {
    /// Its number: zero for the first thread, and never used again.
    pub(crate) number: u32,
    /// The engine's part. `None` if there were too many threads for the engine.
    pub(crate) clocks: Option<engine::ThreadClocks>,
    /// Its last access, to recognise loops.
    pub(crate) spin: crate::spin::Spin,
    /// Its last accesses, for the reports of other threads.
    pub(crate) trace: *mut Trace,
    /// What other threads know about it.
    entry: *const Entry,
    /// Its deferred signals.
    pub(crate) waiting: signals::Waiting,
    /// Its call stack.
    pub(crate) frames: Frames,
}

/// What other threads can know about a thread, also after its end.
#[repr(C)]
pub(crate) struct Entry {
    /// The operating system's number.
    pub(crate) system: AtomicU32,
    /// The `pthread_t`.
    pub(crate) handle: AtomicU64,
    /// The thread that started it, and where.
    pub(crate) parent: AtomicU32,
    pub(crate) call: AtomicU32,
    pub(crate) caller: AtomicU64,
    pub(crate) state: AtomicU32,
    /// Its last accesses, if they are still there.
    pub(crate) trace: AtomicPtr<Trace>,
    /// Its last clock, for the thread that joins it.
    end: Lock<Option<engine::SyncClock>>,
    /// A stale read that is held back because it may belong to a loop.
    pub(crate) held: Lock<Option<Box<Held>>>,
    /// Its name, if the program has given it one, padded with zeroes.
    pub(crate) name: Lock<[u8; NAME]>,
    /// Its stack.
    pub(crate) stack: Bounds,
    /// The scheduler's part.
    pub(crate) turn: schedule::Turn,
}

/// The size of a name in the system, with a zero byte at its end.
pub(crate) const NAME: usize = 16;

impl Thread {
    /// What other threads know about it.
    pub(crate) fn entry(&self) -> &'static Entry {
        // SAFETY: set when the thread was announced, and entries live for ever.
        unsafe { &*self.entry }
    }
}

/// The states of an entry. Zero: not in use.
pub(crate) const RUNNING: u32 = 1;
pub(crate) const FINISHED: u32 = 2;
pub(crate) const JOINED: u32 = 3;
/// Set in addition if no thread will join it.
pub(crate) const DETACHED: u32 = 8;

/// How many entries there are. With more threads than that, the entries of dead threads are used again.
const MOST: usize = 1 << 20;

/// The numbers of threads, and the array of entries, which is mapped at the beginning and never moves.
struct Registry {
    entries: *mut Entry,
    used: u32,
    /// Where the search for the entry of a dead thread begins.
    next: u32,
}

// SAFETY: the entries belong to the registry and consist of atomics and locks.
unsafe impl Send for Registry {}

static REGISTRY: Lock<Registry> = Lock::new(Registry { entries: core::ptr::null_mut(), used: 0, next: 0 });

/// This thread. A thread that the runtime did not see start gets its structure here.
#[inline(always)]
pub(crate) fn current() -> *mut Thread {
    let thread = tls::local().thread;
    if thread.is_null() { adopt() } else { thread }
}

#[cold]
fn adopt() -> *mut Thread {
    let _inside = Inside::enter();
    // A signal handler would add the thread a second time.
    let blocked = signals::block();
    let thread = announce(None, 0);
    begin(thread);
    blocked.restore();
    thread
}

/// A new thread with a new number, started by `parent` at `caller`.
pub(crate) fn announce(parent: Option<&mut Thread>, caller: usize) -> *mut Thread {
    let number = number();
    let thread: *mut Thread = sys::map(size_of::<Thread>()).cast();
    // SAFETY: the mapping is fresh, and zeroes are valid for the parts that are not written here.
    unsafe {
        (*thread).number = number;
        (*thread).trace = trace::take();
        let entry = entry(number);
        (*thread).entry = entry;
        entry.caller.store(caller as u64, Ordering::Relaxed);
        entry.state.store(RUNNING, Ordering::Relaxed);
        entry.trace.store((*thread).trace, Ordering::Release);
        if let Some(parent) = &parent {
            entry.parent.store(parent.number, Ordering::Relaxed);
            entry.call.store(parent.frames.current().0, Ordering::Relaxed);
        }
        core::ptr::write(&raw mut (*thread).spin, crate::spin::Spin::default());
        *entry.held.lock() = None;
        *entry.name.lock() = [0; NAME];
        entry.stack.note(0, 0, 0);
        entry.turn.reset();
        core::ptr::write(&raw mut (*thread).clocks, engine::clocks(number, parent.map(|parent| &mut parent.clocks)));
    }
    thread
}

fn number() -> u32 {
    let mut registry = REGISTRY.lock();
    if registry.entries.is_null() {
        registry.entries = sys::map(MOST * size_of::<Entry>()).cast();
    }
    let number = registry.used;
    if number as usize == MOST {
        return registry.number_of_dead().unwrap_or_else(|| sys::fatal("more than a million threads at a time"));
    }
    registry.used += 1;
    number
}

impl Registry {
    /// The number of a dead thread that no thread will ask for any more.
    fn number_of_dead(&mut self) -> Option<u32> {
        let first = self.next;
        (0..self.used).map(|distance| (first + distance) % self.used).find(|&number| {
            // SAFETY: the number is below `used`, so the entry is in the array, which lives for ever.
            let state = unsafe { &*self.entries.add(number as usize) }.state.load(Ordering::Acquire);
            self.next = (number + 1) % self.used;
            state == JOINED || state == FINISHED | DETACHED
        })
    }
}

/// All entries that were ever used, with their numbers.
pub(crate) fn entries() -> impl Iterator<Item = (u32, &'static Entry)> {
    let (entries, used) = {
        let _inside = Inside::enter();
        let registry = REGISTRY.lock();
        (registry.entries, registry.used)
    };
    // SAFETY: the number is below `used`, so the entry is in the array, which lives for ever.
    (0..used).map(move |number| (number, unsafe { &*entries.add(number as usize) }))
}

/// The entry of a number that was given out.
pub(crate) fn entry(number: u32) -> &'static Entry {
    // Here and below: a signal handler that ran now would wait for the lock.
    let _inside = Inside::enter();
    let registry = REGISTRY.lock();
    // SAFETY: the remainder is below the length of the array, which lives for ever, and zeroes are a valid entry.
    unsafe { &*registry.entries.add(number as usize % MOST) }
}

/// The running thread begins, with the given structure.
pub(crate) fn begin(thread: *mut Thread) {
    tls::local().thread = thread;
    // SAFETY: the structure belongs to this thread now.
    let number = unsafe { (*thread).number };
    let entry = entry(number);
    entry.system.store(sys::thread_number() as u32, Ordering::Relaxed);
    // SAFETY: every thread has a handle.
    entry.handle.store(unsafe { libc::pthread_self() }, Ordering::Relaxed);
    schedule::begin(thread);
}

/// The running thread ends. Its last destructors are not recorded.
pub(crate) fn end() {
    let local = tls::local();
    let thread = local.thread;
    if thread.is_null() {
        return;
    }
    // A handler must not find a thread that has ended. Signals for the whole process go to other threads.
    signals::block();
    local.inside += 1;
    // SAFETY: the structure is this thread's own, and nothing uses it after this.
    unsafe {
        let entry = entry((*thread).number);
        crate::spin::settle(&mut *thread);
        trace::give_back((*thread).trace, &entry.trace);
        let last = engine::finish(core::ptr::read(&raw const (*thread).clocks));
        if entry.state.load(Ordering::Relaxed) & DETACHED == 0 {
            *entry.end.lock() = last;
        }
        entry.state.fetch_add(FINISHED - RUNNING, Ordering::Release);
        schedule::end(thread);
        local.thread = core::ptr::null_mut();
        sys::unmap(thread.cast(), size_of::<Thread>());
    }
}

/// Removes a thread that was announced and could not be started.
pub(crate) fn withdraw(thread: *mut Thread, parent: &mut Thread) {
    schedule::withdraw(thread);
    // SAFETY: no other thread knows it, and nothing uses it after this.
    unsafe {
        let entry = (*thread).entry();
        trace::give_back((*thread).trace, &entry.trace);
        if let Some(end) = engine::finish(core::ptr::read(&raw const (*thread).clocks)) {
            // So that the next thread gets its slot.
            engine::join(parent, &end);
        }
        entry.state.store(JOINED, Ordering::Relaxed);
        sys::unmap(thread.cast(), size_of::<Thread>());
    }
}

/// The number of the newest thread with this handle that no thread has joined.
pub(crate) fn by_handle(handle: u64) -> Option<u32> {
    let _inside = Inside::enter();
    let registry = REGISTRY.lock();
    (0..registry.used).rev().find(|&number| {
        // SAFETY: the number is below `used`, so the entry is in the array, which lives for ever.
        let entry = unsafe { &*registry.entries.add(number as usize) };
        let state = entry.state.load(Ordering::Acquire);
        entry.handle.load(Ordering::Relaxed) == handle && (state == RUNNING || state == FINISHED)
    })
}

/// The running thread joins the other one, which has ended.
pub(crate) fn join(number: u32) {
    let entry = entry(number);
    entry.state.store(JOINED, Ordering::Relaxed);
    let last = entry.end.lock().take();
    if let Some(last) = last {
        // SAFETY: this thread's own structure.
        unsafe { engine::join(&mut *current(), &last) };
    }
}

/// No thread will join it.
pub(crate) fn detach(number: u32) {
    let entry = entry(number);
    entry.state.fetch_or(DETACHED, Ordering::Relaxed);
    drop(entry.end.lock().take());
}

/// Where a thread was started.
pub(crate) fn origin(number: u32) -> (Call, usize, u32) {
    let entry = entry(number);
    let call = Call(entry.call.load(Ordering::Relaxed));
    (call, entry.caller.load(Ordering::Relaxed) as usize, entry.parent.load(Ordering::Relaxed))
}

/// Stops the start of threads until [`after_fork`].
pub(crate) fn before_fork() {
    REGISTRY.hold();
}

/// Undoes [`before_fork`].
pub(crate) fn after_fork() {
    REGISTRY.let_go();
}
