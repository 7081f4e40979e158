//! Controlled schedules. Usually the operating system decides which threads run; under a *controlled* schedule one thread runs at a time, and at every step (an
//! atomic access, a lock, a thread that begins or ends) a [scheduler](scheduler::Scheduler) chooses the next thread. Every choice is written to a log, from which the run can be repeated.
//!
//! Threads also wait here: a thread that cannot go on names what it waits for ([`wait_for`], [`wait_for_signal`]) and gets no turn until
//! another thread says that this has changed ([`notify`], [`signal`]). So no thread blocks while it has the turn, with one exception: a system call
//! that the runtime does not know. If the thread with the turn sleeps in one, the others notice and go on without it ([`watch`]).
//!
//! Guarantee: the same scheduler with the same seed, or the same log, leads to the same steps, as long as the program is deterministic (no clocks, no input, no unknown
//! system call that waits for another thread). Comparing the logs of both runs shows whether it was.

mod control;
mod deadline;
mod objects;
mod pct;
mod random;
mod recorder;
mod replay;
mod scheduler;
mod turn;

use crate::lock::Lock;
use crate::thread::{self, Thread};
use crate::tls::{self, Inside};
use crate::{signals, sys};
use control::Control;
use core::sync::atomic::{AtomicBool, Ordering};
pub(crate) use deadline::Deadline;
use objects::Objects;
use recorder::Recorder;
pub(crate) use steadfast_schedule::Operation;
use steadfast_schedule::{Kind, NOBODY, Setup};
pub(crate) use turn::Turn;
use turn::{Member, State};

/// Why a thread that has waited goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Woken {
    /// What it waited for has happened, or may have.
    Signalled,
    /// Its deadline has passed.
    TimedOut,
    /// It got a signal, whose handler has been called by now, or it was cancelled.
    Interrupted,
}

/// What a step is about, or a thread waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Object {
    /// What is at this address; zero is nothing.
    At(usize),
    /// The end of the thread with this number.
    Thread(u32),
    /// The thread with this number, which no thread can wait for yet.
    NewThread(u32),
}

impl From<usize> for Object {
    fn from(address: usize) -> Self {
        Self::At(address)
    }
}

impl Object {
    /// The key of the waits for it.
    fn key(self) -> usize {
        match self {
            Self::At(address) => address,
            Self::Thread(number) => core::ptr::from_ref(thread::entry(number)) as usize,
            Self::NewThread(_) => 0,
        }
    }

    /// Its number in the log.
    fn number(self, objects: &mut Objects) -> u32 {
        match self {
            Self::At(0) => NOBODY,
            Self::At(address) => objects.number(address),
            Self::Thread(number) | Self::NewThread(number) => number,
        }
    }
}

/// What a thread is about to do.
#[derive(Clone, Copy, Debug)]
struct Action {
    operation: Operation,
    object: Object,
    /// The address of the code, or zero.
    caller: usize,
}

impl Action {
    /// An operation without an object.
    fn new(operation: Operation) -> Self {
        Self { operation, object: Object::At(0), caller: 0 }
    }
}

static CONTROLLED: AtomicBool = AtomicBool::new(false);
static CONTROL: Lock<Option<Control>> = Lock::new(None);

/// Starts a controlled schedule. Called before the second thread begins. `log` is a file for the choices, and `replay` one with choices to repeat.
pub(crate) fn start(kind: Kind, setup: Setup, log: Option<Vec<u8>>, replay: Option<Vec<u8>>) {
    let chosen = scheduler::new(kind, setup);
    let scheduler = match replay {
        Some(path) => Box::new(replay::Replay::new(recorder::records(path), chosen)),
        None => chosen,
    };
    *CONTROL.lock() = Some(Control::new(scheduler, Recorder::new(log, kind, setup)));
    CONTROLLED.store(true, Ordering::Release);
}

/// Whether this thread is under control now.
#[inline(always)]
pub(crate) fn controlled() -> bool {
    CONTROLLED.load(Ordering::Relaxed) && tls::local().inside == 0 && !tls::local().thread.is_null()
}

/// This thread.
fn me() -> Member {
    // SAFETY: the structure is this thread's own.
    unsafe { Member::of(tls::local().thread) }
}

/// A step of this thread, from inside the runtime: another thread may go first.
#[inline(always)]
pub(crate) fn point(operation: Operation, address: usize, caller: usize) {
    if CONTROLLED.load(Ordering::Relaxed) {
        make_step(Action { operation, object: Object::At(address), caller });
    }
}

#[inline(never)]
fn make_step(action: Action) {
    take_turn(me(), |control, thread| control.choose_at(thread, action));
}

/// A step of this thread, from outside of the runtime.
pub(crate) fn step(operation: Operation, object: impl Into<Object>) {
    if controlled() {
        let _inside = Inside::enter();
        make_step(Action { operation, object: object.into(), caller: 0 });
    }
}

