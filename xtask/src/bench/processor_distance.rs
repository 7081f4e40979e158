//! Measures the distance between two processors, and waits until they are close.
//!
//! The virtual processors of a machine move between real ones. When they share a cache, a word goes from one to the other and back in fifty nanoseconds; when they are on different chips, it takes
//! three hundred. Access to shared memory then takes several times as long, so two runs can only be compared if they were made in the same situation.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The measurements so far.
pub(crate) struct ProcessorDistance {
    least: Duration,
}

/// In how many parts a round trip is measured; the fastest counts.
const PARTS: usize = 20;
/// How many round trips a part has.
const TRIPS: usize = 500;
/// Processors are far from each other if a round trip takes this many times the shortest one so far.
const FAR: u32 = 2;
/// The maximum wait until they are close again.
const PATIENCE: Duration = Duration::from_secs(20);

impl ProcessorDistance {
    pub(crate) fn new() -> Self {
        Self { least: round_trip() }
    }

    /// The shortest time of a round trip so far.
    pub(crate) fn least(&self) -> Duration {
        self.least
    }

    /// Waits until they are close, but at most [`PATIENCE`]. Returns whether they are.
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

/// The time of a round trip: a word goes to the other processor and back.
fn round_trip() -> Duration {
    let turn = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| send_back(&turn, 1));
        send_back(&turn, 0)
    })
}

/// One side of the round trips: sends the word back whenever it arrives with this parity. Returns the shortest time of a part.
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
