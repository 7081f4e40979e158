//! The record of an atomic location, and the effects of accesses on it and on the thread.

use crate::body::Body;
use crate::check::{Bound, Question};
use crate::log::{Author, Entry, Initial};
use crate::readers::Readers;
use crate::rows::Row;
use crate::{Epoch, Outline, Place, Slot, ThreadClocks, Violation};

/// The record of one atomic location. The caller holds a lock on it from before the access until the record is up to date.
///
/// Nothing else refers to a location, so it can be dropped when its memory is freed.
///
/// The fields are in the order in which an access needs them: a read of a known write needs only the first ones.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Location {
    /// The author of the newest write.
    pub(crate) last: Author,
    pub(crate) body: Body,
    /// Whether every thread that includes the newest write also knows what it released.
    released_is_known: bool,
    /// Whether [`Row::ByAccess`] is in use, because a thread has read since the newest write. If not, [`Row::ByWrite`] has the same contents, which are not copied.
    accessed: bool,
    /// invariant: if true, the thread of the newest write knows everything in [`Row::ByAccess`].
    exclusive: bool,
    /// See [`trust`](Self::trust).
    trusted: bool,
    /// Whether [`Row::FenceByAccess`] may have grown since the newest write, by another thread than that of the write.
    fence_accessed: bool,
    /// Whether its shadow is marked and contains no plain accesses.
    pub(crate) is_quiet: bool,
    /// The newest value, [folded](fold) to 16 bits.
    folded: u16,
    pub(crate) readers: Readers,
    initial: Initial,
}

/// Together with sixteen bytes of the caller, everything that most accesses need fits into a cache line.
const _: () = assert!(std::mem::offset_of!(Location, readers) <= 48);

/// A write to a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    pub(crate) value: u128,
    pub(crate) place: Place,
    pub(crate) release: bool,
    pub(crate) seq_cst: bool,
    /// For a read-modify-write, whether its read half acquires.
    pub(crate) update: Option<bool>,
}

impl Location {
    /// A location without accesses that holds this value.
    pub fn new(initial: u128) -> Self {
        Self {
            last: Author::initial(),
            body: Body::new(),
            readers: Readers::default(),
            initial: Initial::new(initial),
            released_is_known: true,
            accessed: false,
            exclusive: true,
            trusted: false,
            fence_accessed: false,
            is_quiet: false,
            folded: fold(initial),
        }
    }

    /// Reports the value that an access finds, before the access is recorded. If it is not the value of the newest write, there was an unobserved write: by a plain store that initialises the
    /// memory again, by code that is not instrumented, or by another process. Then it is unknown which values can still be read and what came before, so the location starts again.
    ///
    /// It keeps what was released here, because the unobserved write may have continued the release sequence, as a read-modify-write does. If it has not, this can hide a report; forgetting it
    /// could cause a false race.
    #[inline]
    pub fn expect(&mut self, found: u128) {
        if self.folded != fold(found) {
            self.begin_anew(found);
        }
    }

    #[cold]
    fn begin_anew(&mut self, found: u128) {
        let old = core::mem::replace(self, Self::new(found));
        (self.last, self.trusted) = (Author::unnoticed(), old.trusted);
        for row in Row::LIMITS {
            self.body.copy(row, &old.body);
        }
    }

    /// From now on the location counts as a part of something that is known to be correct, such as a lock of a library: it orders threads by happens-before, and nothing about it is reported. The
    /// program cannot observe the order of accesses to it, so that order does not count as an order under SC unless happens-before contains it.
    pub fn trust(&mut self) {
        self.trusted = true;
    }

    /// Its shadow is marked and contains no plain accesses, so atomic accesses need not look there.
    pub fn leave_alone(&mut self) {
        self.is_quiet = true;
    }

    /// Records a read; other threads know it from moment `since` on. Returns whether this moment is later than the recorded one.
    #[inline]
    pub(crate) fn read_at(&mut self, slot: Slot, since: Epoch) -> bool {
        let is_new = self.body.entry(Row::ReadAt, slot) < since;
        if is_new {
            self.body.set_wide(Row::ReadAt, slot, since);
        }
        is_new
    }

