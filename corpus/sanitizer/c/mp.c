// verdict: silent
// as: ../litmus/mp-plain.sf
// Message passing: the reader of the flag knows the data.
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag, data;

static void *writer(void *unused) {
    atomic_store_explicit(&data, 42, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *reader(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_acquire))
        (void)atomic_load_explicit(&data, memory_order_relaxed);
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
