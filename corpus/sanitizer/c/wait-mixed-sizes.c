// verdict: silent
// Somebody waits for a word of which another thread also writes halves: what is written to a half is no value of the word.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <steadfast.h>

static union {
    _Atomic uint32_t whole;
    _Atomic uint16_t half[2];
} word;
static atomic_int order;

static void *writer(void *unused) {
    atomic_store_explicit(&word.half[1], 1, memory_order_relaxed);
    atomic_store_explicit(&word.half[0], 1, memory_order_relaxed);
    atomic_store_explicit(&word.whole, 0x20000, memory_order_relaxed);
    atomic_store_explicit(&order, 1, memory_order_relaxed);
    atomic_store_explicit(&word.whole, 1, memory_order_release);
    return unused;
}

static void *reader(void *unused) {
    steadfast_wait(&word.whole, 1, memory_order_acquire);
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
