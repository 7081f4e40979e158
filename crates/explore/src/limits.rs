//! Limits of a search, and what was used of them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// What a search may use.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// How many states it may store.
    pub states: Option<u64>,
    /// How many bytes it may use for states and edges.
    pub memory: Option<u64>,
    /// How long it may take.
    pub time: Option<Duration>,
}

impl Limits {
    /// These limits, but not more than so many states and so much time: for a question beside the one that was asked.
    #[must_use]
    pub fn at_most(&self, states: u64, time: Duration) -> Self {
        Self {
            states: Some(self.states.map_or(states, |limit| limit.min(states))),
            memory: self.memory,
            time: Some(self.time.map_or(time, |limit| limit.min(time))),
        }
    }
}

/// The bound that ended a search early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The limit of stored states.
    States(u64),
    /// The limit of memory, in bytes.
    Memory(u64),
    /// The time limit.
    Time(Duration),
    /// The user interrupted it.
    Interrupted,
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::States(limit) => write!(f, "the limit of {limit} states was reached"),
            Self::Memory(limit) => write!(f, "the memory limit of {} MiB was reached", limit >> 20),
            Self::Time(limit) => write!(f, "the time limit of {} s was reached", limit.as_secs_f64()),
            Self::Interrupted => f.write_str("it was interrupted"),
        }
    }
}

/// What a running search has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// States stored so far.
    pub states: u64,
    /// Bytes used for them.
    pub bytes: u64,
}

/// A function that is called from time to time, from any worker, with the progress of a search.
pub type Observer<'a> = &'a (dyn Fn(Progress) + Sync);

/// The limits of one check and what was used of them. All searches and workers of the check share it.
///
/// Workers come here once in some hundred states, so the counters can be sequentially consistent: no worker misses what another one has used.
pub struct Budget<'a> {
    limits: Limits,
    started: Instant,
    interrupt: Option<&'a AtomicBool>,
    observer: Option<Observer<'a>>,
    states: AtomicU64,
    bytes: AtomicU64,
    peak: AtomicU64,
}

impl<'a> Budget<'a> {
    /// A budget that starts now. `interrupt` ends the search when it becomes true.
    pub fn new(limits: Limits, interrupt: Option<&'a AtomicBool>, observer: Option<Observer<'a>>) -> Self {
        Self {
            limits,
            started: Instant::now(),
            interrupt,
            observer,
            states: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            peak: AtomicU64::new(0),
        }
    }

    /// Adds newly stored states and bytes.
    pub fn add(&self, states: u64, bytes: u64) {
        self.states.fetch_add(states, SeqCst);
        let now = self.bytes.fetch_add(bytes, SeqCst) + bytes;
        self.peak.fetch_max(now, SeqCst);
    }

    /// Subtracts bytes that a search has freed.
    pub fn release(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, SeqCst);
    }

    /// What has been used so far.
    pub fn progress(&self) -> Progress {
        Progress { states: self.states.load(SeqCst), bytes: self.bytes.load(SeqCst) }
    }

    /// The most bytes that were in use at any time.
    pub fn peak_bytes(&self) -> u64 {
        self.peak.load(SeqCst)
    }

    /// The time since the budget was made.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// An error if a limit is exceeded. Cheap enough to be called every few thousand states.
    pub fn check(&self) -> Result<(), Bound> {
        let used = self.progress();
        if let Some(observer) = self.observer {
            observer(used);
        }
        if self.interrupt.is_some_and(|flag| flag.load(SeqCst)) {
            return Err(Bound::Interrupted);
        }
        if let Some(limit) = self.limits.states.filter(|&limit| used.states > limit) {
            return Err(Bound::States(limit));
        }
        if let Some(limit) = self.limits.memory.filter(|&limit| used.bytes > limit) {
            return Err(Bound::Memory(limit));
        }
        match self.limits.time {
            Some(limit) if self.started.elapsed() > limit => Err(Bound::Time(limit)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_workers_share_a_budget() {
        let budget = Budget::new(Limits { states: Some(30), ..Limits::default() }, None, None);
        let work = || {
            for _ in 0..20 {
                budget.add(1, 10);
                let _ = budget.check();
                budget.release(5);
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(work);
            scope.spawn(work);
        });
        assert_eq!(budget.check(), Err(Bound::States(30)));
        let Progress { states, bytes } = budget.progress();
        assert_eq!((states, bytes), (40, 200));
        assert!((205..=400).contains(&budget.peak_bytes()), "{}", budget.peak_bytes());
    }
}
