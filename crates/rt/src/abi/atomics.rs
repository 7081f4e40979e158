//! `__tsan_atomic*`: every atomic access of the program.
//!
//! A Rust function cannot find out where it was called from. So each of these functions is a shim that puts its return address into the next free
//! argument register and jumps to the real function.

use super::word::{Combine, Word};
use crate::access::{Kind, Step, perform};
use crate::order::Order;
use core::ffi::c_int;

pub(crate) unsafe extern "C" fn load<T: Word>(address: *mut T, order: c_int, caller: usize) -> T {
    let read = || {
        // SAFETY: the program loads from this address itself, with this size.
        let value = unsafe { T::load(address) };
        (value, Step::Load { value: value.value() })
    };
    perform(address as usize, T::BYTES, Order::from_abi(order), Kind::Load, caller, read)
}

pub(crate) unsafe extern "C" fn store<T: Word>(address: *mut T, value: T, order: c_int, caller: usize) {
    let write = || {
        // SAFETY: the program stores here, so the word is there and can be read.
        let old = unsafe { T::load(address) };
        // SAFETY: the program stores to this address itself, with this size.
        unsafe { T::store(address, value) };
        ((), Step::Store { old: old.value(), new: value.value() })
    };
    perform(address as usize, T::BYTES, Order::from_abi(order), Kind::Store, caller, write);
}

pub(crate) unsafe extern "C" fn exchange<T: Word>(address: *mut T, value: T, order: c_int, caller: usize) -> T {
    let swap = || {
        // SAFETY: the program exchanges the value at this address itself, with this size.
        let old = unsafe { T::exchange(address, value) };
        (old, Step::Update { old: old.value(), new: value.value() })
    };
    perform(address as usize, T::BYTES, Order::from_abi(order), Kind::Update, caller, swap)
}

unsafe fn fetch<T: Word>(address: *mut T, operand: T, order: c_int, caller: usize, how: Combine) -> T {
    let update = || {
        // SAFETY: the program updates the value at this address itself, with this size.
        let old = unsafe { T::update(address, how, operand) };
        (old, Step::Update { old: old.value(), new: old.combine(how, operand).value() })
    };
    perform(address as usize, T::BYTES, Order::from_abi(order), Kind::Update, caller, update)
}

macro_rules! fetches {
    ($($name:ident $how:ident)*) => { $(
        pub(crate) unsafe extern "C" fn $name<T: Word>(address: *mut T, operand: T, order: c_int, caller: usize) -> T {
            // SAFETY: the compiler passes the address of an atomic of this size.
            unsafe { fetch(address, operand, order, caller, Combine::$how) }
        }
    )* };
}
fetches! { fetch_add Add  fetch_sub Sub  fetch_and And  fetch_or Or  fetch_xor Xor  fetch_nand Nand }

/// A compare-exchange of any strength. The order depends on whether it succeeds.
pub(crate) unsafe fn compare<T: Word>(
    address: *mut T,
    expected: T,
    value: T,
    orders: (c_int, c_int),
    strength: Strength,
    caller: usize,
) -> Result<T, T> {
    let attempt = || {
        // SAFETY: the program makes a compare-exchange of this size at this address itself.
        let outcome = unsafe { T::compare_exchange(address, expected, value) };
        let (Ok(old) | Err(old)) = outcome;
        let values = (old.value(), expected.value());
        let step =
            Step::Compare { old: values.0, expected: values.1, new: value.value(), changed: outcome.is_ok(), strength };
        (outcome, step)
    };
    let order = Order::from_abi(orders.0).with_failure(Order::from_abi(orders.1));
    perform(address as usize, T::BYTES, order, Kind::Compare, caller, attempt)
}

