//! What one thread knows, and the effects of fences, locks, creating and joining.
//!
//! The clocks are those of the paper's appendix A, with slots in place of locations: T\_c (*current*: happens-before), T\_a (what an acquire fence would make
//! current; here only what it would add), T\_r (what the last release fence published) and T\_SC (*before*: what came earlier under SC); and, for `seq_cst`, T\_psc and the pairs T\_f and X.

use crate::clock::{Clock, Lane};
use crate::slots::{DeadThread, SlotStarts};
use crate::stamps::Stamp;
use crate::{Epoch, FenceOrder, ScFence, Settings, Slot, Slots, Supported, SyncClock};

/// A clock in three variants: what is known now, what an acquire fence would add, and what was known at the last release fence.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    pub(crate) current: Clock,
    pub(crate) waiting: Clock,
    pub(crate) released: Clock,
}

impl View {
    /// Learns from a read or a lock: now if `acquire`, otherwise at the next acquire fence. Returns whether more is known now.
    #[inline]
    #[must_use]
    fn learn(&mut self, lanes: &[Lane], acquire: bool) -> bool {
        if acquire {
            return self.current.join(lanes);
        }
        self.waiting.join(lanes);
        false
    }

    /// The clock that a write publishes.
    #[inline]
    pub(crate) fn published(&self, release: bool) -> &Clock {
        if release { &self.current } else { &self.released }
    }

    /// Whether it never learned anything.
    #[inline]
    fn is_empty(&self) -> bool {
        self.current.is_empty() && self.waiting.is_empty()
    }

    #[must_use]
    fn acquire_fence(&mut self) -> bool {
        let grown = self.current.join(self.waiting.lanes());
        self.waiting.clear();
        grown
    }

    fn release_fence(&mut self) {
        self.released.assign(self.current.lanes());
    }
}

/// The clocks of one thread. Only this thread uses them.
#[derive(Clone, Debug)]
pub struct ThreadClocks {
    pub(crate) settings: Settings,
    pub(crate) slot: Slot,
    /// The moment of the newest event.
    pub(crate) now: Epoch,
    /// T\_c, T\_a, T\_r.
    pub(crate) hb: View,
    /// T\_SC. Its own entry identifies its contents: after the thread has learned something, a new moment begins before anything is published.
    pub(crate) before: Clock,
    /// T\_psc.
    pub(crate) sc: Clock,
    /// T\_f: what the `seq_cst` fences so far have ordered before.
    pub(crate) fenced: View,
    /// X: what the next `seq_cst` fence would add.
    pub(crate) pending: View,
    /// The first moment, perhaps a future one, from which on `before` knows everything about other threads that it knows now. A thread that knows this thread up to there knows that, too.
    before_since: Epoch,
    /// The same for what is published: happens-before and the clocks that go with it, except the own last fence.
    published_since: Epoch,
    /// invariant: if false, nothing was added to `before` or `sc` since the moment `now` began.
    pub(crate) learned: bool,
    /// The first moment after the last release. A thread that knows this thread up to there knows every access that it makes before its next release.
    pub(crate) since: Epoch,
    pub(crate) slot_starts: SlotStarts,
    pub(crate) stamp: Stamp,
}

impl ThreadClocks {
    /// The first thread of a program. Nothing if there is no free slot.
    pub fn first(settings: Settings, slots: &mut Slots) -> Option<Self> {
        let (slot, now) = slots.take(None)?;
        let mut thread = Self::ignorant(settings, slot, now, slots);
        thread.begin_event();
        Some(thread)
    }

    /// A thread that this one creates: it knows everything that its creator knows now. Nothing if there is no free slot. The caller must then run that thread
    /// unobserved, and loses what it would synchronise.
    pub fn spawn(&mut self, slots: &mut Slots) -> Option<Self> {
        let (slot, now) = slots.take(Some(self))?;
        let mut birth = SyncClock::new();
        self.release(&mut birth);
        self.invalidate_before();
        let mut child = Self::ignorant(self.settings, slot, now, slots);
        child.acquire(&birth);
        child.begin_event();
        Some(child)
    }

    /// A thread that knows nothing of others.
    fn ignorant(settings: Settings, slot: Slot, now: Epoch, slots: &Slots) -> Self {
        Self {
            settings,
            slot,
            now,
            hb: View::default(),
            before: Clock::default(),
            sc: Clock::default(),
            fenced: View::default(),
            pending: View::default(),
            before_since: now.next_event(),
            published_since: now.next_event(),
            learned: false,
            since: now.next_event(),
            slot_starts: slots.slot_starts(),
            stamp: Stamp::default(),
        }
    }

