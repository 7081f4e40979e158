//! Memory orderings, one type per access kind.

/// The ordering of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadOrder {
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_acquire`
    Acquire,
    /// `memory_order_seq_cst`
    SeqCst,
}

/// The ordering of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WriteOrder {
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_release`
    Release,
    /// `memory_order_seq_cst`
    SeqCst,
}

/// The ordering of a read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RmwOrder {
    /// `memory_order_relaxed`
    Relaxed,
    /// `memory_order_acquire`
    Acquire,
    /// `memory_order_release`
    Release,
    /// `memory_order_acq_rel`
    AcqRel,
    /// `memory_order_seq_cst`
    SeqCst,
}

/// The ordering of a fence. There is no relaxed fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FenceOrder {
    /// `memory_order_acquire`
    Acquire,
    /// `memory_order_release`
    Release,
    /// `memory_order_acq_rel`
    AcqRel,
    /// `memory_order_seq_cst`
    SeqCst,
}

impl ReadOrder {
    /// Whether it synchronises with a release.
    pub fn is_acquire(self) -> bool {
        self != Self::Relaxed
    }
    /// Whether it takes part in the order of `seq_cst` accesses.
    pub fn is_seq_cst(self) -> bool {
        self == Self::SeqCst
    }
}

impl WriteOrder {
    /// Whether an acquire can synchronise with it.
    pub fn is_release(self) -> bool {
        self != Self::Relaxed
    }
    /// Whether it takes part in the order of `seq_cst` accesses.
    pub fn is_seq_cst(self) -> bool {
        self == Self::SeqCst
    }
}

impl RmwOrder {
    /// The ordering with the given halves. A `seq_cst` half makes the whole `seq_cst`.
    pub fn from_halves(read: ReadOrder, write: WriteOrder) -> Self {
        if read.is_seq_cst() || write.is_seq_cst() {
            return Self::SeqCst;
        }
        match (read.is_acquire(), write.is_release()) {
            (false, false) => Self::Relaxed,
            (true, false) => Self::Acquire,
            (false, true) => Self::Release,
            (true, true) => Self::AcqRel,
        }
    }
    /// The ordering of its read half.
    pub fn read(self) -> ReadOrder {
        match self {
            Self::Relaxed | Self::Release => ReadOrder::Relaxed,
            Self::Acquire | Self::AcqRel => ReadOrder::Acquire,
            Self::SeqCst => ReadOrder::SeqCst,
        }
    }
    /// The ordering of its write half.
    pub fn write(self) -> WriteOrder {
        match self {
            Self::Relaxed | Self::Acquire => WriteOrder::Relaxed,
            Self::Release | Self::AcqRel => WriteOrder::Release,
            Self::SeqCst => WriteOrder::SeqCst,
        }
    }
}

impl FenceOrder {
    /// Whether earlier reads become acquiring.
    pub fn is_acquire(self) -> bool {
        self != Self::Release
    }
    /// Whether later writes become releasing.
    pub fn is_release(self) -> bool {
        self != Self::Acquire
    }
}

macro_rules! display_as {
    ($type:ident { $($variant:ident => $name:literal),* $(,)? }) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$variant => $name),* })
            }
        }
    };
}
display_as!(ReadOrder { Relaxed => "relaxed", Acquire => "acquire", SeqCst => "seq_cst" });
display_as!(WriteOrder { Relaxed => "relaxed", Release => "release", SeqCst => "seq_cst" });
display_as!(RmwOrder {
    Relaxed => "relaxed", Acquire => "acquire", Release => "release", AcqRel => "acq_rel", SeqCst => "seq_cst",
});
display_as!(FenceOrder { Acquire => "acquire", Release => "release", AcqRel => "acq_rel", SeqCst => "seq_cst" });
