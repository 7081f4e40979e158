//! Events from outside that may still wake a thread although all threads of the program wait: signals and timers.

use crate::{signals, sys};
use core::sync::atomic::{AtomicUsize, Ordering};

/// How many timers the program has. An outstanding notice of another kind also counts, until it comes.
static TIMERS: AtomicUsize = AtomicUsize::new(0);

/// The program has created a timer.
pub(crate) fn timer_made() {
    TIMERS.fetch_add(1, Ordering::Relaxed);
}

/// The program has deleted a timer.
pub(crate) fn timer_deleted() {
    TIMERS.fetch_sub(1, Ordering::Relaxed);
}

fn has_timers() -> bool {
    TIMERS.load(Ordering::Relaxed) != 0
}

/// Whether an event may come: a signal handler, or the function of a timer.
pub(crate) fn may_come() -> bool {
    signals::may_come() || has_timers()
}

/// Whether an event is expected sooner or later.
pub(crate) fn is_expected() -> bool {
    has_timers() || sys::alarm_is_set() || signals::may_come() && sys::has_children()
}
