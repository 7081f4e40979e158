//! Who may still do something although all threads of the program wait: the system, in its name.

use crate::{signals, sys};
use core::sync::atomic::{AtomicUsize, Ordering};

/// How many timers the program has. Who waits for a notice in another way has one as well, until it comes.
static TIMERS: AtomicUsize = AtomicUsize::new(0);

/// The program has another timer.
pub(crate) fn timer_made() {
    TIMERS.fetch_add(1, Ordering::Relaxed);
}

/// One of them is no more.
pub(crate) fn timer_deleted() {
    TIMERS.fetch_sub(1, Ordering::Relaxed);
}

fn has_timers() -> bool {
    TIMERS.load(Ordering::Relaxed) != 0
}

/// Whether anybody may come: the handler of a signal, or what a timer calls.
pub(crate) fn may_come() -> bool {
    signals::may_come() || has_timers()
}

/// Whether somebody will come, sooner or later.
pub(crate) fn is_expected() -> bool {
    has_timers() || sys::alarm_is_set() || signals::may_come() && sys::has_children()
}