    /// By slot, the moment from which on others know of its last read.
    pub(crate) fn readers_at(&self) -> impl Iterator<Item = (Slot, Epoch)> {
        let entries = self.body.get(Row::ReadAt).iter().flatten();
        entries.enumerate().map(|(slot, &since)| (Slot(slot as u16), Epoch(since)))
    }

    /// The newest write counts for plain accesses.
    #[inline]
    pub(crate) fn watch(&mut self) -> bool {
        self.body.watch_newest();
        // Two threads that change the same cells at the same time can lose the mark, so every sixteenth write looks at the cells again.
        if self.body.newest().is_multiple_of(16) {
            self.is_quiet = false;
        }
        true
    }

    /// Its heap memory that nearly every access needs, for prefetching.
    pub fn body(&self) -> &[[u32; 8]] {
        &self.body.lanes
    }

    /// The shape of [`body`](Self::body).
    pub fn outline(&self) -> Outline {
        Outline::of(&self.body)
    }

    /// Whether the address of [`body`](Self::body) has changed since the last [`settle`](Self::settle).
    #[inline]
    pub fn has_moved(&self) -> bool {
        self.body.moved
    }

    /// The caller has recorded the address of [`body`](Self::body).
    pub fn settle(&mut self) {
        self.body.moved = false;
    }

    /// The size of its heap memory.
    pub fn heap_size(&self) -> usize {
        self.body.heap_size() + self.readers.heap_size()
    }

    /// The violation that the next access of the thread could be, if any.
    #[inline]
    pub(crate) fn violation(&self, thread: &ThreadClocks, question: Question, seq_cst: bool) -> Option<Violation> {
        if self.last.known_to(&thread.hb.current) || self.trusted {
            return None;
        }
        crate::check::violation(self, &Bound { thread, seq_cst }, question)
    }

    /// The row with what came before any access under SC.
    #[inline]
    fn accesses(&self) -> Row {
        if self.accessed { Row::ByAccess } else { Row::ByWrite }
    }

    /// Whether a load by this thread is no violation and changes nothing.
    #[inline]
    pub(crate) fn is_settled(&self, thread: &ThreadClocks, seq_cst: bool) -> bool {
        let moment = thread.before.get(thread.slot);
        !thread.learned
            && self.released_is_known
            && self.last.included_in(&thread.hb.current, &thread.slot_starts)
            && self.last.included_in(&thread.before, &thread.slot_starts)
            && self.body.entry(self.accesses(), thread.slot) >= moment
            && (!seq_cst || self.is_settled_sc(thread, moment))
            && (!self.body.has_fences() && !thread.has_fences() || self.knows_fences(thread))
    }

    #[inline]
    fn is_settled_sc(&self, thread: &ThreadClocks, moment: Epoch) -> bool {
        self.body.entry(Row::ScByAccess, thread.slot) >= moment
            && (!self.last.is_seq_cst() || self.last.included_in(&thread.sc, &thread.slot_starts))
    }

    /// An atomic load under SC.
    pub(crate) fn read(&mut self, thread: &mut ThreadClocks, acquire: bool, seq_cst: bool) {
        if !self.trusted && !self.last.included_in(&thread.before, &thread.slot_starts) {
            thread.learn_before(self.body.get(Row::ByWrite));
        }
        if self.body.has_fences()
            && !self.last.included_in(&thread.hb.current, &thread.slot_starts)
            && !self.has_read(thread, false)
        {
            thread.learn_pending(self.body.get(Row::FenceByWrite));
        }
        let newly_read = self.learn_released(thread, acquire);
        if self.trusted {
            thread.learn_from_trusted();
        }
        if seq_cst && self.last.is_seq_cst() && !self.last.included_in(&thread.sc, &thread.slot_starts) {
            thread.learned |= thread.sc.join(self.body.get(Row::ScByWrite));
        }
        if thread.learned || newly_read {
            thread.begin_event();
        }
        if newly_read {
            let limits = thread.settings.limits;
            self.readers.observe(thread.slot, thread.now, self.body.newest(), acquire, self.body.oldest(), limits);
        }
        self.publish_read(thread, seq_cst);
    }

