//! A violation is found in every schedule of the same execution graph, however late the other thread runs.

use steadfast_clocks::{
    Limits, Location, Place, ReadOrder, Settings, Slots, Supported, ThreadClocks, Violation, WriteOrder,
};
use steadfast_random::Rng;

/// Example 3.1 of the paper: `x := 1; a := y; x := 2 ‖ y := 1; b := x; y := 2`.
struct Example {
    threads: [ThreadClocks; 2],
    locations: [Location; 2],
    memory: [u128; 2],
    steps: [usize; 2],
    reads: [u128; 2],
    found: Option<Violation>,
    orders: (WriteOrder, ReadOrder),
}

impl Example {
    fn new(settings: Settings, orders: (WriteOrder, ReadOrder)) -> Self {
        let mut slots = Slots::new();
        let mut first = ThreadClocks::first(settings, &mut slots).unwrap();
        let second = first.spawn(&mut slots).unwrap();
        let location = || Location::new(0);
        Self {
            threads: [first, second],
            locations: [location(), location()],
            memory: [0; 2],
            steps: [0; 2],
            reads: [0; 2],
            found: None,
            orders,
        }
    }

    fn step(&mut self, thread: usize) {
        let step = self.steps[thread];
        self.steps[thread] += 1;
        let (mine, other) = (thread, 1 - thread);
        let clocks = &mut self.threads[thread];
        let violation = match step {
            0 | 2 => {
                let value = if step == 0 { 1 } else { 2 };
                self.memory[mine] = value;
                clocks.store(&mut self.locations[mine], self.orders.0, value, Place(thread as u32))
            }
            1 => {
                self.reads[thread] = self.memory[other];
                clocks.load(&mut self.locations[other], self.orders.1)
            }
            _ => None,
        };
        self.found = self.found.or(violation);
    }
}

const ORDERS: [(WriteOrder, ReadOrder); 2] =
    [(WriteOrder::Relaxed, ReadOrder::Relaxed), (WriteOrder::Release, ReadOrder::Acquire)];
const MODELS: [Supported; 3] = [Supported::Rc20, Supported::Rc11, Supported::AcqRel];

/// When both threads have made their first steps before either reads, both read 1 or 2, and no weak machine can tell the difference.
#[test]
fn example_3_1_is_found_in_every_schedule_that_leads_to_it() {
    let mut rng = Rng::new(1);
    let mut found = 0;
    for number in 0..1_000 {
        let orders = ORDERS[number % 2];
        let mut example = Example::new(Settings::of(MODELS[number % 3]), orders);
        while example.steps != [3, 3] {
            let thread = rng.below(2);
            if example.steps[thread] < 3 {
                example.step(thread);
            }
        }
        assert_eq!(example.found.is_some(), example.reads.contains(&0), "{:?}", example.reads);
        found += u32::from(example.found.is_some());
    }
    assert!(found > 300, "{found}");
}

#[test]
fn threads_that_run_one_after_the_other_are_no_excuse() {
    for orders in ORDERS {
        for model in MODELS {
            for first in [0, 1] {
                let mut example = Example::new(Settings::of(model), orders);
                (0..3).for_each(|_| example.step(first));
                (0..3).for_each(|_| example.step(1 - first));
                let violation = example.found.unwrap();
                assert_eq!((violation.stale.unwrap().value, violation.missed.value), (0, 1));
            }
        }
    }
}

#[test]
fn seq_cst_is_enough() {
    for (model, robust) in [(Supported::Rc20, true), (Supported::Rc11, true), (Supported::AcqRel, false)] {
        let settings = Settings { model, limits: Limits::UNBOUNDED };
        let mut example = Example::new(settings, (WriteOrder::SeqCst, ReadOrder::SeqCst));
        (0..3).for_each(|_| example.step(0));
        (0..3).for_each(|_| example.step(1));
        assert_eq!(example.found.is_none(), robust, "{model:?}");
    }
}
