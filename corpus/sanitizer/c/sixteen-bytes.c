// verdict: silent
// flags: -mcx16
// Atomics of sixteen bytes: a pointer with a counter.
#include <pthread.h>
#include <stdatomic.h>

typedef unsigned __int128 wide;
_Atomic wide pair;

static void *work(void *unused) {
    for (int round = 0; round < 4; round++) {
        wide old = atomic_load_explicit(&pair, memory_order_acquire);
        while (!atomic_compare_exchange_weak_explicit(&pair, &old, old + (((wide)1 << 64) | 1), memory_order_acq_rel, memory_order_acquire)) {
        }
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, work, 0);
    pthread_create(&threads[1], 0, work, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    wide end = atomic_exchange_explicit(&pair, 0, memory_order_relaxed);
    return end != (((wide)8 << 64) | 8);
}