/// Lets other threads go first. Returns whether the schedule is controlled; if not, the caller should call the original.
pub(crate) fn step_aside() -> bool {
    let_others_go_first(Operation::Yield, 0)
}

/// The same, and time passes.
pub(crate) fn sleep() -> bool {
    let_others_go_first(Operation::Sleep, deadline::SLEEP)
}

fn let_others_go_first(operation: Operation, time: u64) -> bool {
    if !controlled() {
        return false;
    }
    let _inside = Inside::enter();
    take_turn(me(), |control, thread| {
        control.time += time;
        control.choose_other(thread, Action::new(operation))
    });
    true
}

/// Whether the scheduler does this wait. If other processes, or the system at the end of a thread, can change the object, the thread waits in the original, as in a
/// system call that the runtime does not know.
pub(crate) fn controls(operation: Operation, key: usize, moved_by_others: bool) -> bool {
    if !controlled() {
        return false;
    }
    if moved_by_others {
        step(operation, key);
    }
    !moved_by_others
}

/// Tries until it succeeds. `None` if the deadline passes first.
pub(crate) fn wait_for<R>(
    operation: Operation,
    object: impl Into<Object>,
    deadline: Deadline,
    mut attempt: impl FnMut() -> Option<R>,
) -> Option<R> {
    let object = object.into();
    step(operation, object);
    loop {
        if let Some(result) = attempt() {
            with_control(|control| control.futile = 0);
            return Some(result);
        }
        if wait(object, ALL, State::Waits, deadline) == Woken::TimedOut {
            return None;
        }
    }
}

/// Waits until it is chosen by [`signal`] with one of the bits.
pub(crate) fn wait_for_signal(key: usize, bits: u32, deadline: Deadline) -> Woken {
    wait(Object::At(key), bits, State::WaitsForSignal, deadline)
}

/// This thread arrives at a barrier, and goes on when all threads have arrived. Returns whether it was the last.
pub(crate) fn wait_at_barrier(key: usize, all: usize) -> bool {
    step(Operation::Barrier, key);
    let thread = me();
    let last = with_control(|control| control.arrive(thread, key, all)).unwrap_or(true);
    loop {
        // No handler may run between the look and the wait. A signal ends the wait, its handler runs, and this thread waits again: it stays arrived.
        let _inside = Inside::enter();
        if last || with_control(|_| thread.turn().arrived.get()) != Some(key) {
            return last;
        }
        wait(Object::At(key), ALL, State::WaitsForSignal, Deadline::Never);
    }
}

fn wait(object: Object, bits: u32, state: State, deadline: Deadline) -> Woken {
    let _inside = Inside::enter();
    let thread = me();
    let turn = thread.turn();
    let operation = match (state, object) {
        (State::Waits, Object::Thread(_)) => Operation::WaitForEnd,
        (State::Waits, _) => Operation::Wait,
        _ => Operation::WaitForSignal,
    };
    take_turn(thread, |control, thread| {
        turn.state.set(state);
        turn.key.set(object.key());
        turn.bits.set(bits);
        turn.expiry.set(deadline.expiry(control.time));
        control.choose_other(thread, Action { operation, object, caller: 0 })
    });
    match with_control(|_| (turn.timed_out.take(), turn.interrupted.take())) {
        Some((true, _)) => Woken::TimedOut,
        Some((_, true)) => Woken::Interrupted,
        _ => Woken::Signalled,
    }
}

/// The thread with this handle is cancelled: it becomes ready.
pub(crate) fn interrupt(handle: u64) {
    if controlled() {
        let _inside = Inside::enter();
        with_control(|control| {
            let is_it = |thread: &Member| thread.entry.handle.load(Ordering::Relaxed) == handle;
            if let Some(thread) = control.threads.iter().copied().find(is_it) {
                control.interrupt(thread);
            }
        });
    }
}

/// This thread has done something: the threads that wait for the key should look again.
pub(crate) fn notify(operation: Operation, key: usize) {
    if controlled() {
        let _inside = Inside::enter();
        let thread = me();
        with_control(|control| {
            control.note(thread, Action { operation, object: Object::At(key), caller: 0 });
            control.wake(key, ALL, State::Waits, usize::MAX);
        });
    }
}

/// Wakes at most `count` threads that wait for a signal with one of the bits. Returns how many.
pub(crate) fn signal(key: usize, bits: u32, count: usize) -> usize {
    if !controlled() {
        return 0;
    }
    let _inside = Inside::enter();
    with_control(|control| control.wake(key, bits, State::WaitsForSignal, count)).unwrap_or(0)
}

