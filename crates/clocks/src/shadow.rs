//! Races: four shadow cells for every eight bytes, as in the third version of `ThreadSanitizer`, tested against RC20's happens-before (`RSan`, appendix B).
//!
//! A cell contains, from the lowest bit: a mask of the eight bytes (8 bits), a stamp (8 bits for its number, 14 for its tick), and whether it was a read (1). The
//! stamp stands for a slot and a moment ([`StampTable`]). An access is ordered before the next access of a thread if the thread's clock has reached that moment.
//!
//! Atomic accesses are not in the cells: a location with atomic accesses has a [`Location`] anyway, which remembers them ([`touch`](ThreadClocks::touch)). The cells only have
//! a *mark*, which tells a plain access to ask the location, too ([`plain_at`](ThreadClocks::plain_at)). An atomic access looks at the cells only if they may contain plain accesses
//! ([`atomic`](ThreadClocks::atomic)), which is rare.
//!
//! # Guarantee
//! Every reported race is a race. A race is missed only in these cases: its first access was plain and has been replaced in the cells; its first access was made by a thread without a stamp; its
//! first access was an atomic write that the log has forgotten; two threads replaced older accesses of their own in the same cells at the same time.
//!
//! Deviation from `ThreadSanitizer`: a cell is replaced first if all its races would also be found with the new access, so that four cells last long.

use crate::cell_choice::{CellChoice, MASK, READ, all_at_once, conflict, is_mark, is_own, mark, replaces};
use crate::log::Author;
use crate::stamps::{Stamp, StampTable, Sweep};
use crate::{Epoch, Location, Place, Slot, ThreadClocks};
use std::sync::atomic::{AtomicU32, Ordering};

/// The shadow of eight bytes. All zero means: no accesses.
#[derive(Debug, Default)]
#[repr(C, align(16))]
pub struct Cells(pub [AtomicU32; 4]);

/// Whether an access reads or writes. A read-modify-write counts as a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// It only reads.
    Read,
    /// It writes.
    Write,
}

/// The result of the [fast path](ThreadClocks::plain_fast).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastPath {
    /// The cells contained the access already, or one that says as much.
    Known,
    /// The cells contain the access now, and it does not race.
    New,
    /// Nothing was done; the access must take the slow path.
    No,
}

/// The result of recording an atomic access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Whether the same thread had not made the same access since its last release.
    pub is_new: bool,
    /// Whether its shadow may contain plain accesses, or has no mark.
    pub is_disturbed: bool,
}

/// The earlier access of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The slot of its thread.
    pub slot: Slot,
    /// The moment of its thread from which on others know of it.
    pub since: Epoch,
    /// The bytes that it accessed.
    pub mask: u8,
    /// Whether it read or wrote.
    pub direction: Direction,
    /// Whether it was atomic.
    pub atomic: bool,
    /// Its place in the program, if that is known here.
    pub place: Option<Place>,
}

/// The cell for the mark, if there is one.
const LAST: usize = 3;

impl ThreadClocks {
    /// Checks a plain access to the bytes in `mask` against the plain accesses of other threads, and records it. If the cells are then [marked](Cells::is_marked), the caller must also check
    /// it against atomic accesses.
    #[inline]
    pub fn plain(&mut self, cells: &Cells, table: &StampTable, mask: u8, direction: Direction) -> Option<Race> {
        let own = self.own(mask, direction);
        let values = cells.values();
        match all_at_once(values, own) {
            CellChoice::Recorded => None,
            CellChoice::At(cell_number, others)
                if Stamp::is_valid(own)
                    && self.are_ordered(values, others, table)
                    && cells.claim(cell_number, values[cell_number], own) =>
            {
                None
            }
            _ => self.compare(cells, table, own),
        }
    }

    /// Checks a plain access, which the cells contain already, against the atomic accesses to this location. It accesses the bytes in `mask` of the location. The caller holds the location's lock.
    #[cold]
    pub fn plain_at(&self, location: &mut Location, mask: u8, direction: Direction) -> Option<Race> {
        let race = |slot, since, direction, place| Race { slot, since, mask, direction, atomic: true, place };
        location.is_quiet = false;
        let is_unknown = |author: Author| author.slot() != self.slot && !author.known_to(&self.hb.current);
        let written = location.body.newest_watched(|entry| is_unknown(entry.author));
        if let Some(entry) = written {
            return Some(race(entry.author.slot(), entry.author.epoch(), Direction::Write, Some(entry.place)));
        }
        if direction == Direction::Read {
            return None;
        }
        let read = location.readers_at().find(|&(slot, since)| slot != self.slot && self.hb.current.get(slot) < since);
        read.map(|(slot, since)| race(slot, since, Direction::Read, None))
    }

