//! Reports. Each is written once, as a whole and at once, so that it is kept whatever happens to the process later.

mod deliver;
mod modules;
mod record;
mod stack;

use crate::access::Accessed;
use crate::engine::Violation;
use crate::frames::{self, Call};
use crate::lock::Lock;
use crate::thread::Thread;
use crate::{foreign, options, spin, sys};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use record::Record;
pub(crate) use record::{Plain, Previous};

static COUNT: AtomicU32 = AtomicU32::new(0);
/// Hashes of the reports so far, so that none is written twice. The lock also lets only one thread report at a time.
static REPORTED: Lock<Vec<u64>> = Lock::new(Vec::new());
/// Different reports beyond this number are counted, not shown.
const MOST: usize = 1000;

/// Recent findings, by a hash: a loop repeats the same finding, and most repetitions need no lock.
static RECENT: [AtomicU64; 1 << 10] = [const { AtomicU64::new(0) }; 1 << 10];

fn is_recent(parts: &[usize]) -> bool {
    let hash = hash(parts);
    RECENT[hash as usize % RECENT.len()].swap(hash, Ordering::Relaxed) == hash
}

fn hash(parts: &[usize]) -> u64 {
    let mix = |hash: u64, &part: &usize| (hash ^ part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    parts.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// Reports an access that could behave differently.
#[cold]
pub(crate) fn violation(thread: u32, access: &Accessed, place: Call, finding: &Violation) {
    let (place_number, other) = (place.0 as usize, finding.missed.place.0 as usize);
    if is_recent(&[place_number, other, finding.kind as usize]) {
        return;
    }
    let (site, other) = (frames::site(place), frames::site(Call(finding.missed.place.0)));
    let kind = [site[0], site[1], other[0], other[1], finding.kind as usize];
    let Some(mut reported) = first_of_its_kind(&kind) else { return };
    tell(|| Record::of_violation(thread, access, place, finding), &mut reported);
}

/// Reports code that waits in a loop. `steadfast run` remembers it for other runs, in which the loop may not have to wait.
#[cold]
pub(crate) fn spin(place: Call, first_turn: Option<Call>) {
    if options::REPORT_FILE.get().is_some() {
        stack::on_own(|| deliver::deliver(Record::of_spin(place, first_turn).bytes()));
    }
}

/// Reports two accesses that happens-before does not order.
#[cold]
pub(crate) fn race(thread: &mut Thread, access: &Plain, previous: &Previous) {
    if foreign::is_benign(access.address) {
        return;
    }
    let (site, other) = (frames::site(thread.frames.place(access.caller)), previous.place.map_or([0; 2], frames::site));
    let Some(mut reported) = first_of_its_kind(&[site[0], site[1], other[0], other[1], usize::MAX]) else { return };
    tell(|| Record::of_race(thread, access, previous), &mut reported);
}

/// Reports that no thread can go on, and ends the process.
pub(crate) fn deadlock() -> ! {
    spin::settle_all();
    stack::on_own(|| deliver::deliver(Record::of_deadlock().bytes()));
    // The program has no exit code of its own, because it has not ended.
    leave(match options::EXIT_CODE.load(Ordering::Relaxed) {
        0 => options::USUAL_EXIT_CODE,
        code => code,
    })
}

fn first_of_its_kind(parts: &[usize]) -> Option<crate::lock::Guard<'static, Vec<u64>>> {
    let hash = hash(parts);
    let mut reported = REPORTED.lock();
    if reported.len() >= MOST || reported.contains(&hash) {
        return None;
    }
    reported.push(hash);
    Some(reported)
}

fn tell(record: impl FnOnce() -> Record, _only_one_at_a_time: &mut Vec<u64>) {
    if !stack::on_own(|| deliver::deliver(record().bytes())) {
        return;
    }
    COUNT.fetch_add(1, Ordering::Relaxed);
    if options::HALT.load(Ordering::Relaxed) {
        leave(options::EXIT_CODE.load(Ordering::Relaxed));
    }
}

fn leave(code: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { sys::raw_syscall(libc::SYS_exit_group, [code as usize, 0, 0, 0, 0, 0]) };
    sys::fatal("could not exit")
}

/// Lets `steadfast run` know that the runtime is active.
pub(crate) fn announce() {
    deliver::announce();
}

/// Called at the end of the process: writes how many reports there were. Returns whether there were any.
pub(crate) fn conclude() -> bool {
    let count = COUNT.load(Ordering::Relaxed);
    if count > 0 {
        deliver::summary(count);
    }
    count > 0
}

/// Waits for a report that another thread is writing, so that it counts. The caller must not hold a lock of the runtime.
pub(crate) fn wait() {
    drop(REPORTED.lock());
}

/// How many reports there were.
pub(crate) fn count() -> u32 {
    COUNT.load(Ordering::Relaxed)
}

/// Ends the process with the exit code for reports, unless the program's own exit code should count.
pub(crate) fn leave_if_wanted() {
    let code = options::EXIT_CODE.load(Ordering::Relaxed);
    if code != 0 {
        leave(code);
    }
}

/// Stops reports until [`after_fork`].
pub(crate) fn before_fork() {
    REPORTED.hold();
}

/// Undoes [`before_fork`]. The child has reported nothing yet.
pub(crate) fn after_fork(child: bool) {
    REPORTED.let_go();
    if child {
        COUNT.store(0, Ordering::Relaxed);
    }
}
