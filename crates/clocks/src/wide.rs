//! Joining and copying clocks of several lanes: worth a call, and a look at what the processor can do.

use crate::clock::{LANE, Lane, join_lane};

/// Lane by lane.
fn join_one_by_one(into: &mut [Lane], from: &[Lane]) -> bool {
    into.iter_mut().zip(from).fold(0, |grown, (mine, theirs)| grown | join_lane(mine, theirs)) != 0
}

/// See [`join`](crate::clock::join).
#[allow(unsafe_code, reason = "only we know that the processor was asked")]
#[inline]
pub(crate) fn join(into: &mut [Lane], from: &[Lane]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor can.
        return unsafe { avx2::join(into, from) };
    }
    join_one_by_one(into, from)
}

/// See [`assign`](crate::clock::assign).
pub(crate) fn assign(into: &mut [Lane], from: &[Lane]) {
    // Not in a way that becomes a call of `memcpy`: that takes longer for a few lanes, and in the runtime it would be the function which copies for the program.
    let mut rest = into.iter_mut();
    for theirs in from {
        if let Some(mine) = rest.next() {
            *mine = *theirs;
        }
    }
    rest.for_each(|mine| *mine = [0; LANE]);
}

/// A lane is a register here. What the compiler makes of the loop above writes lanes in part, which takes some processors longer than all the rest.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "these instructions have no safe names")]
mod avx2 {
    use crate::clock::Lane;
    use core::arch::x86_64::{
        __m256i, _mm256_blendv_epi8, _mm256_cmpgt_epi64, _mm256_loadu_si256, _mm256_or_si256, _mm256_set1_epi64x,
        _mm256_setzero_si256, _mm256_storeu_si256, _mm256_testz_si256, _mm256_xor_si256,
    };

    /// # Safety
    /// The processor knows AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn join(into: &mut [Lane], from: &[Lane]) -> bool {
        // SAFETY: a lane has the size of a register, and these loads and stores ask for no alignment.
        unsafe {
            // Comparisons are signed; this makes them unsigned.
            let sign = _mm256_set1_epi64x(i64::MIN);
            let mut grown = _mm256_setzero_si256();
            for (mine, theirs) in into.iter_mut().zip(from) {
                let place: *mut __m256i = core::ptr::from_mut(mine).cast();
                let (old, new) = (_mm256_loadu_si256(place), _mm256_loadu_si256(core::ptr::from_ref(theirs).cast()));
                let later = _mm256_cmpgt_epi64(_mm256_xor_si256(new, sign), _mm256_xor_si256(old, sign));
                _mm256_storeu_si256(place, _mm256_blendv_epi8(old, new, later));
                grown = _mm256_or_si256(grown, later);
            }
            _mm256_testz_si256(grown, grown) == 0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_of_joining_are_the_same() {
        let mut seed = 1u64;
        let mut number = |choices: u64| {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (seed >> 33) % choices
        };
        for _ in 0..100_000 {
            let mut clock = |lanes: usize| -> Vec<Lane> {
                (0..lanes).map(|_| [(); LANE].map(|()| [0, 1, 2, u64::MAX, 1 << 63][number(5) as usize])).collect()
            };
            let (mut mine, theirs) = (clock(6), clock(4));
            let mut expected = mine.clone();
            let grown = join_one_by_one(&mut expected, &theirs);
            assert_eq!((join(&mut mine, &theirs), &mine), (grown, &expected));
            assign(&mut mine, &theirs);
            assert_eq!((&mine[..4], &mine[4..]), (&theirs[..], &[[0; LANE]; 2][..]));
        }
    }
}
