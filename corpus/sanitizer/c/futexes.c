// verdict: silent
// A condition variable out of futexes, whose broadcast wakes one thread and lets the others wait for the lock; and threads that wait for different bits of a word.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FREE, TAKEN, CONTENDED };
enum { READER = 1, WRITER = 2 };
static atomic_int mutex, condition, word, may_read, may_write;
static int ready, woken;

static long futex(atomic_int *address, int operation, int value, long count, atomic_int *other, unsigned last) {
    return syscall(SYS_futex, address, operation | FUTEX_PRIVATE_FLAG, value, count, other, last);
}

static void lock_contended(void) {
    while (atomic_exchange(&mutex, CONTENDED) != FREE)
        futex(&mutex, FUTEX_WAIT, CONTENDED, 0, 0, 0);
}

static void lock(void) {
    int free = FREE;
    if (!atomic_compare_exchange_strong(&mutex, &free, TAKEN))
        lock_contended();
}

static void unlock(void) {
    if (atomic_exchange(&mutex, FREE) == CONTENDED)
        futex(&mutex, FUTEX_WAKE, 1, 0, 0, 0);
}

static void *waiter(void *unused) {
    lock();
    while (!ready) {
        int seen = atomic_load(&condition);
        unlock();
        futex(&condition, FUTEX_WAIT, seen, 0, 0, 0);
        lock_contended();
    }
    woken++;
    unlock();
    return unused;
}

static void wait_with(atomic_int *allowed, unsigned bit) {
    for (;;) {
        int seen = atomic_load(&word);
        if (atomic_load(allowed))
            return;
        futex(&word, FUTEX_WAIT_BITSET, seen, 0, 0, bit);
    }
}

static void allow(atomic_int *allowed, int most, unsigned bit) {
    atomic_store(allowed, 1);
    atomic_fetch_add(&word, 1);
    futex(&word, FUTEX_WAKE_BITSET, most, 0, 0, bit);
}

static void *reader(void *unused) {
    wait_with(&may_read, READER);
    return unused;
}

static void *writer(void *unused) {
    wait_with(&may_write, WRITER);
    allow(&may_read, INT_MAX, READER);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, waiter, 0);
    usleep(1000);
    lock();
    ready = 1;
    int seen = atomic_fetch_add(&condition, 1) + 1;
    futex(&condition, FUTEX_CMP_REQUEUE, 1, INT_MAX, &mutex, seen);
    unlock();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);

    pthread_create(&threads[0], 0, reader, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_create(&threads[2], 0, writer, 0);
    usleep(1000);
    allow(&may_write, 1, WRITER);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);

    // Limits: of a time, and until one.
    struct timespec little = {0, 1000000};
    futex(&word, FUTEX_WAIT, atomic_load(&word), (long)&little, 0, 0);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    futex(&word, FUTEX_WAIT_BITSET, atomic_load(&word), (long)&now, 0, READER);
    return woken != 3;
}
