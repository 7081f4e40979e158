//! Asking for memory before it is needed.

/// Says that this will be needed soon. Nothing depends on it but time.
#[allow(unsafe_code, reason = "a hint that cannot do harm has no safe name")]
#[inline]
pub(crate) fn soon<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86_64 has this instruction, and it changes nothing.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
