//! Who runs when. Usually that is the operating system's business; under a *controlled* schedule one thread runs at a time, and at every step (an
//! atomic access, a lock, a thread that begins or ends) a strategy chooses, from a seed, who goes on.
//!
//! Waiting is done here as well: a thread that cannot go on says for what it waits ([`wait_for`], [`wait_for_signal`]) and gets no turn until
//! somebody says that this has changed ([`notify`], [`signal`]). So nothing ever blocks while it has the turn, with one exception: a system call
//! that we do not know. If the thread with the turn sleeps in one, the others notice and go on without it ([`watch`]).
//!
//! Guarantee: the same seed leads to the same steps, as long as the program itself does the same (no clocks, no input, no unknown
//! system call that waits for another thread).

mod deadline;
mod strategy;

use crate::lock::Lock;
use crate::thread::Thread;
use crate::tls::{self, Inside};
use crate::{outside, report, signals, sys, thread};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
pub(crate) use deadline::Deadline;
use deadline::Expiry;
pub(crate) use strategy::{Kind, Strategy};

/// Why a thread that has waited goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Woken {
    /// What it waited for has happened, or may have.
    Signalled,
    /// Its deadline has passed.
    TimedOut,
    /// There is a signal for it, whose handler has been called by now, or it is cancelled.
    Interrupted,
}

/// The scheduler's part of a thread. Zeroes are a thread that can go on.
#[repr(C)]
pub(crate) struct Turn {
    /// One if it is this thread's turn; others sleep on it.
    mine: AtomicU32,
    state: State,
    /// What it waits for.
    key: usize,
    /// For which of those who are told apart by bits.
    bits: u32,
    /// When its wait times out.
    expiry: Expiry,
    timed_out: bool,
    /// Where it has come to meet others who have not come yet.
    arrived: usize,
    /// Whether a signal or its cancellation lets it go on.
    interrupted: bool,
    /// Whether it sleeps in a system call that we do not know.
    away: bool,
    /// Whether it sleeps here, until it is its turn.
    resting: AtomicBool,
    strategy: strategy::OfThread,
}

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum State {
    /// It could go on.
    Ready,
    /// It waits until something may have changed.
    Waits,
    /// It waits until it is chosen by a signal.
    WaitsForSignal,
}

struct Control {
    threads: Vec<*mut Thread>,
    /// Whose turn it is.
    current: *mut Thread,
    strategy: Strategy,
    steps: u64,
    /// The time by the schedule's clock.
    time: u64,
    /// How often in a row all threads waited and those who could were told to look again.
    futile: usize,
    /// How often it was seen that nobody can go on but for a signal.
    idle: usize,
}

// SAFETY: the threads in the list are alive, and their turns are only used under the lock, apart from the atomic.
unsafe impl Send for Control {}

static CONTROLLED: AtomicBool = AtomicBool::new(false);
static CONTROL: Lock<Option<Control>> = Lock::new(None);

/// From now on the strategy decides. Called before the second thread begins.
pub(crate) fn start(strategy: Strategy) {
    *CONTROL.lock() = Some(Control {
        threads: Vec::new(),
        current: core::ptr::null_mut(),
        strategy,
        steps: 0,
        time: 0,
        futile: 0,
        idle: 0,
    });
    CONTROLLED.store(true, Ordering::Release);
}

/// Whether this thread is under control now.
#[inline(always)]
pub(crate) fn controlled() -> bool {
    CONTROLLED.load(Ordering::Relaxed) && tls::local().inside == 0 && !tls::local().thread.is_null()
}

/// A step of this thread, from inside the runtime: somebody else may come first.
#[inline(always)]
pub(crate) fn point(thread: *mut Thread, address: usize, caller: usize) {
    if CONTROLLED.load(Ordering::Relaxed) {
        take_turn(thread, |control, thread| control.choose_at(thread, address, caller));
    }
}

/// A step of this thread, from outside of the runtime.
pub(crate) fn step(address: usize) {
    if controlled() {
        let _inside = Inside::enter();
        point(tls::local().thread, address, 0);
    }
}

/// The thread wants to let others go first. Says whether it has; else the caller should do that in its own way.
pub(crate) fn step_aside() -> bool {
    let_others_go_first(0)
}

