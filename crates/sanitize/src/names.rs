//! Decides by the name of a function whether its code is trusted. File names decide better, because a name also covers inlined code; but without debug information there are no file names.

/// The functions with which C++ waits and counts references, and Rust's locks and channels. Functions that call the program's are not among them, because the program's accesses may be inlined there.
const TRUSTED: [&str; 26] = [
    "std::__detail::__",
    "std::__atomic_wait",
    "std::__atomic_notify",
    "std::__atomic_spin",
    "std::latch::",
    "std::barrier",
    "std::__tree_barrier",
    "std::__barrier_base",
    "std::counting_semaphore",
    "std::__atomic_semaphore",
    "std::__platform_semaphore",
    "std::stop_token::",
    "std::stop_source::",
    "std::jthread::",
    "std::mutex::",
    "std::shared_mutex::",
    "std::shared_ptr",
    "std::__shared_ptr",
    "std::__shared_count",
    "std::__weak_count",
    "std::_Sp_counted",
    "std::_Sp_atomic",
    "std::__future_base::_State_baseV2",
    "std::sync::",
    "std::sys::",
    "alloc::sync::",
];

/// The functions that make an access for their caller.
const ATOMIC: [&str; 7] = [
    "std::atomic",
    "std::__atomic_base",
    "std::__atomic_impl",
    "std::__atomic_float",
    "std::__atomic_ref",
    "std::operator&",
    "core::",
];

/// Whether a function is trusted, by its demangled name. `None` for a function that makes an access for its caller.
pub(crate) fn trust(function: &str) -> Option<bool> {
    let name = path(function);
    if ATOMIC.iter().any(|part| name.starts_with(part)) {
        // These are not accesses but loops around them.
        let waits = [">::wait(", "::notify_one(", "::notify_all(", "atomic_flag::wait("];
        return waits.iter().any(|part| function.contains(part)).then_some(true);
    }
    Some(TRUSTED.iter().any(|part| name.starts_with(part)))
}

/// The name up to its first arguments, without the return type that function templates have in front of it. Rust has brackets there.
fn path(function: &str) -> String {
    let function = function.trim_start_matches('<');
    let head = function.split(['<', '(']).next().unwrap_or_default();
    let name = head.rsplit_once(' ').map_or(head, |(_, name)| name);
    // Members of a class keep the `::` after its name, and the inline namespace of libc++ is removed.
    let member = if function[head.len()..].starts_with('<') && !name.ends_with("::") { "" } else { "::" };
    name.replace("std::__1::", "std::") + member
}

#[cfg(test)]
mod tests {
    use super::trust;

    #[test]
    fn what_waits_is_trusted() {
        for name in [
            "std::latch::arrive_and_wait(long)",
            "std::__1::latch::wait() const",
            "void std::__atomic_wait_address_v<int, std::function<int ()> >(int const*, int)",
            "std::__detail::__waiter_pool_base::_M_leave_wait()",
            "std::barrier<std::__empty_completion>::arrive_and_wait()",
            "std::counting_semaphore<1l>::acquire()",
            "std::__atomic_base<int>::wait(int, std::memory_order) const",
            "std::atomic_flag::wait(bool, std::memory_order) const",
            "std::atomic<int>::notify_all()",
            "<std::sync::mpmc::array::Channel<T>>::send",
            "alloc::sync::Arc<T,A>::drop_slow",
        ] {
            assert_eq!(trust(name), Some(true), "{name}");
        }
    }

    #[test]
    fn programs_are_not_and_neither_is_what_calls_them() {
        for name in [
            "main",
            "latch::wait()",
            "mine::std_latch()",
            "std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > >::_M_run()",
            "void std::__invoke_impl<void, std::latch::foo>(std::__invoke_other, std::latch::foo&&)",
            "program::main",
        ] {
            assert_eq!(trust(name), Some(false), "{name}");
        }
        for name in ["std::atomic<int>::load(std::memory_order) const", "core::sync::atomic::AtomicU32::load"] {
            assert_eq!(trust(name), None, "{name}");
        }
    }
}
