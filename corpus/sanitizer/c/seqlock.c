// verdict: violation
// as: seqlock-broken.sf
// A seqlock whose reader has no fence before it looks at the version again: it may mix old and new data and not notice.
#include <pthread.h>
#include <stdatomic.h>

atomic_uint version;
atomic_int left, right;

static void *writer(void *unused) {
    for (int round = 1; round <= 3; round++) {
        atomic_store_explicit(&version, 2 * round - 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&left, round, memory_order_relaxed);
        atomic_store_explicit(&right, round, memory_order_relaxed);
        atomic_store_explicit(&version, 2 * round, memory_order_release);
    }
    return unused;
}

static void *reader(void *unused) {
    for (int round = 0; round < 3; round++) {
        unsigned before = atomic_load_explicit(&version, memory_order_acquire);
        (void)atomic_load_explicit(&left, memory_order_relaxed);
        (void)atomic_load_explicit(&right, memory_order_relaxed);
        if (atomic_load_explicit(&version, memory_order_relaxed) == before)
            break;
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
