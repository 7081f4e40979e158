//! How far two processors are from each other, and waiting until they are close.
//!
//! The processors of a virtual machine move. Now they share a cache, and a word goes from one to the other and back in fifty nanoseconds; a moment later they are on different chips, and it takes
//! three hundred. Whatever threads have in common is then several times as dear, and two runs cannot be compared that were not made in the same situation.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What was seen so far.
pub(crate) struct ProcessorDistance {
    least: Duration,
}

/// In how many parts a round trip is measured; the fastest counts.
const PARTS: usize = 20;
/// How many round trips a part has.
const TRIPS: usize = 500;
/// Who takes so many times as long as the closest that were seen is far away.
const FAR: u32 = 2;
/// How long to wait until they are close again.
const PATIENCE: Duration = Duration::from_secs(20);

impl ProcessorDistance {
    pub(crate) fn new() -> Self {
        Self { least: round_trip() }
    }

    /// The shortest time in which a word went from one processor to the other and back.
    pub(crate) fn least(&self) -> Duration {
        self.least
    }

    /// Waits until they are close, but not for ever. Says whether they are.
    pub(crate) fn wait_until_close(&mut self) -> bool {
        let started = Instant::now();
        loop {
            let now = round_trip();
            self.least = self.least.min(now);
            if now < self.least * FAR {
                return true;
            }
            if started.elapsed() > PATIENCE {
                return false;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

/// How long a word takes to the other processor and back.
fn round_trip() -> Duration {
    let turn = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| send_back(&turn, 1));
        send_back(&turn, 0)
    })
}

/// Sends a word back whenever it comes, one of two times. Says how long that took, from one time to the next.
fn send_back(turn: &AtomicUsize, parity: usize) -> Duration {
    let mut least = Duration::MAX;
    for part in 0..PARTS {
        let started = Instant::now();
        for trip in 0..TRIPS {
            let mine = 2 * (part * TRIPS + trip) + parity;
            await_turn(turn, mine);
            turn.store(mine + 1, Ordering::Release);
        }
        least = least.min(started.elapsed() / TRIPS as u32);
    }
    least
}

fn await_turn(turn: &AtomicUsize, mine: usize) {
    let mut looked = 0_u32;
    while turn.load(Ordering::Acquire) != mine {
        looked += 1;
        // Both may be on the same processor.
        if looked.is_multiple_of(10_000) {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let mut distance = ProcessorDistance::new();
        assert!(distance.least() > Duration::ZERO);
        distance.wait_until_close();
    }
}
