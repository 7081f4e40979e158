// verdict: silent
// flags: -latomic
// Atomics that compilers leave to libatomic: structures of 16 bytes, and of 24, which need a lock. They publish plain data.
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    long generation;
    int *data;
};
struct triple {
    long a, b, c;
};
_Atomic struct pair pair;
_Atomic struct triple triple;
static int plain[2];

static void *sender(void *unused) {
    plain[0] = 42;
    atomic_store_explicit(&pair, ((struct pair){1, &plain[0]}), memory_order_release);
    plain[1] = 43;
    struct triple old = atomic_load_explicit(&triple, memory_order_acquire), new;
    do
        new = (struct triple){old.a + 1, old.b + 1, old.c + 1};
    while (!atomic_compare_exchange_strong_explicit(&triple, &old, new, memory_order_acq_rel, memory_order_acquire));
    return unused;
}

static void *receiver(void *unused) {
    struct pair found = atomic_exchange_explicit(&pair, ((struct pair){2, 0}), memory_order_acq_rel);
    if (found.data && *found.data != 42)
        return &plain;
    struct triple seen = atomic_load_explicit(&triple, memory_order_acquire);
    if (seen.a && (seen.b != seen.a || plain[1] != 43))
        return &plain;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    void *wrong[2];
    pthread_create(&threads[0], 0, sender, 0);
    pthread_create(&threads[1], 0, receiver, 0);
    pthread_join(threads[0], &wrong[0]);
    pthread_join(threads[1], &wrong[1]);
    return wrong[0] || wrong[1];
}
