//! Plain accesses: checks whether happens-before orders each access after the last accesses to the same bytes.

use crate::engine::{self, Object, ThreadClocks};
use crate::frames::Call;
use crate::lock::Lock;
use crate::options::RACES;
use crate::order::Order;
use crate::report::{self, Plain, Previous};
use crate::thread::{self, Thread};
use crate::tls::{self, Inside};
use crate::trace::{self, Access};
use crate::{shadow, table};
use core::sync::atomic::{AtomicBool, Ordering};
use steadfast_clocks::{Cells, Direction, FastPath, Race, StampPool, StampTable};

/// Whether there has been a plain access. Until the first one, atomics need no shadow.
static SEEN: AtomicBool = AtomicBool::new(false);
static STAMPS: StampTable = StampTable::new();
static POOL: Lock<Option<StampPool>> = Lock::new(None);

/// An access of up to 16 bytes.
#[inline(always)]
pub(crate) fn access(address: usize, bytes: usize, write: bool, caller: usize) {
    if !goes_short_way(address, bytes, write, caller) {
        check(address, bytes, write, caller);
    }
}

/// The fast path for accesses that no other thread conflicts with, which are most. It changes cells and the ring, each in one step, so a signal handler in between does no harm, and the thread need not be marked as inside the runtime.
#[inline(always)]
fn goes_short_way(address: usize, bytes: usize, write: bool, caller: usize) -> bool {
    let local = tls::local();
    let offset = address & 7;
    if local.thread.is_null() || offset + bytes > bytes.next_multiple_of(8) || local.inside | local.ignored != 0 {
        return false;
    }
    // SAFETY: this thread's own structure, and its ring lives as long.
    let (thread, trace) = unsafe { (&*local.thread, &*(*local.thread).trace) };
    let Some(clocks) = &thread.clocks else { return false };
    let direction = if write { Direction::Write } else { Direction::Read };
    let became = if bytes == 16 {
        let Some(cells) = shadow::existing_pair(address) else { return false };
        clocks.both_fast(cells, &STAMPS, direction)
    } else {
        let Some(cells) = shadow::existing_cells(address) else { return false };
        let mask = ((1u32 << bytes) - 1) << offset;
        clocks.plain_fast(cells, &STAMPS, mask as u8, direction)
    };
    if became == FastPath::New {
        trace.push(Access { address, bytes, write }, u64::from(clocks.since().0), thread.frames.current(), caller);
    }
    became != FastPath::No
}

#[inline(never)]
fn check(address: usize, bytes: usize, write: bool, caller: usize) {
    let Some(_inside) = Inside::first() else { return };
    if let Some(race) = observe(thread::current(), address, bytes, write, caller) {
        report_race(thread::current(), address, bytes as u8, None, !write, caller, &race);
    }
}

/// An access of any length.
pub(crate) fn range(address: usize, bytes: usize, write: bool, caller: usize) {
    if !RACES.load(Ordering::Relaxed) {
        return;
    }
    let Some(_inside) = Inside::first() else { return };
    let thread = thread::current();
    let mut at = address;
    while at < address + bytes {
        let next = (address + bytes).min((at & !7) + 8);
        if let Some(race) = observe(thread, at, next - at, write, caller) {
            report_race(thread, at, (next - at) as u8, None, !write, caller, &race);
            return;
        }
        at = next;
    }
}

#[inline(always)]
fn observe(thread: *mut Thread, address: usize, bytes: usize, write: bool, caller: usize) -> Option<Race> {
    if !RACES.load(Ordering::Relaxed) || tls::local().ignored != 0 {
        return None;
    }
    // SAFETY: this thread's own structure.
    let thread = unsafe { &mut *thread };
    let call = thread.frames.current();
    let clocks = thread.clocks.as_mut()?;
    if clocks.wants_stamp() {
        borrow_stamp(clocks);
    }
    let direction = if write { Direction::Write } else { Direction::Read };
    let race = each_granule(address, bytes, |at, cells, mask| {
        let race = clocks.plain(cells, &STAMPS, mask, direction);
        race.or_else(|| cells.is_marked(mask).then(|| ask_atomics(clocks, at, mask, direction)).flatten())
    });
    // SAFETY: the ring lives as long as the thread.
    unsafe { (*thread.trace).push(Access { address, bytes, write }, u64::from(clocks.since().0), call, caller) };
    race
}

/// Checks a plain access to the bytes in `mask` of a granule of eight against the atomic accesses to them.
#[cold]
fn ask_atomics(clocks: &ThreadClocks, address: usize, mask: u8, direction: Direction) -> Option<Race> {
    let granule = address & !7;
    let first = granule + mask.trailing_zeros() as usize;
    let bytes = 8 - (mask.leading_zeros() + mask.trailing_zeros()) as usize;
    let mut race = None;
    table::visit(first, bytes, |start, bytes, object| {
        if let Object::Atomic(location) = object {
            // Relative to the granule: the atomic may begin before it or end after it.
            let atomic = ((1u64 << bytes) - 1) << (start + 16 - granule) >> 16;
            race = race.or_else(|| clocks.plain_at(location, atomic as u8, direction));
        }
    });
    race
}

