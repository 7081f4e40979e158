// verdict: violation
// Message passing whose reader does not acquire, and reads the data twice, by two calls of the same function: that is no loop.
#include <pthread.h>
#include <stdatomic.h>

atomic_int data, ready;
static int sum;

__attribute__((noinline)) static int get(atomic_int *from) {
    return atomic_load_explicit(from, memory_order_relaxed);
}

static void *writer(void *unused) {
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

static void *reader(void *unused) {
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
        sum = get(&data);
        sum += get(&data);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return sum > 2;
}
