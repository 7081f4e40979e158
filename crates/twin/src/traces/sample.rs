//! Random traces.

use super::step::{LOCATIONS, THREADS, Trace, TraceStep};
use steadfast_clocks::{Direction, Strength};
use steadfast_ir::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use steadfast_random::Rng;

/// The length of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceLength {
    /// Short enough for execution graphs.
    Short,
    /// For comparing clocks only.
    Long,
}

struct TraceGenerator {
    rng: Rng,
    threads: usize,
    locations: usize,
    /// Percentages: of accesses that are `seq_cst`, and of others that synchronise.
    seq_cst: u32,
    strong: u32,
    weights: [u32; 14],
}

/// The trace with this seed.
pub fn sample_trace(seed: u64, length: TraceLength) -> Trace {
    let mut rng = Rng::new(seed);
    let threads = rng.pick(&[2, 2, 3, 3, 4, THREADS]);
    let locations = rng.pick(&[1, 2, 2, 2, 3, LOCATIONS]);
    let length = match length {
        TraceLength::Short => 6 + rng.below(34),
        TraceLength::Long => 20 + rng.below(140),
    };
    let mut weights = [20, 18, 8, 8, 5, 5, 10, 5, 5, 2, 1, 2, 1, 14];
    // Some kinds of steps are left out at times, so that the others occur more often.
    let kept = rng.pick(&[10, 30, 60, 100]);
    weights.iter_mut().skip(2).for_each(|weight| *weight *= u32::from(rng.chance(kept)));
    if rng.chance(30) {
        weights[6] = 20;
    }
    if rng.chance(20) {
        (weights[7], weights[8]) = (15, 25);
    }
    let (seq_cst, strong) = (rng.pick(&[0, 0, 30, 60, 90]), rng.pick(&[0, 20, 50, 80]));
    let mut generator = TraceGenerator { rng, threads, locations, seq_cst, strong, weights };
    let mut steps: Vec<_> = (1..threads).map(|name| (0, 0, TraceStep::Spawn(name as u8))).collect();
    // Some threads are created at the beginning; the others may be created later.
    let early = 1 + generator.rng.below(threads);
    steps.truncate(early);
    steps.extend((0..length).map(|_| generator.step()));
    Trace { steps }
}

impl TraceGenerator {
    fn step(&mut self) -> (u8, u8, TraceStep) {
        let thread = self.rng.below(self.threads) as u8;
        let location = self.rng.below(self.locations) as u8;
        let step = match self.rng.weighted(&self.weights) {
            0 => TraceStep::Load(self.read()),
            1 => TraceStep::Store(self.write(), self.value()),
            2 => TraceStep::Rmw(self.rmw(), self.value()),
            3 => {
                let strength = self.rng.pick(&[Strength::Weak, Strength::Strong]);
                TraceStep::Cas(strength, self.value(), self.value(), self.rmw(), self.read())
            }
            4 => TraceStep::Wait(self.read(), self.value()),
            5 => TraceStep::BlockingCas(self.rmw(), self.value(), self.value()),
            6 => TraceStep::Fence(self.fence()),
            7 => TraceStep::Lock,
            8 => TraceStep::Unlock,
            9 => TraceStep::Spawn(self.rng.below(self.threads) as u8),
            10 => TraceStep::Finish,
            11 => TraceStep::Join(self.rng.below(self.threads) as u8),
            12 => TraceStep::Free,
            _ => TraceStep::Plain(self.rng.pick(&[Direction::Read, Direction::Write]), self.mask()),
        };
        (thread, location, step)
    }

    fn value(&mut self) -> u8 {
        self.rng.below(3) as u8
    }

    fn mask(&mut self) -> u8 {
        self.rng.pick(&[0xff, 0xff, 0x0f, 0xf0, 0x3c, 0x01])
    }

    fn read(&mut self) -> ReadOrder {
        if self.rng.chance(self.seq_cst) {
            ReadOrder::SeqCst
        } else if self.rng.chance(self.strong) {
            ReadOrder::Acquire
        } else {
            ReadOrder::Relaxed
        }
    }

    fn write(&mut self) -> WriteOrder {
        if self.rng.chance(self.seq_cst) {
            WriteOrder::SeqCst
        } else if self.rng.chance(self.strong) {
            WriteOrder::Release
        } else {
            WriteOrder::Relaxed
        }
    }

    fn rmw(&mut self) -> RmwOrder {
        RmwOrder::from_halves(self.read(), self.write())
    }

    fn fence(&mut self) -> FenceOrder {
        use FenceOrder::{AcqRel, Acquire, Release, SeqCst};
        self.rng.pick(&[Acquire, Release, AcqRel, SeqCst, SeqCst, SeqCst])
    }
}
