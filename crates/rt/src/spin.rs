//! Spin loops, recognised from the repeated load of the same place by the same code, with no other atomic access in between.
//!
//! A thread that waits may read an old value and turn round once more: under the letter of robustness that is a violation, and harmless. What counts is with which
//! value it leaves the loop: if it *could have left it earlier*, because the stale value is the one that it leaves with, something is wrong.
//!
//! So a stale read waits until the next access of its thread. If that is the same one, this is a loop, and the code is remembered; at its end the value decides. If it is not, and the code
//! has never been seen to loop, the stale read is reported. Failed compare-exchanges are treated alike.

use crate::access::{Accessed, Step};
use crate::engine::Violation;
use crate::frames::{self, Call};
use crate::options::SPINS;
use crate::report;
use crate::thread::Thread;
use core::sync::atomic::{AtomicUsize, Ordering};
use steadfast_clocks::ViolationKind;

/// The last access of a thread. Zeroes are no access.
#[derive(Default)]
pub(crate) struct Spin {
    caller: usize,
    address: usize,
    /// Whether the thread may turn round after it.
    waits: bool,
    /// Whether it has turned round at least once.
    turned: bool,
    value: u128,
    /// With where it was: when it is told, the thread is somewhere else.
    stale: Option<(Accessed, Call, Violation)>,
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
    let again = last.waits && last.caller == access.caller && last.address == access.address;
    if again && !last.turned {
        last.turned = true;
        learn(thread.frames.place(access.caller));
    }
    let last = &mut thread.spin;
    if again {
        last.value = value;
        last.waits = waits;
        if let (Some(finding), true) = (finding, last.stale.is_none()) {
            hold_or_tell(thread, access, finding);
        }
        return;
    }
    if last.waits && waits && last.address == access.address {
        maybe_learn(thread.frames.place(last.caller), thread.frames.place(access.caller));
    }
    if thread.spin.stale.is_some() {
        settle(thread);
    }
    let last = &mut thread.spin;
    (last.caller, last.address, last.waits, last.turned, last.value) =
        (access.caller, access.address, waits, false, value);
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
        thread.spin.stale = Some((access, place, finding));
    } else {
        report::violation(thread, &access, place, &finding);
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
#[cold]
pub(crate) fn settle(thread: &mut Thread) {
    let Some((access, place, finding)) = thread.spin.stale.take() else { return };
    let (number, site) = site(place);
    let loops = thread.spin.turned || site.load(Ordering::Relaxed) == number;
    let could_have_left = finding.stale.is_none_or(|stale| stale.value == thread.spin.value);
    if !loops || could_have_left {
        report::violation(thread, &access, place, &finding);
    }
}
