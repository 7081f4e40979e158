/* Annotations: what a program can tell Steadfast about itself.

   Without `steadfast cc` (that is, if __STEADFAST__ is not defined) everything here is ordinary C11 or C++11, so it can stay in the program.
   The variables have 1, 2, 4 or 8 bytes. `order` is a memory_order or an __ATOMIC_ constant. */
#ifndef STEADFAST_H
#define STEADFAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __STEADFAST__

#ifdef __cplusplus
extern "C" {
#endif
void __steadfast_wait(volatile void *address, size_t bytes, uint64_t value, int order);
void __steadfast_blocking_cas(volatile void *address, size_t bytes, uint64_t expected, uint64_t desired, int order);
bool __steadfast_strong_cas(volatile void *address, size_t bytes, uint64_t expected, uint64_t desired, int order);
void __steadfast_ignore_begin(void);
void __steadfast_ignore_end(void);
#ifdef __cplusplus
}
#endif

/* Waits until *address is value. Stale reads during the wait are not reported. */
#define steadfast_wait(address, value, order) \
    __steadfast_wait((volatile void *)(address), sizeof *(address), (uint64_t)(value), (int)(order))

/* Repeats a compare-exchange until it succeeds. Failed attempts are not reported. */
#define steadfast_blocking_cas(address, expected, desired, order) \
    __steadfast_blocking_cas((volatile void *)(address), sizeof *(address), (uint64_t)(expected), (uint64_t)(desired), (int)(order))

/* A compare-exchange that fails only if it finds another value; returns whether it succeeded. If it fails, it has the same order without release. Use it with clang, which does not tell
   the runtime whether a compare-exchange is strong or weak. */
#define steadfast_strong_cas(address, expected, desired, order) \
    __steadfast_strong_cas((volatile void *)(address), sizeof *(address), (uint64_t)(expected), (uint64_t)(desired), (int)(order))

/* Between these two calls, accesses of this thread are not reported. Its atomics still order threads. */
#define steadfast_ignore_begin() __steadfast_ignore_begin()
#define steadfast_ignore_end() __steadfast_ignore_end()

#else

#define steadfast_ignore_begin() ((void)0)
#define steadfast_ignore_end() ((void)0)

/* The same order without release. */
#define STEADFAST_ON_FAILURE_(order) ((order) == 3 ? 0 : (order) == 4 ? 2 : (order))

#ifdef __cplusplus

#include <atomic>

template <class T, class V, class O> inline void steadfast_wait(const std::atomic<T> *address, V value, O order) {
    while (address->load((std::memory_order)(order)) != (T)(value)) {
    }
}

template <class T, class V, class W, class O>
inline bool steadfast_strong_cas(std::atomic<T> *address, V expected, W desired, O order) {
    T seen = (T)(expected);
    return address->compare_exchange_strong(seen, (T)(desired), (std::memory_order)(order),
                                            (std::memory_order)STEADFAST_ON_FAILURE_((int)(order)));
}

/* For programs that use the compiler's builtins on ordinary variables. */
template <class T, class V, class O> inline void steadfast_wait(const T *address, V value, O order) {
    while (__atomic_load_n(address, (int)(order)) != (T)(value)) {
    }
}

template <class T, class V, class W, class O> inline bool steadfast_strong_cas(T *address, V expected, W desired, O order) {
    T seen = (T)(expected);
    return __atomic_compare_exchange_n(address, &seen, (T)(desired), false, (int)(order), STEADFAST_ON_FAILURE_((int)(order)));
}

template <class A, class V, class W, class O> inline void steadfast_blocking_cas(A *address, V expected, W desired, O order) {
    while (!steadfast_strong_cas(address, expected, desired, order)) {
    }
}

#else

#include <stdatomic.h>

#define steadfast_wait(address, value, order)                          \
    do {                                                               \
    } while (atomic_load_explicit((address), (order)) != (value))

/* A load has the type of the variable without _Atomic. */
#define steadfast_strong_cas(address, expected, desired, order)                                                \
    __extension__({                                                                                            \
        __typeof__(atomic_load_explicit((address), memory_order_relaxed)) steadfast_seen_ = (expected);        \
        atomic_compare_exchange_strong_explicit((address), &steadfast_seen_, (desired), (order),               \
                                                STEADFAST_ON_FAILURE_(order));                                 \
    })

#define steadfast_blocking_cas(address, expected, desired, order) \
    do {                                                          \
    } while (!steadfast_strong_cas(address, expected, desired, order))

#endif

#endif

#endif
