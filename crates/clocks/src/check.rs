//! The robustness check: which older writes the next access of a thread could take, although SC does not allow it.
//!
//! Let a be the newest write that the thread must know by coherence (T\_c, and T\_f and T\_psc where they apply), and b the newest write that comes before the access under SC. The access can
//! read every write i with a ≤ i < b. If it writes, its write can be ordered directly behind i, unless the write after i is a read-modify-write.

use crate::location::Location;
use crate::log::Entry;
use crate::violation::{Missing, Violation};
use crate::{ThreadClocks, clock::Clock};
use steadfast_model::ViolationKind;

/// What the next access may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Read any value.
    Read,
    /// Read this value.
    ReadOf(u128),
    /// Read another value.
    ReadOther(u128),
    /// Write, or update any value.
    Write,
    /// Update this value.
    UpdateOf(u128),
}

impl Question {
    fn kind(self) -> ViolationKind {
        match self {
            Self::Read | Self::ReadOf(_) | Self::ReadOther(_) => ViolationKind::StaleRead,
            Self::Write => ViolationKind::OvertakingWrite,
            Self::UpdateOf(_) => ViolationKind::StaleUpdate,
        }
    }

    /// Whether the access could take `stale`, whose successor in modification order is `next`.
    fn allows(self, stale: Option<Entry>, next: Entry) -> bool {
        match self {
            Self::Read => true,
            Self::ReadOf(value) => stale.is_some_and(|stale| stale.value == value),
            Self::ReadOther(value) => stale.is_some_and(|stale| stale.value != value),
            Self::Write => !next.author.is_update(),
            Self::UpdateOf(value) => !next.author.is_update() && stale.is_some_and(|stale| stale.value == value),
        }
    }
}

/// The bound that coherence sets to the next access of a thread.
pub(crate) struct Bound<'a> {
    pub(crate) thread: &'a ThreadClocks,
    pub(crate) seq_cst: bool,
}

impl Bound<'_> {
    fn knows(&self, entry: &Entry) -> bool {
        let author = entry.author;
        author.known_to(&self.thread.hb.current)
            || author.known_to(&self.thread.fenced.current)
            || self.seq_cst && author.is_seq_cst() && author.known_to(&self.thread.sc)
    }
}

/// Answers the question. Reports the newest of several stale writes.
#[inline(never)]
pub(crate) fn violation(location: &Location, bound: &Bound<'_>, question: Question) -> Option<Violation> {
    let (after, before) = window(location, bound)?;
    let log = &location.body;
    let stale = (after..before)
        .rev()
        .find(|&number| log.write(number + 1).is_some_and(|next| question.allows(log.write(number), next)))?;
    Some(Violation {
        kind: question.kind(),
        stale: log.record(stale),
        missed: log.record(stale + 1)?,
        known: log.record(before)?,
        missing: missing(location, bound.thread, before),
    })
}

/// The numbers a and b, if a < b. For forgotten writes, a is as large as it could be.
fn window(location: &Location, bound: &Bound<'_>) -> Option<(u64, u64)> {
    let log = &location.body;
    let newest_first = || (log.oldest()..=log.newest()).rev();
    let find = |test: &dyn Fn(&Entry) -> bool| {
        newest_first().find(|&number| log.write(number).is_some_and(|entry| test(&entry)))
    };
    let before = newest_first().find(|&number| {
        log.write(number).is_some_and(|entry| entry.author.included_in(&bound.thread.before, &bound.thread.slot_starts))
    })?;
    if log.write(before).is_none_or(|entry| bound.knows(&entry)) {
        return None;
    }
    let written = find(&|entry| bound.knows(entry)).unwrap_or(log.oldest().saturating_sub(1));
    let read = |clock: &Clock| location.readers.newest_known(clock);
    let after = written.max(read(&bound.thread.hb.current)).max(read(&bound.thread.fenced.current));
    (after < before).then_some((after, before))
}

/// The ordering that would have made the newest write known.
fn missing(location: &Location, thread: &ThreadClocks, before: u64) -> Missing {
    let waiting = &thread.hb.waiting;
    let written = location.body.write(before).is_some_and(|entry| entry.author.known_to(waiting));
    if written || location.readers.newest_known(waiting) >= before {
        Missing::Acquire
    } else {
        Missing::ReleaseOrSeqCst
    }
}
