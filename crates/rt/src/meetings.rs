//! Who meets whom at a barrier.
//!
//! A thread that has left may be there again, and may have told what it did in between, before a slower one has heard what was told the first time. So what is told belongs to a *meeting*, and the next one
//! begins with the first thread that comes again. With more threads than the barrier waits for, nobody knows who really meets whom: those who come while others have not left yet then all belong to one
//! meeting, and know too much of each other, which can only hide something.

use crate::engine::SyncClock;
use crate::lock::Lock;
use std::sync::Arc;
use std::vec::Vec;

/// The meetings of a barrier. Whoever waits has a share in its own: the barrier may be destroyed before they all have heard what they came for.
#[derive(Default)]
pub(crate) struct Meetings(Option<Arc<Lock<Meeting>>>);

/// Threads that meet.
pub(crate) struct Meeting {
    /// What they tell each other.
    pub(crate) told: SyncClock,
    /// The first of them, as many as the barrier waits for.
    members: Vec<usize>,
    came: usize,
    left: usize,
}

impl Meeting {
    fn new() -> Self {
        Self { told: SyncClock::new(), members: Vec::new(), came: 0, left: 0 }
    }

    /// One more comes.
    fn come(&mut self, thread: usize, count: usize) {
        self.came += 1;
        // With more of them this may never end, and nobody asks who they are.
        if self.came <= count {
            self.members.push(thread);
        }
    }

    /// One of them goes, and takes with it what was told.
    pub(crate) fn leave(&mut self) -> &mut Self {
        self.left += 1;
        self
    }

    /// Whether a thread that comes now cannot meet any of its members.
    fn is_closed_to(&self, thread: usize, count: usize) -> bool {
        self.left == self.came || self.came == count && self.members.contains(&thread)
    }
}

impl Meetings {
    /// A thread comes. The number is that which the barrier waits for.
    pub(crate) fn join(&mut self, thread: usize, count: usize) -> Arc<Lock<Meeting>> {
        let open = self.0.take().filter(|meeting| !meeting.lock().is_closed_to(thread, count));
        let meeting = open.unwrap_or_else(|| Arc::new(Lock::new(Meeting::new())));
        meeting.lock().come(thread, count);
        self.0 = Some(Arc::clone(&meeting));
        meeting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &Arc<Lock<Meeting>>, other: &Arc<Lock<Meeting>>) -> bool {
        Arc::ptr_eq(one, other)
    }

    #[test]
    fn who_comes_again_begins_another_meeting() {
        let mut meetings = Meetings::default();
        let [first, second] = [1, 2].map(|thread| meetings.join(thread, 2));
        assert!(same(&first, &second));
        first.lock().leave();
        // The second thread has not left yet.
        let again = meetings.join(1, 2);
        assert!(!same(&again, &second));
        second.lock().leave();
        assert!(same(&again, &meetings.join(2, 2)));
    }

    #[test]
    fn who_may_have_met_is_in_one_meeting() {
        let mut meetings = Meetings::default();
        let all = [1, 2, 3].map(|thread| meetings.join(thread, 2));
        assert!(same(&all[0], &all[2]));
        // The first has met one of the others, and now meets the one that is left.
        all[0].lock().leave();
        let again = meetings.join(1, 2);
        assert!(same(&again, &all[1]));
        let _ = [&all[1], &all[2], &again].map(|meeting| meeting.lock().leave().left);
        assert!(!same(&again, &meetings.join(4, 2)));
    }

    #[test]
    fn a_meeting_without_end_does_not_grow() {
        let mut meetings = Meetings::default();
        let first = meetings.join(0, 2);
        for thread in 1..1000 {
            assert!(same(&first, &meetings.join(thread % 5, 2)));
            first.lock().leave();
        }
        assert!(first.lock().members.len() <= 2);
    }
}
