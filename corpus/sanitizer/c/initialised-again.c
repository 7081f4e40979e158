// verdict: silent
// Memory that is used again and again, initialised by plain stores in between: what was there in an earlier round can be read by nobody any more.
#include <pthread.h>
#include <stdatomic.h>
#include <steadfast.h>

static struct { atomic_int data, flag; } shared;

static void *one(void *unused) {
    atomic_store_explicit(&shared.data, 1, memory_order_relaxed);
    steadfast_wait(&shared.flag, 1, memory_order_relaxed);
    return unused;
}

static void *two(void *unused) {
    int expected = 2;
    atomic_compare_exchange_strong_explicit(&shared.data, &expected, 3, memory_order_relaxed, memory_order_relaxed);
    atomic_store_explicit(&shared.flag, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    for (int i = 0; i < 20; i++) {
        // No access of the program is atomic here, whatever its type.
        *(volatile int *)&shared.data = i % 2 ? 0 : 4;
        *(volatile int *)&shared.flag = 0;
        pthread_t threads[2];
        pthread_create(&threads[0], 0, one, 0);
        pthread_create(&threads[1], 0, two, 0);
        pthread_join(threads[0], 0);
        pthread_join(threads[1], 0);
    }
    return 0;
}
