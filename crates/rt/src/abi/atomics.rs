//! `__tsan_atomic*`: every atomic access of the program.
//!
//! Nothing in Rust tells a function where it was called from, so each of them is a shim that puts its return address into the next free
//! argument register and jumps on.

use super::word::{Combine, Word};
use crate::access::{Kind, Step, perform};
use crate::order::Order;
use core::ffi::c_int;

pub(crate) unsafe extern "C" fn load<T: Word>(address: *mut T, order: c_int, caller: usize) -> T {
    // SAFETY: for all functions of this file, the address is one that the program accesses like this.
    let read = || {
        let value = unsafe { T::load(address) };
        (value, Step::Load { value: value.value() })
    };
    perform(address as usize, T::BYTES, Order::from_abi(order), Kind::Load, caller, read)
}

pub(crate) unsafe extern "C" fn store<T: Word>(address: *mut T, value: T, order: c_int, caller: usize) {
    let write = || {
        // SAFETY: see above.
        let old = unsafe { T::load(address) };
        unsafe { T::store(address, value) };
        ((), Step::Store { old: old.value(), new: value.value() })
    };
    perform(address as usize, T::BYTES, Order::from_abi(order), Kind::Write, caller, write);
}

pub(crate) unsafe extern "C" fn exchange<T: Word>(address: *mut T, value: T, order: c_int, caller: usize) -> T {
    let swap = || {
        // SAFETY: see above.
        let old = unsafe { T::exchange(address, value) };
        (old, Step::Update { old: old.value(), new: value.value() })
    };
    perform(address as usize, T::BYTES, Order::from_abi(order), Kind::Write, caller, swap)
}

unsafe fn fetch<T: Word>(address: *mut T, operand: T, order: c_int, caller: usize, how: Combine) -> T {
    let update = || {
        // SAFETY: see above.
        let old = unsafe { T::update(address, how, operand) };
        (old, Step::Update { old: old.value(), new: old.combine(how, operand).value() })
    };
    perform(address as usize, T::BYTES, Order::from_abi(order), Kind::Write, caller, update)
}

macro_rules! fetches {
    ($($name:ident $how:ident)*) => { $(
        pub(crate) unsafe extern "C" fn $name<T: Word>(address: *mut T, operand: T, order: c_int, caller: usize) -> T {
            // SAFETY: see above.
            unsafe { fetch(address, operand, order, caller, Combine::$how) }
        }
    )* };
}
fetches! { fetch_add Add  fetch_sub Sub  fetch_and And  fetch_or Or  fetch_xor Xor  fetch_nand Nand }

/// A compare-exchange of either strength, with the order of the case that it turns out to be.
pub(crate) unsafe fn compare<T: Word>(
    address: *mut T,
    expected: T,
    value: T,
    orders: (c_int, c_int),
    strength: Strength,
    caller: usize,
) -> Result<T, T> {
    let attempt = || {
        // SAFETY: see above.
        let outcome = unsafe { T::compare_exchange(address, expected, value) };
        let (Ok(old) | Err(old)) = outcome;
        let values = (old.value(), expected.value());
        let step =
            Step::Compare { old: values.0, expected: values.1, new: value.value(), changed: outcome.is_ok(), strength };
        (outcome, step)
    };
    let order = Order::from_abi(orders.0).with_failure(Order::from_abi(orders.1));
    perform(address as usize, T::BYTES, order, Kind::Write, caller, attempt)
}

/// What a compare-exchange promises when it fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Strength {
    /// It may fail for no reason.
    Weak,
    /// It fails only if another value was there.
    Strong,
    /// The program repeats it until it succeeds: failing leaves no trace.
    Blocking,
}

unsafe extern "C" fn compare_value<T: Word>(
    address: *mut T,
    expected: T,
    value: T,
    order: c_int,
    failure: c_int,
    caller: usize,
) -> T {
    // SAFETY: see above. Clang does not say which strength the program asked for; less is reported about the strong one.
    let (Ok(old) | Err(old)) = unsafe { compare(address, expected, value, (order, failure), Strength::Strong, caller) };
    old
}

unsafe fn compare_in_place<T: Word>(
    address: *mut T,
    expected: *mut T,
    value: T,
    orders: (c_int, c_int),
    strength: Strength,
    caller: usize,
) -> bool {
    // SAFETY: see above; the expected value is the program's own variable.
    match unsafe { compare(address, *expected, value, orders, strength, caller) } {
        Ok(_) => true,
        Err(old) => {
            // SAFETY: see above.
            unsafe { *expected = old };
            false
        }
    }
}

unsafe extern "C" fn compare_strong<T: Word>(
    address: *mut T,
    expected: *mut T,
    value: T,
    order: c_int,
    failure: c_int,
    caller: usize,
) -> bool {
    // SAFETY: see above.
    unsafe { compare_in_place(address, expected, value, (order, failure), Strength::Strong, caller) }
}

