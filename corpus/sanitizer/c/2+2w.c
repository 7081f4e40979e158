// verdict: violation
// as: ../litmus/2+2w.sf
// Two threads write two places in opposite orders; each place may keep the first thread's value, or each the second one's.
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;

static void *left(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_release);
    atomic_store_explicit(&y, 2, memory_order_release);
    return unused;
}

static void *right(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_release);
    atomic_store_explicit(&x, 2, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, left, 0);
    pthread_create(&threads[1], 0, right, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return x + y == 0;
}
