//! The blocks that a thread keeps.

use crate::classes;
use crate::pool::{self, Free, Piece};
use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::OnceLock;

/// About how many bytes of one class a thread keeps. When it has twice as many, half of them go to the other threads.
const KEPT: usize = 1 << 15;

/// How many blocks of a class make a batch.
const fn batch(class: usize) -> u32 {
    let count = KEPT / classes::size(class);
    if count > 256 { 256 } else { count as u32 }
}

struct Local {
    free: [*mut Free; classes::COUNT_KEPT],
    /// invariant: for each class, at most one batch more than the number of blocks. (A batch from the pool can be smaller or larger, because its blocks are not counted.)
    counts: [u32; classes::COUNT_KEPT],
    piece: Piece,
}

thread_local! {
    static LOCAL: UnsafeCell<Local> = const {
        UnsafeCell::new(Local {
            free: [null_mut(); classes::COUNT_KEPT],
            counts: [0; classes::COUNT_KEPT],
            piece: Piece::NONE,
        })
    };
    /// Whether the end of this thread will be noticed.
    static IS_REGISTERED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `work` with the blocks of this thread.
#[inline]
fn with<T>(work: impl FnOnce(&mut Local) -> T) -> T {
    // SAFETY: nothing below allocates or calls back, so there is no second reference at the same time.
    LOCAL.with(|local| work(unsafe { &mut *local.get() }))
}

/// A block of a class that threads keep, or null.
#[inline]
pub(crate) fn take(class: usize) -> *mut u8 {
    with(|local| {
        let block = local.free[class];
        if !block.is_null() {
            // SAFETY: a free block leads to the next one.
            local.free[class] = unsafe { (*block).next };
            local.counts[class] = local.counts[class].saturating_sub(1);
            return block.cast();
        }
        let block = local.piece.cut(classes::size(class));
        if block.is_null() { local.refill(class) } else { block }
    })
}

/// Keeps a block of a class that threads keep.
///
/// # Safety
/// The caller owns the block and does not use it any more.
#[inline]
pub(crate) unsafe fn give(class: usize, block: *mut u8) {
    let block: *mut Free = block.cast();
    with(|local| {
        // SAFETY: the caller gives the block up, and every block has room for a list entry.
        unsafe { (*block).next = local.free[class] };
        local.free[class] = block;
        local.counts[class] += 1;
        if local.counts[class] >= 2 * batch(class) {
            local.share(class);
        }
    });
}

impl Local {
    /// Gets blocks from the pool, when there is neither a free block nor a piece that is large enough.
    #[cold]
    fn refill(&mut self, class: usize) -> *mut u8 {
        register_destructor();
        let mut pool = pool::lock();
        let first = pool.take_batch(class);
        if !first.is_null() {
            // SAFETY: a free block leads to the next one.
            self.free[class] = unsafe { (*first).next };
            self.counts[class] = batch(class);
            return first.cast();
        }
        // SAFETY: the piece belongs to this thread.
        unsafe { pool.leave(self.piece) };
        self.piece = pool.piece();
        let block = self.piece.cut(classes::size(class));
        if block.is_null() { pool.take(class) } else { block }
    }

    /// Gives a batch to the pool.
    #[cold]
    fn share(&mut self, class: usize) {
        register_destructor();
        let first = self.free[class];
        let mut last = first;
        // SAFETY: free blocks lead to the next ones, and by the invariant there are at least that many.
        unsafe {
            for _ in 1..batch(class) {
                last = (*last).next;
            }
            self.free[class] = (*last).next;
            (*last).next = null_mut();
            pool::lock().give_batch(class, first);
        }
        self.counts[class] -= batch(class);
    }

    /// Gives everything to the pool.
    fn give_all(&mut self) {
        let mut pool = pool::lock();
        for (class, first) in self.free.iter_mut().enumerate() {
            if !first.is_null() {
                // SAFETY: the blocks belong to this thread.
                unsafe { pool.give_batch(class, *first) };
                *first = null_mut();
            }
        }
        self.counts = [0; classes::COUNT_KEPT];
        // SAFETY: the piece belongs to this thread.
        unsafe { pool.leave(self.piece) };
        self.piece = Piece::NONE;
    }
}

/// Registers a destructor that the system calls when this thread ends. Registering one of Rust's destructors would allocate memory.
fn register_destructor() {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    if IS_REGISTERED.replace(true) {
        return;
    }
    let key = *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the destructor can be called at the end of any thread.
        (unsafe { libc::pthread_key_create(&raw mut key, Some(thread_ended)) } == 0).then_some(key)
    });
    if let Some(key) = key {
        // SAFETY: the key exists. Any value that is not null will do.
        unsafe { libc::pthread_setspecific(key, NonNull::<u8>::dangling().as_ptr().cast()) };
    }
}

extern "C" fn thread_ended(_: *mut c_void) {
    with(Local::give_all);
    // If a later destructor of this thread allocates again, this destructor must run again.
    IS_REGISTERED.set(false);
}