/// Moves at most `count` threads that wait for a signal to another key. Returns how many.
pub(crate) fn divert(key: usize, count: usize, to: usize) -> usize {
    if !controlled() {
        return 0;
    }
    let _inside = Inside::enter();
    let divert = |control: &mut Control| {
        let waiting = control.waiting(key, ALL, State::WaitsForSignal).take(count);
        waiting.inspect(|thread| thread.turn().key.set(to)).count()
    };
    with_control(divert).unwrap_or(0)
}

/// A thread is about to be started.
pub(crate) fn announce(thread: *mut Thread) {
    // SAFETY: it was just made, and no thread runs with it yet.
    let thread = unsafe { Member::of(thread) };
    with_control(|control| control.add(thread));
}

/// A thread that was announced could not be started.
pub(crate) fn withdraw(thread: *mut Thread) {
    // SAFETY: no thread runs with it.
    let thread = unsafe { Member::of(thread) };
    with_control(|control| control.withdraw(thread));
}

/// This thread begins, as soon as it has the turn.
pub(crate) fn begin(thread: *mut Thread) {
    // SAFETY: the structure is this thread's own.
    let thread = unsafe { Member::of(thread) };
    let first = with_control(|control| {
        if !control.threads.contains(&thread) {
            control.add(thread);
        }
        if control.current.is_none() {
            control.resume(Some(thread));
        }
        control.current == Some(thread)
    });
    if first == Some(false) {
        sleep_until_turn(thread);
    }
}

/// This thread has ended; the others go on.
pub(crate) fn end(thread: *mut Thread) {
    // SAFETY: the structure is this thread's own.
    let thread = unsafe { Member::of(thread) };
    with_control(|control| control.remove(thread));
}

/// Later objects in this memory are different ones.
#[inline]
pub(crate) fn forget(address: usize, bytes: usize) {
    if CONTROLLED.load(Ordering::Relaxed) {
        with_control(|control| control.forget(address, bytes));
    }
}

/// The child of a fork has one thread. It is not controlled, so it writes nothing to the log, which is still the parent's.
pub(crate) fn alone_after_fork() {
    CONTROLLED.store(false, Ordering::Relaxed);
}

fn with_control<R>(work: impl FnOnce(&mut Control) -> R) -> Option<R> {
    if !CONTROLLED.load(Ordering::Relaxed) {
        return None;
    }
    // A handler that ran now would wait for ever for its own thread.
    let _inside = Inside::enter();
    CONTROL.lock().as_mut().map(work)
}

/// Lets `choose` decide which thread goes on, and returns when this thread has the turn again.
fn take_turn(thread: Member, choose: impl FnOnce(&mut Control, Member) -> Option<Member>) {
    // A thread that was away while others went on must wait for the turn first.
    let had_lost_it = with_control(|control| {
        thread.turn().away.set(false);
        if control.current.is_none() {
            control.resume(Some(thread));
        }
        control.current != Some(thread)
    });
    if had_lost_it == Some(true) {
        sleep_until_turn(thread);
    }
    let stays = with_control(|control| {
        control.steps += 1;
        control.time += 1;
        let now = control.time;
        control.time_out_if(|expiry| expiry.steps < now);
        let next = choose(control, thread);
        if next == Some(thread) {
            return true;
        }
        thread.turn().mine.store(0, Ordering::Relaxed);
        control.give_turn(next);
        false
    });
    if stays == Some(false) {
        sleep_until_turn(thread);
    }
}

/// All bits, for waits that are not distinguished by bits.
pub(crate) const ALL: u32 = u32::MAX;
/// How long the other threads wait before they check the thread with the turn, in nanoseconds.
const WATCH: u64 = 20_000_000;

fn sleep_until_turn(thread: Member) {
    let turn = thread.turn();
    turn.resting.store(true, Ordering::Relaxed);
    let mut seen = u64::MAX;
    while turn.mine.load(Ordering::Acquire) == 0 {
        sys::sleep_on(&turn.mine, 0, Some(WATCH));
        if turn.mine.load(Ordering::Acquire) == 0 {
            if signals::is_one_deferred() {
                with_control(|control| control.interrupt(thread));
            }
            seen = watch(seen);
        }
    }
    turn.resting.store(false, Ordering::Relaxed);
}

/// If nothing has happened since the last look and the thread with the turn sleeps, it is in a system call that may wait for another thread.
fn watch(seen: u64) -> u64 {
    with_control(|control| {
        let Some(current) = control.current else {
            control.idle();
            return control.steps;
        };
        if control.steps != seen {
            return control.steps;
        }
        let resting = current.turn().resting.load(Ordering::Relaxed);
        if !resting && sys::is_asleep(current.entry.system.load(Ordering::Relaxed)) {
            current.turn().away.set(true);
            current.turn().mine.store(0, Ordering::Relaxed);
            if control.is_one_ready() {
                control.choose_anybody();
            } else {
                control.resume(None);
            }
        }
        control.steps
    })
    .unwrap_or(0)
}