unsafe extern "C" fn compare_weak<T: Word>(
    address: *mut T,
    expected: *mut T,
    value: T,
    order: c_int,
    failure: c_int,
    caller: usize,
) -> bool {
    // SAFETY: see above.
    unsafe { compare_in_place(address, expected, value, (order, failure), Strength::Weak, caller) }
}

/// The forms of sixteen bytes fill the argument registers; their shims leave the return address in the thread's block.
unsafe extern "C" fn compare_value_16(
    address: *mut u128,
    expected: u128,
    value: u128,
    order: c_int,
    failure: c_int,
) -> u128 {
    // SAFETY: see above.
    unsafe { compare_value(address, expected, value, order, failure, crate::tls::local().caller) }
}

unsafe extern "C" fn compare_strong_16(
    address: *mut u128,
    expected: *mut u128,
    value: u128,
    order: c_int,
    failure: c_int,
) -> bool {
    // SAFETY: see above.
    unsafe { compare_strong(address, expected, value, order, failure, crate::tls::local().caller) }
}

unsafe extern "C" fn compare_weak_16(
    address: *mut u128,
    expected: *mut u128,
    value: u128,
    order: c_int,
    failure: c_int,
) -> bool {
    // SAFETY: see above.
    unsafe { compare_weak(address, expected, value, order, failure, crate::tls::local().caller) }
}

unsafe extern "C" fn thread_fence(order: c_int, caller: usize) {
    crate::access::fence(Order::from_abi(order), caller);
}

#[cfg(not(test))]
pub(crate) mod exports {
    use super::{
        c_int, compare_strong, compare_strong_16, compare_value, compare_value_16, compare_weak, compare_weak_16,
        exchange, fetch_add, fetch_and, fetch_nand, fetch_or, fetch_sub, fetch_xor, load, store, thread_fence,
    };
    use crate::abi::shim::{shim, shim_through_block};

    /// The shims of one size: where the return address goes depends on how many registers the arguments take.
    macro_rules! size {
        ($type:ty, $one:literal, $two:literal, $cas:literal; $load:ident $store:ident $exchange:ident
         $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident $strong:ident $weak:ident) => {
            shim!($load => load::<$type>, $one);
            shim!($store => store::<$type>, $two);
            shim!($exchange => exchange::<$type>, $two);
            shim!($add => fetch_add::<$type>, $two);
            shim!($sub => fetch_sub::<$type>, $two);
            shim!($and => fetch_and::<$type>, $two);
            shim!($or => fetch_or::<$type>, $two);
            shim!($xor => fetch_xor::<$type>, $two);
            shim!($nand => fetch_nand::<$type>, $two);
            shim!($strong => compare_strong::<$type>, $cas);
            shim!($weak => compare_weak::<$type>, $cas);
        };
    }

    size!(u8, "rdx", "rcx", "r9"; __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange
        __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or
        __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
        __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak);
    size!(u16, "rdx", "rcx", "r9"; __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange
        __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or
        __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand
        __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak);
    size!(u32, "rdx", "rcx", "r9"; __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange
        __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or
        __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand
        __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak);
    size!(u64, "rdx", "rcx", "r9"; __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange
        __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or
        __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand
        __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak);

    shim!(__tsan_atomic8_compare_exchange_val => compare_value::<u8>, "r9");
    shim!(__tsan_atomic16_compare_exchange_val => compare_value::<u16>, "r9");
    shim!(__tsan_atomic32_compare_exchange_val => compare_value::<u32>, "r9");
    shim!(__tsan_atomic64_compare_exchange_val => compare_value::<u64>, "r9");

    // A value of sixteen bytes takes two registers.
    shim!(__tsan_atomic128_load => load::<u128>, "rdx");
    shim!(__tsan_atomic128_store => store::<u128>, "r8");
    shim!(__tsan_atomic128_exchange => exchange::<u128>, "r8");
    shim!(__tsan_atomic128_fetch_add => fetch_add::<u128>, "r8");
    shim!(__tsan_atomic128_fetch_sub => fetch_sub::<u128>, "r8");
    shim!(__tsan_atomic128_fetch_and => fetch_and::<u128>, "r8");
    shim!(__tsan_atomic128_fetch_or => fetch_or::<u128>, "r8");
    shim!(__tsan_atomic128_fetch_xor => fetch_xor::<u128>, "r8");
    shim!(__tsan_atomic128_fetch_nand => fetch_nand::<u128>, "r8");
    shim_through_block!(__tsan_atomic128_compare_exchange_strong => compare_strong_16);
    shim_through_block!(__tsan_atomic128_compare_exchange_weak => compare_weak_16);
    shim_through_block!(__tsan_atomic128_compare_exchange_val => compare_value_16);

    shim!(__tsan_atomic_thread_fence => thread_fence, "rsi");

    /// A fence against the compiler only.
    #[unsafe(no_mangle)]
    extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {}
}
