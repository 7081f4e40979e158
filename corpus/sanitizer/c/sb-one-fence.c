// verdict: violation
// as: ../litmus/sb-one-fence.sf
// Store buffering with a seq_cst fence in one thread only.
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;

static void *left(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    (void)atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

static void *right(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    (void)atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, left, 0);
    pthread_create(&threads[1], 0, right, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
