// verdict: silent
// Memory that comes and goes in other ways than malloc and free: realloc, aligned blocks, mapped pages. What was known of the old contents must not be held against the new ones.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

_Atomic(int *) mail;

static int *fresh(int kind) {
    void *block = 0;
    switch (kind) {
    case 0:
        block = realloc(malloc(16), 4096);
        break;
    case 1:
        if (posix_memalign(&block, 256, 512))
            abort();
        break;
    case 2:
        block = aligned_alloc(64, 640);
        break;
    case 3:
        block = reallocarray(0, 10, 48);
        break;
    default:
        block = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    return block;
}

static void drop(int *block, int kind) {
    if (kind == 4)
        munmap(block, 4096);
    else if (kind == 0)
        free(realloc(block, 64));
    else
        free(block);
}

static void *sender(void *unused) {
    for (int round = 0; round < 10; round++) {
        int *block = fresh(round % 5);
        memset(block, 0, 64);
        block[1] = round;
        atomic_store_explicit((atomic_int *)block, 1, memory_order_relaxed);
        while (atomic_load_explicit(&mail, memory_order_acquire)) {
        }
        atomic_store_explicit(&mail, block, memory_order_release);
    }
    return unused;
}

static void *receiver(void *unused) {
    for (int round = 0; round < 10; round++) {
        int *block;
        do
            block = atomic_load_explicit(&mail, memory_order_acquire);
        while (!block);
        int wrong = block[1] != round || atomic_load_explicit((atomic_int *)block, memory_order_relaxed) != 1;
        drop(block, round % 5);
        if (wrong)
            return &mail;
        atomic_store_explicit(&mail, 0, memory_order_release);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    void *wrong = 0;
    pthread_create(&threads[0], 0, sender, 0);
    pthread_create(&threads[1], 0, receiver, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], &wrong);
    return wrong != 0;
}