    /// Publishes a load for threads that write later: under SC it came before their writes.
    #[inline]
    fn publish_read(&mut self, thread: &mut ThreadClocks, seq_cst: bool) {
        let moment = thread.before.get(thread.slot);
        let told = self.body.entry(self.accesses(), thread.slot);
        if !self.trusted && told < moment {
            if !self.accessed {
                // The thread has read the newest write, so it knows everything that came before that.
                self.body.assign(Row::ByAccess, &thread.before);
                self.accessed = true;
            } else if thread.has_learned_nothing_since(told) {
                self.body.set(Row::ByAccess, thread.slot, moment);
            } else {
                self.body.join(Row::ByAccess, &thread.before);
            }
            self.exclusive &= thread.slot == self.last.slot();
        }
        if seq_cst {
            thread.sc.set(thread.slot, moment);
            if self.body.entry(Row::ScByAccess, thread.slot) < moment {
                self.body.join(Row::ScByAccess, &thread.sc);
            }
        }
        if thread.has_fences() {
            self.publish_fences(thread);
        }
    }

    #[inline]
    fn publish_fences(&mut self, thread: &ThreadClocks) {
        if self.is_last_published(thread) {
            self.body.raise(Row::FenceByAccess, thread.slot, thread.last_fence());
        } else {
            self.body.join(Row::FenceByAccess, &thread.fenced.current);
            self.fence_accessed = true;
        }
    }

    /// Whether everything about the fences of this thread is published.
    fn knows_fences(&self, thread: &ThreadClocks) -> bool {
        self.is_last_published(thread) && self.body.entry(Row::FenceByAccess, thread.slot) >= thread.last_fence()
    }

    /// Whether this thread made the newest write, and would publish the same now, apart from its own moment and its last fence.
    #[inline]
    fn is_last_published(&self, thread: &ThreadClocks) -> bool {
        self.last.slot() == thread.slot && !self.last.is_initial() && thread.publishes_the_same_since(self.last.epoch())
    }

    /// The thread learns what the newest write released. Returns whether this is its first read of this write, and it does not know the write in happens-before even now.
    #[inline]
    fn learn_released(&self, thread: &mut ThreadClocks, acquire: bool) -> bool {
        if self.released_is_known && self.is_awaited(thread, acquire) {
            return !self.last.known_to(&thread.hb.current) && !self.has_read(thread, false);
        }
        if self.has_read(thread, acquire) {
            return false;
        }
        self.learn_clocks(thread, acquire);
        !self.last.known_to(&thread.hb.current)
    }

    /// Whether the thread's knowledge includes the newest write. Unless it acquires now, what it would know after an acquire fence counts, too.
    #[inline]
    fn is_awaited(&self, thread: &ThreadClocks, acquire: bool) -> bool {
        self.last.included_in(&thread.hb.current, &thread.slot_starts)
            || (!acquire && self.last.included_in(&thread.hb.waiting, &thread.slot_starts))
    }

    fn has_read(&self, thread: &ThreadClocks, acquire: bool) -> bool {
        self.readers.has_read(thread.slot, self.body.newest(), acquire)
    }