/// The same, and time passes.
pub(crate) fn sleep() -> bool {
    let_others_go_first(deadline::SLEEP)
}

fn let_others_go_first(time: u64) -> bool {
    if !controlled() {
        return false;
    }
    let _inside = Inside::enter();
    take_turn(tls::local().thread, |control, thread| {
        control.time += time;
        control.choose_other(thread)
    });
    true
}

/// Whether waiting for something is the scheduler's business. What others can move as well, other processes or the system at the end of a thread, is really waited for, as in a
/// system call that we do not know.
pub(crate) fn controls(key: usize, moved_by_others: bool) -> bool {
    if !controlled() {
        return false;
    }
    if moved_by_others {
        step(key);
    }
    !moved_by_others
}

/// Tries until it works. `None` if the deadline passed first.
pub(crate) fn wait_for<R>(key: usize, deadline: Deadline, mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
    step(key);
    loop {
        if let Some(result) = attempt() {
            with_control(|control| control.futile = 0);
            return Some(result);
        }
        if wait(key, ALL, State::Waits, deadline) == Woken::TimedOut {
            return None;
        }
    }
}

/// Waits until it is chosen by [`signal`] with one of the bits.
pub(crate) fn wait_for_signal(key: usize, bits: u32, deadline: Deadline) -> Woken {
    wait(key, bits, State::WaitsForSignal, deadline)
}

/// This thread arrives at a barrier, and goes on when all threads have. Says whether it was the last.
pub(crate) fn wait_at_barrier(key: usize, all: usize) -> bool {
    step(key);
    let thread = tls::local().thread;
    let last = with_control(|control| control.arrive(thread, key, all)).unwrap_or(true);
    loop {
        // Between looking and waiting no handler may come. It is called here, again and again, and changes nothing about having come.
        let _inside = Inside::enter();
        // SAFETY: this thread's own structure; others change it only when it is their turn.
        if last || unsafe { (*thread).turn.arrived } != key {
            return last;
        }
        wait(key, ALL, State::WaitsForSignal, Deadline::Never);
    }
}

fn wait(key: usize, bits: u32, state: State, deadline: Deadline) -> Woken {
    let _inside = Inside::enter();
    let thread = tls::local().thread;
    take_turn(thread, |control, thread| {
        // SAFETY: the thread is alive and the lock is held.
        let turn = unsafe { &mut (*thread).turn };
        (turn.state, turn.key, turn.bits, turn.expiry) = (state, key, bits, deadline.expiry(control.time));
        control.choose_other(thread)
    });
    // SAFETY: this thread's own structure; nobody else changes it while it is our turn.
    let turn = unsafe { &mut (*thread).turn };
    match (core::mem::take(&mut turn.timed_out), core::mem::take(&mut turn.interrupted)) {
        (true, _) => Woken::TimedOut,
        (_, true) => Woken::Interrupted,
        _ => Woken::Signalled,
    }
}

/// The thread with this handle is cancelled: it has to look.
pub(crate) fn interrupt(handle: u64) {
    if controlled() {
        let _inside = Inside::enter();
        with_control(|control| {
            // SAFETY: threads in the list are alive.
            let number = |thread: *mut Thread| unsafe { (*thread).number };
            let is_it = |&thread: &*mut Thread| thread::entry(number(thread)).handle.load(Ordering::Relaxed) == handle;
            if let Some(thread) = control.threads.iter().copied().find(is_it) {
                control.interrupt(thread);
            }
        });
    }
}

/// Whatever has to do with the key may have changed: who waits for it should look again.
pub(crate) fn notify(key: usize) {
    if controlled() {
        let _inside = Inside::enter();
        notify_inside(key);
    }
}

fn notify_inside(key: usize) {
    with_control(|control| {
        control.wake(key, ALL, State::Waits, usize::MAX);
    });
}

/// Chooses so many of those who wait for a signal with one of the bits. Says how many there were.
pub(crate) fn signal(key: usize, bits: u32, count: usize) -> usize {
    if !controlled() {
        return 0;
    }
    let _inside = Inside::enter();
    with_control(|control| control.wake(key, bits, State::WaitsForSignal, count)).unwrap_or(0)
}

