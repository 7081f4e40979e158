//! Finds the record of the atomic location at an address: with two loads, no hashing, and no lock except that of the record itself.
//!
//! The address space is divided into *regions* of 4 MiB. A region that contains an atomic gets a directory with one entry for every 4 bytes, mapped
//! lazily, so that only used pages cost memory. An entry leads to the records of the atomics that begin in these 4 bytes. It also says where
//! the clocks of the first one are: with many locations none of this is in a cache, and then all of it can be fetched at the same time.
//!
//! Records are never returned to the system, only used again for another address. So a thread that has found a record may lock it, and
//! must then check that it still belongs to the address.

use crate::engine::Object;
use crate::lock::{Latch, Lock};
use crate::sys;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU32, AtomicUsize, Ordering};
use steadfast_clocks::{Location, Slot};

use link::{Link, Name};

const ADDRESS_BITS: u32 = 47;
const REGION_BITS: u32 = 22;
const PAGE_BITS: u32 = 12;
/// Nearly all atomics have four bytes or more, so nearly all entries lead to one record.
const GRANULE: usize = 4;
const ENTRIES: usize = (1 << REGION_BITS) / GRANULE;
const PAGES: usize = 1 << (REGION_BITS - PAGE_BITS);

mod link;

/// What is known about one atomic location. The fields are in the order in which an access reads them; the last ones are for special cases.
#[repr(C, align(64))]
pub(crate) struct Record {
    latch: Latch,
    /// How many bytes the program accesses here. Zero: the record is not in use.
    bytes: AtomicU16,
    /// Whether accesses of different sizes or start addresses come here: then the record knows what is ordered, but not what is stale.
    mixed: AtomicU16,
    address: AtomicUsize,
    /// The engine's part; only for the thread that holds the latch, and only if `bytes` is not zero.
    object: UnsafeCell<MaybeUninit<Object>>,
    /// The next record that begins in the same 4 bytes.
    next: Link,
    /// The record that replaces this one, because the program accesses overlapping parts of the same memory.
    instead: AtomicPtr<Record>,
}

/// Two cache lines; most accesses need only the first.
const _: () = assert!(size_of::<Record>() == 128);

impl Record {
    /// The engine's part.
    ///
    /// # Safety
    /// The caller has it from [`lock`] and has not unlocked it yet.
    #[allow(clippy::mut_from_ref, reason = "the latch makes it exclusive")]
    pub(crate) unsafe fn object(&self) -> &mut Object {
        // SAFETY: a record is initialised before `lock` returns it for the first time.
        unsafe { (*self.object.get()).assume_init_mut() }
    }

    /// Whether accesses of different sizes or start addresses come here.
    #[inline(always)]
    pub(crate) fn is_mixed(&self) -> bool {
        self.mixed.load(Ordering::Relaxed) != 0
    }

    /// Whether the program accesses this many bytes here.
    #[inline(always)]
    fn has_size(&self, bytes: u8) -> bool {
        self.bytes.load(Ordering::Relaxed) == u16::from(bytes)
    }

    fn end(&self) -> usize {
        self.address.load(Ordering::Relaxed) + usize::from(self.bytes.load(Ordering::Relaxed))
    }

    /// Waits for the latch.
    #[inline(always)]
    fn acquire(&self) {
        if self.latch.acquire() {
            // The holder was lost in a fork, so the object may be half changed. It is leaked, because it is not known which parts are valid.
            // SAFETY: this thread holds the latch.
            unsafe { (*self.object.get()).write(Object::Fresh) };
        }
    }

    /// Releases the latch.
    #[inline(always)]
    pub(crate) fn unlock(&self) {
        self.latch.release();
    }

    /// Writes the new place of the location's body to the directory if the body has moved. A reader may find an outdated place: only speed depends on it.
    ///
    /// # Safety
    /// As for [`object`](Self::object).
    #[inline(always)]
    pub(crate) unsafe fn tell_directory(&self, address: usize) {
        // SAFETY: the caller has the record from `lock` and has not unlocked it yet.
        if let Object::Atomic(location) = unsafe { self.object() }
            && location.has_moved()
        {
            self.tell(address, location);
        }
    }

