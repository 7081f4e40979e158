//! Writes the choice log: to a file that `steadfast run` has made. The file is mapped into memory, so that it is complete however the process ends.
//!
//! The file has the size of the largest log, but uses almost no disk space. The recorder reserves the space before it writes records: otherwise, a full disk would be a signal to the program.

use super::scheduler::Step;
use crate::sys;
use core::sync::atomic::{AtomicU64, Ordering};
use steadfast_schedule::{CHOICE_BYTES, Choice, HEADER_BYTES, Header, Kind, MOST_CHOICES, Setup, at};

/// The log of this process.
pub(super) struct Recorder {
    /// The mapped file.
    memory: Option<*mut u8>,
    /// Its path, which ends with a zero byte.
    path: Vec<u8>,
    kind: Kind,
    setup: Setup,
    /// How many steps there were before the log began, and since then. `None` if it has not begun.
    before: u64,
    steps: Option<u64>,
    /// How many records were written, and how many fit into the reserved space.
    records: u64,
    room: u64,
}

// SAFETY: the mapping belongs to the recorder.
unsafe impl Send for Recorder {}

/// For how many records space is reserved at first.
const FIRST_ROOM: u64 = 1 << 12;
const BYTES: usize = HEADER_BYTES + MOST_CHOICES as usize * CHOICE_BYTES;

impl Recorder {
    /// A recorder for this file, if there is one.
    pub(super) fn new(path: Option<Vec<u8>>, kind: Kind, setup: Setup) -> Self {
        let mut path = path.unwrap_or_default();
        path.push(0);
        let memory = if path.len() > 1 { sys::map_file(&path, BYTES, true) } else { None };
        Self { memory, path, kind, setup, before: 0, steps: None, records: 0, room: 0 }
    }

    /// Begins the log: there is a second thread, so there is something to choose. The first process that gets here has the log.
    pub(super) fn begin(&mut self) {
        if self.steps.is_some() {
            return;
        }
        let Some(memory) = self.memory else { return };
        let owner = u64::from(sys::process_number().unsigned_abs());
        if self
            .word(at::OWNER)
            .is_some_and(|word| word.compare_exchange(0, owner, Ordering::AcqRel, Ordering::Relaxed).is_err())
        {
            if let Some(others) = self.word(at::OTHERS) {
                others.fetch_add(1, Ordering::Relaxed);
            }
            self.memory = None;
            return;
        }
        self.steps = Some(0);
        let named = Header::named(self.kind, self.setup);
        // SAFETY: the mapping has room for the whole head, and nothing else writes there.
        unsafe { core::ptr::copy_nonoverlapping(named.as_ptr(), memory.add(at::NAME), named.len()) };
        self.set(at::BEFORE, self.before);
    }

    /// The place of the next step in the log, if the log has begun.
    pub(super) fn next(&self) -> Option<u64> {
        self.steps
    }

    /// Writes a step with its choice.
    pub(super) fn record(&mut self, step: &Step, ready: usize, chosen: u32) {
        let Some(steps) = &mut self.steps else {
            self.before += 1;
            return;
        };
        let number = *steps;
        *steps += 1;
        let Some(memory) = self.memory else { return };
        // After the first lost record no other is written: a log has no gaps.
        if self.records == number && (number < self.room || self.make_room()) {
            let bytes = Choice { ready: ready as u32, chosen, ..step.what }.to_bytes();
            // SAFETY: there is room for this record, and only the holder of the scheduler's lock writes records.
            unsafe {
                let place = memory.add(HEADER_BYTES + number as usize * CHOICE_BYTES);
                core::ptr::copy_nonoverlapping(bytes.as_ptr(), place, CHOICE_BYTES);
            }
            self.records += 1;
            self.set(at::RECORDS, self.records);
        }
        self.set(at::STEPS, number + 1);
    }

    /// Doubles the reserved space. Returns whether that was possible.
    #[cold]
    fn make_room(&mut self) -> bool {
        let room = (self.room * 2).clamp(FIRST_ROOM, MOST_CHOICES);
        let bytes = HEADER_BYTES + room as usize * CHOICE_BYTES;
        // After a failure it is not tried again.
        let made = room > self.room && sys::reserve_file(&self.path, bytes);
        self.room = if made { room } else { 0 };
        made
    }

