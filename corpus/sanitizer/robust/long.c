// verdict: violation
// So many atomic accesses of four threads to a thousand locations; prints how much memory it takes.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOCATIONS = 1000, THREADS = 4, ROUNDS = 10 };
static atomic_long cells[LOCATIONS];
static long plain[THREADS];
static long each;
static pthread_barrier_t together;

static long resident(void) {
    long size, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) abort();
    fclose(file);
    return pages * 4;
}

static void *work(void *argument) {
    unsigned random = 1 + (unsigned)(long)argument;
    for (long round = 1; round <= ROUNDS; round++) {
        for (long turn = 0; turn < each; turn++) {
            random = random * 1664525 + 1013904223;
            atomic_long *cell = &cells[(random >> 12) % LOCATIONS];
            if (random >> 31) atomic_store_explicit(cell, turn, memory_order_release);
            else plain[(long)argument] += atomic_load_explicit(cell, memory_order_acquire);
        }
        // Without this, a thread that starts late takes its memory late.
        pthread_barrier_wait(&together);
        if (argument == NULL) printf("%ld accesses: %ld KiB\n", round * each * THREADS, resident());
    }
    return NULL;
}

int main(int count, char **arguments) {
    each = (count > 1 ? atol(arguments[1]) : 1000000) / THREADS / ROUNDS;
    pthread_barrier_init(&together, NULL, THREADS);
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    printf("end: %ld KiB\n", resident());
}