    #[cold]
    fn tell(&self, address: usize, location: &mut Location) {
        location.settle();
        if let Some(region) = region(address) {
            let body = location.body();
            region.entries[entry(address)].point_to(self, body.as_ptr() as usize, location.outline());
        }
    }
}

/// The directory of a region.
#[repr(C)]
struct Region {
    /// How many records each page has, so that freeing memory only has to look where there are some.
    populated: [AtomicU32; PAGES],
    entries: [Link; ENTRIES],
}

/// The directories of all regions. Without atomics this costs only addresses.
static REGIONS: [AtomicPtr<Region>; 1 << (ADDRESS_BITS - REGION_BITS)] =
    [const { AtomicPtr::new(null_mut()) }; 1 << (ADDRESS_BITS - REGION_BITS)];

/// Taken to add or remove records, never to find one.
static CHANGES: Lock<Unused> = Lock::new(Unused { first: None, chunk: 0, left: 0 });

/// Records that are not in use: a list of those that were used before, and the rest of the newest chunk.
struct Unused {
    first: Option<Name>,
    chunk: usize,
    left: usize,
}

/// Why a record is locked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Intent {
    /// An atomic load by the thread with this slot.
    Load(Slot),
    /// An atomic store or read-modify-write.
    Write,
    /// Another operation, which does not need all of a location.
    Other,
}

/// Returns the record of the location that begins at this address, locked. It is made if there is none.
#[inline(always)]
pub(crate) fn lock(address: usize, bytes: u8, intent: Intent) -> &'static Record {
    loop {
        let Some(mut record) = find(address, intent) else {
            insert(address, bytes);
            continue;
        };
        let mut wanted = address;
        if !record.has_size(bytes) {
            (record, wanted) = mix(record, address, bytes);
        }
        record.acquire();
        // Meanwhile the record may have been forgotten and used again for another address.
        if record.address.load(Ordering::Relaxed) == wanted && record.bytes.load(Ordering::Relaxed) != 0 {
            return record;
        }
        record.latch.release();
    }
}

#[inline(always)]
fn find(address: usize, intent: Intent) -> Option<&'static Record> {
    let link = region(address)?.entries[entry(address)].load();
    let mut candidate = link.name()?.record();
    link.fetch_soon(candidate, intent);
    while candidate.address.load(Ordering::Relaxed) != address {
        candidate = candidate.next.load().name()?.record();
    }
    Some(candidate)
}

#[inline(always)]
fn entry(address: usize) -> usize {
    (address / GRANULE) & (ENTRIES - 1)
}

/// Addresses of programs have 47 bits.
#[inline(always)]
fn slot(address: usize) -> &'static AtomicPtr<Region> {
    &REGIONS[(address >> REGION_BITS) % REGIONS.len()]
}

#[inline(always)]
fn region(address: usize) -> Option<&'static Region> {
    // SAFETY: directories live for ever.
    unsafe { slot(address).load(Ordering::Acquire).as_ref() }
}

fn region_made(address: usize) -> &'static Region {
    let mut region = slot(address).load(Ordering::Acquire);
    if region.is_null() {
        region = sys::map(size_of::<Region>()).cast();
        slot(address).store(region, Ordering::Release);
    }
    // SAFETY: just made, or made before; zeroes are a valid directory.
    unsafe { &*region }
}