/// So many of those who wait for a signal wait for another one from now on. Says how many there were.
pub(crate) fn divert(key: usize, count: usize, to: usize) -> usize {
    if !controlled() {
        return 0;
    }
    let _inside = Inside::enter();
    let divert = |control: &mut Control| {
        let waiting: Vec<_> = control.waiting(key, ALL, State::WaitsForSignal).take(count).collect();
        // SAFETY: threads in the list are alive, and the lock is held.
        waiting.iter().for_each(|&thread| unsafe { (*thread).turn.key = to });
        waiting.len()
    };
    with_control(divert).unwrap_or(0)
}

/// A thread is about to be started.
pub(crate) fn announce(thread: *mut Thread) {
    with_control(|control| {
        control.strategy.meet(unsafe { &mut (*thread).turn.strategy });
        control.threads.push(thread);
    });
}

/// It could not be started after all.
pub(crate) fn withdraw(thread: *mut Thread) {
    with_control(|control| control.threads.retain(|&other| other != thread));
}

/// The thread, which is this one, begins when it is its turn.
pub(crate) fn begin(thread: *mut Thread) {
    let first = with_control(|control| {
        if !control.threads.contains(&thread) {
            control.strategy.meet(unsafe { &mut (*thread).turn.strategy });
            control.threads.push(thread);
        }
        if control.current.is_null() {
            control.current = thread;
        }
        control.current == thread
    });
    if first == Some(false) {
        sleep_until_turn(thread);
    }
}

/// The thread, which is this one, has ended; the others go on.
pub(crate) fn end(thread: *mut Thread) {
    // SAFETY: this thread's own structure.
    let entry = core::ptr::from_ref(thread::entry(unsafe { (*thread).number })) as usize;
    with_control(|control| {
        control.threads.retain(|&other| other != thread);
        control.wake(entry, ALL, State::Waits, usize::MAX);
        if control.current == thread {
            let next = control.choose_other(thread);
            control.give_turn(next);
        }
    });
}

/// In the child of a fork there is only this thread.
pub(crate) fn alone_after_fork() {
    CONTROLLED.store(false, Ordering::Relaxed);
}

fn with_control<R>(work: impl FnOnce(&mut Control) -> R) -> Option<R> {
    if !CONTROLLED.load(Ordering::Relaxed) {
        return None;
    }
    // A handler that came now would wait for ever for its own thread.
    let _inside = Inside::enter();
    CONTROL.lock().as_mut().map(work)
}

/// Lets `choose` decide who goes on, and comes back when it is this thread's turn again.
fn take_turn(thread: *mut Thread, choose: impl FnOnce(&mut Control, *mut Thread) -> *mut Thread) {
    // A thread that was away while others went on has to wait for its turn first.
    let had_lost_it = with_control(|control| {
        // SAFETY: the thread is alive and the lock is held.
        unsafe { (*thread).turn.away = false };
        if control.current.is_null() {
            control.current = thread;
        }
        control.current != thread
    });
    if had_lost_it == Some(true) {
        sleep_until_turn(thread);
    }
    let stays = with_control(|control| {
        control.steps += 1;
        control.time += 1;
        control.time_out_if(|expiry, control| expiry.steps < control.time);
        let next = choose(control, thread);
        if next == thread {
            return true;
        }
        // SAFETY: as above.
        unsafe { (*thread).turn.mine.store(0, Ordering::Relaxed) };
        control.give_turn(next);
        false
    });
    if stays == Some(false) {
        sleep_until_turn(thread);
    }
}

