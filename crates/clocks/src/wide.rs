//! Joining and copying clocks of several lanes, with wide instructions if the processor has them.

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

/// See [`join_twice`](crate::clock::join_twice), except for what is beyond the length of `from`.
#[allow(unsafe_code, reason = "as above")]
#[inline]
pub(crate) fn join_twice(into: &mut [Lane], copy: &mut [Lane], from: &[Lane]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor can.
        return unsafe { avx2::join_twice(into, copy, from) };
    }
    join_twice_one_by_one(into, copy, from)
}

fn join_twice_one_by_one(into: &mut [Lane], copy: &mut [Lane], from: &[Lane]) -> bool {
    let knew_more = !covers_one_by_one(from, &into[..from.len().min(into.len())]);
    join_one_by_one(into, from);
    into.iter().zip(copy).zip(from).for_each(|((mine, copy), _)| *copy = *mine);
    knew_more
}

/// Whether the second clock knows no more than the first, as far as both go.
#[allow(unsafe_code, reason = "as above")]
#[inline]
pub(crate) fn covers(mine: &[Lane], theirs: &[Lane]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor can.
        return unsafe { avx2::covers(mine, theirs) };
    }
    covers_one_by_one(mine, theirs)
}

fn covers_one_by_one(mine: &[Lane], theirs: &[Lane]) -> bool {
    mine.iter().flatten().zip(theirs.iter().flatten()).all(|(mine, theirs)| theirs <= mine)
}

/// See [`assign`](crate::clock::assign).
#[allow(unsafe_code, reason = "as above")]
#[inline]
pub(crate) fn assign(into: &mut [Lane], from: &[Lane]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor can.
        unsafe { avx2::assign(into, from) };
        into.iter_mut().skip(from.len()).for_each(|mine| *mine = [0; LANE]);
        return;
    }
    assign_one_by_one(into, from);
}

/// It must not compile to a call of `memcpy`: for a few lanes that takes longer, and in the runtime `memcpy` would be the function that copies for the program.
fn assign_one_by_one(into: &mut [Lane], from: &[Lane]) {
    let mut rest = into.iter_mut();
    for theirs in from {
        if let Some(mine) = rest.next() {
            *mine = *theirs;
        }
    }
    rest.for_each(|mine| *mine = [0; LANE]);
}

/// With AVX2, a lane is a register. What the compiler makes of the loop above writes parts of lanes, which on some processors takes longer than everything else.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "these instructions have no safe names")]
mod avx2 {
    use crate::clock::Lane;
    use core::arch::x86_64::{
        __m256i, _mm256_loadu_si256, _mm256_max_epu32, _mm256_or_si256, _mm256_setzero_si256, _mm256_storeu_si256,
        _mm256_testz_si256, _mm256_xor_si256,
    };

    /// # Safety
    /// The processor knows AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn join(into: &mut [Lane], from: &[Lane]) -> bool {
        // SAFETY: a lane has the size of a register, and these loads and stores ask for no alignment.
        unsafe {
            let mut grown = _mm256_setzero_si256();
            for (mine, theirs) in into.iter_mut().zip(from) {
                let place: *mut __m256i = core::ptr::from_mut(mine).cast();
                let (old, new) = (_mm256_loadu_si256(place), _mm256_loadu_si256(core::ptr::from_ref(theirs).cast()));
                let later = _mm256_max_epu32(old, new);
                _mm256_storeu_si256(place, later);
                grown = _mm256_or_si256(grown, _mm256_xor_si256(later, old));
            }
            _mm256_testz_si256(grown, grown) == 0
        }
    }

    /// # Safety
    /// The processor knows AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn join_twice(into: &mut [Lane], copy: &mut [Lane], from: &[Lane]) -> bool {
        // SAFETY: the processor knows AVX2, as the caller says; lanes are as large as a register, and the loads and stores need no alignment.
        unsafe {
            let mut more = _mm256_setzero_si256();
            for ((mine, copy), theirs) in into.iter_mut().zip(copy).zip(from) {
                let place: *mut __m256i = core::ptr::from_mut(mine).cast();
                let (old, new) = (_mm256_loadu_si256(place), _mm256_loadu_si256(core::ptr::from_ref(theirs).cast()));
                let later = _mm256_max_epu32(old, new);
                _mm256_storeu_si256(place, later);
                _mm256_storeu_si256(core::ptr::from_mut(copy).cast(), later);
                more = _mm256_or_si256(more, _mm256_xor_si256(later, new));
            }
            _mm256_testz_si256(more, more) == 0
        }
    }

    /// # Safety
    /// The processor knows AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn covers(mine: &[Lane], theirs: &[Lane]) -> bool {
        // SAFETY: the processor knows AVX2, as the caller says; lanes are as large as a register, and the loads need no alignment.
        unsafe {
            let mut more = _mm256_setzero_si256();
            for (mine, theirs) in mine.iter().zip(theirs) {
                let mine = _mm256_loadu_si256(core::ptr::from_ref(mine).cast());
                let theirs = _mm256_loadu_si256(core::ptr::from_ref(theirs).cast());
                more = _mm256_or_si256(more, _mm256_xor_si256(_mm256_max_epu32(mine, theirs), mine));
            }
            _mm256_testz_si256(more, more) != 0
        }
    }

    /// # Safety
    /// The processor knows AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn assign(into: &mut [Lane], from: &[Lane]) {
        // SAFETY: the processor knows AVX2, as the caller says; lanes are as large as a register, and the loads and stores need no alignment.
        unsafe {
            for (mine, theirs) in into.iter_mut().zip(from) {
                let theirs = _mm256_loadu_si256(core::ptr::from_ref(theirs).cast());
                _mm256_storeu_si256(core::ptr::from_mut(mine).cast(), theirs);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_random::Rng;

    #[test]
    fn all_ways_of_joining_are_the_same() {
        let mut rng = Rng::new(1);
        for _ in 0..100_000 {
            let mut clock = |lanes: usize| -> Vec<Lane> {
                (0..lanes).map(|_| [(); LANE].map(|()| [0, 1, 2, u32::MAX, 1 << 31][rng.below(5)])).collect()
            };
            let (mut mine, theirs) = (clock(6), clock(4));
            let mut expected = mine.clone();
            let grown = join_one_by_one(&mut expected, &theirs);
            let (mut again, mut copies) = (mine.clone(), [vec![[7; LANE]; 6], vec![[7; LANE]; 6]]);
            assert_eq!(covers(&mine, &theirs), covers_one_by_one(&mine, &theirs));
            assert_eq!(!join(&mut mine.clone(), &theirs), covers(&mine, &theirs));
            let mut slowly = mine.clone();
            let knew_more = join_twice_one_by_one(&mut slowly, &mut copies[0], &theirs);
            assert_eq!(join_twice(&mut again, &mut copies[1], &theirs), knew_more);
            assert_eq!((&again, &copies[1], &copies[1][..4]), (&slowly, &copies[0], &slowly[..4]));
            assert_eq!((join(&mut mine, &theirs), &mine), (grown, &expected));
            assert_eq!(slowly, expected);
            let mut slowly = mine.clone();
            assign_one_by_one(&mut slowly, &theirs);
            assign(&mut mine, &theirs);
            assert_eq!(mine, slowly);
            assert_eq!((&mine[..4], &mine[4..]), (&theirs[..], &[[0; LANE]; 2][..]));
        }
    }
}
