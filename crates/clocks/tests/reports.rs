//! What a report says.

use steadfast_clocks::{
    CompareExchange, FenceOrder, Location, Missing, Place, ReadOrder, RmwOrder, ScFence, Settings, Slots, Strength,
    ThreadClocks, WriteOrder,
};
use steadfast_model::ViolationKind;

struct Two {
    first: ThreadClocks,
    second: ThreadClocks,
    x: Location,
    y: Location,
}

fn two() -> Two {
    let settings = Settings::default();
    let mut slots = Slots::new();
    let mut first = ThreadClocks::first(settings, &mut slots).unwrap();
    let second = first.spawn(&mut slots).unwrap();
    Two { first, second, x: Location::new(0), y: Location::new(0) }
}

/// Message passing: the writer releases, the reader forgets to acquire.
#[test]
fn the_missing_acquire_is_named() {
    let Two { mut first, mut second, mut x, mut y } = two();
    first.store(&mut x, WriteOrder::Relaxed, 7, Place(1));
    first.store(&mut y, WriteOrder::Release, 1, Place(2));
    assert_eq!(second.load(&mut y, ReadOrder::Relaxed), None);
    let violation = second.load(&mut x, ReadOrder::Relaxed).unwrap();
    assert_eq!((violation.kind, violation.missing), (ViolationKind::StaleRead, Missing::Acquire));
    assert_eq!((violation.missed.value, violation.missed.slot), (7, Some(first.slot())));
    assert_eq!(violation.stale.unwrap().slot, None);
}

#[test]
fn the_missing_release_is_not_blamed_on_the_reader() {
    let Two { mut first, mut second, mut x, mut y } = two();
    first.store(&mut x, WriteOrder::Relaxed, 7, Place(1));
    first.store(&mut y, WriteOrder::Relaxed, 1, Place(2));
    second.load(&mut y, ReadOrder::Acquire);
    assert_eq!(second.load(&mut x, ReadOrder::Relaxed).unwrap().missing, Missing::ReleaseOrSeqCst);
}

#[test]
fn an_acquire_fence_is_as_good() {
    let Two { mut first, mut second, mut x, mut y } = two();
    first.store(&mut x, WriteOrder::Relaxed, 7, Place(1));
    first.store(&mut y, WriteOrder::Release, 1, Place(2));
    second.load(&mut y, ReadOrder::Relaxed);
    second.fence(FenceOrder::Acquire, &mut ScFence::new());
    assert_eq!(second.load(&mut x, ReadOrder::Relaxed), None);
}

/// Store buffering, where the second thread ends with a write or an exchange in place of a load.
#[test]
fn each_kind_of_access_is_judged_by_what_it_could_do() {
    let prepared = || {
        let Two { mut first, mut second, mut x, mut y } = two();
        first.store(&mut x, WriteOrder::Relaxed, 1, Place(1));
        first.load(&mut y, ReadOrder::Relaxed);
        second.store(&mut y, WriteOrder::Relaxed, 1, Place(2));
        (second, x)
    };
    let (mut thread, mut x) = prepared();
    let kind = thread.store(&mut x, WriteOrder::Relaxed, 2, Place(3)).map(|violation| violation.kind);
    assert_eq!(kind, Some(ViolationKind::OvertakingWrite));

    let exchange = |strength, expected| CompareExchange {
        strength,
        expected,
        success: RmwOrder::Relaxed,
        failure: ReadOrder::Relaxed,
    };
    let (mut thread, mut x) = prepared();
    let violation = thread.compare_exchange(&mut x, &exchange(Strength::Strong, 0), None, Place(3)).unwrap();
    assert_eq!((violation.kind, violation.stale.unwrap().value), (ViolationKind::StaleUpdate, 0));
    let (mut thread, mut x) = prepared();
    let violation = thread.compare_exchange(&mut x, &exchange(Strength::Strong, 1), Some(2), Place(3)).unwrap();
    assert_eq!((violation.kind, violation.stale.unwrap().value), (ViolationKind::StaleRead, 0));

    let (thread, x) = prepared();
    assert!(thread.check_wait(&x, ReadOrder::Relaxed, 0).is_some());
    assert!(thread.check_wait(&x, ReadOrder::Relaxed, 1).is_none());
    assert!(thread.check_blocking_cas(&x, RmwOrder::Relaxed, 0).is_some());
    assert!(thread.check_blocking_cas(&x, RmwOrder::Relaxed, 5).is_none());
}
