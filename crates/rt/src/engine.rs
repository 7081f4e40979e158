//! The runtime's interface to the engine (`steadfast-clocks`): it maps accesses to the engine's operations and keeps the state that all threads share.

use crate::abi::atomics::Strength;
use crate::access::Step;
use crate::generations::Generations;
use crate::lock::Lock;
use crate::order::{Order, Strictness};
use crate::thread::Thread;
use crate::{options, tls};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use steadfast_clocks as clocks;
use steadfast_clocks::{CompareExchange, FenceOrder, Place, ReadOrder, RmwOrder, ScFence, Slots, WriteOrder};
pub(crate) use steadfast_clocks::{SyncClock, ThreadClocks, Violation};

/// What is known about the object at an address.
pub(crate) enum Object {
    /// Not used yet.
    Fresh,
    /// An atomic.
    Atomic(clocks::Location),
    /// A mutex, a semaphore, a condition.
    Lock(Box<SyncClock>),
    /// A read-write lock.
    ReadWrite(Box<ReadWrite>),
    /// A barrier.
    Barrier(Box<Generations>),
}

/// The clocks of a read-write lock: what writers and readers have released.
#[derive(Default)]
pub(crate) struct ReadWrite {
    writers: SyncClock,
    readers: SyncClock,
}

static SLOTS: Lock<Option<Slots>> = Lock::new(None);
static FENCES: Lock<Option<ScFence>> = Lock::new(None);
/// Whether Rust's standard library starts the threads.
pub(crate) static STARTED_BY_RUST: AtomicBool = AtomicBool::new(false);
/// For each slot, the thread that has it or had it last.
static OWNERS: [AtomicU32; 1 << 16] = [const { AtomicU32::new(0) }; 1 << 16];

/// The clocks of a new thread.
pub(crate) fn clocks(number: u32, parent: Option<&mut Option<ThreadClocks>>) -> Option<ThreadClocks> {
    let mut slots = SLOTS.lock();
    let slots = slots.get_or_insert_with(Slots::new);
    let mut new = match parent.and_then(Option::as_mut) {
        Some(parent) => parent.spawn(slots),
        None => ThreadClocks::first(options::settings(), slots),
    }?;
    // Rust counts references to what its threads share, in code that cannot be told from the program's.
    if STARTED_BY_RUST.load(Ordering::Relaxed) {
        new.forget_unordered();
    }
    OWNERS[usize::from(new.slot().0)].store(number, Ordering::Relaxed);
    Some(new)
}

/// The number of the thread that has, or had last, a slot.
pub(crate) fn owner(slot: clocks::Slot) -> u32 {
    OWNERS[usize::from(slot.0)].load(Ordering::Relaxed)
}

/// Moves the thread to another slot, because the moments of its own are nearly used up.
#[cold]
fn renew(number: u32, clocks: &mut ThreadClocks) {
    crate::plain::give_back(clocks);
    let mut slots = SLOTS.lock();
    if clocks.renew(slots.get_or_insert_with(Slots::new)) {
        OWNERS[usize::from(clocks.slot().0)].store(number, Ordering::Relaxed);
    }
}

/// A thread ends. Returns the clock for the thread that joins it.
pub(crate) fn finish(clocks: Option<ThreadClocks>) -> Option<SyncClock> {
    let mut clocks = clocks?;
    crate::plain::give_back(&mut clocks);
    let mut slots = SLOTS.lock();
    Some(clocks.finish(slots.get_or_insert_with(Slots::new)))
}

/// This thread has joined another one.
pub(crate) fn join(thread: &mut Thread, end: &SyncClock) {
    if let Some(clocks) = &mut thread.clocks {
        clocks.acquire(end);
    }
}

/// Judges an access that has just happened.
///
/// # Safety
/// The object is that of the accessed address, and locked; the thread is the running one.
#[inline(always)]
pub(crate) unsafe fn judge(
    thread: &mut Thread,
    object: &mut Object,
    order: Order,
    step: Step,
    caller: usize,
) -> Option<Violation> {
    let location = match object {
        Object::Atomic(location) => {
            location.expect(step.found());
            location
        }
        _ => first_access(object, step)?,
    };
    let place = if let Step::Load { .. } = step { Place(0) } else { Place(thread.frames.place(caller).0) };
    let clocks = thread.clocks.as_mut()?;
    if clocks.is_old() {
        renew(thread.number, clocks);
    }
    let violation = match step {
        Step::Load { .. } => clocks.load(location, read_order(order.success)),
        Step::Store { new, .. } => clocks.store(location, write_order(order.success), new, place),
        Step::Update { new, .. } => clocks.rmw(location, rmw_order(order.success), new, place),
        Step::Compare { expected, new, changed, strength, .. } => {
            let success = rmw_order(order.success);
            if strength == Strength::Blocking {
                return blocking(clocks, location, success, (expected, new), changed, place);
            }
            let strength = if strength == Strength::Weak { clocks::Strength::Weak } else { clocks::Strength::Strong };
            let exchange = CompareExchange { strength, expected, success, failure: read_order(order.failure) };
            clocks.compare_exchange(location, &exchange, changed.then_some(new), place)
        }
    };
    if tls::local().ignored == 0 { violation } else { None }
}

/// A failed attempt is not recorded, but it could have succeeded with a stale value.
fn blocking(
    clocks: &mut ThreadClocks,
    location: &mut clocks::Location,
    order: RmwOrder,
    (expected, new): (u128, u128),
    changed: bool,
    place: Place,
) -> Option<Violation> {
    if changed {
        clocks.blocking_cas(location, order, expected, new, place)
    } else {
        clocks.check_blocking_cas(location, order, expected)
    }
}

