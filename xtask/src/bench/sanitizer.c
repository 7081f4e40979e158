// The generated family of programs. Arguments: threads, locations, accesses between seq_cst fences (0: none), plain accesses per atomic one, atomic accesses in all, and
// how many locations a thread uses at a time (0: all), before it goes on to the next one. Prints the processor time per atomic access in nanoseconds, in the whole run and in its second half.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static int locations, fences, plain, window;

// A thread that uses few locations at a time stays with each of them for this many rounds.
enum { STAY = 16 };
static long rounds, count;
static atomic_int *cells;
static long own[64][1024];
static pthread_barrier_t half_time;
static double at_half_time;

// Processor time, not elapsed time: it does not depend on other load on the machine.
static double seconds(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void *work(void *argument) {
    long me = (long)argument, n = rounds;
    int many = locations, fence = fences, between = plain, near = window;
    unsigned random = me * 2654435761u + 1;
    long first = me * many / count;
    for (long i = 0; i < n; i++) {
        if (i == n / 2 && pthread_barrier_wait(&half_time) == PTHREAD_BARRIER_SERIAL_THREAD)
            at_half_time = seconds();
        random = random * 1664525 + 1013904223;
        long place = near ? first + i / STAY + (random >> 8) % near : random >> 8;
        atomic_int *cell = &cells[place % many];
        switch ((random >> 4) & 3) {
        case 0: atomic_store_explicit(cell, i, memory_order_release); break;
        case 1: atomic_fetch_add_explicit(cell, 1, memory_order_acq_rel); break;
        default: (void)atomic_load_explicit(cell, memory_order_acquire);
        }
        if (fence && i % fence == 0)
            atomic_thread_fence(memory_order_seq_cst);
        for (int j = 0; j < between; j++)
            own[me][(i + j) & 1023]++;
    }
    return 0;
}

int main(int given, char **arguments) {
    if (given < 7)
        return 2;
    int threads = atoi(arguments[1]);
    count = threads, window = atoi(arguments[6]);
    locations = atoi(arguments[2]), fences = atoi(arguments[3]), plain = atoi(arguments[4]);
    long all = atol(arguments[5]);
    rounds = all / threads;
    cells = calloc(locations, sizeof *cells);
    pthread_barrier_init(&half_time, 0, threads);
    pthread_t handles[64];
    for (long i = 0; i < threads; i++)
        pthread_create(&handles[i], 0, work, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(handles[i], 0);
    double end = seconds();
    printf("%.1f %.1f\n", end * 1e9 / all, (end - at_half_time) * 2e9 / all);
    return 0;
}
