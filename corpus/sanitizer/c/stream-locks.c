// verdict: silent
// Plain data that the lock of a stream protects, and the stream's own buffer, which `putc_unlocked` uses inline.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { WAYS = 3 };
static FILE *stream;
// Not static: glibc declares these functions as leaves, so gcc may move accesses to static variables over them.
int data;

static void lock(int way) {
    switch (way) {
    case 0:
        flockfile(stream);
        return;
    case 1:
        while (ftrylockfile(stream))
            sched_yield();
        return;
    default:
        flockfile(stream);
        // The lock is recursive.
        flockfile(stream);
        data++;
        funlockfile(stream);
    }
}

static void *work(void *argument) {
    for (int round = 0; round < 3; round++) {
        lock(*(int *)argument);
        data++;
        putc_unlocked('x', stream);
        funlockfile(stream);
        putc('y', stream);
    }
    return 0;
}

int main(void) {
    stream = fopen("/dev/null", "w");
    for (int way = 0; way < WAYS; way++) {
        pthread_t threads[2];
        pthread_create(&threads[0], 0, work, &way);
        pthread_create(&threads[1], 0, work, &way);
        pthread_join(threads[0], 0);
        pthread_join(threads[1], 0);
    }
    return data != 6 * WAYS + 6 || fclose(stream);
}
