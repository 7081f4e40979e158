//! The strategies: uniformly random steps, and PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS'10): random priorities that change at a few
//! random steps.
//!
//! Deviation from PCT: a thread that spins would keep its priority for ever. One that makes the same step again and again, or says that it
//! yields, is set back behind all others.

use crate::thread::Thread;

/// Which steps a thread makes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Where {
    pub(super) address: usize,
    pub(super) caller: usize,
}

/// The strategy's part of a thread.
#[repr(C)]
pub(super) struct OfThread {
    priority: u64,
    last: Where,
    repeated: u32,
}

/// How the next thread is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Random,
    Pct,
}

/// A strategy with its state.
pub(crate) struct Strategy {
    kind: Kind,
    random: Random,
    step: u64,
    /// PCT: the steps at which the priority changes.
    changes: [u64; MOST_CHANGES],
    /// The lowest priority that was given away.
    lowest: u64,
    /// Who goes on and on, and since when.
    favourite: *mut Thread,
    since: u64,
}

const MOST_CHANGES: usize = 16;
/// How often a thread makes the same step before it counts as spinning.
const SPINNING: u32 = 6;
/// How many steps a thread makes in a row before others get a chance: its loop may be a longer one that waits for them.
const LONG: u64 = 500;
/// The highest of the priorities that threads are set back to; those that they begin with are above.
const BACK: u64 = 1 << 32;

impl Strategy {
    /// `depth` is the number of changes plus one, `length` how many steps are expected.
    pub(crate) fn new(kind: Kind, seed: u64, depth: u32, length: u64) -> Self {
        let mut random = Random(seed ^ 0x5851_f42d_4c95_7f2d);
        let mut changes = [u64::MAX; MOST_CHANGES];
        for change in changes.iter_mut().take((depth as usize).saturating_sub(1)) {
            *change = random.below(length.max(1));
        }
        Self { kind, random, step: 0, changes, lowest: BACK, favourite: core::ptr::null_mut(), since: 0 }
    }

    /// A new thread.
    pub(super) fn meet(&mut self, thread: &mut OfThread) {
        thread.priority = BACK + 1 + (self.random.next() >> 32);
    }

    /// The thread goes behind all others.
    pub(super) fn set_back(&mut self, thread: &mut OfThread) {
        self.lowest -= 1;
        thread.priority = self.lowest;
    }

    /// One of those who are ready; `current` is who asks, or null. Null if nobody is ready.
    pub(super) fn choose(&mut self, ready: &[*mut Thread], current: *mut Thread, here: Where) -> *mut Thread {
        if ready.is_empty() {
            return core::ptr::null_mut();
        }
        self.step += 1;
        let spins = !current.is_null() && spins(current, here);
        match self.kind {
            Kind::Random => self.choose_random(ready, current, spins),
            Kind::Pct => self.choose_by_priority(ready, current, spins),
        }
    }

    fn choose_random(&mut self, ready: &[*mut Thread], current: *mut Thread, spins: bool) -> *mut Thread {
        let others: Vec<_> = ready.iter().copied().filter(|&thread| !(spins && thread == current)).collect();
        let from = if others.is_empty() { ready } else { &others };
        from[self.random.below(from.len() as u64) as usize]
    }

    fn choose_by_priority(&mut self, ready: &[*mut Thread], current: *mut Thread, spins: bool) -> *mut Thread {
        if self.favourite != current {
            (self.favourite, self.since) = (current, self.step);
        }
        let greedy = self.step - self.since > LONG;
        if !current.is_null() && (spins || greedy || self.changes.contains(&self.step)) {
            self.since = self.step;
            // SAFETY: threads in the list are alive, and the scheduler's lock is held; here and below.
            self.set_back(unsafe { &mut (*current).turn.strategy });
        }
        let highest = ready.iter().copied().max_by_key(|&thread| unsafe { (*thread).turn.strategy.priority });
        highest.unwrap_or(core::ptr::null_mut())
    }

    /// A number below `count`.
    pub(super) fn pick(&mut self, count: usize) -> usize {
        self.random.below(count as u64) as usize
    }
}

/// Whether the thread makes the same step again and again.
fn spins(thread: *mut Thread, here: Where) -> bool {
    // SAFETY: see above.
    let strategy = unsafe { &mut (*thread).turn.strategy };
    strategy.repeated = if strategy.last == here { strategy.repeated + 1 } else { 0 };
    strategy.last = here;
    strategy.repeated >= SPINNING && {
        strategy.repeated = 0;
        true
    }
}

/// A generator of random numbers: splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not zero.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_and_repeatable() {
        let (mut one, mut two) = (Random(7), Random(7));
        let mut seen = [0; 5];
        for _ in 0..1000 {
            let number = one.below(5);
            assert_eq!(number, two.below(5));
            seen[number as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 100));
    }
}
