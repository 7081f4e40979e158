//! A lock for short sections that needs neither libc nor initialisation, and can be taken over after a fork.

use crate::sys;
use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicU32, Ordering};

/// How many forks lie between the first process and this one, plus one. A locked latch contains this number: in the child of a fork
/// an older number means that the holder does not exist there.
static GENERATION: AtomicU32 = AtomicU32::new(1);

/// Called in the child of a fork, where no other thread exists.
pub(crate) fn alone_after_fork() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// A lock without a value. It is held for some dozen instructions, so a waiting thread spins a few times and then yields.
#[repr(transparent)]
pub(crate) struct Latch(AtomicU32);

impl Latch {
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Waits for the lock. Returns whether its holder was lost in a fork: then the protected data may be half changed.
    #[inline(always)]
    pub(crate) fn acquire(&self) -> bool {
        let mine = GENERATION.load(Ordering::Relaxed);
        match self.0.swap(mine, Ordering::Acquire) {
            0 => false,
            holder => self.wait(mine, holder),
        }
    }

    /// Takes the lock unless another thread holds it.
    fn acquire_if_free(&self) -> bool {
        let mine = GENERATION.load(Ordering::Relaxed);
        let holder = self.0.load(Ordering::Relaxed);
        holder != mine && self.0.compare_exchange(holder, mine, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn wait(&self, mine: u32, mut holder: u32) -> bool {
        let mut turns = 0u32;
        loop {
            if holder != mine {
                return holder != 0;
            }
            while self.0.load(Ordering::Relaxed) != 0 {
                turns += 1;
                if turns.is_multiple_of(64) { sys::pause() } else { core::hint::spin_loop() }
            }
            holder = self.0.swap(mine, Ordering::Acquire);
        }
    }

    #[inline(always)]
    pub(crate) fn release(&self) {
        self.0.store(0, Ordering::Release);
    }
}

/// A value with a lock: one thread at a time can use it.
pub(crate) struct Lock<T> {
    latch: Latch,
    value: UnsafeCell<T>,
}

// SAFETY: the latch lets one thread at a time to the value.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self { latch: Latch::new(), value: UnsafeCell::new(value) }
    }

    /// Waits for the value.
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        self.latch.acquire();
        Guard { lock: self }
    }

    /// The value, unless another thread uses it.
    pub(crate) fn lock_if_free(&self) -> Option<Guard<'_, T>> {
        self.latch.acquire_if_free().then_some(Guard { lock: self })
    }

    /// Takes the lock without a guard, for a fork.
    pub(crate) fn hold(&self) {
        self.latch.acquire();
    }

    /// Undoes [`hold`](Self::hold).
    pub(crate) fn let_go(&self) {
        self.latch.release();
    }
}

/// Access to the value. Dropping it releases the lock.
pub(crate) struct Guard<'a, T> {
    lock: &'a Lock<T>,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the owner of the guard holds the latch.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the owner of the guard holds the latch, and the guard is borrowed exclusively.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.lock.latch.release();
    }
}
