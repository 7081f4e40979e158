// verdict: silent
// Atomics and threads before main.
#include <pthread.h>
#include <stdatomic.h>

atomic_int counter;

static void *work(void *unused) {
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    return unused;
}

static __attribute__((constructor)) void before_main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
}

int main(void) { return counter != 2; }
