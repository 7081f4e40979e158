//! Asking for memory before it is needed.
//!
//! What is known of a column at a state lies at three or four random places of tables that no cache holds. Where the way leads next is known early enough to fetch them beforehand.

/// Says that something will be looked at soon.
#[inline]
#[allow(unsafe_code, reason = "the hint reads nothing and changes nothing, wherever it points")]
pub(super) fn fetch<T>(soon: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is allowed for any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(soon).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}
