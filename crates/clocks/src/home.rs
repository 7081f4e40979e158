//! Where a shadow access goes: all four cells are looked at together.
//!
//! Most accesses find themselves in the cells already, or an older one of the same thread that they replace, or an empty cell. Then only those cells matter that they could race with. The others stay even if
//! they could go: that is seen to when there is no room.

use crate::stamps::NUMBER_MASK;

pub(crate) const READ: u32 = 1 << 30;
pub(crate) const MASK: u32 = 0xff;
/// A cell that says that these bytes are accessed atomically, too: who did that is written elsewhere. It conflicts with everything, and no stamp is the same.
const MARK: u32 = 0x3fff_ff00;

/// The mark of these bytes.
pub(crate) fn mark(mask: u8) -> u32 {
    MARK | u32::from(mask)
}

/// Whether the cell is a mark.
#[inline]
pub(crate) fn is_mark(cell: u32) -> bool {
    cell & !MASK == MARK
}

/// What is to be done with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// Nothing: it is there, or one that says as much.
    Recorded,
    /// It goes into this cell, unless it races with one of those in the set: the cell with number n is the bit n.
    At(usize, u8),
    /// There is no room for it, unless another cell can go.
    Nowhere,
}

/// Whether the two race unless they are ordered.
pub(crate) fn conflict(own: u32, cell: u32) -> bool {
    own & cell & READ == 0 && own & cell & MASK != 0
}

/// Whether everything that conflicts with the cell conflicts with the new access, too.
pub(crate) fn replaces(own: u32, cell: u32) -> bool {
    cell & MASK & !own == 0 && own & !cell & READ == 0
}

/// Whether the cell has the same number, so that it is of the same thread, or of an earlier borrower, whose cells are not looked at any more.
pub(crate) fn is_own(own: u32, cell: u32) -> bool {
    (own ^ cell) & NUMBER_MASK == 0
}

/// Whether the cell says all that the access would: it is the same, or the same write for a read.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(crate) fn says_as_much(own: u32, cell: u32) -> bool {
    (cell ^ own) & !(own & READ) == 0
}

/// What is to be done, cell by cell.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(crate) fn one_by_one(cells: [u32; 4], own: u32) -> Home {
    if cells.iter().any(|&cell| says_as_much(own, cell)) {
        return Home::Recorded;
    }
    let bit = |(at, &cell): (usize, &u32)| u8::from(conflict(own, cell) && !is_own(own, cell)) << at;
    let conflicts = cells.iter().enumerate().map(bit).sum();
    let replaced = |&cell: &u32| cell & MASK != 0 && is_own(own, cell) && replaces(own, cell);
    let empty = |&cell: &u32| cell & MASK == 0;
    let home = cells.iter().position(replaced).or_else(|| cells.iter().position(empty));
    home.map_or(Home::Nowhere, |home| Home::At(home, conflicts))
}

/// The same, all at once.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "instructions for four cells have no safe names in the oldest compiler that we support")]
#[inline]
pub(crate) fn all_at_once(cells: [u32; 4], own: u32) -> Home {
    use core::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_andnot_si128, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_movemask_ps, _mm_or_si128,
        _mm_set1_epi32, _mm_setzero_si128, _mm_xor_si128,
    };
    // SAFETY: every x86_64 has these instructions, and four integers of 32 bits are as good as one of 128.
    unsafe {
        let all = |bits: u32| _mm_set1_epi32(bits.cast_signed());
        let is_zero = |lanes: __m128i| _mm_cmpeq_epi32(lanes, _mm_setzero_si128());
        let which = |lanes: __m128i| _mm_movemask_ps(_mm_castsi128_ps(lanes)).cast_unsigned();
        let cells: __m128i = core::mem::transmute(cells);
        let access = all(own);
        let different = _mm_xor_si128(cells, access);
        if which(is_zero(_mm_andnot_si128(all(own & READ), different))) != 0 {
            return Home::Recorded;
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
            (0, 0) => Home::Nowhere,
            (0, empty) => Home::At(empty.trailing_zeros() as usize, conflicts),
            (replaced, _) => Home::At(replaced.trailing_zeros() as usize, conflicts),
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use one_by_one as all_at_once;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn together_they_say_what_each_of_them_says() {
        let mut seed = 1u64;
        let mut cell = || {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let bits = (seed >> 33) as u32;
            // Few masks, numbers and ticks, so that all cases come often; and empty cells.
            let mask = [0, 0xff, 0x0f, 0xf0, 0x01, 0xff, 0x0f, 0][bits as usize & 7];
            mask | (bits & 0x10) << 4 | (bits & 0x60) << 11 | (bits & 0x80) << 23
        };
        let mut seen = [0; 4];
        for _ in 0..1_000_000 {
            let (cells, own) = ([cell(), cell(), cell(), cell()], cell() | 1);
            let home = one_by_one(cells, own);
            assert_eq!(all_at_once(cells, own), home, "{cells:x?} {own:x}");
            seen[match home {
                Home::Recorded => 0,
                Home::At(_, 0) => 1,
                Home::At(..) => 2,
                Home::Nowhere => 3,
            }] += 1;
        }
        assert!(seen.iter().all(|&times| times > 10_000), "{seen:?}");
    }
}