/// Records what an access orders, for a location whose parts are accessed with different sizes: at least as much as the program can rely on.
///
/// # Safety
/// As for [`judge`].
#[cold]
pub(crate) unsafe fn only_order(thread: &mut Thread, object: &mut Object, order: Order, step: Step) {
    let location = match object {
        Object::Atomic(location) => Some(location),
        _ => first_access(object, step),
    };
    let (Some(location), Some(clocks)) = (location, thread.clocks.as_mut()) else { return };
    match step {
        Step::Load { .. } | Step::Compare { changed: false, .. } => {
            clocks.load(location, read_order(order.success));
        }
        // A store to a part keeps the other parts, and with them what other threads have released there.
        Step::Store { new, .. } | Step::Update { new, .. } | Step::Compare { new, .. } => {
            clocks.rmw(location, rmw_order(order.success), new, Place(0));
        }
    }
}

/// Judges a wait for `value` that reads `seen` now. Even if it goes on waiting, it could have ended with a stale value.
///
/// # Safety
/// As for [`judge`].
pub(crate) unsafe fn judge_wait(
    thread: &mut Thread,
    object: &mut Object,
    order: Strictness,
    value: u128,
    seen: u128,
) -> Option<Violation> {
    let location = match object {
        Object::Atomic(location) => {
            location.expect(seen);
            location
        }
        _ => first_access(object, Step::Load { value: seen })?,
    };
    let clocks = thread.clocks.as_mut()?;
    let order = read_order(order);
    let violation =
        if seen == value { clocks.wait(location, order, value) } else { clocks.check_wait(location, order, value) };
    if tls::local().ignored == 0 { violation } else { None }
}

/// Marks a location as part of trusted code; see [`clocks::Location::trust`].
#[cold]
pub(crate) fn trust(object: &mut Object, step: Step) {
    let location = match object {
        Object::Atomic(location) => Some(location),
        _ => first_access(object, step),
    };
    if let Some(location) = location {
        location.trust();
    }
}

#[cold]
fn first_access(object: &mut Object, step: Step) -> Option<&mut clocks::Location> {
    *object = Object::Atomic(clocks::Location::new(step.found()));
    match object {
        Object::Atomic(location) => Some(location),
        _ => None,
    }
}

/// A fence of the running thread.
pub(crate) fn fence(thread: &mut Thread, order: Strictness) {
    let order = match order {
        Strictness::Relaxed => return,
        Strictness::Acquire => FenceOrder::Acquire,
        Strictness::Release => FenceOrder::Release,
        Strictness::AcquireRelease => FenceOrder::AcqRel,
        Strictness::Sequential => FenceOrder::SeqCst,
    };
    let Some(clocks) = &mut thread.clocks else { return };
    if order == FenceOrder::SeqCst && options::settings().model.shares_fences() {
        clocks.fence(order, FENCES.lock().get_or_insert_with(ScFence::new));
    } else {
        clocks.fence(order, &mut ScFence::new());
    }
}

impl Object {
    /// The clock of a lock that one thread holds at a time.
    pub(crate) fn lock(&mut self) -> &mut SyncClock {
        if !matches!(self, Self::Lock(_)) {
            *self = Self::Lock(Box::default());
        }
        match self {
            Self::Lock(clock) => clock,
            _ => unreachable!("it was just made one"),
        }
    }

    /// The generations of a barrier.
    pub(crate) fn barrier(&mut self) -> &mut Generations {
        if !matches!(self, Self::Barrier(_)) {
            *self = Self::Barrier(Box::default());
        }
        match self {
            Self::Barrier(generations) => generations,
            _ => unreachable!("it was just made one"),
        }
    }

    /// The clocks of a read-write lock: what writers have released, and what readers have.
    pub(crate) fn read_write(&mut self) -> (&mut SyncClock, &mut SyncClock) {
        if !matches!(self, Self::ReadWrite(_)) {
            *self = Self::ReadWrite(Box::default());
        }
        match self {
            Self::ReadWrite(clocks) => (&mut clocks.writers, &mut clocks.readers),
            _ => unreachable!("it was just made one"),
        }
    }
}

#[inline(always)]
fn read_order(order: Strictness) -> ReadOrder {
    match order {
        Strictness::Sequential => ReadOrder::SeqCst,
        Strictness::Acquire | Strictness::AcquireRelease => ReadOrder::Acquire,
        Strictness::Relaxed | Strictness::Release => ReadOrder::Relaxed,
    }
}

#[inline(always)]
fn write_order(order: Strictness) -> WriteOrder {
    match order {
        Strictness::Sequential => WriteOrder::SeqCst,
        Strictness::Release | Strictness::AcquireRelease => WriteOrder::Release,
        Strictness::Relaxed | Strictness::Acquire => WriteOrder::Relaxed,
    }
}

#[inline(always)]
fn rmw_order(order: Strictness) -> RmwOrder {
    match order {
        Strictness::Relaxed => RmwOrder::Relaxed,
        Strictness::Acquire => RmwOrder::Acquire,
        Strictness::Release => RmwOrder::Release,
        Strictness::AcquireRelease => RmwOrder::AcqRel,
        Strictness::Sequential => RmwOrder::SeqCst,
    }
}

/// Stops the start and end of threads, and fences, until [`after_fork`].
pub(crate) fn before_fork() {
    SLOTS.hold();
    FENCES.hold();
}

/// Undoes [`before_fork`].
pub(crate) fn after_fork() {
    FENCES.let_go();
    SLOTS.let_go();
}
