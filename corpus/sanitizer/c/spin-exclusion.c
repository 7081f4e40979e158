// verdict: violation
// Mutual exclusion by two flags; one side spins while the other one wants. The stale value is the one with which the loop ends, so it matters.
#include <pthread.h>
#include <stdatomic.h>

atomic_int left, right;
static int data;

static void *tries(void *unused) {
    atomic_store_explicit(&left, 1, memory_order_release);
    if (!atomic_load_explicit(&right, memory_order_acquire))
        data++;
    atomic_store_explicit(&left, 0, memory_order_release);
    return unused;
}

static void *waits(void *unused) {
    atomic_store_explicit(&right, 1, memory_order_release);
    while (atomic_load_explicit(&left, memory_order_acquire)) {
    }
    data++;
    atomic_store_explicit(&right, 0, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, tries, 0);
    pthread_create(&threads[1], 0, waits, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
