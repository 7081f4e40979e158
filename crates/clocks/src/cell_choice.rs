//! Chooses the shadow cell for an access, by looking at all four cells together.
//!
//! Most accesses find themselves in a cell, or an older access of the same thread that they replace, or an empty cell. Then only cells with which they could race matter. Other cells stay, even if
//! they are no longer needed; they are replaced when there is no room.

use crate::stamps::NUMBER_MASK;

pub(crate) const READ: u32 = 1 << 30;
pub(crate) const MASK: u32 = 0xff;
/// A cell that says: these bytes are accessed atomically, and the location's record has the details. It conflicts with everything, and equals no stamp.
const MARK: u32 = 0x3fff_ff00;

/// The mark for these bytes.
pub(crate) fn mark(mask: u8) -> u32 {
    MARK | u32::from(mask)
}

/// Whether the cell is a mark.
#[inline]
pub(crate) fn is_mark(cell: u32) -> bool {
    cell & !MASK == MARK
}

/// What to do with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellChoice {
    /// Nothing: the cells contain it, or an access that says as much.
    Recorded,
    /// Put it into this cell, unless it races with a cell of the set (bit n stands for cell n).
    At(usize, u8),
    /// There is no room, unless another cell is replaced.
    Nowhere,
}

/// Whether two accesses race unless they are ordered.
pub(crate) fn conflict(own: u32, cell: u32) -> bool {
    own & cell & READ == 0 && own & cell & MASK != 0
}

/// Whether everything that conflicts with the cell also conflicts with the new access.
pub(crate) fn replaces(own: u32, cell: u32) -> bool {
    cell & MASK & !own == 0 && own & !cell & READ == 0
}

/// Whether the cell has the same stamp number. Then it belongs to the same thread, or to an earlier owner of the number, whose cells no longer count.
pub(crate) fn is_own(own: u32, cell: u32) -> bool {
    (own ^ cell) & NUMBER_MASK == 0
}

/// Whether the cell says as much as the access: it is the same, or the access is a read and the cell is the same with a write.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(crate) fn says_as_much(own: u32, cell: u32) -> bool {
    (cell ^ own) & !(own & READ) == 0
}

/// The choice, computed cell by cell.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(crate) fn one_by_one(cells: [u32; 4], own: u32) -> CellChoice {
    if cells.iter().any(|&cell| says_as_much(own, cell)) {
        return CellChoice::Recorded;
    }
    let bit = |(at, &cell): (usize, &u32)| u8::from(conflict(own, cell) && !is_own(own, cell)) << at;
    let conflicts = cells.iter().enumerate().map(bit).sum();
    let replaced = |&cell: &u32| cell & MASK != 0 && is_own(own, cell) && replaces(own, cell);
    let empty = |&cell: &u32| cell & MASK == 0;
    let choice = cells.iter().position(replaced).or_else(|| cells.iter().position(empty));
    choice.map_or(CellChoice::Nowhere, |choice| CellChoice::At(choice, conflicts))
}

/// The choice, computed for all cells at once.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "instructions for four cells have no safe names in the oldest compiler that we support")]
#[inline]
pub(crate) fn all_at_once(cells: [u32; 4], own: u32) -> CellChoice {
    use core::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_andnot_si128, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_movemask_ps, _mm_or_si128,
        _mm_set1_epi32, _mm_setzero_si128, _mm_xor_si128,
    };
    // SAFETY: every x86_64 has these instructions, and an array of four 32-bit integers has the same size as a register.
    unsafe {
        let all = |bits: u32| _mm_set1_epi32(bits.cast_signed());
        let is_zero = |lanes: __m128i| _mm_cmpeq_epi32(lanes, _mm_setzero_si128());
        let which = |lanes: __m128i| _mm_movemask_ps(_mm_castsi128_ps(lanes)).cast_unsigned();
        let cells: __m128i = core::mem::transmute(cells);
        let access = all(own);
        let different = _mm_xor_si128(cells, access);
        if which(is_zero(_mm_andnot_si128(all(own & READ), different))) != 0 {
            return CellChoice::Recorded;
        }
        let common = _mm_and_si128(cells, access);
        let is_own = is_zero(_mm_and_si128(different, all(NUMBER_MASK)));
        let apart = is_zero(_mm_and_si128(common, all(MASK)));
        let one_writes = is_zero(_mm_and_si128(common, all(READ)));
        let conflicts = which(_mm_andnot_si128(_mm_or_si128(apart, is_own), one_writes)) as u8;
        let empty = is_zero(_mm_and_si128(cells, all(MASK)));
        let beyond = _mm_and_si128(_mm_andnot_si128(access, cells), all(MASK));
        let weaker = _mm_and_si128(_mm_andnot_si128(cells, access), all(READ));
        let replaced = _mm_and_si128(is_zero(_mm_or_si128(beyond, weaker)), _mm_andnot_si128(empty, is_own));
        match (which(replaced), which(empty)) {
            (0, 0) => CellChoice::Nowhere,
            (0, empty) => CellChoice::At(empty.trailing_zeros() as usize, conflicts),
            (replaced, _) => CellChoice::At(replaced.trailing_zeros() as usize, conflicts),
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use one_by_one as all_at_once;

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_random::Rng;

    #[test]
    fn together_they_say_what_each_of_them_says() {
        let mut rng = Rng::new(1);
        let mut cell = || {
            let bits = rng.below(1 << 31) as u32;
            // Few masks, numbers and ticks, so that all cases come often; and empty cells.
            let mask = [0, 0xff, 0x0f, 0xf0, 0x01, 0xff, 0x0f, 0][bits as usize & 7];
            mask | (bits & 0x10) << 4 | (bits & 0x60) << 11 | (bits & 0x80) << 23
        };
        let mut seen = [0; 4];
        for _ in 0..1_000_000 {
            let (cells, own) = ([cell(), cell(), cell(), cell()], cell() | 1);
            let choice = one_by_one(cells, own);
            assert_eq!(all_at_once(cells, own), choice, "{cells:x?} {own:x}");
            seen[match choice {
                CellChoice::Recorded => 0,
                CellChoice::At(_, 0) => 1,
                CellChoice::At(..) => 2,
                CellChoice::Nowhere => 3,
            }] += 1;
        }
        assert!(seen.iter().all(|&times| times > 10_000), "{seen:?}");
    }
}
