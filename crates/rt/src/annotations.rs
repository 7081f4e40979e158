//! The functions behind the annotations of `steadfast.h`. Annotations for other sanitizers are in `foreign`.

use crate::abi::atomics::{Strength, compare};
use crate::abi::word::Word;
use crate::access::{Accessed, Step};
use crate::order::Order;
use crate::tls::Inside;
use crate::{engine, plain, report, schedule, spin, sys, table, thread, tls};
use core::ffi::{c_int, c_void};

/// Waits until the value is there. Reads of other values are not recorded, as if the thread had slept.
unsafe fn wait<T: Word>(address: *mut T, value: T, order: c_int, caller: usize) {
    let order = Order::from_abi(order);
    loop {
        // SAFETY: the address is the program's.
        if unsafe { look(address, value, order, caller) } {
            return;
        }
        if !schedule::step_aside() {
            sys::pause();
        }
    }
}

/// Reads once. Returns whether the wait is over.
unsafe fn look<T: Word>(address: *mut T, value: T, order: Order, caller: usize) -> bool {
    let Some(_inside) = Inside::first() else {
        // SAFETY: the address is that of an atomic of the program, as the header checks.
        return unsafe { T::load(address) } == value;
    };
    let thread = thread::current();
    schedule::point(schedule::Operation::Load, address as usize, caller);
    let record = table::lock(address as usize, T::BYTES, table::Intent::Other);
    // SAFETY: the record is locked, and the thread is this one.
    let (there, finding, race) = unsafe {
        let (seen, thread) = (T::load(address), &mut *thread);
        spin::settle(thread);
        let (there, step) = (seen == value, Step::Load { value: seen.value() });
        let finding = if !record.is_mixed() {
            engine::judge_wait(thread, record.object(), order.success, value.value(), seen.value())
        } else if there {
            engine::only_order(thread, record.object(), order, step);
            None
        } else {
            None
        };
        let place = (address as usize, T::BYTES);
        let race = there.then(|| plain::atomic(thread, record.object(), place, true, caller, record.is_mixed()));
        (there, finding, race.flatten())
    };
    record.unlock();
    if let Some(finding) = finding {
        let step = Step::Load { value: value.value() };
        let access = Accessed { address: address as usize, bytes: T::BYTES, order, step, caller };
        // SAFETY: this thread's own structure, to which there is no other reference any more.
        let thread = unsafe { &mut *thread };
        let place = thread.frames.place(caller);
        report::violation(thread.number, &access, place, &finding);
    }
    if let Some(race) = race {
        plain::report_race(thread, address as usize, T::BYTES, Some(order), true, caller, &race);
    }
    there
}

unsafe extern "C" fn wait_any(address: *mut c_void, bytes: usize, value: u64, order: c_int, caller: usize) {
    // SAFETY: the header passes the size of what the address points to.
    unsafe {
        match bytes {
            1 => wait::<u8>(address.cast(), value as u8, order, caller),
            2 => wait::<u16>(address.cast(), value as u16, order, caller),
            4 => wait::<u32>(address.cast(), value as u32, order, caller),
            _ => wait::<u64>(address.cast(), value, order, caller),
        }
    }
}

unsafe fn swap<T: Word>(
    address: *mut c_void,
    expected: T,
    value: T,
    order: c_int,
    strength: Strength,
    caller: usize,
) -> bool {
    loop {
        // SAFETY: the header passes the address of such a word.
        let outcome =
            unsafe { compare(address.cast::<T>(), expected, value, (order, on_failure(order)), strength, caller) };
        if outcome.is_ok() || strength == Strength::Strong {
            return outcome.is_ok();
        }
        if !schedule::step_aside() {
            sys::pause();
        }
    }
}

/// The order of a failed attempt: the same without release. The header documents it, too.
fn on_failure(order: c_int) -> c_int {
    const RELAXED: c_int = 0;
    const ACQUIRE: c_int = 2;
    const RELEASE: c_int = 3;
    const ACQUIRE_RELEASE: c_int = 4;
    match order {
        RELEASE => RELAXED,
        ACQUIRE_RELEASE => ACQUIRE,
        same => same,
    }
}

unsafe fn swap_any(
    address: *mut c_void,
    bytes: usize,
    values: (u64, u64),
    order: c_int,
    strength: Strength,
    caller: usize,
) -> bool {
    let (expected, value) = values;
    // SAFETY: the header passes the size of what the address points to.
    unsafe {
        match bytes {
            1 => swap::<u8>(address, expected as u8, value as u8, order, strength, caller),
            2 => swap::<u16>(address, expected as u16, value as u16, order, strength, caller),
            4 => swap::<u32>(address, expected as u32, value as u32, order, strength, caller),
            _ => swap::<u64>(address, expected, value, order, strength, caller),
        }
    }
}

unsafe extern "C" fn blocking_swap(
    address: *mut c_void,
    bytes: usize,
    expected: u64,
    value: u64,
    order: c_int,
    caller: usize,
) {
    // SAFETY: the header passes the address and the size of an atomic of the program.
    unsafe { swap_any(address, bytes, (expected, value), order, Strength::Blocking, caller) };
}

unsafe extern "C" fn strong_swap(
    address: *mut c_void,
    bytes: usize,
    expected: u64,
    value: u64,
    order: c_int,
    caller: usize,
) -> bool {
    // SAFETY: the header passes the address and the size of an atomic of the program.
    unsafe { swap_any(address, bytes, (expected, value), order, Strength::Strong, caller) }
}

#[cfg(not(test))]
mod exports {
    use super::{blocking_swap, strong_swap, tls, wait_any};
    use crate::abi::shim::shim;

    shim!(__steadfast_wait => wait_any, "r8");
    shim!(__steadfast_blocking_cas => blocking_swap, "r9");
    shim!(__steadfast_strong_cas => strong_swap, "r9");

    #[unsafe(no_mangle)]
    extern "C" fn __steadfast_ignore_begin() {
        tls::local().ignored += 1;
    }

    #[unsafe(no_mangle)]
    extern "C" fn __steadfast_ignore_end() {
        tls::local().ignored = tls::local().ignored.saturating_sub(1);
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_ignore_thread_begin() {
        __steadfast_ignore_begin();
    }

    #[unsafe(no_mangle)]
    extern "C" fn __tsan_ignore_thread_end() {
        __steadfast_ignore_end();
    }
}
