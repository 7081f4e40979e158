//! The orders of atomic accesses as compilers pass them.

use core::ffi::c_int;

/// The order of an access; for a compare-exchange also the order if it fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Order {
    pub(crate) success: Strictness,
    pub(crate) failure: Strictness,
}

/// One order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Strictness {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    Sequential,
}

impl Order {
    /// The order for a compiler's number. Consume is treated as acquire, as in every compiler.
    #[inline(always)]
    pub(crate) const fn from_abi(number: c_int) -> Self {
        // The higher bits carry hints for hardware transactions.
        let strictness = match number & 0xffff {
            0 => Strictness::Relaxed,
            1 | 2 => Strictness::Acquire,
            3 => Strictness::Release,
            4 => Strictness::AcquireRelease,
            _ => Strictness::Sequential,
        };
        Self { success: strictness, failure: strictness }
    }

    /// The same with this order for failure.
    #[inline(always)]
    pub(crate) const fn with_failure(self, failure: Self) -> Self {
        Self { success: self.success, failure: failure.success }
    }
}

impl Strictness {
    /// The order of a write, from what its parts do.
    pub(crate) const fn of_write(acquire: bool, release: bool, seq_cst: bool) -> Self {
        match (acquire, release) {
            _ if seq_cst => Self::Sequential,
            (true, true) => Self::AcquireRelease,
            (true, false) => Self::Acquire,
            (false, true) => Self::Release,
            (false, false) => Self::Relaxed,
        }
    }

    /// Its name in C and C++.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Relaxed => "relaxed",
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcquireRelease => "acq_rel",
            Self::Sequential => "seq_cst",
        }
    }
}
