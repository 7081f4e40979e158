//! Spin loops. A loop is recognised when the same code loads the same location again, with no other atomic access in between.
//!
//! A waiting thread may read an old value and repeat the loop: by the definition of robustness this is a violation, but it is harmless. What matters is the
//! value with which the thread leaves the loop: if it *could have left earlier*, because the stale value equals that value, the violation is reported.
//!
//! So a stale read is held back until the next access of its thread. If that is the same access, this is a loop, and its code is remembered; at the end of the loop the value decides. If it is another access, and the code
//! has never looped before, the stale read is reported. Failed compare-exchanges are treated in the same way.
//!
//! A held-back stale read is stored where other threads find it: if the process ends before the next access, it is reported then ([`settle_all`]).

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
    /// The call stack of its function: two calls of a function that loads are not a loop.
    call: Call,
    /// Whether the thread may repeat it.
    waits: bool,
    /// Whether the thread has repeated it at least once.
    turned: bool,
    value: u128,
    /// Whether a stale read of this thread is held back.
    holds: bool,
}

/// A stale read that is held back, with its stack: when it is reported, the thread is somewhere else.
pub(crate) struct Held {
    access: Accessed,
    place: Call,
    finding: Violation,
}

/// Code that has looped, by a hash.
static SITES: [AtomicUsize; 1 << 10] = [const { AtomicUsize::new(0) }; 1 << 10];

/// Pairs of code that load the same location one after the other, by a hash.
static SUSPECTS: [AtomicUsize; 1 << 10] = [const { AtomicUsize::new(0) }; 1 << 10];

/// The hash of the code, and its place in [`SITES`].
fn site(place: Call) -> (usize, &'static AtomicUsize) {
    let [inner, outer] = frames::site(place);
    let number = (inner ^ outer.rotate_left(20)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (number, &SITES[number >> 54])
}

/// Processes an access of the thread with its finding. Most accesses are not part of a spin loop.
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

/// Holds back a stale read that may belong to a loop; reports any other finding at once.
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

/// The same location is loaded again, by other code. It may be the same line: compilers copy the code for the first round of a loop. `steadfast run`, which knows the
/// lines, decides.
#[cold]
fn maybe_learn(first: Call, again: Call) {
    let number = (first.0 as usize ^ (again.0 as usize) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    if SUSPECTS[number >> 54].swap(number, Ordering::Relaxed) != number {
        report::spin(again, Some(first));
    }
}

/// Judges the stale read that is held back, because the thread does something else now, or ends.
#[inline]
pub(crate) fn settle(thread: &mut Thread) {
    if thread.spin.holds {
        judge(thread);
    }
}

#[cold]
fn judge(thread: &mut Thread) {
    thread.spin.holds = false;
    // The end of the process may have reported it first.
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

/// Called in the child of a fork: the parent reports what is held back. (The memory is not freed: a thread of the parent may have been storing it during the fork.)
pub(crate) fn forget_all() {
    thread::entries().for_each(|(_, entry)| core::mem::forget(entry.held.lock().take()));
}

/// Called when the process ends, at any point of any thread: reports all stale reads that are held back, except those in loops.
#[cold]
pub(crate) fn settle_all() {
    for (number, entry) in thread::entries() {
        let held = entry.held.lock().take();
        if let Some(held) = held.filter(|held| !is_known_to_loop(held.place)) {
            report::violation(number, &held.access, held.place, &held.finding);
        }
    }
}
