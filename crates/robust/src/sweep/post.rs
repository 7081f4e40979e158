//! What workers send each other, and how they know that nobody will send anything any more.

use super::columns::Number;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// A column that has arrived at a position.
pub(super) type Arrival = (u32, Number);

/// The inboxes of all workers.
pub(super) struct Post {
    inboxes: Vec<Inbox>,
    /// How many workers have something to do, and how many parcels nobody has taken yet. Only one of these can bring forth another, so none is left when it is zero.
    left: AtomicUsize,
}

#[derive(Default)]
struct Inbox {
    full: AtomicBool,
    parcels: Mutex<Parcels>,
}

#[derive(Default)]
struct Parcels {
    arrivals: Vec<Arrival>,
    count: usize,
}

impl Post {
    /// All workers have something to do.
    pub(super) fn new(workers: usize) -> Self {
        Self { inboxes: (0..workers).map(|_| Inbox::default()).collect(), left: AtomicUsize::new(workers) }
    }

    /// Sends a parcel, which is empty afterwards.
    pub(super) fn send(&self, to: usize, parcel: &mut Vec<Arrival>) {
        let inbox = &self.inboxes[to];
        self.left.fetch_add(1, SeqCst);
        let mut parcels = inbox.parcels.lock().expect("no panic while locked");
        parcels.arrivals.append(parcel);
        parcels.count += 1;
        inbox.full.store(true, SeqCst);
    }

    /// What has come for a worker who has something to do.
    pub(super) fn receive(&self, worker: usize) -> Vec<Arrival> {
        let inbox = &self.inboxes[worker];
        if !inbox.full.load(SeqCst) {
            return Vec::new();
        }
        let mut parcels = inbox.parcels.lock().expect("no panic while locked");
        inbox.full.store(false, SeqCst);
        self.left.fetch_sub(std::mem::take(&mut parcels.count), SeqCst);
        std::mem::take(&mut parcels.arrivals)
    }

    /// Waits until a worker who has nothing to do gets something, unless that cannot happen any more or it is over for another reason.
    pub(super) fn wait(&self, worker: usize, ended: &AtomicBool) -> bool {
        self.left.fetch_sub(1, SeqCst);
        loop {
            if self.inboxes[worker].full.load(SeqCst) {
                self.left.fetch_add(1, SeqCst);
                return true;
            }
            if self.left.load(SeqCst) == 0 || ended.load(SeqCst) {
                return false;
            }
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_leaves_while_a_parcel_is_under_way() {
        let (post, ended) = (Post::new(2), AtomicBool::new(false));
        post.send(1, &mut vec![(7, 3)]);
        // The first has nothing to do, and the second could still send it something.
        std::thread::scope(|scope| {
            let first = scope.spawn(|| post.wait(0, &ended).then(|| post.receive(0)));
            assert_eq!(post.receive(1), [(7, 3)]);
            post.send(0, &mut vec![(8, 4)]);
            assert_eq!(first.join().expect("it does not panic"), Some(vec![(8, 4)]));
            // Now both have something to do, until they say otherwise.
            let second = scope.spawn(|| post.wait(1, &ended));
            assert!(!post.wait(0, &ended));
            assert!(!second.join().expect("it does not panic"));
        });
    }
}
