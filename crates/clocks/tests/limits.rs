//! Memory does not grow with the run.

use steadfast_clocks::{
    FenceOrder, Location, Place, ReadOrder, RmwOrder, ScFence, Settings, Slots, ThreadClocks, WriteOrder,
};

#[test]
fn a_location_does_not_grow() {
    let settings = Settings::default();
    let mut slots = Slots::new();
    let mut first = ThreadClocks::first(settings, &mut slots).unwrap();
    let mut threads: Vec<_> = (0..7).map(|_| first.spawn(&mut slots).unwrap()).collect();
    let mut location = Location::new(0);
    let mut shared = ScFence::new();
    let mut run = |location: &mut Location| {
        for step in 0..100_000_u32 {
            let thread = &mut threads[step as usize * 31 % 7];
            match step % 11 {
                0..4 => thread.load(location, ReadOrder::Relaxed),
                4 => thread.load(location, ReadOrder::SeqCst),
                5..8 => thread.store(location, WriteOrder::Relaxed, step.into(), Place(1)),
                8 => thread.store(location, WriteOrder::SeqCst, step.into(), Place(1)),
                9 => thread.rmw(location, RmwOrder::AcqRel, step.into(), Place(1)),
                _ => {
                    thread.fence(FenceOrder::SeqCst, &mut shared);
                    None
                }
            };
        }
        location.heap_size()
    };
    let early = run(&mut location);
    let late = run(&mut location);
    assert!(early < 4_000, "{early}");
    assert_eq!(early, late);
}
