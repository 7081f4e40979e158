//! Races: four shadow cells for every eight bytes, as in the third version of `ThreadSanitizer`, tested against RC20's happens-before (`RSan`, appendix B).
//!
//! A cell holds, from the lowest bit: which of the eight bytes (8 bits), the stamp (8 bits for its number, 14 for its tick) and whether it was a read (1). The
//! stamp leads to a slot and a moment ([`StampTable`]), and an access is ordered before the next one of a thread if the thread's clock has reached that moment.
//!
//! Atomic accesses are not in the cells: a location that is accessed atomically has a [`Location`] anyway, and that is where they are remembered ([`touch`](ThreadClocks::touch)). The cells only have
//! a *mark*, so that a plain access knows that it must ask there, too ([`plain_at`](ThreadClocks::plain_at)). An atomic access looks at the cells only if there may be plain ones in them
//! ([`atomic`](ThreadClocks::atomic)), which mostly is not so.
//!
//! # Guarantee
//! What is reported is a race. A race is missed only if its first access was a plain one that was pushed out of the cells, or made by a thread without a stamp, or an atomic write that the log of the location has
//! forgotten, or if two threads replace older accesses of theirs in the same cells at the same time.
//!
//! Deviation from `ThreadSanitizer`: a cell whose races would all be found with the new access as well is the first to go, so that four cells last long.

use crate::home::{Home, MASK, READ, all_at_once, conflict, is_mark, is_own, mark, replaces};
use crate::log::Author;
use crate::stamps::{Stamp, StampTable, Sweep};
use crate::{Epoch, Location, Place, Slot, ThreadClocks};
use std::sync::atomic::{AtomicU32, Ordering};

/// The shadow of eight bytes. All zero means that nobody has accessed them.
#[derive(Debug, Default)]
#[repr(C, align(16))]
pub struct Cells(pub [AtomicU32; 4]);

/// Whether an access reads or writes. A read-modify-write writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// It only reads.
    Read,
    /// It writes.
    Write,
}

/// What became of an access on the [short way](ThreadClocks::plain_alone).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// It was there already, or one that says as much.
    Known,
    /// It is there now, and it does not race.
    New,
    /// It must go the long way.
    No,
}

/// An atomic access was remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Whether the same thread had not done the same since its last release.
    pub is_new: bool,
    /// Whether there may be plain accesses in its shadow, or no mark.
    pub is_disturbed: bool,
}

/// The earlier access of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// Who made it.
    pub slot: Slot,
    /// From which moment of its thread on others know it.
    pub since: Epoch,
    /// Which of the eight bytes it accessed.
    pub mask: u8,
    /// Whether it read or wrote.
    pub direction: Direction,
    /// Whether it was atomic.
    pub atomic: bool,
    /// Where in the program, if that is known here.
    pub place: Option<Place>,
}

/// Where the mark is, if there is one.
const LAST: usize = 3;

impl ThreadClocks {
    /// A plain access to the bytes in `mask`. Checks it against the plain accesses that others made there and remembers it. If the cells are then [marked](Cells::is_marked), it must be checked
    /// against atomic ones as well.
    #[inline]
    pub fn plain(&mut self, cells: &Cells, table: &StampTable, mask: u8, direction: Direction) -> Option<Race> {
        let own = self.own(mask, direction);
        let values = cells.values();
        match all_at_once(values, own) {
            Home::Recorded => None,
            Home::At(home, others)
                if Stamp::is_valid(own)
                    && self.are_ordered(values, others, table)
                    && cells.claim(home, values[home], own) =>
            {
                None
            }
            _ => self.compare(cells, table, own),
        }
    }

    /// Checks a plain access, which is in the cells already, against the atomic ones to this location, of which it accesses the bytes in `mask`. The location is locked.
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

    /// Remembers the atomic access that was just made to a location, for plain ones that come later. Says whether there may be plain ones that came before: then
    /// [`atomic`](Self::atomic) follows. The location stays locked until after this.
    #[inline]
    pub fn touch(&self, location: &mut Location, direction: Direction) -> Touched {
        let is_new = match direction {
            Direction::Read => location.read_at(self.slot, self.since),
            Direction::Write => location.watch(),
        };
        Touched { is_new, is_disturbed: !location.is_quiet }
    }

    /// Checks the atomic access that was just made to a location, and to the bytes in `mask`, against plain ones. Says also whether there are any, ordered or not: only if not, the location can be
    /// [left alone](Location::leave_alone).
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

    /// The short way of [`plain`](Self::plain): does the same if there is no race, no mark, and room enough. Else it does nothing, and says so.
    #[inline]
    pub fn plain_alone(&self, cells: &Cells, table: &StampTable, mask: u8, direction: Direction) -> Alone {
        if !self.stamp.is_held() {
            return Alone::No;
        }
        let own = self.own(mask, direction);
        let values = cells.values();
        match all_at_once(values, own) {
            Home::Recorded => Alone::Known,
            Home::At(home, others)
                if self.are_ordered(values, others, table) && cells.claim(home, values[home], own) =>
            {
                Alone::New
            }
            _ => Alone::No,
        }
    }