#[cold]
fn insert(address: usize, bytes: u8) {
    let mut unused = CHANGES.lock();
    if find(address, Intent::Other).is_some() {
        return;
    }
    let region = region_made(address);
    let name = unused.take();
    let record = name.record();
    record.latch.acquire();
    // SAFETY: no thread can find the record yet. A thread that still waits for its latch will see that it is not the record that it searches for.
    unsafe { (*record.object.get()).write(Object::Fresh) };
    record.address.store(address, Ordering::Relaxed);
    record.bytes.store(u16::from(bytes), Ordering::Relaxed);
    record.mixed.store(0, Ordering::Relaxed);
    record.instead.store(overlapping(address, bytes), Ordering::Relaxed);
    // SAFETY: records live for ever.
    if let Some(other) = unsafe { record.instead.load(Ordering::Relaxed).as_ref() } {
        other.mixed.store(1, Ordering::Relaxed);
        // Threads that find this record go on to the other one, because the size never matches.
        record.bytes.store(u16::MAX, Ordering::Relaxed);
    }
    let head = &region.entries[entry(address)];
    record.next.store(head.load().name());
    head.store(Some(name));
    record.latch.release();
    region.populated[(address >> PAGE_BITS) % PAGES].fetch_add(1, Ordering::Relaxed);
}

