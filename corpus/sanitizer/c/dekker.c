// verdict: violation every-controlled-run
// as: dekker-sc.sf
// Dekker's algorithm with release and acquire, on which ThreadSanitizer stays silent.
#include <pthread.h>
#include <stdatomic.h>

atomic_int wants[2], turn;
atomic_int counter;

static void lock(int me) {
    atomic_store_explicit(&wants[me], 1, memory_order_release);
    while (atomic_load_explicit(&wants[1 - me], memory_order_acquire)) {
        if (atomic_load_explicit(&turn, memory_order_acquire) != me) {
            atomic_store_explicit(&wants[me], 0, memory_order_release);
            while (atomic_load_explicit(&turn, memory_order_acquire) != me) {
            }
            atomic_store_explicit(&wants[me], 1, memory_order_release);
        }
    }
}

static void unlock(int me) {
    atomic_store_explicit(&turn, 1 - me, memory_order_release);
    atomic_store_explicit(&wants[me], 0, memory_order_release);
}

static void *work(void *argument) {
    int me = argument != 0;
    for (int round = 0; round < 4; round++) {
        lock(me);
        atomic_store_explicit(&counter, atomic_load_explicit(&counter, memory_order_relaxed) + 1, memory_order_relaxed);
        unlock(me);
    }
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, work, 0);
    pthread_create(&threads[1], 0, work, &turn);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return counter != 8;
}