/// What a compare-exchange promises when it fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Strength {
    /// It may fail although the expected value is there.
    Weak,
    /// It fails only if it finds another value.
    Strong,
    /// The program repeats it until it succeeds: failed attempts are not recorded.
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
    // SAFETY: the compiler passes the address of an atomic of this size. Clang does not say which strength the program asked for; less is reported about the strong one.
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
    // SAFETY: the address is that of an atomic of this size, and the expected value is a variable of the calling thread.
    match unsafe { compare(address, *expected, value, orders, strength, caller) } {
        Ok(_) => true,
        Err(old) => {
            // SAFETY: the expected value is a variable of the calling thread, which wants to find the old value there.
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
    // SAFETY: the compiler passes the address of an atomic of this size, and that of a variable of the calling thread.
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
    // SAFETY: the compiler passes the address of an atomic of this size, and that of a variable of the calling thread.
    unsafe { compare_in_place(address, expected, value, (order, failure), Strength::Weak, caller) }
}

/// The forms for sixteen bytes use all argument registers, so their shims store the return address in the thread's block.
unsafe extern "C" fn compare_value_16(
    address: *mut u128,
    expected: u128,
    value: u128,
    order: c_int,
    failure: c_int,
) -> u128 {
    // SAFETY: the compiler passes the address of an atomic of sixteen bytes.
    unsafe { compare_value(address, expected, value, order, failure, crate::tls::local().caller) }
}

pub(crate) unsafe extern "C" fn compare_strong_16(
    address: *mut u128,
    expected: *mut u128,
    value: u128,
    order: c_int,
    failure: c_int,
) -> bool {
    // SAFETY: the compiler passes the address of an atomic of sixteen bytes, and that of a variable of the calling thread.
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
    // SAFETY: the compiler passes the address of an atomic of sixteen bytes, and that of a variable of the calling thread.
    unsafe { compare_weak(address, expected, value, order, failure, crate::tls::local().caller) }
}

unsafe extern "C" fn thread_fence(order: c_int, caller: usize) {
    crate::access::fence(Order::from_abi(order), caller);
}

#[cfg(not(test))]
pub(crate) mod exports {
    use super::{
        c_int, compare_strong, compare_strong_16, compare_value, compare_value_16, compare_weak, compare_weak_16,
        thread_fence,
    };
    use crate::abi::shim::{shim, shim_through_block};

    /// The shims of one size, except for compare-exchanges: where the return address goes depends on how many registers the arguments take.
    macro_rules! operations {
        ($type:ty, $one:literal, $two:literal; $load:ident $store:ident $exchange:ident
         $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident) => {
            $crate::abi::shim::shim!($load => $crate::abi::atomics::load::<$type>, $one);
            $crate::abi::shim::shim!($store => $crate::abi::atomics::store::<$type>, $two);
            $crate::abi::shim::shim!($exchange => $crate::abi::atomics::exchange::<$type>, $two);
            $crate::abi::shim::shim!($add => $crate::abi::atomics::fetch_add::<$type>, $two);
            $crate::abi::shim::shim!($sub => $crate::abi::atomics::fetch_sub::<$type>, $two);
            $crate::abi::shim::shim!($and => $crate::abi::atomics::fetch_and::<$type>, $two);
            $crate::abi::shim::shim!($or => $crate::abi::atomics::fetch_or::<$type>, $two);
            $crate::abi::shim::shim!($xor => $crate::abi::atomics::fetch_xor::<$type>, $two);
            $crate::abi::shim::shim!($nand => $crate::abi::atomics::fetch_nand::<$type>, $two);
        };
    }
    pub(crate) use operations;

    macro_rules! compare_exchanges {
        ($type:ty; $strong:ident $weak:ident $value:ident) => {
            shim!($strong => compare_strong::<$type>, "r9");
            shim!($weak => compare_weak::<$type>, "r9");
            shim!($value => compare_value::<$type>, "r9");
        };
    }

    operations!(u8, "rdx", "rcx"; __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange
        __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or
        __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand);
    compare_exchanges!(u8; __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak
        __tsan_atomic8_compare_exchange_val);
    operations!(u16, "rdx", "rcx"; __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange
        __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or
        __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand);
    compare_exchanges!(u16; __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak
        __tsan_atomic16_compare_exchange_val);
    operations!(u32, "rdx", "rcx"; __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange
        __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or
        __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand);
    compare_exchanges!(u32; __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak
        __tsan_atomic32_compare_exchange_val);
    operations!(u64, "rdx", "rcx"; __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange
        __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or
        __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand);
    compare_exchanges!(u64; __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak
        __tsan_atomic64_compare_exchange_val);

    // A value of sixteen bytes takes two registers.
    operations!(u128, "rdx", "r8"; __tsan_atomic128_load __tsan_atomic128_store __tsan_atomic128_exchange
        __tsan_atomic128_fetch_add __tsan_atomic128_fetch_sub __tsan_atomic128_fetch_and __tsan_atomic128_fetch_or
        __tsan_atomic128_fetch_xor __tsan_atomic128_fetch_nand);
    shim_through_block!(__tsan_atomic128_compare_exchange_strong => compare_strong_16);
    shim_through_block!(__tsan_atomic128_compare_exchange_weak => compare_weak_16);
    shim_through_block!(__tsan_atomic128_compare_exchange_val => compare_value_16);

    shim!(__tsan_atomic_thread_fence => thread_fence, "rsi");

    /// A fence that only the compiler must respect.
    #[unsafe(no_mangle)]
    extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {}
}
