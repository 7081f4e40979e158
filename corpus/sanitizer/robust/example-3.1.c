// verdict: violation
// Example 3.1 of Margalit et al., "Dynamic robustness verification against weak memory" (PLDI 2025): store buffering, after which both locations are written again. It is found in every run in which a
// thread reads 0, also if the other one has long ended. If neither does, both threads have stored before either has loaded, and the accesses so far look the same on any machine; the exit code says so. The argument is how many
// microseconds the second thread comes later.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

atomic_int x, y;
static int a, b;

static void *left(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_release);
    a = atomic_load_explicit(&y, memory_order_acquire);
    atomic_store_explicit(&x, 2, memory_order_release);
    return unused;
}

static void *right(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_release);
    b = atomic_load_explicit(&x, memory_order_acquire);
    atomic_store_explicit(&y, 2, memory_order_release);
    return unused;
}

int main(int count, char **arguments) {
    unsigned apart = count > 1 ? (unsigned)atoi(arguments[1]) : 0;
    pthread_t threads[2];
    pthread_create(&threads[0], 0, left, 0);
    if (apart)
        usleep(apart);
    pthread_create(&threads[1], 0, right, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return a && b ? 3 : 0;
}
