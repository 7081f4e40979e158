//! What an access costs: `cargo run --release -p steadfast-clocks --example cost`.
//!
//! All threads are simulated by one, so that only the engine is measured, without locks and without waiting for another core's cache.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;
use steadfast_clocks::{
    Cells, Direction, FenceOrder, Location, Place, ReadOrder, RmwOrder, ScFence, Settings, Slots, StampPool,
    StampTable, ThreadClocks, WriteOrder,
};
use steadfast_random::Rng;

struct Program {
    threads: Vec<ThreadClocks>,
    locations: Vec<Location>,
    rng: Rng,
}

impl Program {
    fn new(threads: usize, locations: usize) -> Self {
        let settings = Settings::default();
        let mut slots = Slots::new();
        let mut all = vec![ThreadClocks::first(settings, &mut slots).expect("a slot")];
        while all.len() < threads {
            let child = all[0].spawn(&mut slots).expect("a slot");
            all.push(child);
        }
        let locations = (0..locations).map(|_| Location::new(0)).collect();
        Self { threads: all, locations, rng: Rng::new(1) }
    }
}

/// Nanoseconds per step, after a warm-up.
fn time(steps: u32, mut step: impl FnMut(u32)) -> f64 {
    (0..steps / 4).for_each(&mut step);
    let started = processor_time();
    (0..steps).for_each(&mut step);
    (processor_time() - started) / f64::from(steps)
}

/// Nanoseconds on a processor, so that other programs do not count; where nobody tells, nanoseconds.
fn processor_time() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    told.unwrap_or_else(|| STARTED.elapsed().as_secs_f64() * 1e9)
}

static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

const STEPS: u32 = 4_000_000;

fn main() {
    alone();
    together();
    plain();
}

/// One thread, one location.
fn alone() {
    let mut p = Program::new(4, 1);
    let (thread, location) = (&mut p.threads[0], &mut p.locations[0]);
    let report = |name: &str, cost: f64| println!("{name:<60} {cost:>7.1} ns");
    report(
        "relaxed load, nothing new",
        time(STEPS, |_| {
            black_box(thread.load(location, ReadOrder::Relaxed));
        }),
    );
    report(
        "acquire load, nothing new",
        time(STEPS, |_| {
            black_box(thread.load(location, ReadOrder::Acquire));
        }),
    );
    report(
        "seq_cst load, nothing new",
        time(STEPS, |_| {
            black_box(thread.load(location, ReadOrder::SeqCst));
        }),
    );
    report(
        "relaxed store, same thread",
        time(STEPS, |at| {
            black_box(thread.store(location, WriteOrder::Relaxed, u128::from(at), Place(1)));
        }),
    );
    report(
        "release store, same thread",
        time(STEPS, |at| {
            black_box(thread.store(location, WriteOrder::Release, u128::from(at), Place(1)));
        }),
    );
    report(
        "acq_rel rmw, same thread",
        time(STEPS, |at| {
            black_box(thread.rmw(location, RmwOrder::AcqRel, u128::from(at), Place(1)));
        }),
    );
    report(
        "seq_cst rmw, same thread",
        time(STEPS, |at| {
            black_box(thread.rmw(location, RmwOrder::SeqCst, u128::from(at), Place(1)));
        }),
    );
}

/// Several threads at random, on many locations: six loads, three stores and a read-modify-write of ten accesses.
fn together() {
    let mut p = Program::new(4, 100);
    let overhead = time(STEPS, |_| {
        black_box((p.rng.below(p.threads.len()), p.rng.below(p.locations.len()), p.rng.below(10)));
    });
    for fences in [false, true] {
        println!("{}", if fences { "the same, and a seq_cst fence in fifty steps" } else { "mixed accesses" });
        for threads in [2, 4, 8, 32] {
            for locations in [1, 10, 100, 10_000, 60_000] {
                let mut p = Program::new(threads, locations);
                let mut shared = ScFence::new();
                let cost = time(STEPS / 4, |at| mixed(&mut p, &mut shared, at, fences)) - overhead;
                println!("{threads:>4} threads, {locations:>6} locations {cost:>38.1} ns");
            }
        }
    }
}

fn mixed(p: &mut Program, shared: &mut ScFence, at: u32, fences: bool) {
    let (thread, location, kind) = (p.rng.below(p.threads.len()), p.rng.below(p.locations.len()), p.rng.below(10));
    let (thread, location) = (&mut p.threads[thread], &mut p.locations[location]);
    let value = u128::from(at);
    black_box(match kind {
        0..3 => thread.load(location, ReadOrder::Relaxed),
        3..6 => thread.load(location, ReadOrder::Acquire),
        6 => thread.store(location, WriteOrder::Relaxed, value, Place(1)),
        7..9 => thread.store(location, WriteOrder::Release, value, Place(1)),
        _ => thread.rmw(location, RmwOrder::AcqRel, value, Place(1)),
    });
    if fences && at.is_multiple_of(50) {
        thread.fence(FenceOrder::SeqCst, shared);
    }
}

/// Plain accesses.
fn plain() {
    let mut p = Program::new(2, 1);
    let (table, mut pool) = (StampTable::new(), StampPool::new());
    let cells: Vec<Cells> = (0..1024).map(|_| Cells::default()).collect();
    p.threads.iter_mut().for_each(|thread| {
        pool.lend(&table, thread);
    });
    let same = time(STEPS, |at| {
        black_box(p.threads[0].plain(&cells[at as usize % 8], &table, 0xff, Direction::Write));
    });
    println!("{:<60} {same:>7.1} ns", "plain write, already recorded");
    let mut mutex = steadfast_clocks::SyncClock::new();
    let handed = time(STEPS / 4, |at| {
        let thread = &mut p.threads[(at / 1024 % 2) as usize];
        if at % 1024 == 0 {
            thread.acquire(&mutex);
            pool.lend(&table, thread);
        }
        black_box(thread.plain(&cells[at as usize % 1024], &table, 0xff, Direction::Write));
        if at % 1024 == 1023 {
            thread.replace(&mut mutex);
        }
    });
    println!("{:<60} {handed:>7.1} ns", "plain write, last written by another thread");
}
