// verdict: violation
// as: ../litmus/iriw.sf
// Independent reads of independent writes: two readers may disagree about which write came first.
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;

static void *write_x(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_release);
    return unused;
}

static void *write_y(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_release);
    return unused;
}

static void *read_x_first(void *unused) {
    (void)atomic_load_explicit(&x, memory_order_acquire);
    (void)atomic_load_explicit(&y, memory_order_acquire);
    return unused;
}

static void *read_y_first(void *unused) {
    (void)atomic_load_explicit(&y, memory_order_acquire);
    (void)atomic_load_explicit(&x, memory_order_acquire);
    return unused;
}

int main(void) {
    void *(*bodies[4])(void *) = {write_x, write_y, read_x_first, read_y_first};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, bodies[i], 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
