//! Threads that come and go.

use steadfast_clocks::{Location, Place, ReadOrder, Settings, Slots, ThreadClocks, WriteOrder};

fn start() -> (Slots, ThreadClocks) {
    let mut slots = Slots::new();
    let main = ThreadClocks::first(Settings::default(), &mut slots).unwrap();
    (slots, main)
}

#[test]
fn joined_threads_leave_their_slots() {
    let (mut slots, mut main) = start();
    for _ in 0..10_000 {
        let child = main.spawn(&mut slots).unwrap();
        assert_eq!(child.slot().0, 1);
        main.acquire(&child.finish(&mut slots));
    }
    assert_eq!(slots.used(), 2);
}

#[test]
fn clocks_stay_short_when_nobody_joins() {
    let (mut slots, mut main) = start();
    let mut flag = Location::new(0);
    for _ in 0..10_000 {
        let mut child = main.spawn(&mut slots).unwrap();
        assert_eq!(child.store(&mut flag, WriteOrder::Release, 1, Place(1)), None);
        child.finish(&mut slots);
        assert_eq!(main.load(&mut flag, ReadOrder::Acquire), None);
    }
    assert!(slots.used() < 100, "{}", slots.used());
}

#[test]
fn a_thousand_threads_live_at_once() {
    let (mut slots, mut main) = start();
    let mut counter = Location::new(0);
    let mut children: Vec<_> = (0..1_000).map(|_| main.spawn(&mut slots).unwrap()).collect();
    for (number, child) in children.iter_mut().enumerate() {
        let order = steadfast_clocks::RmwOrder::AcqRel;
        assert_eq!(child.rmw(&mut counter, order, number as u128, Place(1)), None);
    }
    for child in children {
        main.acquire(&child.finish(&mut slots));
    }
    assert_eq!(main.load(&mut counter, ReadOrder::Relaxed), None);
    assert_eq!(slots.used(), 1_001);
}

/// Whoever knows the second thread of a slot under SC does not thereby know what the first one wrote.
#[test]
fn a_slot_taken_from_the_dead_invents_nothing() {
    let (mut slots, mut main) = start();
    let location = || Location::new(0);
    let (mut x, mut y) = (location(), location());
    let mut dead = main.spawn(&mut slots).unwrap();
    let slot = dead.slot();
    dead.store(&mut x, WriteOrder::Relaxed, 1, Place(1));
    dead.finish(&mut slots);
    // Nobody joins, so that at last the slot is taken all the same.
    let mut heir = loop {
        let thread = main.spawn(&mut slots).unwrap();
        if thread.slot() == slot {
            break thread;
        }
        thread.finish(&mut slots);
    };
    heir.store(&mut y, WriteOrder::Relaxed, 1, Place(2));
    assert_eq!(main.load(&mut y, ReadOrder::Relaxed), None);
    assert_eq!(main.load(&mut x, ReadOrder::Relaxed), None);
}
