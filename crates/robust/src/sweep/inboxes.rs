//! The messages between workers, and how workers detect that none can come any more.

use super::arrivals::Spilled;
use super::monitor_states::MonitorId;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// A position, and a monitor state that has arrived there.
pub(super) type Arrival = (u32, MonitorId);

/// A chunk of positions that changes its owner.
pub(super) struct StolenChunk {
    /// The number of the chunk.
    pub(super) chunk: usize,
    /// Whether the monitor was already started at the positions of the chunk.
    pub(super) begun: bool,
    /// The positions with pending states.
    pub(super) due: Vec<u32>,
    /// The overflow entries of the positions.
    pub(super) spilled: Vec<(u32, Spilled)>,
}

/// The inboxes of all workers.
pub(super) struct Inboxes {
    all: Vec<Inbox>,
    /// A worker that asks for work, plus one; zero if none does.
    asking: AtomicUsize,
    /// How many workers are busy, plus how many messages are unread. Only a busy worker or an unread message can lead to a new message, so the search is over when this is zero.
    active: AtomicUsize,
}

#[derive(Default)]
struct Inbox {
    full: AtomicBool,
    messages: Mutex<Messages>,
}

#[derive(Default)]
pub(super) struct Messages {
    /// To be read before `arrivals`, which may be for positions of these chunks.
    pub(super) chunks: Vec<StolenChunk>,
    pub(super) arrivals: Vec<Arrival>,
    count: usize,
}

/// How often an idle worker looks into its inbox before it asks for work.
const ROUNDS_BEFORE_ASKING: usize = 20;

impl Inboxes {
    /// Empty inboxes. All workers count as busy.
    pub(super) fn new(workers: usize) -> Self {
        Self {
            all: (0..workers).map(|_| Inbox::default()).collect(),
            asking: AtomicUsize::new(0),
            active: AtomicUsize::new(workers),
        }
    }

    /// Sends a batch of arrivals, and leaves `batch` empty.
    pub(super) fn send(&self, to: usize, batch: &mut Vec<Arrival>) {
        self.put(to, |messages| messages.arrivals.append(batch));
    }

    /// Makes a worker the owner of some chunks. `announce` tells all other workers before the new owner can read the message, so what they send to the new owner afterwards comes after the
    /// chunks.
    pub(super) fn send_chunks(&self, to: usize, chunks: Vec<StolenChunk>, announce: impl FnOnce()) {
        self.put(to, |messages| {
            messages.chunks.extend(chunks);
            announce();
        });
    }

    fn put(&self, to: usize, put: impl FnOnce(&mut Messages)) {
        let inbox = &self.all[to];
        self.active.fetch_add(1, SeqCst);
        let mut messages = inbox.messages.lock().expect("no panic while locked");
        put(&mut messages);
        messages.count += 1;
        inbox.full.store(true, SeqCst);
    }

    /// The messages for a busy worker.
    pub(super) fn receive(&self, worker: usize) -> Option<Messages> {
        let inbox = &self.all[worker];
        if !inbox.full.load(SeqCst) {
            return None;
        }
        let mut messages = inbox.messages.lock().expect("no panic while locked");
        inbox.full.store(false, SeqCst);
        let messages = std::mem::take(&mut *messages);
        self.active.fetch_sub(messages.count, SeqCst);
        Some(messages)
    }

    /// The worker that asks for work, if one does. The request is then answered.
    pub(super) fn take_request(&self) -> Option<usize> {
        if self.asking.load(SeqCst) == 0 {
            return None;
        }
        self.asking.swap(0, SeqCst).checked_sub(1)
    }

    /// Waits until an idle worker has a message. Returns false if no message can come any more, or if the search has ended for another reason.
    pub(super) fn wait(&self, worker: usize, ended: &AtomicBool) -> bool {
        self.active.fetch_sub(1, SeqCst);
        let mut looked = 0;
        loop {
            if self.all[worker].full.load(SeqCst) {
                self.active.fetch_add(1, SeqCst);
                let _ = self.asking.compare_exchange(worker + 1, 0, SeqCst, SeqCst);
                return true;
            }
            if self.active.load(SeqCst) == 0 || ended.load(SeqCst) {
                return false;
            }
            looked += 1;
            if looked % ROUNDS_BEFORE_ASKING == 0 {
                let _ = self.asking.compare_exchange(0, worker + 1, SeqCst, SeqCst);
            }
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(inboxes: &Inboxes, worker: usize) -> Vec<Arrival> {
        inboxes.receive(worker).map(|messages| messages.arrivals).unwrap_or_default()
    }

    #[test]
    fn concurrent_idle_worker_asks_for_work_and_gets_chunks_first() {
        let (inboxes, ended) = (Inboxes::new(2), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let first = scope.spawn(|| inboxes.wait(0, &ended).then(|| inboxes.receive(0)).flatten());
            let asking = std::iter::repeat_with(|| inboxes.take_request()).find_map(|asking| asking);
            assert_eq!(asking, Some(0));
            let owner = AtomicUsize::new(1);
            let chunk = StolenChunk { chunk: 3, begun: true, due: vec![5], spilled: Vec::new() };
            inboxes.send_chunks(0, vec![chunk], || owner.store(0, SeqCst));
            let got = first.join().expect("it does not panic").expect("there is a batch");
            assert!(got.chunks.len() == 1 && got.arrivals.is_empty() && owner.into_inner() == 0);
        });
        assert_eq!(inboxes.take_request(), None);
    }

    #[test]
    fn concurrent_worker_does_not_leave_while_a_message_is_unread() {
        let (inboxes, ended) = (Inboxes::new(2), AtomicBool::new(false));
        inboxes.send(1, &mut vec![(7, 3)]);
        // The first worker is idle, but the second one could still send it a message.
        std::thread::scope(|scope| {
            let first = scope.spawn(|| inboxes.wait(0, &ended).then(|| arrivals(&inboxes, 0)));
            assert_eq!(arrivals(&inboxes, 1), [(7, 3)]);
            inboxes.send(0, &mut vec![(8, 4)]);
            assert_eq!(first.join().expect("it does not panic"), Some(vec![(8, 4)]));
            // Now both workers count as busy until they wait.
            let second = scope.spawn(|| inboxes.wait(1, &ended));
            assert!(!inboxes.wait(0, &ended));
            assert!(!second.join().expect("it does not panic"));
        });
    }
}