    /// From now on, only what happened before counts as earlier under SC. To be called right after [`spawn`](Self::spawn), if the other accesses of the creator belong to a library that starts
    /// threads, whose order the program cannot observe. This can only hide a violation.
    pub fn forget_unordered(&mut self) {
        self.before.assign(self.hb.current.lanes());
        self.before_since = self.now.next_event();
        self.begin_event();
    }

    /// The end of the thread. A thread that joins it acquires the result.
    pub fn finish(mut self, slots: &mut Slots) -> SyncClock {
        let mut end = SyncClock::new();
        self.release(&mut end);
        slots.give_back(DeadThread {
            slot: self.slot,
            hb: end.current.get(self.slot),
            before: end.before.get(self.slot),
        });
        end
    }

    /// Whether the moments of its slot are nearly used up. Then it should be [renewed](Self::renew).
    #[inline]
    pub fn is_old(&self) -> bool {
        self.now.is_old()
    }

    /// Continues in another slot, as if it had created another thread and ended. Returns whether there was a free slot. The caller must have [given back](crate::StampPool::give_back) its stamp.
    #[cold]
    pub fn renew(&mut self, slots: &mut Slots) -> bool {
        let Some((slot, now)) = slots.take(Some(self)) else { return false };
        (self.slot, self.now) = (slot, now);
        (self.since, self.before_since, self.published_since) = (now.next_event(), now.next_event(), now.next_event());
        self.begin_event();
        true
    }

    /// The slot.
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// The moment of the newest event.
    pub fn now(&self) -> Epoch {
        self.now
    }

