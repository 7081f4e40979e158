//! The record of an atomic location, and what an access does to it and to the thread.

use crate::check::{Bound, Question};
use crate::log::{Entry, Log, Readers};
use crate::rows::{Row, Rows};
use crate::{Place, Settings, ThreadClocks, Violation};

/// The record of one atomic location. Whoever accesses the location holds a lock on it from before the access until the record is up to date.
///
/// Nothing else mentions it, so it can be dropped when the memory is freed.
#[derive(Clone, Debug)]
pub struct Location {
    pub(crate) log: Log,
    pub(crate) last: Entry,
    pub(crate) readers: Readers,
    pub(crate) rows: Rows,
    /// Whether whoever includes the newest write also knows what it released.
    released_is_known: bool,
}

/// A write as it comes to a location.
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
    /// A location that nobody has accessed and that holds this value.
    pub fn new(initial: u128, settings: &Settings) -> Self {
        Self {
            log: Log::new(initial, settings.limits),
            last: Entry::initial(initial),
            readers: Readers::default(),
            rows: Rows::default(),
            released_is_known: true,
        }
    }

    /// Whether the question, asked by the next access of the thread, has a bad answer.
    #[inline]
    pub(crate) fn violation(&self, thread: &ThreadClocks, question: Question, seq_cst: bool) -> Option<Violation> {
        if self.last.known_to(&thread.hb.current) {
            return None;
        }
        crate::check::violation(self, &Bound { thread, seq_cst }, question)
    }

    /// An atomic load under SC.
    #[inline]
    pub(crate) fn read(&mut self, thread: &mut ThreadClocks, acquire: bool, seq_cst: bool) {
        if !self.last.included_in(&thread.before) {
            thread.learned |= thread.before.join(self.rows.get(Row::ByWrite));
        }
        let newly_read = self.learn_released(thread, acquire);
        if seq_cst && self.last.is_seq_cst() && !self.last.included_in(&thread.sc) {
            thread.learned |= thread.sc.join(self.rows.get(Row::ScByWrite));
        }
        if thread.learned || newly_read {
            thread.begin_event();
        }
        if newly_read {
            self.readers.observe(
                thread.slot,
                thread.now,
                self.log.newest(),
                acquire,
                self.log.oldest(),
                thread.settings.limits,
            );
        }
        let moment = thread.before.get(thread.slot);
        if self.rows.entry(Row::ByAccess, thread.slot) < moment {
            self.rows.join(Row::ByAccess, &thread.before);
        }
        if seq_cst {
            thread.sc.set(thread.slot, moment);
            if self.rows.entry(Row::ScByAccess, thread.slot) < moment {
                self.rows.join(Row::ScByAccess, &thread.sc);
            }
        }
        self.order_fences(thread, Some(acquire), None);
    }

    /// What the thread learns from reading the newest write. Says whether it read something that it does not know in happens-before even now, for
    /// the first time.
    #[inline]
    fn learn_released(&self, thread: &mut ThreadClocks, acquire: bool) -> bool {
        let known = if acquire { &thread.hb.current } else { &thread.hb.acquirable };
        let nothing_new = self.released_is_known && self.last.included_in(known);
        let number = self.log.newest();
        if !nothing_new && !self.readers.has_read(thread.slot, number, acquire) {
            thread.hb.learn(self.rows.get(Row::Released), acquire);
            return !self.last.known_to(&thread.hb.current);
        }
        !self.last.known_to(&thread.hb.current) && !self.readers.has_read(thread.slot, number, false)
    }

    /// An atomic store or read-modify-write under SC.
    #[inline]
    pub(crate) fn write(&mut self, thread: &mut ThreadClocks, written: Written) {
        if let Some(acquire) = written.update {
            self.update_released(thread, acquire);
        }
        thread.before.join(self.rows.get(Row::ByAccess));
        if written.seq_cst {
            thread.sc.join(self.rows.get(Row::ScByAccess));
        }
        thread.begin_event();
        self.rows.assign(Row::ByAccess, &thread.before);
        self.rows.assign(Row::ByWrite, &thread.before);
        self.order_seq_cst(thread, written.seq_cst);
        self.order_fences(thread, written.update, Some(written.release));
        let published = thread.hb.published(written.release);
        match written.update {
            None => {
                self.rows.assign(Row::Released, published);
                self.released_is_known = true;
            }
            Some(_) => self.rows.join(Row::Released, published),
        }
        let flags = [written.update.is_some(), written.release, written.seq_cst];
        self.last = Entry::new(thread.slot, thread.now, written.value, written.place, flags);
        self.log.push(self.last);
        if written.release {
            thread.end_round();
        }
    }

    /// The read half of a read-modify-write.
    #[inline]
    fn update_released(&mut self, thread: &mut ThreadClocks, acquire: bool) {
        let known = if acquire { &thread.hb.current } else { &thread.hb.acquirable };
        if !(self.released_is_known && self.last.included_in(known)) {
            thread.hb.learn(self.rows.get(Row::Released), acquire);
            self.released_is_known = acquire;
        } else if !acquire {
            self.released_is_known = self.last.included_in(&thread.hb.current);
        }
    }

    /// psc′: the order of `seq_cst` accesses. A write that is not one of them hides it.
    #[inline]
    fn order_seq_cst(&mut self, thread: &mut ThreadClocks, seq_cst: bool) {
        if seq_cst {
            thread.sc.set(thread.slot, thread.now);
            self.rows.assign(Row::ScByAccess, &thread.sc);
            self.rows.assign(Row::ScByWrite, &thread.sc);
        } else {
            self.rows.clear(Row::ScByWrite);
        }
    }

    /// `psc_F`: what an access tells later `seq_cst` fences. `read` says whether its read half acquires, `write` whether its write half releases.
    #[inline]
    fn order_fences(&mut self, thread: &mut ThreadClocks, read: Option<bool>, write: Option<bool>) {
        if let Some(acquire) = read {
            thread.fenced.learn(self.rows.get(Row::FenceReleased), acquire);
            thread.pending.learn(self.rows.get(Row::PendingReleased), acquire);
        }
        let order = if write.is_some() { Row::FenceByAccess } else { Row::FenceByWrite };
        thread.pending.learn(self.rows.get(order), true);
        self.rows.join(Row::FenceByAccess, &thread.fenced.current);
        let Some(release) = write else { return };
        self.rows.copy(Row::FenceByAccess, Row::FenceByWrite);
        let (fenced, pending) = (thread.fenced.published(release), thread.pending.published(release));
        if read.is_some() {
            self.rows.join(Row::FenceReleased, fenced);
            self.rows.join(Row::PendingReleased, pending);
        } else {
            self.rows.assign(Row::FenceReleased, fenced);
            self.rows.assign(Row::PendingReleased, pending);
        }
    }
}
