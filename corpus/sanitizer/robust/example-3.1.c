// verdict: violation
// Example 3.1 of Margalit et al., "Dynamic robustness verification against weak memory" (PLDI 2025): store buffering, after which both locations are written again. It is found in every run in which a
// thread reads 0, also if the other one has long ended. If neither does, both threads have stored before either has loaded, and the accesses so far look the same on any machine; the exit code says so. With the argument "apart"
// the second thread comes when the first one has ended, as in the paper.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

atomic_int x, y;
static int a, b;
static volatile int finished;

// The sanitizer does not look into these two: they order the threads in time, and in no other way.
__attribute__((noinline, no_sanitize_thread)) static void finish(void) {
    finished = 1;
}

__attribute__((noinline, no_sanitize_thread)) static void wait_for_the_first(void) {
    while (!finished) usleep(100);
}

static void *left(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_release);
    a = atomic_load_explicit(&y, memory_order_acquire);
    atomic_store_explicit(&x, 2, memory_order_release);
    finish();
    return unused;
}

static void *right(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_release);
    b = atomic_load_explicit(&x, memory_order_acquire);
    atomic_store_explicit(&y, 2, memory_order_release);
    return unused;
}

int main(int count, char **arguments) {
    int apart = count > 1 && !strcmp(arguments[1], "apart");
    pthread_t threads[2];
    pthread_create(&threads[0], 0, left, 0);
    if (apart) wait_for_the_first();
    pthread_create(&threads[1], 0, right, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return a && b ? 3 : 0;
}
