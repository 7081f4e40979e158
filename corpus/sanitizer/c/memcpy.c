// verdict: silent
// Blocks that are copied, moved and filled, and handed over with release and acquire.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static char from[64], to[64];
static volatile size_t length = 40;
static atomic_int filled;

static void *copies(void *unused) {
    (void)unused;
    while (!atomic_load_explicit(&filled, memory_order_acquire)) sched_yield();
    memmove(from + 1, from, length);
    memcpy(to, from, length);
    return NULL;
}

static void *fills(void *unused) {
    (void)unused;
    memset(from, 1, length);
    atomic_store_explicit(&filled, 1, memory_order_release);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, copies, NULL);
    pthread_create(&threads[1], NULL, fills, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return to[39] == 1 ? 0 : 1;
}
