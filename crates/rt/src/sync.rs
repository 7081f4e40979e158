//! What locks and the like tell the engine.

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
    // SAFETY: this thread's own structure, to which nobody has a reference: the thread has only just entered the runtime.
    crate::spin::settle(unsafe { &mut *thread });
    // SAFETY: this thread's own structure; the reference for `settle` has ended.
    unsafe { (*thread).clocks.as_mut() }
}

/// A lock was taken: what its last holder did is known now.
pub(crate) fn acquired(address: usize) {
    with(address, |clocks, object| clocks.acquire(object.lock()));
}

/// A lock is about to be given back.
pub(crate) fn releasing(address: usize) {
    with(address, |clocks, object| clocks.replace(object.lock()));
}

/// Something is about to be passed on that others pass on as well: a semaphore, a barrier.
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
    /// All threads have arrived.
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

/// A lock is about to be given back, by a writer or by a reader: the call is the same. A writer was alone, so it may as well be told to
/// both; that the next reader then learns of earlier readers is more than it must, and only if a writer came in between.
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

/// The object is no more.
pub(crate) fn destroyed(address: usize, bytes: usize) {
    if let Some(_inside) = Inside::first() {
        table::forget(address, bytes);
    }
}