    /// Records the atomic access that was just made to a location, for later plain accesses. The result says whether there may be earlier plain accesses; then
    /// [`atomic`](Self::atomic) must follow. The caller holds the location's lock until after this.
    #[inline]
    pub fn touch(&self, location: &mut Location, direction: Direction) -> Touched {
        let is_new = match direction {
            Direction::Read => location.read_at(self.slot, self.since),
            Direction::Write => location.watch(),
        };
        Touched { is_new, is_disturbed: !location.is_quiet }
    }

    /// Checks the atomic access that was just made to the bytes in `mask` against plain accesses. Also returns whether there are any plain accesses, ordered or not: only if there are none, the
    /// location can be [left alone](Location::leave_alone).
    pub fn atomic(
        &mut self,
        cells: &Cells,
        table: &StampTable,
        mask: u8,
        direction: Direction,
    ) -> (Option<Race>, bool) {
        let own = self.own(mask, direction);
        let (mut race, mut any) = (None, false);
        for place in &cells.0 {
            let cell = place.load(Ordering::Relaxed);
            if cell & own & MASK != 0 && !is_mark(cell) {
                any = true;
                if conflict(own, cell) && !self.is_ordered(cell, table) {
                    race = race.or_else(|| self.confirm(place, table, own));
                }
            }
        }
        if cells.mark(mask, |cell| !is_own(own, cell) && self.is_ordered(cell, table)) {
            self.stamp.lose();
        }
        (race, any)
    }

    /// The fast path of [`plain`](Self::plain): does the same if there is no race, no mark, and enough room. Otherwise it does nothing.
    #[inline]
    pub fn plain_fast(&self, cells: &Cells, table: &StampTable, mask: u8, direction: Direction) -> FastPath {
        if !self.stamp.is_held() {
            return FastPath::No;
        }
        let own = self.own(mask, direction);
        let values = cells.values();
        match all_at_once(values, own) {
            CellChoice::Recorded => FastPath::Known,
            CellChoice::At(cell_number, others)
                if self.are_ordered(values, others, table) && cells.claim(cell_number, values[cell_number], own) =>
            {
                FastPath::New
            }
            _ => FastPath::No,
        }
    }

    /// The same for sixteen bytes. Usually both halves have the same history.
    #[inline]
    pub fn both_fast(&self, cells: &[Cells; 2], table: &StampTable, direction: Direction) -> FastPath {
        if !self.stamp.is_held() {
            return FastPath::No;
        }
        let values = cells[0].values();
        if values != cells[1].values() {
            return match (
                self.plain_fast(&cells[0], table, 0xff, direction),
                self.plain_fast(&cells[1], table, 0xff, direction),
            ) {
                (FastPath::No, _) | (_, FastPath::No) => FastPath::No,
                (FastPath::Known, FastPath::Known) => FastPath::Known,
                _ => FastPath::New,
            };
        }
        let own = self.own(0xff, direction);
        match all_at_once(values, own) {
            CellChoice::Recorded => FastPath::Known,
            CellChoice::At(cell_number, others)
                if self.are_ordered(values, others, table)
                    && cells.iter().all(|half| half.claim(cell_number, values[cell_number], own)) =>
            {
                FastPath::New
            }
            _ => FastPath::No,
        }
    }

    /// Whether all cells of a set are ordered before the next access of this thread. For a mark this is not known.
    #[inline]
    fn are_ordered(&self, cells: [u32; 4], mut which: u8, table: &StampTable) -> bool {
        while which != 0 {
            let cell = cells[which.trailing_zeros() as usize % 4];
            if is_mark(cell) || !self.is_ordered(cell, table) {
                return false;
            }
            which &= which - 1;
        }
        true
    }

    #[inline]
    fn own(&self, mask: u8, direction: Direction) -> u32 {
        let reading = if direction == Direction::Read { READ } else { 0 };
        u32::from(mask) | self.stamp.bits() | reading
    }

    #[inline(never)]
    fn compare(&mut self, cells: &Cells, table: &StampTable, own: u32) -> Option<Race> {
        let mut race = None;
        // Another thread may take the empty cell. There are four.
        for _ in 0..4 {
            let (cell_number, old) = self.find_cell(cells, table, own, &mut race);
            if !Stamp::is_valid(own) || cells.claim(cell_number, old, own) {
                break;
            }
        }
        race
    }

    /// Finds a cell for an access. Returns its number and content, and the access that it races with, if any.
    fn find_cell(&mut self, cells: &Cells, table: &StampTable, own: u32, race: &mut Option<Race>) -> (usize, u32) {
        let mut cell_number = None;
        for (at, place) in cells.0.iter().enumerate() {
            let cell = place.load(Ordering::Relaxed);
            if cell & MASK == 0 {
                cell_number = cell_number.or(Some((at, cell)));
                continue;
            }
            if is_mark(cell) {
                continue;
            }
            // A cell with the same number belongs to this thread, or to an earlier owner of the number, whose cells no longer count.
            let ordered = is_own(own, cell) || self.is_ordered(cell, table);
            if ordered && replaces(own, cell) {
                match cell_number {
                    None => cell_number = Some((at, cell)),
                    Some(_) => place.store(0, Ordering::Relaxed),
                }
            } else if !ordered && conflict(own, cell) {
                *race = race.or_else(|| self.confirm(place, table, own));
            }
        }
        cell_number.unwrap_or_else(|| {
            let most = if cells.is_marked(0xff) { LAST as u64 } else { 4 };
            // The old content does not matter.
            (if Stamp::is_valid(own) { self.stamp.pick_victim(most) } else { 0 }, MASK)
        })
    }