/// Records an atomic access that has just been judged, and checks it against the plain accesses. Its location is still locked. If the location is accessed with several sizes, the record is not
/// used later.
#[inline(always)]
pub(crate) fn atomic(
    thread: &mut Thread,
    object: &mut Object,
    (address, bytes): (usize, u8),
    read: bool,
    caller: usize,
    mixed: bool,
) -> Option<Race> {
    if !SEEN.load(Ordering::Relaxed) || tls::local().ignored != 0 {
        return None;
    }
    let Object::Atomic(location) = object else { return None };
    let clocks = thread.clocks.as_mut()?;
    let direction = if read { Direction::Read } else { Direction::Write };
    let touched = clocks.touch(location, direction);
    // The location's log knows where a write was made, so only reads go to the ring.
    if read && touched.is_new {
        let call = thread.frames.current();
        let access = Access { address, bytes: bytes.into(), write: false };
        // SAFETY: the ring lives as long as the thread.
        unsafe { (*thread.trace).push(access, u64::from(clocks.since().0), call, caller) };
    }
    if !touched.is_disturbed && !mixed {
        return None;
    }
    let (race, any) = look(clocks, address, usize::from(bytes), direction);
    if !any {
        location.leave_alone();
    }
    race
}

/// Checks an atomic access against the plain accesses. Also returns whether there are any.
#[inline(never)]
fn look(clocks: &mut ThreadClocks, address: usize, bytes: usize, direction: Direction) -> (Option<Race>, bool) {
    let mut some = false;
    let race = each_granule(address, bytes, |_, cells, mask| {
        let (race, any) = clocks.atomic(cells, &STAMPS, mask, direction);
        some |= any;
        race
    });
    (race, some)
}

/// Splits an access into granules of eight bytes. Nearly all accesses have one.
#[inline(always)]
fn each_granule(address: usize, bytes: usize, mut work: impl FnMut(usize, &Cells, u8) -> Option<Race>) -> Option<Race> {
    let offset = address & 7;
    let mask = ((1u32 << bytes.min(16)) - 1) << offset;
    let race = work(address, shadow::cells(address), mask as u8);
    if offset + bytes <= 8 {
        return race;
    }
    let next = work(address + 8, shadow::cells(address + 8), (mask >> 8) as u8);
    let last =
        if offset + bytes > 16 { work(address + 16, shadow::cells(address + 16), (mask >> 16) as u8) } else { None };
    race.or(next).or(last)
}

/// Takes a stamp for the thread. Accesses of a thread without a stamp are checked, but not recorded. A stamp has many rounds, so this is rare.
#[cold]
fn borrow_stamp(clocks: &mut ThreadClocks) {
    SEEN.store(true, Ordering::Relaxed);
    let mut pool = POOL.lock();
    let pool = pool.get_or_insert_with(StampPool::new);
    if pool.lend(&STAMPS, clocks) {
        return;
    }
    if let Some(sweep) = pool.begin_sweep() {
        shadow::for_each(|cells| cells.sweep(&sweep));
        pool.end_sweep(&sweep, &STAMPS);
        pool.lend(&STAMPS, clocks);
    }
}

/// Called when a thread ends.
pub(crate) fn give_back(clocks: &mut ThreadClocks) {
    if let Some(pool) = POOL.lock().as_mut() {
        pool.give_back(clocks);
    }
}

/// Reports a race, with what the ring of the other thread still has about it.
#[cold]
pub(crate) fn report_race(
    thread: *mut Thread,
    address: usize,
    bytes: u8,
    order: Option<Order>,
    read: bool,
    caller: usize,
    race: &Race,
) {
    let number = engine::owner(race.slot);
    let granule = address & !7;
    let (first, last) = (race.mask.trailing_zeros() as usize, 8 - race.mask.leading_zeros() as usize);
    let write = race.direction == Direction::Write;
    let access = Access { address: granule + first, bytes: last - first, write };
    let find = || trace::find(&thread::entry(number).trace, access, u64::from(race.since.0));
    let found = if race.place.is_some() { None } else { find() };
    let previous = Previous {
        thread: number,
        address: found.as_ref().map_or(granule + first, |found| found.address),
        bytes: found.as_ref().map_or(last - first, |found| found.bytes),
        read: !write,
        atomic: race.atomic,
        place: race.place.map(|place| Call(place.0)).or(found.map(|found| found.place)),
    };
    // SAFETY: this thread's own structure.
    report::race(
        unsafe { &mut *thread },
        &Plain { address, bytes: usize::from(bytes), read, order, caller },
        &previous,
    );
}

/// How many bytes of a freed block are checked.
const CHECKED: usize = 1024;

/// Checks a freed block as if all of it were written.
pub(crate) fn released(address: usize, bytes: usize, caller: usize) {
    if SEEN.load(Ordering::Relaxed) {
        range(address, bytes.min(CHECKED), true, caller);
    }
}

/// Forgets the accesses: the memory gets another use.
pub(crate) fn forget(address: usize, bytes: usize) {
    if SEEN.load(Ordering::Relaxed) {
        shadow::clear(address, bytes);
    }
}
