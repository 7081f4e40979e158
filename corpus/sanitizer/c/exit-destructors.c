// verdict: silent
// Instrumented code in destructors of thread-specific data, after the thread's own function has returned.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t key;
atomic_int destroyed;

static void destroy(void *value) {
    atomic_fetch_add_explicit(&destroyed, 1, memory_order_release);
    free(value);
}

static void *work(void *unused) {
    pthread_setspecific(key, malloc(16));
    return unused;
}

int main(void) {
    pthread_key_create(&key, destroy);
    for (int round = 0; round < 20; round++) {
        pthread_t threads[2];
        pthread_create(&threads[0], 0, work, 0);
        pthread_create(&threads[1], 0, work, 0);
        pthread_join(threads[0], 0);
        pthread_join(threads[1], 0);
    }
    return destroyed != 40;
}