impl Control {
    fn ready(&self) -> impl Iterator<Item = *mut Thread> + '_ {
        // SAFETY: threads in the list are alive, here and below.
        self.threads
            .iter()
            .copied()
            .filter(|&thread| unsafe { (*thread).turn.state == State::Ready && !(*thread).turn.away })
    }

    fn choose_at(&mut self, thread: *mut Thread, address: usize, caller: usize) -> *mut Thread {
        let ready: Vec<_> = self.ready().collect();
        self.strategy.choose(&ready, thread, strategy::Where { address, caller })
    }

    /// Somebody else, if there is anybody. If all wait, one wait that has a deadline times out.
    fn choose_other(&mut self, thread: *mut Thread) -> *mut Thread {
        let others: Vec<_> = self.ready().filter(|&other| other != thread).collect();
        if !others.is_empty() {
            self.strategy.set_back(unsafe { &mut (*thread).turn.strategy });
            return self.strategy.choose(&others, core::ptr::null_mut(), strategy::Where::default());
        }
        if self.threads.contains(&thread) && unsafe { (*thread).turn.state == State::Ready } {
            return thread;
        }
        self.time_out_one()
    }

    /// The threads that wait with a deadline.
    fn with_deadline(&self) -> impl Iterator<Item = (*mut Thread, Expiry)> + '_ {
        self.threads.iter().copied().filter_map(|thread| unsafe {
            let turn = &(*thread).turn;
            (turn.state != State::Ready && turn.expiry != Expiry::NEVER).then_some((thread, turn.expiry))
        })
    }

    /// Waits whose deadline has passed time out. Says whether there is one.
    fn time_out_if(&mut self, is_over: impl Fn(Expiry, &Self) -> bool) -> bool {
        let over: Vec<_> = self.with_deadline().filter(|&(_, expiry)| is_over(expiry, self)).collect();
        for &(thread, _) in &over {
            time_out(thread);
        }
        !over.is_empty()
    }

    /// No thread can go on. One wait that has a deadline times out; if there is none, a thread that is away must come back.
    fn time_out_one(&mut self) -> *mut Thread {
        let with_deadline: Vec<_> = self.with_deadline().collect();
        if with_deadline.is_empty() {
            return self.look_again().unwrap_or_else(|| {
                // If somebody may come, whoever watches will report it later.
                if !self.threads.is_empty() && !self.is_one_away() && !outside::may_come() {
                    report::deadlock();
                }
                core::ptr::null_mut()
            });
        }
        if self.is_one_away() || outside::is_expected() {
            // Whoever watches will see that it is time.
            return core::ptr::null_mut();
        }
        // Any of them: the first may be a thread that polls until another wait has timed out.
        let chosen = if with_deadline.len() > 1 { self.strategy.pick(with_deadline.len()) } else { 0 };
        time_out(with_deadline[chosen].0);
        with_deadline[chosen].0
    }

    /// A thread that was away may have changed something just before another one began to wait for it. So before it is a deadlock, those who wait look again.
    fn look_again(&mut self) -> Option<*mut Thread> {
        let waiting: Vec<_> =
            self.threads.iter().copied().filter(|&thread| unsafe { (*thread).turn.state == State::Waits }).collect();
        self.futile += 1;
        if self.futile > 2 * self.threads.len() + 2 {
            return None;
        }
        for &thread in &waiting {
            unsafe { (*thread).turn.state = State::Ready };
        }
        waiting.first().copied()
    }

    fn is_one_away(&self) -> bool {
        self.threads.iter().any(|&thread| unsafe { (*thread).turn.away })
    }

    /// Nobody has the turn, and somebody has looked after that. If nobody comes in some seconds, nobody will, unless that was agreed on.
    fn idle(&mut self) {
        let now = deadline::real_time();
        if self.time_out_if(|expiry, _| expiry.real < now) {
            return self.choose_anybody();
        }
        if self.is_one_away() || self.threads.is_empty() {
            return;
        }
        self.idle += 1;
        if self.idle > LAST_HOPE * self.threads.len() && !outside::is_expected() {
            report::deadlock();
        }
    }

    /// Lets those go on who have come before this one, if it is the last of so many.
    fn arrive(&mut self, thread: *mut Thread, key: usize, all: usize) -> bool {
        let there: Vec<_> =
            self.threads.iter().copied().filter(|&other| unsafe { (*other).turn.arrived == key }).collect();
        if there.len() + 1 < all {
            unsafe { (*thread).turn.arrived = key };
            return false;
        }
        for other in there {
            unsafe { (*other).turn.arrived = 0 };
        }
        self.wake(key, ALL, State::WaitsForSignal, usize::MAX);
        true
    }

    /// A thread that waits need not go on waiting.
    fn interrupt(&mut self, thread: *mut Thread) {
        let turn = unsafe { &mut (*thread).turn };
        if turn.state == State::Ready {
            return;
        }
        (turn.state, turn.interrupted) = (State::Ready, true);
        self.futile = 0;
        if self.current.is_null() {
            self.give_turn(thread);
        }
    }

    fn give_turn(&mut self, next: *mut Thread) {
        // Whoever watches must see that something has happened.
        self.steps += 1;
        self.current = next;
        if !next.is_null() {
            self.idle = 0;
            let mine = unsafe { &(*next).turn.mine };
            mine.store(1, Ordering::Release);
            sys::wake(mine);
        }
    }

    fn choose_anybody(&mut self) {
        let ready: Vec<_> = self.ready().collect();
        let next = self.strategy.choose(&ready, core::ptr::null_mut(), strategy::Where::default());
        self.give_turn(next);
    }

    fn waiting(&self, key: usize, bits: u32, state: State) -> impl Iterator<Item = *mut Thread> + '_ {
        self.threads.iter().copied().filter(move |&thread| {
            let turn = unsafe { &(*thread).turn };
            turn.state == state && turn.key == key && turn.bits & bits != 0
        })
    }

    /// Makes those who wait ready, at most `count`, in an order that the strategy chooses. Says how many.
    fn wake(&mut self, key: usize, bits: u32, state: State, count: usize) -> usize {
        let mut woken = 0;
        while woken < count {
            let left = self.waiting(key, bits, state).count();
            if left == 0 {
                break;
            }
            let chosen = if count < left { self.strategy.pick(left) } else { 0 };
            if let Some(thread) = self.waiting(key, bits, state).nth(chosen) {
                unsafe { (*thread).turn.state = State::Ready };
            }
            woken += 1;
        }
        if woken > 0 && self.current.is_null() {
            self.choose_anybody();
        }
        woken
    }
}

