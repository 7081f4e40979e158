//! Events: what one visible step of a thread leaves in an execution graph.

use steadfast_ir::{FenceOrder, LocId, Pc, ReadOrder, RmwOrder, ThreadId, Value, WriteOrder};
use steadfast_span::{Span, typed_index};

typed_index!(
    /// An event of one [`Execution`](crate::Execution), numbered in the order in which events were added.
    EventId
);

/// What an event does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventKind {
    /// An atomic load. Nothing is known about its value until something depends on it.
    Read,
    /// The read of a wait: the program went on *because* of the value, so this is an observing read (R* in the papers).
    WaitRead,
    /// The read of a failed compare-and-swap, an observing read as well. On TSO it drains the store buffer.
    FailedCas,
    /// A load of a plain location.
    PlainRead,
    /// An atomic store, or an initial value.
    Write,
    /// A store to a plain location.
    PlainWrite,
    /// A read-modify-write.
    Update,
    /// A fence.
    Fence,
}

impl EventKind {
    /// Whether it has an rf-source.
    pub fn reads(self) -> bool {
        matches!(self, Self::Read | Self::WaitRead | Self::FailedCas | Self::PlainRead | Self::Update)
    }

    /// Whether it is in mo.
    pub fn writes(self) -> bool {
        matches!(self, Self::Write | Self::PlainWrite | Self::Update)
    }

    /// Whether it is an observing read, R* in the papers.
    pub fn is_observing_read(self) -> bool {
        matches!(self, Self::WaitRead | Self::FailedCas)
    }

    /// Whether races on it are the program's fault.
    pub fn is_plain(self) -> bool {
        matches!(self, Self::PlainRead | Self::PlainWrite)
    }

    /// Whether it is a locked instruction on x86, successful or not.
    pub fn is_locked(self) -> bool {
        matches!(self, Self::Update | Self::FailedCas)
    }
}

/// What an ordering means for the axioms, whatever the kind of access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Order {
    /// It can synchronise with an earlier release.
    pub acquire: bool,
    /// A later acquire can synchronise with it.
    pub release: bool,
    /// It is `seq_cst`.
    pub seq_cst: bool,
}

impl Order {
    /// Neither acquire nor release.
    pub const RELAXED: Self = Self { acquire: false, release: false, seq_cst: false };
    /// Acquire and release, but not `seq_cst`.
    pub const ACQ_REL: Self = Self { acquire: true, release: true, seq_cst: false };
    /// Only acquire.
    pub const ACQUIRE: Self = Self { acquire: true, release: false, seq_cst: false };
    /// Only release.
    pub const RELEASE: Self = Self { acquire: false, release: true, seq_cst: false };

    /// A short name, as litmus tests write it.
    pub fn short_name(self) -> &'static str {
        match (self.seq_cst, self.acquire, self.release) {
            (true, ..) => "sc",
            (false, true, true) => "acqrel",
            (false, true, false) => "acq",
            (false, false, true) => "rel",
            (false, false, false) => "rlx",
        }
    }
}

impl From<ReadOrder> for Order {
    fn from(order: ReadOrder) -> Self {
        Self { acquire: order.is_acquire(), release: false, seq_cst: order.is_seq_cst() }
    }
}

impl From<WriteOrder> for Order {
    fn from(order: WriteOrder) -> Self {
        Self { acquire: false, release: order.is_release(), seq_cst: order.is_seq_cst() }
    }
}

impl From<RmwOrder> for Order {
    fn from(order: RmwOrder) -> Self {
        Self {
            acquire: order.read().is_acquire(),
            release: order.write().is_release(),
            seq_cst: order == RmwOrder::SeqCst,
        }
    }
}

impl From<FenceOrder> for Order {
    fn from(order: FenceOrder) -> Self {
        Self { acquire: order.is_acquire(), release: order.is_release(), seq_cst: order == FenceOrder::SeqCst }
    }
}

/// A node of an execution graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// The thread, or `None` for an initial write.
    pub thread: Option<ThreadId>,
    /// How many events of its thread come before it. Set by [`Execution::push`](crate::Execution::push).
    pub serial: u32,
    /// What it does.
    pub kind: EventKind,
    /// The location, if it is not a fence.
    pub location: Option<LocId>,
    /// The value read; 0 if it does not read.
    pub value_read: Value,
    /// The value written; 0 if it does not write.
    pub value_written: Value,
    /// How it is ordered.
    pub order: Order,
    /// Whether it stands for a part of an SC fence, on a location that the program does not have.
    pub ghost: bool,
    /// The instruction it comes from, if that is known.
    pub pc: Option<Pc>,
    /// The source text of that instruction.
    pub span: Span,
}

impl Event {
    fn bare(thread: Option<ThreadId>, kind: EventKind, location: Option<LocId>, order: Order) -> Self {
        Self {
            thread,
            serial: 0,
            kind,
            location,
            value_read: 0,
            value_written: 0,
            order,
            ghost: false,
            pc: None,
            span: Span::default(),
        }
    }

    /// The write that stands for an initial value.
    pub fn initial(location: LocId, value: Value) -> Self {
        Self { value_written: value, ..Self::bare(None, EventKind::Write, Some(location), Order::RELAXED) }
    }

    /// A read of the given kind.
    pub fn read(thread: ThreadId, kind: EventKind, location: LocId, value: Value, order: impl Into<Order>) -> Self {
        debug_assert!(kind.reads() && !kind.writes(), "{kind:?} is not a read");
        Self { value_read: value, ..Self::bare(Some(thread), kind, Some(location), order.into()) }
    }

    /// An atomic load.
    pub fn load(thread: ThreadId, location: LocId, value: Value, order: impl Into<Order>) -> Self {
        Self::read(thread, EventKind::Read, location, value, order)
    }

    /// An atomic store.
    pub fn store(thread: ThreadId, location: LocId, value: Value, order: impl Into<Order>) -> Self {
        Self { value_written: value, ..Self::bare(Some(thread), EventKind::Write, Some(location), order.into()) }
    }

    /// A store to a plain location.
    pub fn plain_store(thread: ThreadId, location: LocId, value: Value) -> Self {
        Self { kind: EventKind::PlainWrite, ..Self::store(thread, location, value, Order::RELAXED) }
    }

    /// A read-modify-write.
    pub fn update(thread: ThreadId, location: LocId, read: Value, written: Value, order: impl Into<Order>) -> Self {
        Self {
            value_read: read,
            value_written: written,
            ..Self::bare(Some(thread), EventKind::Update, Some(location), order.into())
        }
    }

    /// A fence.
    pub fn fence(thread: ThreadId, order: impl Into<Order>) -> Self {
        Self::bare(Some(thread), EventKind::Fence, None, order.into())
    }

    /// The same event as part of the encoding of an SC fence.
    #[must_use]
    pub fn as_ghost(self) -> Self {
        Self { ghost: true, ..self }
    }

    /// The same event, coming from the given instruction.
    #[must_use]
    pub fn at(self, pc: Pc, span: Span) -> Self {
        Self { pc: Some(pc), span, ..self }
    }

    /// Whether it is a `seq_cst` access, as opposed to a fence.
    pub fn is_sc_access(&self) -> bool {
        self.order.seq_cst && self.kind != EventKind::Fence
    }

    /// Whether it is a `seq_cst` fence.
    pub fn is_sc_fence(&self) -> bool {
        self.order.seq_cst && self.kind == EventKind::Fence
    }

    /// Whether both access the same location.
    pub fn same_location(&self, other: &Self) -> bool {
        self.location.is_some() && self.location == other.location
    }
}
