// verdict: silent
//! A box that is published with release and taken with acquire.
use std::sync::atomic::{AtomicPtr, Ordering};

fn main() {
    let slot = AtomicPtr::new(std::ptr::null_mut());
    std::thread::scope(|scope| {
        scope.spawn(|| slot.store(Box::into_raw(Box::new(42)), Ordering::Release));
        scope.spawn(|| {
            let mut found = slot.swap(std::ptr::null_mut(), Ordering::Acquire);
            while found.is_null() {
                std::thread::yield_now();
                found = slot.swap(std::ptr::null_mut(), Ordering::Acquire);
            }
            // SAFETY: whoever takes it owns it.
            assert_eq!(*unsafe { Box::from_raw(found) }, 42);
        });
    });
}
