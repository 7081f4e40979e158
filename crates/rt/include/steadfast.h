/* What a program can tell Steadfast about itself.

   Without `steadfast cc` (that is, if __STEADFAST__ is not defined) everything here is ordinary C11, or C++ with GNU builtins, so it can stay in the program.
   Sizes of 1, 2, 4 and 8 bytes. `order` is an __ATOMIC_ constant, or a memory_order. */
#ifndef STEADFAST_H
#define STEADFAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __STEADFAST__
void __steadfast_wait(volatile void *address, size_t bytes, uint64_t value, int order);
void __steadfast_blocking_cas(volatile void *address, size_t bytes, uint64_t expected, uint64_t desired, int order);
bool __steadfast_strong_cas(volatile void *address, size_t bytes, uint64_t expected, uint64_t desired, int order);
void __steadfast_ignore_begin(void);
void __steadfast_ignore_end(void);

/* Waits until *address is value. An old value that is read on the way does not count. */
#define steadfast_wait(address, value, order) \
    __steadfast_wait((volatile void *)(address), sizeof *(address), (uint64_t)(value), (int)(order))

/* Repeats a compare-exchange until it succeeds. Attempts that fail do not count. */
#define steadfast_blocking_cas(address, expected, desired, order) \
    __steadfast_blocking_cas((volatile void *)(address), sizeof *(address), (uint64_t)(expected), (uint64_t)(desired), (int)(order))

/* A compare-exchange that fails only if another value is there; says whether it succeeded. clang does not tell the runtime the difference. */
#define steadfast_strong_cas(address, expected, desired, order) \
    __steadfast_strong_cas((volatile void *)(address), sizeof *(address), (uint64_t)(expected), (uint64_t)(desired), (int)(order))

/* What this thread does in between is not reported. It still orders threads. */
#define steadfast_ignore_begin() __steadfast_ignore_begin()
#define steadfast_ignore_end() __steadfast_ignore_end()

#else

#define steadfast_wait(address, value, order)                         \
    do {                                                              \
        __typeof__(*(address) + 0) steadfast_seen_;                   \
        do                                                            \
            __atomic_load((address), &steadfast_seen_, (int)(order)); \
        while (steadfast_seen_ != (value));                           \
    } while (0)

#define steadfast_blocking_cas(address, expected, desired, order) \
    do {                                                          \
    } while (!steadfast_strong_cas(address, expected, desired, order))

#define steadfast_strong_cas(address, expected, desired, order)                                                      \
    __extension__({                                                                                                  \
        __typeof__(*(address) + 0) steadfast_expected_ = (expected);                                                 \
        __atomic_compare_exchange_n((address), &steadfast_expected_, (desired), false, (int)(order), __ATOMIC_RELAXED); \
    })

#define steadfast_ignore_begin() ((void)0)
#define steadfast_ignore_end() ((void)0)

#endif

#ifdef __cplusplus
}
#endif

#endif
