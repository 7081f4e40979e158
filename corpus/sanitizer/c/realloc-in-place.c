// verdict: silent
// A block grows where it is, into memory that another thread has just freed. What that thread did there, with plain and with atomic accesses, is not held against the new owner.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char *neighbour;
atomic_int freed;

static void *last_owner(void *unused) {
    memset(neighbour, 1, 3000);
    for (int i = 0; i < 3000; i += 4)
        atomic_store_explicit((atomic_int *)(neighbour + i), i, memory_order_relaxed);
    free(neighbour);
    // Nothing that the program does orders this and what the other thread does with the memory; only the allocator does.
    atomic_store_explicit(&freed, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t thread;
    char *block = malloc(3000);
    neighbour = malloc(3000);
    char *guard = malloc(3000);
    pthread_create(&thread, 0, last_owner, 0);
    while (!atomic_load_explicit(&freed, memory_order_relaxed)) {
    }
    char *grown = realloc(block, 5000);
    for (int i = 3000; i < 5000; i++)
        grown[i] = 2;
    for (int i = 4000; i < 4400; i += 4)
        atomic_store_explicit((atomic_int *)(grown + i), 0, memory_order_relaxed);
    pthread_join(thread, 0);
    free(grown);
    free(guard);
    return 0;
}
