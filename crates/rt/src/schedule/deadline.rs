//! Deadlines: how long a thread waits before it times out.
//!
//! A controlled schedule has its own clock, so that the same seed leads to the same steps: a microsecond passes with every step, and a thousand when a thread sleeps. The clock matters only if other threads keep
//! running, perhaps in a loop that ends when a wait has timed out; if no other thread can go on, the wait times out at once. While a thread is in an unknown system call, or a timer runs, real time counts.

use libc::{CLOCK_MONOTONIC, clockid_t, timespec};

/// When a wait times out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deadline {
    /// Never.
    Never,
    /// When the clock shows this time. The pointer is the program's.
    At(clockid_t, *const timespec),
    /// After this time. The pointer is the program's.
    After(*const timespec),
}

/// When a wait times out, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(super) struct Expiry {
    /// By the schedule's clock.
    pub(super) steps: u64,
    /// By the system's clock.
    pub(super) real: u64,
}

/// How much time passes when a thread sleeps, however long: the waits of other threads should not time out because of it.
pub(super) const SLEEP: u64 = 1_000;

impl Expiry {
    /// It never times out.
    pub(super) const NEVER: Self = Self { steps: u64::MAX, real: u64::MAX };
}

impl Deadline {
    /// When a wait that begins now times out; `now` is the time by the schedule's clock.
    pub(super) fn expiry(self, now: u64) -> Expiry {
        let left = match self {
            Self::Never => return Expiry::NEVER,
            // SAFETY: the time is the program's, as the manual of the function wants it.
            Self::At(clock, time) => microseconds(unsafe { &*time }).saturating_sub(time_of(clock)),
            // SAFETY: the time is the program's, as the manual of the function wants it.
            Self::After(time) => microseconds(unsafe { &*time }),
        };
        // Rounded, because some time has passed since the program read the clock, and the amount differs between runs.
        let steps = left.clamp(1, 1 << 62).next_power_of_two();
        Expiry { steps: now.saturating_add(steps), real: real_time().saturating_add(left) }
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
    fn deadlines_are_rounded_and_never_over_at_once() {
        let time = |tv_sec, tv_nsec| timespec { tv_sec, tv_nsec };
        let steps = |time: &timespec| Deadline::After(time).expiry(100).steps;
        assert_eq!(steps(&time(0, 999_000)), steps(&time(0, 1_000_000)));
        assert_eq!(steps(&time(10, 0)), 100 + (1 << 24));
        assert_eq!(steps(&time(-1, 0)), 101);
        assert_eq!(steps(&time(i64::MAX, 0)), 100 + (1 << 62));
        let past = time(0, 0);
        assert_eq!(Deadline::At(CLOCK_MONOTONIC, &raw const past).expiry(100).steps, 101);
        assert_eq!(Deadline::Never.expiry(100), Expiry::NEVER);
    }
}
