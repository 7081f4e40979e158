//! Treiber's stack with memory that epochs give back.
use crossbeam_epoch::{self as epoch, Atomic, Owned};
use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

struct Node {
    data: ManuallyDrop<Box<usize>>,
    next: Atomic<Node>,
}

struct Stack {
    head: Atomic<Node>,
}

impl Stack {
    fn push(&self, item: usize) {
        let mut node = Owned::new(Node { data: ManuallyDrop::new(Box::new(item)), next: Atomic::null() });
        let guard = epoch::pin();
        loop {
            let head = self.head.load(Relaxed, &guard);
            node.next.store(head, Relaxed);
            match self.head.compare_exchange(head, node, Release, Relaxed, &guard) {
                Ok(_) => return,
                Err(error) => node = error.new,
            }
        }
    }

    fn pop(&self) -> Option<Box<usize>> {
        let guard = epoch::pin();
        loop {
            let head = self.head.load(Acquire, &guard);
            // SAFETY: the guard keeps it.
            let node = unsafe { head.as_ref() }?;
            let next = node.next.load(Relaxed, &guard);
            if self.head.compare_exchange(head, next, Relaxed, Relaxed, &guard).is_ok() {
                // SAFETY: it was unlinked by us.
                unsafe {
                    guard.defer_destroy(head);
                    return Some(ManuallyDrop::into_inner(std::ptr::read(&node.data)));
                }
            }
        }
    }
}

fn main() {
    let stack = Stack { head: Atomic::null() };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for item in 0..40 {
                    stack.push(item);
                    if let Some(item) = stack.pop() {
                        assert!(*item < 40);
                    }
                    if item % 10 == 0 {
                        epoch::pin().flush();
                    }
                }
            });
        }
    });
}