    /// The same for sixteen bytes. Both halves mostly have the same history.
    #[inline]
    pub fn both_alone(&self, cells: &[Cells; 2], table: &StampTable, direction: Direction) -> Alone {
        if !self.stamp.is_held() {
            return Alone::No;
        }
        let values = cells[0].values();
        if values != cells[1].values() {
            return match (
                self.plain_alone(&cells[0], table, 0xff, direction),
                self.plain_alone(&cells[1], table, 0xff, direction),
            ) {
                (Alone::No, _) | (_, Alone::No) => Alone::No,
                (Alone::Known, Alone::Known) => Alone::Known,
                _ => Alone::New,
            };
        }
        let own = self.own(0xff, direction);
        match all_at_once(values, own) {
            Home::Recorded => Alone::Known,
            Home::At(home, others)
                if self.are_ordered(values, others, table)
                    && cells.iter().all(|half| half.claim(home, values[home], own)) =>
            {
                Alone::New
            }
            _ => Alone::No,
        }
    }

    /// Whether all cells of a set were before what this thread does now. Of a mark that is not known.
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
        // Others may take the empty cell. There are four.
        for _ in 0..4 {
            let (home, old) = self.find_home(cells, table, own, &mut race);
            if !Stamp::is_valid(own) || cells.claim(home, old, own) {
                break;
            }
        }
        race
    }

    /// A cell for an access, with what is in it; and the access that it races with.
    fn find_home(&mut self, cells: &Cells, table: &StampTable, own: u32, race: &mut Option<Race>) -> (usize, u32) {
        let mut home = None;
        for (at, place) in cells.0.iter().enumerate() {
            let cell = place.load(Ordering::Relaxed);
            if cell & MASK == 0 {
                home = home.or(Some((at, cell)));
                continue;
            }
            if is_mark(cell) {
                continue;
            }
            // A cell with the same number is our own, or of an earlier borrower, whose cells are not looked at any more.
            let ordered = is_own(own, cell) || self.is_ordered(cell, table);
            if ordered && replaces(own, cell) {
                match home {
                    None => home = Some((at, cell)),
                    Some(_) => place.store(0, Ordering::Relaxed),
                }
            } else if !ordered && conflict(own, cell) {
                *race = race.or_else(|| self.confirm(place, table, own));
            }
        }
        home.unwrap_or_else(|| {
            let most = if cells.is_marked(0xff) { LAST as u64 } else { 4 };
            // Whatever it is, it goes.
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

    /// Looks again, so that a cell is not taken for one of a later owner of its number.
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
    /// All four. Each is read at once; together they need not be.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "the compiler knows no load of four atomics")]
    #[inline]
    fn values(&self) -> [u32; 4] {
        let cells: core::arch::x86_64::__m128i;
        // SAFETY: the cells are aligned to sixteen bytes, every x86_64 has this instruction, and what it reads are four integers.
        unsafe {
            core::arch::asm!(
                "movdqa {}, xmmword ptr [{}]", out(xmm_reg) cells, in(reg) self, options(nostack, readonly, preserves_flags)
            );
            core::mem::transmute(cells)
        }
    }

    /// All four, one after the other.
    #[cfg(not(target_arch = "x86_64"))]
    fn values(&self) -> [u32; 4] {
        [0, 1, 2, 3].map(|at: usize| self.0[at].load(Ordering::Relaxed))
    }

    /// Puts an access into a cell. An empty one may be taken meanwhile by somebody else, with whom it may race: then it is not changed. (Two threads that begin at the same time would not see each other otherwise, because
    /// it takes the system microseconds to provide the memory of the first cell on a page.) Another cell is replaced without asking.
    #[inline]
    fn claim(&self, home: usize, old: u32, own: u32) -> bool {
        let cell = &self.0[home];
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

    /// Marks these bytes, and says whether another cell had to go for it. Rather one of another thread that is known: whoever comes later probably knows it, too.
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

    /// Forgets all accesses, as when memory is freed and used again.
    pub fn clear(&self) {
        self.0.iter().for_each(|cell| cell.store(0, Ordering::Relaxed));
    }

    /// Removes the cells whose numbers are being swept.
    pub fn sweep(&self, sweep: &Sweep) {
        for place in &self.0 {
            let cell = place.load(Ordering::Relaxed);
            if sweep.removes(cell) {
                // If somebody has just put another one there, it is not ours to remove.
                let _ = place.compare_exchange(cell, 0, Ordering::Release, Ordering::Relaxed);
            }
        }
    }
}
