//! What workers send each other, and how they know that nobody will send anything any more.

use super::columns::Number;
use super::tide::Spilled;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// A column that has arrived at a position.
pub(super) type Arrival = (u32, Number);

/// Positions that get another owner.
pub(super) struct Gift {
    /// Which chunk of positions.
    pub(super) chunk: usize,
    /// Whether the story has begun at them.
    pub(super) begun: bool,
    /// Those at which something is pending.
    pub(super) due: Vec<u32>,
    /// What is on the side for them.
    pub(super) spilled: Vec<(u32, Spilled)>,
}

/// The inboxes of all workers.
pub(super) struct Post {
    inboxes: Vec<Inbox>,
    /// A worker that has waited for a while, plus one; zero for none.
    hungry: AtomicUsize,
    /// How many workers have something to do, and how many parcels nobody has taken yet. Only one of these can bring forth another, so none is left when it is zero.
    left: AtomicUsize,
}

#[derive(Default)]
struct Inbox {
    full: AtomicBool,
    parcels: Mutex<Parcels>,
}

#[derive(Default)]
pub(super) struct Parcels {
    /// Come before the arrivals, which may be for them.
    pub(super) gifts: Vec<Gift>,
    pub(super) arrivals: Vec<Arrival>,
    count: usize,
}

/// How often somebody who waits looks around before asking for work.
const PATIENCE: usize = 20;

impl Post {
    /// All workers have something to do.
    pub(super) fn new(workers: usize) -> Self {
        Self {
            inboxes: (0..workers).map(|_| Inbox::default()).collect(),
            hungry: AtomicUsize::new(0),
            left: AtomicUsize::new(workers),
        }
    }

    /// Sends a parcel, which is empty afterwards.
    pub(super) fn send(&self, to: usize, parcel: &mut Vec<Arrival>) {
        self.put(to, |parcels| parcels.arrivals.append(parcel));
    }

    /// Lets a worker have some positions. Before it can know, `tell` tells all others: what they send there afterwards comes behind the gifts.
    pub(super) fn give(&self, to: usize, gifts: Vec<Gift>, tell: impl FnOnce()) {
        self.put(to, |parcels| {
            parcels.gifts.extend(gifts);
            tell();
        });
    }

    fn put(&self, to: usize, put: impl FnOnce(&mut Parcels)) {
        let inbox = &self.inboxes[to];
        self.left.fetch_add(1, SeqCst);
        let mut parcels = inbox.parcels.lock().expect("no panic while locked");
        put(&mut parcels);
        parcels.count += 1;
        inbox.full.store(true, SeqCst);
    }

    /// What has come for a worker who has something to do.
    pub(super) fn receive(&self, worker: usize) -> Option<Parcels> {
        let inbox = &self.inboxes[worker];
        if !inbox.full.load(SeqCst) {
            return None;
        }
        let mut parcels = inbox.parcels.lock().expect("no panic while locked");
        inbox.full.store(false, SeqCst);
        let parcels = std::mem::take(&mut *parcels);
        self.left.fetch_sub(parcels.count, SeqCst);
        Some(parcels)
    }

    /// Somebody who has asked for work, and is not asked for again.
    pub(super) fn hungry(&self) -> Option<usize> {
        if self.hungry.load(SeqCst) == 0 {
            return None;
        }
        self.hungry.swap(0, SeqCst).checked_sub(1)
    }

    /// Waits until a worker who has nothing to do gets something, unless that cannot happen any more or it is over for another reason.
    pub(super) fn wait(&self, worker: usize, ended: &AtomicBool) -> bool {
        self.left.fetch_sub(1, SeqCst);
        let mut looked = 0;
        loop {
            if self.inboxes[worker].full.load(SeqCst) {
                self.left.fetch_add(1, SeqCst);
                let _ = self.hungry.compare_exchange(worker + 1, 0, SeqCst, SeqCst);
                return true;
            }
            if self.left.load(SeqCst) == 0 || ended.load(SeqCst) {
                return false;
            }
            looked += 1;
            if looked % PATIENCE == 0 {
                let _ = self.hungry.compare_exchange(0, worker + 1, SeqCst, SeqCst);
            }
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(post: &Post, worker: usize) -> Vec<Arrival> {
        post.receive(worker).map(|parcels| parcels.arrivals).unwrap_or_default()
    }

    #[test]
    fn who_has_nothing_to_do_asks_for_it_and_gets_gifts_first() {
        let (post, ended) = (Post::new(2), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let first = scope.spawn(|| post.wait(0, &ended).then(|| post.receive(0)).flatten());
            let hungry = std::iter::repeat_with(|| post.hungry()).find_map(|hungry| hungry);
            assert_eq!(hungry, Some(0));
            let owner = AtomicUsize::new(1);
            let gift = Gift { chunk: 3, begun: true, due: vec![5], spilled: Vec::new() };
            post.give(0, vec![gift], || owner.store(0, SeqCst));
            let got = first.join().expect("it does not panic").expect("there is a parcel");
            assert!(got.gifts.len() == 1 && got.arrivals.is_empty() && owner.into_inner() == 0);
        });
        assert_eq!(post.hungry(), None);
    }

    #[test]
    fn nobody_leaves_while_a_parcel_is_under_way() {
        let (post, ended) = (Post::new(2), AtomicBool::new(false));
        post.send(1, &mut vec![(7, 3)]);
        // The first has nothing to do, and the second could still send it something.
        std::thread::scope(|scope| {
            let first = scope.spawn(|| post.wait(0, &ended).then(|| arrivals(&post, 0)));
            assert_eq!(arrivals(&post, 1), [(7, 3)]);
            post.send(0, &mut vec![(8, 4)]);
            assert_eq!(first.join().expect("it does not panic"), Some(vec![(8, 4)]));
            // Now both have something to do, until they say otherwise.
            let second = scope.spawn(|| post.wait(1, &ended));
            assert!(!post.wait(0, &ended));
            assert!(!second.join().expect("it does not panic"));
        });
    }
}
