//! Reports synchronisation objects (locks, semaphores, barriers) to the engine.

use crate::engine::{Object, SyncClock, ThreadClocks};
use crate::generations::Generation;
use crate::lock::Lock;
use crate::tls::Inside;
use crate::{table, thread};
use std::sync::Arc;

/// Lets the engine work on the object at an address.
fn with<R>(address: usize, work: impl FnOnce(&mut ThreadClocks, &mut Object) -> R) -> Option<R> {
    let _inside = Inside::first()?;
    let clocks = clocks()?;
    let record = table::lock(address, 1, table::Intent::Other);
    // SAFETY: the record is locked.
    let result = work(clocks, unsafe { record.object() });
    record.unlock();
    Some(result)
}

/// The clocks of this thread, which is inside the runtime.
fn clocks() -> Option<&'static mut ThreadClocks> {
    let thread = thread::current();
    // SAFETY: this thread's own structure, to which there is no reference: the thread has only just entered the runtime.
    crate::spin::settle(unsafe { &mut *thread });
    // SAFETY: this thread's own structure; the reference for `settle` has ended.
    unsafe { (*thread).clocks.as_mut() }
}

/// A lock was taken: what its last holder did happens before this.
pub(crate) fn acquired(address: usize) {
    with(address, |clocks, object| clocks.acquire(object.lock()));
}

/// Called before a lock is released.
pub(crate) fn releasing(address: usize) {
    with(address, |clocks, object| clocks.replace(object.lock()));
}

/// Called before an object is released that several threads release, such as a semaphore: what all of them did is kept.
pub(crate) fn contributing(address: usize) {
    with(address, |clocks, object| clocks.release(object.lock()));
}

/// This thread's share in a generation of a barrier.
pub(crate) struct Arrival(Option<Arc<Lock<Generation>>>);

/// This thread arrives at a barrier that waits for `count` threads.
pub(crate) fn arriving(address: usize, count: usize) -> Arrival {
    Arrival(with(address, |clocks, object| {
        let generation = object.barrier().join(thread::current() as usize, count);
        clocks.release(&mut generation.lock().clock);
        generation
    }))
}

impl Arrival {
    /// Called after the wait: all threads have arrived.
    pub(crate) fn over(self) {
        let Some(_inside) = Inside::first() else { return core::mem::forget(self) };
        if let (Some(generation), Some(clocks)) = (self.0, clocks()) {
            clocks.acquire(&generation.lock().leave().clock);
        }
    }
}

/// A lock was taken for reading.
pub(crate) fn acquired_for_reading(address: usize) {
    with(address, |clocks, object| clocks.acquire(object.read_write().0));
}

/// A lock was taken for writing.
pub(crate) fn acquired_for_writing(address: usize) {
    with(address, |clocks, object| {
        let (writers, readers) = object.read_write();
        clocks.acquire(writers);
        clocks.acquire(readers);
    });
}

/// Called before a read-write lock is released, by a writer or a reader. A writer was alone, so it releases to both clocks. The next reader then also acquires from
/// earlier readers, which is more order than the program can rely on, but only if a writer came in between.
pub(crate) fn releasing_either(address: usize, writer: bool) {
    with(address, |clocks, object| {
        let (writers, readers) = object.read_write();
        if writer {
            clocks.replace(writers);
            *readers = SyncClock::new();
        } else {
            clocks.release(readers);
        }
    });
}

/// The object was destroyed.
pub(crate) fn destroyed(address: usize, bytes: usize) {
    if let Some(_inside) = Inside::first() {
        table::forget(address, bytes);
    }
}
