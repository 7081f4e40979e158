//! Prefetching.
//!
//! What is known about a monitor state at a position is at three or four random places of tables that are larger than any cache. The next position is known early enough to prefetch them.

/// Prefetches the cache line of something that will be read soon.
#[inline]
#[allow(unsafe_code, reason = "the hint reads nothing and changes nothing, wherever it points")]
pub(super) fn prefetch<T>(soon: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is allowed for any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(soon).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}
