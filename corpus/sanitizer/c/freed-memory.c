// verdict: silent
// Store buffering, each time in memory that is allocated anew: what happened to its last owner does not matter.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *touch(void *argument) {
    atomic_int *cells = argument;
    atomic_store_explicit(&cells[0], 1, memory_order_relaxed);
    (void)atomic_load_explicit(&cells[1], memory_order_relaxed);
    free(cells);
    return 0;
}

int main(void) {
    for (int round = 0; round < 30; round++) {
        pthread_t thread;
        pthread_create(&thread, 0, touch, calloc(2, sizeof(atomic_int)));
        if (round % 2)
            pthread_detach(thread);
        else
            pthread_join(thread, 0);
        atomic_int *cells = calloc(2, sizeof(atomic_int));
        atomic_store_explicit(&cells[1], 1, memory_order_relaxed);
        (void)atomic_load_explicit(&cells[0], memory_order_relaxed);
        free(cells);
    }
    return 0;
}