    /// An atomic store or read-modify-write under SC.
    pub(crate) fn write(&mut self, thread: &mut ThreadClocks, written: Written) {
        self.body.make_room(&self.initial, written.value, thread);
        if let Some(acquire) = written.update {
            self.update_released(thread, acquire);
        }
        if self.trusted {
            thread.learn_from_trusted();
        } else if !self.knows_accesses(thread) {
            thread.learn_before(self.body.get(self.accesses()));
        }
        if written.seq_cst {
            thread.sc.join(self.body.get(Row::ScByAccess));
        }
        thread.begin_event();
        if self.trusted {
            thread.invalidate_before();
            self.body.assign(Row::ByWrite, thread.hb.published(written.release));
        } else if self.last.slot() == thread.slot && thread.has_learned_nothing_since(self.last.epoch()) {
            self.body.set(Row::ByWrite, thread.slot, thread.now);
        } else {
            self.body.assign(Row::ByWrite, &thread.before);
        }
        self.accessed = false;
        if written.seq_cst {
            thread.sc.set(thread.slot, thread.now);
            self.body.assign(Row::ScByAccess, &thread.sc);
            self.body.assign(Row::ScByWrite, &thread.sc);
        }
        self.publish(thread, written);
        let author = Author::new(thread.slot, thread.now, &written);
        self.body.push(&Entry { author, place: written.place, value: written.value });
        (self.last, self.exclusive, self.folded) = (author, true, fold(written.value));
        if written.release {
            thread.has_released();
        }
    }

    /// Whether the thread knows everything that came before any access under SC.
    #[inline]
    fn knows_accesses(&self, thread: &ThreadClocks) -> bool {
        let nobody_else = !self.accessed || (self.exclusive && self.last.slot() == thread.slot);
        nobody_else && self.last.included_in(&thread.before, &thread.slot_starts)
    }

    /// The read half of a read-modify-write.
    #[inline]
    fn update_released(&mut self, thread: &mut ThreadClocks, acquire: bool) {
        if self.released_is_known && self.is_awaited(thread, acquire) {
            self.released_is_known = acquire || self.last.included_in(&thread.hb.current, &thread.slot_starts);
            return;
        }
        self.released_is_known = acquire;
        self.learn_clocks(thread, acquire);
    }

    #[inline]
    fn learn_clocks(&self, thread: &mut ThreadClocks, acquire: bool) {
        thread.learn_hb(self.body.get(Row::Released), acquire);
        if self.body.has_fences() {
            let (fenced, pending) = (self.body.get(Row::FenceReleased), self.body.get(Row::PendingReleased));
            thread.learn_fences(fenced, pending, acquire);
        }
    }

    /// Publishes a write for threads that read it. An update adds to what was published here before.
    #[inline]
    fn publish(&mut self, thread: &mut ThreadClocks, written: Written) {
        let fences = self.body.has_fences() || thread.has_fences();
        let again = self.is_last_published(thread);
        if fences && again && !self.fence_accessed {
            self.body.raise(Row::FenceByAccess, thread.slot, thread.last_fence());
            self.body.raise(Row::FenceByWrite, thread.slot, thread.last_fence());
        } else if fences {
            self.order_fences(thread);
        }
        // The same is published as the last time if this thread made the last write, as a release, and, for a store, if that was a store, too. (This is asked again, because ordering fences may teach the thread something.)
        let same = again && written.release && self.last.is_release();
        if same
            && (written.update.is_some() || !self.last.is_update())
            && thread.publishes_the_same_since(self.last.epoch())
        {
            self.body.set(Row::Released, thread.slot, thread.now);
            self.body.raise(Row::FenceReleased, thread.slot, thread.last_fence());
        } else {
            self.publish_all(thread, written, fences);
        }
        self.released_is_known |= written.update.is_none();
    }

    /// A write learns from the `seq_cst` fences of the threads that accessed the location before, and publishes its own for those that access it later.
    fn order_fences(&mut self, thread: &mut ThreadClocks) {
        // What the thread itself adds is not new to it.
        if self.body.order_fences(&thread.fenced.current) {
            thread.learn_pending(self.body.get(Row::FenceByWrite));
        }
        self.fence_accessed = false;
    }

    #[inline]
    fn publish_all(&mut self, thread: &ThreadClocks, written: Written, fences: bool) {
        let (views, rows) = (thread.views(), [Row::Released, Row::FenceReleased, Row::PendingReleased]);
        for (row, view) in rows.into_iter().zip(views).take(if fences { 3 } else { 1 }) {
            let published = view.published(written.release);
            if written.update.is_some() {
                self.body.join(row, published);
            } else {
                self.body.assign(row, published);
            }
        }
    }
}