/// Calls `visit` with the records that begin close enough to overlap with these bytes.
fn neighbours(address: usize, bytes: usize, mut visit: impl FnMut(&'static Record)) {
    // No atomic has more than 16 bytes.
    let mut granule = (address / GRANULE * GRANULE).saturating_sub(16);
    while granule < address + bytes {
        let mut name = region(granule).and_then(|region| region.entries[entry(granule)].load().name());
        while let Some(found) = name.map(Name::record) {
            visit(found);
            name = found.next.load().name();
        }
        granule += GRANULE;
    }
}

/// Calls `work` with the address, the size and the object of each record that overlaps these bytes, locked. Skips records that are accessed with several sizes.
pub(crate) fn visit(address: usize, bytes: usize, mut work: impl FnMut(usize, usize, &mut Object)) {
    neighbours(address, bytes, |record| {
        let start = record.address.load(Ordering::Relaxed);
        if start >= address + bytes || record.end() <= address {
            return;
        }
        record.acquire();
        let size = record.bytes.load(Ordering::Relaxed);
        let is_same = record.address.load(Ordering::Relaxed) == start && (1..=16).contains(&size);
        if is_same && !record.is_mixed() {
            // SAFETY: this thread holds the latch, and a record with a size is initialised.
            work(start, usize::from(size), unsafe { record.object() });
        }
        record.latch.release();
    });
}

/// A record of another location that overlaps these bytes. The caller holds the lock on changes.
fn overlapping(address: usize, bytes: u8) -> *mut Record {
    let mut other = null_mut();
    neighbours(address, usize::from(bytes), |record| {
        let stands_alone = record.instead.load(Ordering::Relaxed).is_null();
        let start = record.address.load(Ordering::Relaxed);
        if stands_alone && start != address && start < address + usize::from(bytes) && address < record.end() {
            other = core::ptr::from_ref(record).cast_mut();
        }
    });
    other
}

/// Handles an access that does not fit the record of its address: another record replaces it, or the access has another size than before. Returns the record to use, and its address.
#[cold]
fn mix(record: &'static Record, address: usize, bytes: u8) -> (&'static Record, usize) {
    let _changes = CHANGES.lock();
    // It may already belong to another address. Then the caller searches again.
    if record.address.load(Ordering::Relaxed) != address {
        return (record, address);
    }
    // SAFETY: records live for ever.
    if let Some(instead) = unsafe { record.instead.load(Ordering::Relaxed).as_ref() } {
        return (instead, instead.address.load(Ordering::Relaxed));
    }
    let before = record.bytes.load(Ordering::Relaxed);
    if before == 0 || before == u16::from(bytes) {
        return (record, address);
    }
    record.mixed.store(1, Ordering::Relaxed);
    if u16::from(bytes) < before {
        return (record, address);
    }
    record.bytes.store(u16::from(bytes), Ordering::Relaxed);
    neighbours(address, usize::from(bytes), |other| {
        let start = other.address.load(Ordering::Relaxed);
        if start > address && start < address + usize::from(bytes) {
            other.instead.store(core::ptr::from_ref(record).cast_mut(), Ordering::Relaxed);
            other.bytes.store(u16::MAX, Ordering::Relaxed);
        }
    });
    (record, address)
}

impl Unused {
    fn take(&mut self) -> Name {
        if let Some(name) = self.first {
            self.first = name.record().next.load().name();
            return name;
        }
        if self.left == 0 {
            self.chunk = link::new_chunk();
            self.left = link::CHUNK;
        }
        self.left -= 1;
        Name::new(self.chunk, self.left)
    }
}

/// Forgets the locations in this memory, which is freed or new.
pub(crate) fn forget(address: usize, bytes: usize) {
    crate::schedule::forget(address, bytes);
    let end = address.saturating_add(bytes).min(1 << ADDRESS_BITS);
    let mut page = address;
    while page < end {
        let next_page = ((page >> PAGE_BITS) + 1) << PAGE_BITS;
        match region(page) {
            None => page = ((page >> REGION_BITS) + 1) << REGION_BITS,
            Some(region) => {
                if region.populated[(page >> PAGE_BITS) % PAGES].load(Ordering::Relaxed) != 0 {
                    forget_in_page(region, page, end.min(next_page));
                }
                page = next_page;
            }
        }
    }
}

#[cold]
fn forget_in_page(region: &Region, start: usize, end: usize) {
    let mut unused = CHANGES.lock();
    let mut granule = start / GRANULE * GRANULE;
    while granule < end {
        forget_in_granule(region, granule, start, end, &mut unused);
        granule += GRANULE;
    }
}

fn forget_in_granule(region: &Region, granule: usize, start: usize, end: usize, unused: &mut Unused) {
    let mut link = &region.entries[entry(granule)];
    loop {
        let Some(name) = link.load().name() else { return };
        let candidate = name.record();
        let address = candidate.address.load(Ordering::Relaxed);
        if address < start || address >= end {
            link = &candidate.next;
            continue;
        }
        // A thread that holds the record finishes first; a thread that waits for it will see that it is not in use.
        candidate.latch.acquire();
        link.store(candidate.next.load().name());
        candidate.bytes.store(0, Ordering::Relaxed);
        candidate.address.store(0, Ordering::Relaxed);
        candidate.instead.store(null_mut(), Ordering::Relaxed);
        // SAFETY: it was initialised, and is not used after this.
        unsafe { (*candidate.object.get()).assume_init_drop() };
        candidate.latch.release();
        candidate.next.store(unused.first);
        unused.first = Some(name);
        region.populated[(granule >> PAGE_BITS) % PAGES].fetch_sub(1, Ordering::Relaxed);
    }
}

/// Stops adding and removing records until [`after_fork`].
pub(crate) fn before_fork() {
    CHANGES.hold();
}

/// Undoes [`before_fork`].
pub(crate) fn after_fork() {
    CHANGES.let_go();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory that the holder of a record may use.
    struct Guarded(UnsafeCell<usize>);

    // SAFETY: this is what the test is about: only the thread that has the record uses it.
    unsafe impl Sync for Guarded {}

    /// Threads make, find, lock and forget the records of a few addresses, and records are used again. The test has few steps, so that it can run under controlled schedules.
    #[test]
    fn concurrent_threads_have_a_record_one_at_a_time() {
        const ROUNDS: usize = 6;
        // Two in one granule, one beside them, one in another region.
        const ADDRESSES: [usize; 4] = [0x6000_0000_1000, 0x6000_0000_1002, 0x6000_0000_1004, 0x6000_1000_1000];
        let counters = ADDRESSES.map(|_| Guarded(UnsafeCell::new(0)));
        let work = |forgets: usize| {
            for round in 0..ROUNDS {
                for (address, counter) in ADDRESSES.into_iter().zip(&counters) {
                    let record = lock(address, 2, Intent::Write);
                    // SAFETY: the record is locked.
                    unsafe { *counter.0.get() += 1 };
                    // SAFETY: as `object` requires, the record comes from `lock`.
                    let object = unsafe { record.object() };
                    if matches!(object, Object::Fresh) {
                        *object = Object::Lock(Box::default());
                    }
                    record.unlock();
                    if round % 2 == forgets {
                        forget(address, 2);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| work(0));
            scope.spawn(|| work(1));
        });
        assert!(counters.into_iter().all(|counter| counter.0.into_inner() == 2 * ROUNDS));
    }
}
