//! One atomic access, from the program's call to its return.

use crate::abi::atomics::Strength;
use crate::engine;
use crate::order::Order;
use crate::plain;
use crate::schedule::{self, Operation};
use crate::spin;
use crate::table::{self, Intent};
use crate::thread;
use crate::tls::{self, Inside};

/// What an access did, with the values before and after it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Load { value: u128 },
    Store { old: u128, new: u128 },
    Update { old: u128, new: u128 },
    Compare { old: u128, expected: u128, new: u128, changed: bool, strength: Strength },
}

/// The kind of an access, known before it is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Load,
    Store,
    Update,
    Compare,
}

impl Kind {
    /// The scheduler's name for it.
    #[inline(always)]
    fn operation(self) -> Operation {
        match self {
            Self::Load => Operation::Load,
            Self::Store => Operation::Store,
            Self::Update => Operation::Update,
            Self::Compare => Operation::Compare,
        }
    }
}

/// An access with everything that a report needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accessed {
    pub(crate) address: usize,
    pub(crate) bytes: u8,
    pub(crate) order: Order,
    pub(crate) step: Step,
    pub(crate) caller: usize,
}

/// Where an access comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Program,
    /// Trusted code. Its accesses only order threads.
    Trusted,
    /// Rust's standard library before it calls the thread's function. It takes a lock there that all threads share, also at their ends. The program cannot rely on
    /// this order; if it counted, it would hide most races between threads that run one after the other.
    Prologue,
}

#[cold]
fn source() -> Source {
    let flags = &mut tls::local().flags;
    if *flags & tls::TRUSTED == 0 {
        *flags = 0;
        return Source::Program;
    }
    *flags &= !tls::TRUSTED;
    if *flags & tls::PROLOGUE == 0 { Source::Trusted } else { Source::Prologue }
}

/// Makes an access and lets the engine judge it. The location stays locked in between, so that the engine sees accesses in the order in
/// which they happen.
#[inline(always)]
pub(crate) fn perform<R>(
    address: usize,
    bytes: u8,
    order: Order,
    kind: Kind,
    caller: usize,
    run: impl FnOnce() -> (R, Step),
) -> R {
    // If the address is not mapped, the program's signal handler runs now, and not while the location is locked.
    // SAFETY: the program will access this address at once.
    unsafe { core::ptr::read_volatile(address as *const u8) };
    let source = if tls::local().flags == 0 { Source::Program } else { source() };
    // Not recorded: accesses of the runtime itself, of a signal handler that interrupted it, and of the prologue.
    let Some(_inside) = (if source == Source::Prologue { None } else { Inside::first() }) else { return run().0 };
    let thread = thread::current();
    schedule::point(kind.operation(), address, caller);
    let intent = match kind {
        // SAFETY: the thread is this one.
        Kind::Load => unsafe { (*thread).clocks.as_ref() }.map_or(Intent::Other, |clocks| Intent::Load(clocks.slot())),
        Kind::Store | Kind::Update | Kind::Compare => Intent::Write,
    };
    let record = table::lock(address, bytes, intent);
    let (result, step) = run();
    if source == Source::Trusted {
        // SAFETY: the record is locked.
        engine::trust(unsafe { record.object() }, step);
    }
    // SAFETY: the record is locked, and the thread is this one.
    let finding = if record.is_mixed() {
        // SAFETY: the record is locked, and the thread is this one.
        unsafe { engine::only_order(&mut *thread, record.object(), order, step) };
        None
    } else {
        // SAFETY: the record is locked, and the thread is this one.
        unsafe { engine::judge(&mut *thread, record.object(), order, step, caller) }
    };
    // SAFETY: the record is still locked, and the thread is this one.
    let race = unsafe {
        let (thread, object) = (&mut *thread, record.object());
        plain::atomic(thread, object, (address, bytes), step.is_read(), caller, record.is_mixed())
    };
    // SAFETY: the record is still locked.
    unsafe { record.tell_directory(address) };
    record.unlock();
    // SAFETY: the thread is this one.
    spin::consider(unsafe { &mut *thread }, Accessed { address, bytes, order, step, caller }, finding);
    if let Some(race) = race {
        plain::report_race(thread, address, bytes, Some(order), step.is_read(), caller, &race);
    }
    result
}

impl Step {
    /// The value that the access read; for a store, the value that it wrote.
    pub(crate) fn seen(self) -> u128 {
        match self {
            Self::Load { value } => value,
            Self::Store { new, .. } => new,
            Self::Update { old, .. } | Self::Compare { old, .. } => old,
        }
    }

    /// The value before the access.
    #[inline(always)]
    pub(crate) fn found(self) -> u128 {
        let (Self::Load { value: found }
        | Self::Store { old: found, .. }
        | Self::Update { old: found, .. }
        | Self::Compare { old: found, .. }) = self;
        found
    }

    /// Whether it does not change memory.
    #[inline(always)]
    fn is_read(self) -> bool {
        matches!(self, Self::Load { .. } | Self::Compare { changed: false, .. })
    }
}

/// A fence.
pub(crate) fn fence(order: Order, caller: usize) {
    core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst);
    let Some(_inside) = Inside::first() else { return };
    let thread = thread::current();
    schedule::point(Operation::Fence, 0, caller);
    // SAFETY: the thread is this one.
    unsafe {
        spin::settle(&mut *thread);
        engine::fence(&mut *thread, order.success);
    }
}
