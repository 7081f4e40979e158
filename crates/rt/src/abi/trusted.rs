//! `__steadfast_trusted_atomic*`: the accesses of trusted code. No compiler emits calls of these functions; `steadfast cargo` puts them in place of `ThreadSanitizer`'s functions
//! in its copy of Rust's standard library.

#[cfg(not(test))]
mod exports {
    use crate::abi::shim::shim_of_trusted;

    shim_of_trusted! {
        __steadfast_trusted_atomic8_load => __tsan_atomic8_load
        __steadfast_trusted_atomic8_store => __tsan_atomic8_store
        __steadfast_trusted_atomic8_exchange => __tsan_atomic8_exchange
        __steadfast_trusted_atomic8_fetch_add => __tsan_atomic8_fetch_add
        __steadfast_trusted_atomic8_fetch_sub => __tsan_atomic8_fetch_sub
        __steadfast_trusted_atomic8_fetch_and => __tsan_atomic8_fetch_and
        __steadfast_trusted_atomic8_fetch_or => __tsan_atomic8_fetch_or
        __steadfast_trusted_atomic8_fetch_xor => __tsan_atomic8_fetch_xor
        __steadfast_trusted_atomic8_fetch_nand => __tsan_atomic8_fetch_nand
        __steadfast_trusted_atomic8_compare_exchange_strong => __tsan_atomic8_compare_exchange_strong
        __steadfast_trusted_atomic8_compare_exchange_weak => __tsan_atomic8_compare_exchange_weak
        __steadfast_trusted_atomic8_compare_exchange_val => __tsan_atomic8_compare_exchange_val
        __steadfast_trusted_atomic16_load => __tsan_atomic16_load
        __steadfast_trusted_atomic16_store => __tsan_atomic16_store
        __steadfast_trusted_atomic16_exchange => __tsan_atomic16_exchange
        __steadfast_trusted_atomic16_fetch_add => __tsan_atomic16_fetch_add
        __steadfast_trusted_atomic16_fetch_sub => __tsan_atomic16_fetch_sub
        __steadfast_trusted_atomic16_fetch_and => __tsan_atomic16_fetch_and
        __steadfast_trusted_atomic16_fetch_or => __tsan_atomic16_fetch_or
        __steadfast_trusted_atomic16_fetch_xor => __tsan_atomic16_fetch_xor
        __steadfast_trusted_atomic16_fetch_nand => __tsan_atomic16_fetch_nand
        __steadfast_trusted_atomic16_compare_exchange_strong => __tsan_atomic16_compare_exchange_strong
        __steadfast_trusted_atomic16_compare_exchange_weak => __tsan_atomic16_compare_exchange_weak
        __steadfast_trusted_atomic16_compare_exchange_val => __tsan_atomic16_compare_exchange_val
        __steadfast_trusted_atomic32_load => __tsan_atomic32_load
        __steadfast_trusted_atomic32_store => __tsan_atomic32_store
        __steadfast_trusted_atomic32_exchange => __tsan_atomic32_exchange
        __steadfast_trusted_atomic32_fetch_add => __tsan_atomic32_fetch_add
        __steadfast_trusted_atomic32_fetch_sub => __tsan_atomic32_fetch_sub
        __steadfast_trusted_atomic32_fetch_and => __tsan_atomic32_fetch_and
        __steadfast_trusted_atomic32_fetch_or => __tsan_atomic32_fetch_or
        __steadfast_trusted_atomic32_fetch_xor => __tsan_atomic32_fetch_xor
        __steadfast_trusted_atomic32_fetch_nand => __tsan_atomic32_fetch_nand
        __steadfast_trusted_atomic32_compare_exchange_strong => __tsan_atomic32_compare_exchange_strong
        __steadfast_trusted_atomic32_compare_exchange_weak => __tsan_atomic32_compare_exchange_weak
        __steadfast_trusted_atomic32_compare_exchange_val => __tsan_atomic32_compare_exchange_val
        __steadfast_trusted_atomic64_load => __tsan_atomic64_load
        __steadfast_trusted_atomic64_store => __tsan_atomic64_store
        __steadfast_trusted_atomic64_exchange => __tsan_atomic64_exchange
        __steadfast_trusted_atomic64_fetch_add => __tsan_atomic64_fetch_add
        __steadfast_trusted_atomic64_fetch_sub => __tsan_atomic64_fetch_sub
        __steadfast_trusted_atomic64_fetch_and => __tsan_atomic64_fetch_and
        __steadfast_trusted_atomic64_fetch_or => __tsan_atomic64_fetch_or
        __steadfast_trusted_atomic64_fetch_xor => __tsan_atomic64_fetch_xor
        __steadfast_trusted_atomic64_fetch_nand => __tsan_atomic64_fetch_nand
        __steadfast_trusted_atomic64_compare_exchange_strong => __tsan_atomic64_compare_exchange_strong
        __steadfast_trusted_atomic64_compare_exchange_weak => __tsan_atomic64_compare_exchange_weak
        __steadfast_trusted_atomic64_compare_exchange_val => __tsan_atomic64_compare_exchange_val
        __steadfast_trusted_atomic128_load => __tsan_atomic128_load
        __steadfast_trusted_atomic128_store => __tsan_atomic128_store
        __steadfast_trusted_atomic128_exchange => __tsan_atomic128_exchange
        __steadfast_trusted_atomic128_fetch_add => __tsan_atomic128_fetch_add
        __steadfast_trusted_atomic128_fetch_sub => __tsan_atomic128_fetch_sub
        __steadfast_trusted_atomic128_fetch_and => __tsan_atomic128_fetch_and
        __steadfast_trusted_atomic128_fetch_or => __tsan_atomic128_fetch_or
        __steadfast_trusted_atomic128_fetch_xor => __tsan_atomic128_fetch_xor
        __steadfast_trusted_atomic128_fetch_nand => __tsan_atomic128_fetch_nand
        __steadfast_trusted_atomic128_compare_exchange_strong => __tsan_atomic128_compare_exchange_strong
        __steadfast_trusted_atomic128_compare_exchange_weak => __tsan_atomic128_compare_exchange_weak
        __steadfast_trusted_atomic128_compare_exchange_val => __tsan_atomic128_compare_exchange_val
    }
}
