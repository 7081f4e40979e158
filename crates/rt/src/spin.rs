//! Spin loops, recognised from the repeated load of the same place by the same code, with no other atomic access in between.
//!
//! A thread that waits may read an old value and turn round once more: under the letter of robustness that is a violation, and harmless. What counts is with which
//! value it leaves the loop: if it *could have left it earlier*, because the stale value is the one that it leaves with, something is wrong.
//!
//! So a stale read waits until the next access of its thread. If that is the same one, this is a loop, and the code is remembered; at its end the value decides. If it is not, and the code
//! has never been seen to loop, the stale read is reported. Failed compare-exchanges are treated alike.
//!
//! What waits is kept where others find it, too: if the process ends before that next access, it is told then ([`settle_all`]).

use crate::access::{Accessed, Step};
use crate::engine::Violation;
use crate::frames::{self, Call};
use crate::options::SPINS;
use crate::report;
use crate::thread::Thread;
use crate::{ending, thread};
use core::sync::atomic::{AtomicUsize, Ordering};
use steadfast_model::ViolationKind;

/// The last access of a thread. Zeroes are no access.
#[derive(Default)]
pub(crate) struct Spin {
    caller: usize,
    address: usize,
    /// The function that it is in, with all around it: two calls of a function that loads are no loop.
    call: Call,
    /// Whether the thread may turn round after it.
    waits: bool,
    /// Whether it has turned round at least once.
    turned: bool,
    value: u128,
    /// Whether a stale read of this thread waits.
    holds: bool,
}

/// A stale read that waits, with where it was: when it is told, the thread is somewhere else.
pub(crate) struct Held {
    access: Accessed,
    place: Call,
    finding: Violation,
}

/// Code that was seen to loop, by a hash.
static SITES: [AtomicUsize; 1 << 10] = [const { AtomicUsize::new(0) }; 1 << 10];

/// Pairs of code that load the same place one after the other, by a hash.
static SUSPECTS: [AtomicUsize; 1 << 10] = [const { AtomicUsize::new(0) }; 1 << 10];

/// The number of the code, and the place where it is remembered.
fn site(place: Call) -> (usize, &'static AtomicUsize) {
    let [inner, outer] = frames::site(place);
    let number = (inner ^ outer.rotate_left(20)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (number, &SITES[number >> 54])
}

/// An access of the thread with what was found at it. Most have nothing to do with waiting.
#[inline(always)]
pub(crate) fn consider(thread: &mut Thread, access: Accessed, finding: Option<Violation>) {
    let (waits, value) = match access.step {
        Step::Load { value } => (true, value),
        Step::Compare { old, changed, .. } => (!changed, old),
        _ => (false, 0),
    };
    let last = &mut thread.spin;
    let call = thread.frames.current();
    let again = last.waits && last.caller == access.caller && last.address == access.address && last.call == call;
    if again && !last.turned {
        last.turned = true;
        learn(thread.frames.place(access.caller));
    }
    let last = &mut thread.spin;
    if again {
        last.value = value;
        last.waits = waits;
        if let (Some(finding), false) = (finding, last.holds) {
            hold_or_tell(thread, access, finding);
        }
        return;
    }
    if last.waits && waits && last.address == access.address {
        maybe_learn(thread.frames.place(last.caller), thread.frames.place(access.caller));
    }
    if thread.spin.holds {
        settle(thread);
    }
    let last = &mut thread.spin;
    (last.caller, last.address, last.call) = (access.caller, access.address, call);
    (last.waits, last.turned, last.value) = (waits, false, value);
    if let Some(finding) = finding {
        hold_or_tell(thread, access, finding);
    }
}

/// A stale read that may belong to a loop waits; anything else is told at once.
#[cold]
fn hold_or_tell(thread: &mut Thread, access: Accessed, finding: Violation) {
    let may_be_loop = finding.kind == ViolationKind::StaleRead && !SPINS.load(Ordering::Relaxed);
    let place = thread.frames.place(access.caller);
    if may_be_loop {
        *thread.entry().held.lock() = Some(Box::new(Held { access, place, finding }));
        thread.spin.holds = true;
        ending::foresee();
    } else {
        report::violation(thread.number, &access, place, &finding);
    }
}

#[cold]
fn learn(place: Call) {
    let (number, site) = site(place);
    if site.swap(number, Ordering::Relaxed) != number {
        report::spin(place, None);
    }
}

/// The same place is loaded again, by other code: perhaps it is the same code for people, and the compiler has made a copy for the first turn of a loop. Who knows
/// lines can tell.
#[cold]
fn maybe_learn(first: Call, again: Call) {
    let number = (first.0 as usize ^ (again.0 as usize) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    if SUSPECTS[number >> 54].swap(number, Ordering::Relaxed) != number {
        report::spin(again, Some(first));
    }
}

/// The thread does something else now, or ends: the stale read that was held back is judged.
#[inline]
pub(crate) fn settle(thread: &mut Thread) {
    if thread.spin.holds {
        judge(thread);
    }
}

#[cold]
fn judge(thread: &mut Thread) {
    thread.spin.holds = false;
    // The end of the process may have come first.
    let held = thread.entry().held.lock().take();
    let Some(Held { access, place, finding }) = held.map(|held| *held) else { return };
    let loops = thread.spin.turned || is_known_to_loop(place);
    let could_have_left = finding.stale.is_none_or(|stale| stale.value == thread.spin.value);
    if !loops || could_have_left {
        report::violation(thread.number, &access, place, &finding);
    }
}

fn is_known_to_loop(place: Call) -> bool {
    let (number, site) = site(place);
    site.load(Ordering::Relaxed) == number
}

/// In the child of a fork: what waits is its parent's to tell. (It is not freed: whoever was about to put it there is not here.)
pub(crate) fn forget_all() {
    thread::entries().for_each(|(_, entry)| core::mem::forget(entry.held.lock().take()));
}

/// The process ends, perhaps in the middle of everything: what waits anywhere is told, unless it is in a loop.
#[cold]
pub(crate) fn settle_all() {
    for (number, entry) in thread::entries() {
        let held = entry.held.lock().take();
        if let Some(held) = held.filter(|held| !is_known_to_loop(held.place)) {
            report::violation(number, &held.access, held.place, &held.finding);
        }
    }
}