    /// The first moment after its last release.
    #[inline]
    pub fn since(&self) -> Epoch {
        self.since
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether this moment happened before the next step of the thread.
    #[inline]
    pub fn knows(&self, slot: Slot, epoch: Epoch) -> bool {
        self.hb.current.get(slot) >= epoch
    }

    /// Happens-before, and the clocks that go with it.
    #[inline]
    pub(crate) fn views(&self) -> [&View; 3] {
        [&self.hb, &self.fenced, &self.pending]
    }

    /// Whether any `seq_cst` fence has had an effect on this thread.
    #[inline]
    pub(crate) fn has_fences(&self) -> bool {
        !(self.fenced.is_empty() && self.pending.is_empty())
    }

    /// The last moment that its own `seq_cst` fences have ordered before.
    #[inline]
    pub(crate) fn last_fence(&self) -> Epoch {
        self.fenced.current.get(self.slot)
    }

    /// Whether `seq_cst` accesses differ from others.
    #[inline]
    pub(crate) fn orders_accesses(&self) -> bool {
        self.settings.model.orders_accesses()
    }

    /// Begins a new event, with its own moment.
    #[inline]
    pub(crate) fn begin_event(&mut self) {
        self.now = self.now.next_event();
        self.learned = false;
        self.hb.current.set(self.slot, self.now);
        self.before.set(self.slot, self.now);
    }

    /// What was released so far knows this thread up to `now`; what it does from here on is later.
    #[inline]
    pub(crate) fn has_released(&mut self) {
        self.since = self.now.next_event();
        self.stamp.follow(self.since);
    }

    /// After an access to a [trusted](crate::Location::trust) location: what happened before also came earlier under SC, and nothing else did.
    #[cold]
    pub(crate) fn learn_from_trusted(&mut self) {
        self.learned |= self.before.join(self.hb.current.lanes());
        self.invalidate_before();
    }

    /// Another thread may know this moment from happens-before only, without what came earlier under SC.
    pub(crate) fn invalidate_before(&mut self) {
        self.before_since = self.now.next_event();
    }

    /// Learns what came earlier under SC.
    #[inline]
    pub(crate) fn learn_before(&mut self, lanes: &[Lane]) {
        if self.before.join(lanes) {
            self.learned = true;
            self.before_since = self.now.next_event();
        }
    }

    /// Learns what happened before: now if `acquire`, else with the next acquire fence.
    #[inline]
    pub(crate) fn learn_hb(&mut self, lanes: &[Lane], acquire: bool) {
        let grown = self.hb.learn(lanes, acquire);
        self.publishes_more(grown);
    }

    /// Learns what the `seq_cst` fences of others have ordered before, and what their next ones would.
    #[inline]
    pub(crate) fn learn_fences(&mut self, fenced: &[Lane], pending: &[Lane], acquire: bool) {
        let grown = self.fenced.learn(fenced, acquire) | self.pending.learn(pending, acquire);
        self.publishes_more(grown);
    }

    /// Learns what the next `seq_cst` fence would add, unless the last fence has already ordered it before.
    #[inline]
    pub(crate) fn learn_pending(&mut self, pending: &[Lane]) {
        if !self.fenced.current.covers(pending) {
            let grown = self.pending.learn(pending, true);
            self.publishes_more(grown);
        }
    }

    #[inline]
    fn publishes_more(&mut self, grown: bool) {
        if grown {
            self.published_since = self.now.next_event();
        }
    }

    /// Whether another thread that knows this moment also knows everything about others that `before` knows now.
    #[inline]
    pub(crate) fn has_learned_nothing_since(&self, moment: Epoch) -> bool {
        moment >= self.before_since
    }

    /// The same for what is published.
    #[inline]
    pub(crate) fn publishes_the_same_since(&self, moment: Epoch) -> bool {
        moment >= self.published_since
    }

    /// Acquires: after locking a mutex, joining a thread, or passing a semaphore.
    pub fn acquire(&mut self, sync: &SyncClock) {
        self.learn_hb(sync.current.lanes(), true);
        self.learn_fences(sync.fenced.lanes(), sync.pending.lanes(), true);
        self.learn_before(sync.before.lanes());
    }

    /// Releases: adds what this thread knows to what others have released.
    pub fn release(&mut self, sync: &mut SyncClock) {
        self.begin_event();
        sync.current.join(self.hb.current.lanes());
        sync.before.join(self.before.lanes());
        sync.fenced.join(self.fenced.current.lanes());
        sync.pending.join(self.pending.current.lanes());
        self.has_released();
    }

    /// Releases: replaces what others have released. For a mutex this has the same effect as [`release`](Self::release), and is faster.
    pub fn replace(&mut self, sync: &mut SyncClock) {
        self.begin_event();
        sync.current.assign(self.hb.current.lanes());
        sync.before.assign(self.before.lanes());
        sync.fenced.assign(self.fenced.current.lanes());
        sync.pending.assign(self.pending.current.lanes());
        self.has_released();
    }

    /// A fence. Only a `seq_cst` fence under a model that [shares fences](Supported::shares_fences) uses `shared`.
    pub fn fence(&mut self, order: FenceOrder, shared: &mut ScFence) {
        if order.is_acquire() {
            let grown = self.hb.acquire_fence() | self.fenced.acquire_fence() | self.pending.acquire_fence();
            self.publishes_more(grown);
        }
        if order.is_release() {
            self.begin_event();
        }
        if order == FenceOrder::SeqCst {
            self.order_fence(shared);
        }
        if order.is_release() {
            self.hb.release_fence();
            self.fenced.release_fence();
            self.pending.release_fence();
            self.has_released();
        }
    }

    /// The additional effect of a `seq_cst` fence.
    fn order_fence(&mut self, shared: &mut ScFence) {
        match self.settings.model {
            Supported::AcqRel => {}
            Supported::Rc20 => {
                self.learn_hb(shared.released.lanes(), true);
                shared.released.join(self.hb.current.lanes());
            }
            Supported::Rc11 => {
                // That there is a later moment of its own is nothing that it has learned.
                self.fenced.current.set(self.slot, self.hb.current.get(self.slot));
                let grown = self.fenced.current.join(self.hb.current.lanes())
                    | self.fenced.current.join(self.pending.current.lanes());
                self.publishes_more(grown);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Location, Place, ReadOrder, WriteOrder};

    /// Store buffering, by threads that are at the end of their time.
    fn store_buffering(now: Epoch, renewed: bool) -> bool {
        let (settings, mut slots) = (Settings::default(), Slots::new());
        let mut first = ThreadClocks::first(settings, &mut slots).unwrap();
        let mut second = first.spawn(&mut slots).unwrap();
        let (mut x, mut y) = (Location::new(0), Location::new(0));
        for thread in [&mut first, &mut second] {
            thread.now = now;
            thread.begin_event();
            assert_eq!(thread.is_old(), now.is_old());
            if renewed {
                assert!(thread.renew(&mut slots) && !thread.is_old());
            }
        }
        assert_eq!(first.store(&mut x, WriteOrder::Release, 1, Place(1)), None);
        assert_eq!(first.load(&mut y, ReadOrder::Acquire), None);
        assert_eq!(second.store(&mut y, WriteOrder::Release, 1, Place(2)), None);
        let violation = second.load(&mut x, ReadOrder::Acquire);
        // What is ordered is never reported.
        assert_eq!(first.load(&mut y, ReadOrder::Acquire), None);
        assert_eq!(second.load(&mut x, ReadOrder::Acquire), None);
        // A slot without moments is not used again.
        let end = Epoch(u32::MAX);
        slots.give_back(DeadThread { slot: Slot(0), hb: end, before: end });
        assert_ne!(second.spawn(&mut slots).unwrap().slot, Slot(0));
        violation.is_some()
    }

    #[test]
    fn at_the_end_of_time_nothing_is_invented_and_in_another_slot_it_goes_on() {
        for now in [Epoch(7), Epoch(u32::MAX - 100)] {
            assert!(store_buffering(now, false) && store_buffering(now, true));
        }
        assert!(!store_buffering(Epoch(u32::MAX), false) && store_buffering(Epoch(u32::MAX), true));
    }
}
