//! The sizes of atomics, and the raw operations on them.
//!
//! They run while the record of the location is locked. Taking that lock is a full barrier, so a plain store is sequentially
//! consistent for all threads that take the lock; for code that is not instrumented it is at least a release.

use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// An integer that the machine can change atomically.
pub(crate) trait Word: Copy + Eq {
    /// Its size.
    const BYTES: u8;
    /// The value as the engine represents it.
    fn value(self) -> u128;
    /// # Safety
    /// For all operations: the address is aligned and points to memory that the program may use in this way.
    unsafe fn load(address: *mut Self) -> Self;
    unsafe fn store(address: *mut Self, value: Self);
    unsafe fn exchange(address: *mut Self, value: Self) -> Self;
    /// Returns the old value: `Ok` if the value was changed, `Err` if not.
    unsafe fn compare_exchange(address: *mut Self, expected: Self, value: Self) -> Result<Self, Self>;
    fn combine(self, how: Combine, operand: Self) -> Self;

    /// Replaces the value with a function of the old one, and returns the old one.
    ///
    /// # Safety
    /// As above.
    #[inline(always)]
    unsafe fn update(address: *mut Self, how: Combine, operand: Self) -> Self {
        // SAFETY: the caller passes the address of such an atomic, which is all that these functions ask for.
        unsafe {
            let mut old = Self::load(address);
            loop {
                match Self::compare_exchange(address, old, old.combine(how, operand)) {
                    Ok(old) => return old,
                    Err(newer) => old = newer,
                }
            }
        }
    }
}

/// The operation of a read-modify-write.
#[derive(Clone, Copy)]
pub(crate) enum Combine {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
}

macro_rules! combine {
    () => {
        #[inline(always)]
        fn combine(self, how: Combine, operand: Self) -> Self {
            match how {
                Combine::Add => self.wrapping_add(operand),
                Combine::Sub => self.wrapping_sub(operand),
                Combine::And => self & operand,
                Combine::Or => self | operand,
                Combine::Xor => self ^ operand,
                Combine::Nand => !(self & operand),
            }
        }
    };
}

macro_rules! word {
    ($type:ty, $atomic:ty, $bytes:literal) => {
        impl Word for $type {
            const BYTES: u8 = $bytes;

            #[inline(always)]
            fn value(self) -> u128 {
                u128::from(self)
            }

            #[inline(always)]
            unsafe fn load(address: *mut Self) -> Self {
                // SAFETY: the caller passes the address of such an atomic: it is aligned, and all accesses to it are atomic.
                unsafe { <$atomic>::from_ptr(address) }.load(Ordering::SeqCst)
            }

            #[inline(always)]
            unsafe fn store(address: *mut Self, value: Self) {
                // SAFETY: the caller passes the address of such an atomic: it is aligned, and all accesses to it are atomic.
                unsafe { <$atomic>::from_ptr(address) }.store(value, Ordering::Release);
            }

            #[inline(always)]
            unsafe fn exchange(address: *mut Self, value: Self) -> Self {
                // SAFETY: the caller passes the address of such an atomic: it is aligned, and all accesses to it are atomic.
                unsafe { <$atomic>::from_ptr(address) }.swap(value, Ordering::SeqCst)
            }

            #[inline(always)]
            unsafe fn compare_exchange(address: *mut Self, expected: Self, value: Self) -> Result<Self, Self> {
                // SAFETY: the caller passes the address of such an atomic: it is aligned, and all accesses to it are atomic.
                let atomic = unsafe { <$atomic>::from_ptr(address) };
                atomic.compare_exchange(expected, value, Ordering::SeqCst, Ordering::SeqCst)
            }

            combine!();
        }
    };
}

word!(u8, AtomicU8, 1);
word!(u16, AtomicU16, 2);
word!(u32, AtomicU32, 4);
word!(u64, AtomicU64, 8);

impl Word for u128 {
    const BYTES: u8 = 16;

    #[inline(always)]
    fn value(self) -> u128 {
        self
    }

    unsafe fn load(address: *mut Self) -> Self {
        // SAFETY: the caller passes the address of such an atomic. The machine has no other load of 16 bytes; nothing changes, but the page must be writable.
        unsafe { Self::compare_exchange(address, 0, 0) }.unwrap_or_else(|value| value)
    }

    unsafe fn store(address: *mut Self, value: Self) {
        // SAFETY: the caller passes the address of such an atomic, which is what `exchange` asks for.
        unsafe { Self::exchange(address, value) };
    }

    unsafe fn exchange(address: *mut Self, value: Self) -> Self {
        // SAFETY: the caller passes the address of such an atomic, which is what `load` and `compare_exchange` ask for.
        unsafe {
            let mut old = Self::load(address);
            while let Err(newer) = Self::compare_exchange(address, old, value) {
                old = newer;
            }
            old
        }
    }

    unsafe fn compare_exchange(address: *mut Self, expected: Self, value: Self) -> Result<Self, Self> {
        // SAFETY: the caller passes the address of such an atomic, and a program with atomics of 16 bytes runs on machines with this instruction.
        let old = unsafe { exchange_sixteen(address, expected, value) };
        if old == expected { Ok(old) } else { Err(old) }
    }

    combine!();
}

/// The instruction itself. Unless the whole library were compiled for processors with it, the compiler would call a function of libatomic, which the runtime intercepts.
unsafe fn exchange_sixteen(address: *mut u128, expected: u128, value: u128) -> u128 {
    let (low, high): (u64, u64);
    // SAFETY: the caller passes an aligned address of 16 bytes that can be written. The compiler keeps rbx for itself, so it is put back.
    unsafe {
        core::arch::asm!(
            "xchg rbx, rsi",
            "lock cmpxchg16b xmmword ptr [rdi]",
            "mov rbx, rsi",
            in("rdi") address,
            inout("rsi") value as u64 => _,
            in("rcx") (value >> 64) as u64,
            inout("rax") expected as u64 => low,
            inout("rdx") (expected >> 64) as u64 => high,
            options(nostack),
        );
    }
    u128::from(high) << 64 | u128::from(low)
}