    fn set(&self, place: usize, value: u64) {
        if let Some(word) = self.word(place) {
            word.store(value, Ordering::Release);
        }
    }

    fn word(&self, place: usize) -> Option<&AtomicU64> {
        // SAFETY: the place is in the head, is a multiple of eight, and others only use it as a whole.
        self.memory.map(|memory| unsafe { AtomicU64::from_ptr(memory.add(place).cast()) })
    }
}

/// The records of a log to repeat. `steadfast run` has checked it, and made a copy that does not change.
pub(super) fn records(mut path: Vec<u8>) -> &'static [[u8; CHOICE_BYTES]] {
    path.push(0);
    let (Some(bytes), mut header) = (sys::file_size(&path), [0; HEADER_BYTES]) else { return &[] };
    let read = sys::read_file(&path, &mut header);
    let Ok(header) = Header::from_bytes(&header[..read]) else { return &[] };
    let held = (bytes.saturating_sub(HEADER_BYTES) / CHOICE_BYTES).min(header.records as usize);
    let Some(memory) = sys::map_file(&path, bytes, false).filter(|_| held > 0) else { return &[] };
    // SAFETY: the mapping is as long as the file, which does not change, and is never unmapped. Records are bytes.
    unsafe { core::slice::from_raw_parts(memory.add(HEADER_BYTES).cast(), held) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_schedule::Log;

    fn recorder(path: &std::path::Path) -> Recorder {
        std::fs::write(path, Header::new(Kind::Random).to_bytes()).expect("a file");
        let setup = Setup { seed: 9, ..Setup::default() };
        Recorder::new(Some(path.to_string_lossy().into_owned().into_bytes()), Kind::Pct, setup)
    }

    fn record(recorder: &mut Recorder, count: u32) {
        for thread in 0..count {
            let what = Choice { thread, ..Choice::NONE };
            recorder.record(&Step { number: recorder.next(), what, gives_way: false, spins: false }, 1, thread);
        }
    }

    #[test]
    fn a_log_grows_and_says_when_it_is_full() {
        let path = std::env::temp_dir().join(format!("steadfast-recorder-{}", std::process::id()));
        let mut recorder = recorder(&path);
        record(&mut recorder, 3);
        assert_eq!(recorder.next(), None);
        recorder.begin();
        recorder.begin();
        record(&mut recorder, 5000);
        let log = || Log::from_bytes(&std::fs::read(&path).expect("a log")).expect("a log");
        let first = log();
        assert_eq!((first.header.seed, first.header.scheduler, first.header.before), (9, Kind::Pct, 3));
        assert_eq!((first.choices.len(), first.full_from(), first.choices[4999].chosen), (5000, None, 4999));
        // No more space can be reserved when the file cannot be found.
        let elsewhere = path.with_extension("moved");
        std::fs::rename(&path, &elsewhere).expect("a file");
        record(&mut recorder, 5000);
        std::fs::rename(&elsewhere, &path).expect("a file");
        record(&mut recorder, 5000);
        let last = log();
        assert_eq!((last.choices.len(), last.full_from(), last.header.steps), (8192, Some(8192), 15_000));
        std::fs::remove_file(&path).expect("a file");
    }

    #[test]
    fn only_the_first_process_has_the_log() {
        let path = std::env::temp_dir().join(format!("steadfast-recorders-{}", std::process::id()));
        let mut first = recorder(&path);
        let mut second =
            Recorder::new(Some(path.to_string_lossy().into_owned().into_bytes()), Kind::Pct, Setup::default());
        first.begin();
        second.begin();
        second.begin();
        record(&mut second, 10);
        record(&mut first, 1);
        let log = Log::from_bytes(&std::fs::read(&path).expect("a log")).expect("a log");
        assert_eq!((log.choices.len(), log.header.others, second.next()), (1, 1, None));
        assert!(
            records(path.to_string_lossy().into_owned().into_bytes()).len() == 1
                && records(b"/no/file".to_vec()).is_empty()
        );
        std::fs::remove_file(&path).expect("a file");
    }
}