/// The thread's wait times out.
fn time_out(thread: *mut Thread) {
    // SAFETY: threads in the list are alive, and the lock is held.
    let turn = unsafe { &mut (*thread).turn };
    (turn.state, turn.timed_out) = (State::Ready, true);
}

/// All bits: those who do not care about them.
pub(crate) const ALL: u32 = u32::MAX;
/// How long the others wait before they look after the one with the turn.
const WATCH: u64 = 20_000_000;
/// How often each thread looks before a signal is not hoped for any more: three seconds.
const LAST_HOPE: usize = 150;

fn sleep_until_turn(thread: *mut Thread) {
    // SAFETY: this thread's own structure, which lives until it ends.
    let mine = unsafe { &(*thread).turn.mine };
    let resting = unsafe { &(*thread).turn.resting };
    resting.store(true, Ordering::Relaxed);
    let mut seen = u64::MAX;
    while mine.load(Ordering::Acquire) == 0 {
        sys::sleep_on(mine, 0, Some(WATCH));
        if mine.load(Ordering::Acquire) == 0 {
            if signals::is_one_deferred() {
                with_control(|control| control.interrupt(thread));
            }
            seen = watch(seen);
        }
    }
    resting.store(false, Ordering::Relaxed);
}

/// If nothing has happened since the last look and the thread with the turn sleeps, it is in a system call that may wait for one of us.
fn watch(seen: u64) -> u64 {
    with_control(|control| {
        let current = control.current;
        if current.is_null() {
            control.idle();
        }
        if control.steps != seen || current.is_null() {
            return control.steps;
        }
        // SAFETY: the current thread is alive: it would have given its turn away at its end.
        let system = thread::entry(unsafe { (*current).number }).system.load(Ordering::Relaxed);
        let resting = unsafe { (*current).turn.resting.load(Ordering::Relaxed) };
        if !resting && sys::is_asleep(system) {
            unsafe {
                (*current).turn.away = true;
                (*current).turn.mine.store(0, Ordering::Relaxed);
            }
            if control.ready().next().is_none() {
                control.current = core::ptr::null_mut();
            } else {
                control.choose_anybody();
            }
        }
        control.steps
    })
    .unwrap_or(0)
}