/// The value in sixteen bits. Different small values stay different.
#[inline]
fn fold(value: u128) -> u16 {
    let half = (value >> 64) as u64 ^ value as u64;
    let quarter = (half >> 32) as u32 ^ half as u32;
    (quarter >> 16) as u16 ^ quarter as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOrder, RmwOrder, Settings, Slots, WriteOrder};

    fn threads() -> (ThreadClocks, ThreadClocks, ThreadClocks) {
        let (settings, mut slots) = (Settings::default(), Slots::new());
        let mut first = ThreadClocks::first(settings, &mut slots).unwrap();
        let [second, third] = [(); 2].map(|()| first.spawn(&mut slots).unwrap());
        (first, second, third)
    }

    #[test]
    fn what_was_written_unnoticed_makes_a_location_new() {
        for (found, stale) in [(1, true), (0, false)] {
            let (mut first, mut second, _) = threads();
            let (mut x, mut y) = (Location::new(0), Location::new(0));
            first.store(&mut x, WriteOrder::Relaxed, 1, Place(1));
            first.store(&mut y, WriteOrder::Relaxed, 1, Place(2));
            second.load(&mut y, ReadOrder::Relaxed);
            x.expect(found);
            assert_eq!(second.load(&mut x, ReadOrder::Relaxed).is_some(), stale, "{found}");
        }
    }

    #[test]
    fn who_wrote_unnoticed_may_have_passed_on_what_was_released() {
        for order in [ReadOrder::Relaxed, ReadOrder::Acquire] {
            for found in [1, 2] {
                let (mut first, mut second, mut third) = threads();
                let [mut data, mut count, mut hint] = [0; 3].map(Location::new);
                first.store(&mut data, WriteOrder::Relaxed, 1, Place(1));
                first.store(&mut count, WriteOrder::Release, 1, Place(2));
                third.load(&mut count, ReadOrder::Relaxed);
                third.store(&mut hint, WriteOrder::Relaxed, 1, Place(3));
                count.expect(found);
                // An update that is observed passes it on, too.
                third.rmw(&mut count, RmwOrder::Relaxed, found + 1, Place(4));
                second.load(&mut hint, ReadOrder::Relaxed);
                second.load(&mut count, order);
                let is_stale = second.load(&mut data, ReadOrder::Relaxed).is_some();
                assert_eq!(is_stale, order == ReadOrder::Relaxed, "{order:?} {found}");
            }
        }
    }

    #[test]
    fn a_trusted_location_orders_what_it_synchronises_and_nothing_else() {
        for trusted in [false, true] {
            let (mut first, mut second, _) = threads();
            let (mut x, mut counter) = (Location::new(0), Location::new(0));
            if trusted {
                counter.trust();
            }
            first.store(&mut x, WriteOrder::Release, 1, Place(1));
            first.rmw(&mut counter, RmwOrder::Relaxed, 1, Place(2));
            second.rmw(&mut counter, RmwOrder::Relaxed, 2, Place(3));
            // The counter orders the accesses under SC, unless it is trusted.
            assert_eq!(second.load(&mut x, ReadOrder::Acquire).is_none(), trusted);
        }
    }

    #[test]
    fn what_a_trusted_location_synchronises_is_known_to_the_next_one_as_well() {
        let (mut first, mut second, mut third) = threads();
        let new = || Location::new(0);
        let (mut x, mut lock, mut flag) = (new(), new(), new());
        lock.trust();
        first.store(&mut x, WriteOrder::Relaxed, 1, Place(1));
        first.store(&mut lock, WriteOrder::Release, 1, Place(2));
        assert_eq!(second.load(&mut lock, ReadOrder::Acquire), None);
        assert_eq!(second.load(&mut x, ReadOrder::Relaxed), None);
        // Here the order is the program's own again, and it can be insufficient.
        second.store(&mut flag, WriteOrder::Relaxed, 1, Place(3));
        third.load(&mut flag, ReadOrder::Relaxed);
        assert!(third.load(&mut x, ReadOrder::Relaxed).is_some());
    }
}
