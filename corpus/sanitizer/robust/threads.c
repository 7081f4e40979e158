// verdict: silent
// A thousand threads at the same time, and then a thousand more.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 1000 };
static atomic_int arrived, ready, counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void *work(void *argument) {
    atomic_fetch_add_explicit(&arrived, 1, memory_order_acq_rel);
    while (!atomic_load_explicit(&ready, memory_order_acquire)) sched_yield();
    for (int turn = 0; turn < 5; turn++) atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    pthread_mutex_lock(&mutex);
    sum += (long)argument;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    for (int round = 0; round < 2; round++) {
        pthread_t threads[THREADS];
        atomic_store(&ready, 0);
        atomic_store(&arrived, 0);
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 1 << 17);
        for (long i = 0; i < THREADS; i++) if (pthread_create(&threads[i], &attributes, work, (void *)i)) abort();
        while (atomic_load_explicit(&arrived, memory_order_acquire) < THREADS) sched_yield();
        atomic_store_explicit(&ready, 1, memory_order_release);
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    }
    return sum == 2L * THREADS * (THREADS - 1) / 2 && atomic_load(&counter) == 10 * THREADS ? 0 : 1;
}
