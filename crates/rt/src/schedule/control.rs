//! The rules of a controlled schedule: which threads are ready, when the scheduler chooses, and what happens if no thread is ready. Everything here runs with the lock of the one [`Control`] held.

use super::deadline::{self, Expiry};
use super::objects::{Objects, Places};
use super::recorder::Recorder;
use super::scheduler::{Scheduler, Step};
use super::turn::{Member, State};
use super::{ALL, Action};
use crate::{outside, report, sys};
use core::sync::atomic::Ordering;
use steadfast_schedule::{Choice, NOBODY, Operation, Place};

/// A schedule under control.
pub(super) struct Control {
    pub(super) threads: Vec<Member>,
    /// The thread that has the turn.
    pub(super) current: Option<Member>,
    scheduler: Box<dyn Scheduler>,
    recorder: Recorder,
    objects: Objects,
    places: Places,
    /// Changes whenever something has happened.
    pub(super) steps: u64,
    /// The time by the schedule's clock.
    pub(super) time: u64,
    /// How often in a row all threads waited and had to look again.
    pub(super) futile: usize,
    /// How often it was seen that only a signal can let a thread go on.
    idle: usize,
    /// A buffer for the numbers of ready threads.
    numbers: Vec<u32>,
}

/// How often each thread looks before a signal is not expected any more: this takes three seconds.
const LAST_HOPE: usize = 150;

impl Control {
    pub(super) fn new(scheduler: Box<dyn Scheduler>, recorder: Recorder) -> Self {
        Self {
            threads: Vec::new(),
            current: None,
            scheduler,
            recorder,
            objects: Objects::new(),
            places: Places::now(),
            steps: 0,
            time: 0,
            futile: 0,
            idle: 0,
            numbers: Vec::new(),
        }
    }

    /// A new thread.
    pub(super) fn add(&mut self, thread: Member) {
        self.scheduler.begins(thread.number);
        self.threads.push(thread);
        if self.threads.len() > 1 {
            self.recorder.begin();
        }
    }

    /// Removes a thread that has ended. If it had the turn, another thread gets it.
    pub(super) fn remove(&mut self, thread: Member) {
        self.threads.retain(|&other| other != thread);
        self.wake(core::ptr::from_ref(thread.entry) as usize, ALL, State::Waits, usize::MAX);
        if self.current == Some(thread) {
            let next = self.choose_other(thread, Action::new(Operation::End));
            self.give_turn(next);
        }
        self.scheduler.ends(thread.number);
    }

    /// Removes a thread that was announced and could not be started.
    pub(super) fn withdraw(&mut self, thread: Member) {
        self.threads.retain(|&other| other != thread);
        self.scheduler.ends(thread.number);
    }

    /// Later objects in this memory are different ones.
    pub(super) fn forget(&mut self, address: usize, bytes: usize) {
        self.objects.forget(address, bytes);
    }

    pub(super) fn is_one_ready(&self) -> bool {
        self.threads.iter().any(|thread| thread.is_ready())
    }

    /// A step, as schedulers and the log see it.
    fn step(&mut self, thread: Option<Member>, action: Action) -> Step {
        let mut what = Choice { operation: action.operation, ..Choice::NONE };
        if let Some(thread) = thread {
            what.thread = thread.number;
        }
        let number = self.recorder.next();
        if number.is_some() {
            what.object = action.object.number(&mut self.objects);
            what.place = if action.caller == 0 { Place::NONE } else { self.places.of(action.caller) };
        }
        Step { number, what, gives_way: false, spins: false }
    }

    /// A step after which the thread goes on in any case.
    pub(super) fn note(&mut self, thread: Member, action: Action) {
        // A thread that comes back from a system call without the turn does so at any time.
        if self.current == Some(thread) {
            let step = self.step(Some(thread), action);
            self.recorder.record(&step, 1, thread.number);
        }
    }

    /// Lets the scheduler choose a ready thread other than `but`.
    fn ask(&mut self, step: &Step, but: Option<Member>) -> Option<Member> {
        let mut numbers = core::mem::take(&mut self.numbers);
        numbers.clear();
        let ready = self.threads.iter().filter(|&&thread| thread.is_ready() && Some(thread) != but);
        numbers.extend(ready.map(|thread| thread.number));
        let mut chosen = None;
        if !numbers.is_empty() {
            let number = numbers[self.scheduler.choose(step, &numbers).min(numbers.len() - 1)];
            self.recorder.record(step, numbers.len(), number);
            chosen = self.threads.iter().copied().find(|thread| thread.number == number);
        }
        self.numbers = numbers;
        chosen
    }

    /// Lets the scheduler choose a waiting thread: an index. There are at least two.
    fn pick(&mut self, operation: Operation, waiting: &[Member]) -> usize {
        let step = self.step(self.current, Action::new(operation));
        let numbers: Vec<u32> = waiting.iter().map(|thread| thread.number).collect();
        let chosen = self.scheduler.pick(&step, &numbers).min(numbers.len() - 1);
        self.recorder.record(&step, numbers.len(), numbers[chosen]);
        chosen
    }

    /// The thread makes a step. The scheduler chooses the next thread, which may be the same one.
    pub(super) fn choose_at(&mut self, thread: Member, action: Action) -> Option<Member> {
        let mut step = self.step(Some(thread), action);
        step.spins = thread.turn().spins(action.object.key(), action.caller);
        self.ask(&step, None)
    }

    /// The scheduler chooses another ready thread, if there is one. If all wait, one wait that has a deadline times out.
    pub(super) fn choose_other(&mut self, thread: Member, action: Action) -> Option<Member> {
        let mut step = self.step(Some(thread), action);
        step.gives_way = true;
        if let Some(next) = self.ask(&step, Some(thread)) {
            return Some(next);
        }
        let goes_on = self.threads.contains(&thread) && thread.turn().state.get() == State::Ready;
        let next = if goes_on { Some(thread) } else { self.time_out_one() };
        self.recorder.record(&step, 0, next.map_or(NOBODY, |next| next.number));
        next
    }

