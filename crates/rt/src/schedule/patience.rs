//! How long somebody waits who may give up.
//!
//! Under a controlled schedule a clock of its own decides, so that the same seed leads to the same steps: a microsecond passes with every step, and somewhat more when somebody sleeps. It only matters if the others
//! go on for so long, perhaps in a loop that ends when somebody has given up; if nobody else can go on, the wait is over at once. While a thread is away, in a system call that we do not know, or a timer is running, real time passes.

use libc::{CLOCK_MONOTONIC, clockid_t, timespec};

/// Whether a thread that waits can give up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience {
    /// It waits until it gets what it wants.
    Endless,
    /// It gives up when the clock shows that time, which is the program's.
    Until(clockid_t, *const timespec),
    /// It gives up after that time, which is the program's.
    For(*const timespec),
}

/// When a thread gives up, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(super) struct Limit {
    /// By the clock of the schedule.
    pub(super) steps: u64,
    /// By the system's.
    pub(super) real: u64,
}

/// How much time passes when somebody sleeps, however long: who waits for somebody else should not give up because of that.
pub(super) const SLEEP: u64 = 1_000;

impl Limit {
    /// It does not.
    pub(super) const NEVER: Self = Self { steps: u64::MAX, real: u64::MAX };
}

impl Patience {
    /// When it is over, if it is now so late by the clock of the schedule.
    pub(super) fn limit(self, now: u64) -> Limit {
        let left = match self {
            Self::Endless => return Limit::NEVER,
            // SAFETY: the time is the program's, as the manual of the function wants it.
            Self::Until(clock, time) => microseconds(unsafe { &*time }).saturating_sub(time_of(clock)),
            // SAFETY: as above.
            Self::For(time) => microseconds(unsafe { &*time }),
        };
        // Rounded, because a part of it has passed since the program has looked at the clock, and not the same in every run.
        let steps = left.clamp(1, 1 << 62).next_power_of_two();
        Limit { steps: now.saturating_add(steps), real: real_time().saturating_add(left) }
    }
}

/// The system's clock.
pub(super) fn real_time() -> u64 {
    time_of(CLOCK_MONOTONIC)
}

fn time_of(clock: clockid_t) -> u64 {
    let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the room is there. A clock that does not exist leaves zeroes.
    unsafe { libc::clock_gettime(clock, &raw mut now) };
    microseconds(&now)
}

fn microseconds(time: &timespec) -> u64 {
    let [seconds, rest] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    seconds.saturating_mul(1_000_000).saturating_add(rest / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_rounded_and_never_over_at_once() {
        let time = |tv_sec, tv_nsec| timespec { tv_sec, tv_nsec };
        let steps = |time: &timespec| Patience::For(time).limit(100).steps;
        assert_eq!(steps(&time(0, 999_000)), steps(&time(0, 1_000_000)));
        assert_eq!(steps(&time(10, 0)), 100 + (1 << 24));
        assert_eq!(steps(&time(-1, 0)), 101);
        assert_eq!(steps(&time(i64::MAX, 0)), 100 + (1 << 62));
        let past = time(0, 0);
        assert_eq!(Patience::Until(CLOCK_MONOTONIC, &raw const past).limit(100).steps, 101);
        assert_eq!(Patience::Endless.limit(100), Limit::NEVER);
    }
}
