// verdict: violation
// as: chase-lev-sc.sf
// The work-stealing deque of Chase and Lev without the fence in take: owner and thief may both get the last element.
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 8 };
atomic_long top, bottom;
atomic_int buffer[SIZE];

static void push(int value) {
    long b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&buffer[b % SIZE], value, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static int take(void) {
    long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_release);
    long t = atomic_load_explicit(&top, memory_order_acquire);
    int value = -1;
    if (t <= b) {
        value = atomic_load_explicit(&buffer[b % SIZE], memory_order_relaxed);
        if (t == b) {
            if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_acq_rel, memory_order_acquire))
                value = -1;
            atomic_store_explicit(&bottom, b + 1, memory_order_release);
        }
    } else {
        atomic_store_explicit(&bottom, b + 1, memory_order_release);
    }
    return value;
}

static int steal(void) {
    long t = atomic_load_explicit(&top, memory_order_acquire);
    long b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return -1;
    int value = atomic_load_explicit(&buffer[t % SIZE], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_acq_rel, memory_order_acquire))
        return -1;
    return value;
}

static void *thief(void *unused) {
    for (int i = 0; i < 6; i++)
        steal();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, thief, 0);
    for (int i = 0; i < 4; i++) {
        push(i);
        push(i);
        take();
        take();
    }
    pthread_join(thread, 0);
    return 0;
}