    #[inline]
    fn is_ordered(&self, cell: u32, table: &StampTable) -> bool {
        table.origin(cell).is_none_or(|(slot, since, _)| self.has_reached(slot, since))
    }

    #[inline]
    fn has_reached(&self, slot: Slot, since: Epoch) -> bool {
        slot == self.slot || self.hb.current.get(slot) >= since
    }

    /// Reads the cell again, so that it is not taken for a cell of a later owner of its number.
    #[cold]
    fn confirm(&self, place: &AtomicU32, table: &StampTable, own: u32) -> Option<Race> {
        let (_, _, owner) = table.origin(place.load(Ordering::Acquire))?;
        let cell = place.load(Ordering::Acquire);
        let (slot, since, same) = table.origin(cell)?;
        if cell & MASK == 0 || is_mark(cell) || owner != same || self.has_reached(slot, since) || !conflict(own, cell) {
            return None;
        }
        Some(Race {
            slot,
            since,
            mask: cell as u8,
            direction: if cell & READ != 0 { Direction::Read } else { Direction::Write },
            atomic: false,
            place: None,
        })
    }
}

impl Cells {
    /// All four cells. Each is read atomically; together they are not.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "the compiler knows no load of four atomics")]
    #[inline]
    fn values(&self) -> [u32; 4] {
        let cells: core::arch::x86_64::__m128i;
        // SAFETY: the cells are aligned to sixteen bytes, every x86_64 has this instruction, and it reads four integers.
        unsafe {
            core::arch::asm!(
                "movdqa {}, xmmword ptr [{}]", out(xmm_reg) cells, in(reg) self, options(nostack, readonly, preserves_flags)
            );
            core::mem::transmute(cells)
        }
    }

    /// All four cells, one after the other.
    #[cfg(not(target_arch = "x86_64"))]
    fn values(&self) -> [u32; 4] {
        [0, 1, 2, 3].map(|at: usize| self.0[at].load(Ordering::Relaxed))
    }

    /// Puts an access into a cell. Another thread may take an empty cell at the same time, and may race with this access: then the cell is not changed. (Otherwise two threads whose first
    /// accesses come at the same time would miss each other, because it takes the system microseconds to provide the page.) A cell that is not empty is replaced without a check.
    #[inline]
    fn claim(&self, cell_number: usize, old: u32, own: u32) -> bool {
        let cell = &self.0[cell_number];
        if old & MASK == 0 {
            return cell.compare_exchange(old, own, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        }
        cell.store(own, Ordering::Relaxed);
        true
    }

    /// Whether some of these bytes are accessed atomically, too.
    #[inline]
    pub fn is_marked(&self, mask: u8) -> bool {
        let cell = self.0[LAST].load(Ordering::Relaxed);
        is_mark(cell) && cell & u32::from(mask) != 0
    }

    /// Marks these bytes. Returns whether another cell was lost. A cell that this thread already knows is replaced first, because later threads probably know it, too.
    fn mark(&self, mask: u8, is_known: impl Fn(u32) -> bool) -> bool {
        let update = |cell| Some(if is_mark(cell) { cell | u32::from(mask) } else { mark(mask) });
        let (Ok(old) | Err(old)) = self.0[LAST].fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
        if is_mark(old) || old & MASK == 0 {
            return false;
        }
        let find = |test: &dyn Fn(u32) -> bool| self.0[..LAST].iter().find(|cell| test(cell.load(Ordering::Relaxed)));
        let empty = find(&|cell| cell & MASK == 0);
        let room = empty.or_else(|| if is_known(old) { None } else { find(&is_known) });
        room.inspect(|cell| cell.store(old, Ordering::Relaxed));
        empty.is_none()
    }

    /// Removes all accesses, for memory that is freed or used again.
    pub fn clear(&self) {
        self.0.iter().for_each(|cell| cell.store(0, Ordering::Relaxed));
    }

    /// Removes the cells whose stamp numbers are being swept.
    pub fn sweep(&self, sweep: &Sweep) {
        for place in &self.0 {
            let cell = place.load(Ordering::Relaxed);
            if sweep.removes(cell) {
                // If another thread has just replaced it, the new cell stays.
                let _ = place.compare_exchange(cell, 0, Ordering::Release, Ordering::Relaxed);
            }
        }
    }
}