    /// A thread gets the turn although no thread made a step.
    pub(super) fn choose_anybody(&mut self) {
        let step = self.step(None, Action::new(Operation::Resume));
        let next = self.ask(&step, None);
        self.give_turn(next);
    }

    /// A thread, or none, gets the turn because of something outside of the schedule. It is in the log, because in a repetition it may happen at another step.
    pub(super) fn resume(&mut self, next: Option<Member>) {
        let step = self.step(None, Action::new(Operation::Resume));
        self.recorder.record(&step, 0, next.map_or(NOBODY, |next| next.number));
        self.current = next;
    }

    pub(super) fn give_turn(&mut self, next: Option<Member>) {
        // The threads that watch must see that something has happened.
        self.steps += 1;
        self.current = next;
        if let Some(next) = next {
            self.idle = 0;
            let mine = &next.turn().mine;
            mine.store(1, Ordering::Release);
            sys::wake(mine);
        }
    }

    /// The threads that wait with a deadline.
    fn with_deadline(&self) -> impl Iterator<Item = (Member, Expiry)> + '_ {
        self.threads.iter().filter_map(|&thread| {
            let (state, expiry) = (thread.turn().state.get(), thread.turn().expiry.get());
            (state != State::Ready && expiry != Expiry::NEVER).then_some((thread, expiry))
        })
    }

    /// Times out the waits whose deadline has passed. Returns whether there is one.
    pub(super) fn time_out_if(&mut self, is_over: impl Fn(Expiry) -> bool) -> bool {
        let mut some = false;
        for (thread, _) in self.with_deadline().filter(|&(_, expiry)| is_over(expiry)) {
            thread.time_out();
            some = true;
        }
        some
    }

    /// No thread can go on. One wait that has a deadline times out; if there is none, a thread that is away must come back.
    fn time_out_one(&mut self) -> Option<Member> {
        let with_deadline: Vec<_> = self.with_deadline().map(|(thread, _)| thread).collect();
        if with_deadline.is_empty() {
            return self.look_again().or_else(|| {
                // If a signal or timer may come, a watching thread will report the deadlock later.
                if !self.threads.is_empty() && !self.is_one_away() && !outside::may_come() {
                    report::deadlock();
                }
                None
            });
        }
        if self.is_one_away() || outside::is_expected() {
            // A watching thread will see that the deadline has passed.
            return None;
        }
        // Any of them: the first may be a thread that polls until another wait has timed out.
        let chosen = if with_deadline.len() > 1 { self.pick(Operation::TimeOut, &with_deadline) } else { 0 };
        with_deadline[chosen].time_out();
        Some(with_deadline[chosen])
    }

    /// A thread that was away may have changed something just before another one began to wait for it. So before this is a deadlock, the waiting threads look again.
    fn look_again(&mut self) -> Option<Member> {
        self.futile += 1;
        if self.futile > 2 * self.threads.len() + 2 {
            return None;
        }
        let mut first = None;
        for &thread in self.threads.iter().filter(|thread| thread.turn().state.get() == State::Waits) {
            thread.turn().state.set(State::Ready);
            first = first.or(Some(thread));
        }
        first
    }

    fn is_one_away(&self) -> bool {
        self.threads.iter().any(|thread| thread.turn().away.get())
    }

    /// Called by watching threads when no thread has the turn. If no thread comes back in some seconds, this is a deadlock, unless a timer or signal is expected.
    pub(super) fn idle(&mut self) {
        let now = deadline::real_time();
        if self.time_out_if(|expiry| expiry.real < now) {
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

    /// The thread arrives at a barrier for `all` threads. If it is the last, the others go on.
    pub(super) fn arrive(&mut self, thread: Member, key: usize, all: usize) -> bool {
        let there = || self.threads.iter().filter(|other| other.turn().arrived.get() == key);
        if there().count() + 1 < all {
            thread.turn().arrived.set(key);
            return false;
        }
        there().for_each(|other| other.turn().arrived.set(0));
        self.wake(key, ALL, State::WaitsForSignal, usize::MAX);
        true
    }

    /// Makes a waiting thread ready.
    pub(super) fn interrupt(&mut self, thread: Member) {
        let turn = thread.turn();
        if turn.state.get() == State::Ready {
            return;
        }
        turn.state.set(State::Ready);
        turn.interrupted.set(true);
        self.futile = 0;
        if self.current.is_none() {
            self.resume(Some(thread));
            self.give_turn(Some(thread));
        }
    }

    /// The threads that wait for this.
    pub(super) fn waiting(&self, key: usize, bits: u32, state: State) -> impl Iterator<Item = Member> + '_ {
        self.threads.iter().copied().filter(move |thread| {
            let turn = thread.turn();
            turn.state.get() == state && turn.key.get() == key && turn.bits.get() & bits != 0
        })
    }

    /// Makes waiting threads ready, at most `count`, in an order that the scheduler chooses. Returns how many.
    pub(super) fn wake(&mut self, key: usize, bits: u32, state: State, count: usize) -> usize {
        let mut woken = 0;
        while woken < count {
            let waiting: Vec<_> = self.waiting(key, bits, state).collect();
            if waiting.is_empty() {
                break;
            }
            let chosen = if count < waiting.len() { self.pick(Operation::Wake, &waiting) } else { 0 };
            waiting[chosen].turn().state.set(State::Ready);
            woken += 1;
        }
        if woken > 0 && self.current.is_none() {
            self.choose_anybody();
        }
        woken
    }
}
