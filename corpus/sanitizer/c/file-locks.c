// verdict: silent
// Plain data that locks on a file protect. Each thread opens the file for itself, and gives the lock back or closes the file.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WAYS = 4 };
static char path[64];
static int data;

static int lock(int file, int way) {
    struct flock whole = {.l_type = F_WRLCK};
    switch (way) {
    case 0:
        return flock(file, LOCK_EX);
    case 1:
        while (flock(file, LOCK_EX | LOCK_NB))
            sched_yield();
        return 0;
    case 2:
        return fcntl(file, F_OFD_SETLKW, &whole);
    default:
        while (fcntl(file, F_OFD_SETLK, &whole))
            sched_yield();
        return 0;
    }
}

static int unlock(int file, int way) {
    struct flock whole = {.l_type = F_UNLCK};
    switch (way) {
    case 0:
        return flock(file, LOCK_UN);
    case 2:
        return fcntl(file, F_OFD_SETLK, &whole);
    default:
        return 0;
    }
}

static void *work(void *argument) {
    int way = *(int *)argument;
    for (int round = 0; round < 3; round++) {
        int file = open(path, O_RDWR);
        if (file < 0 || lock(file, way))
            return &data;
        data++;
        if (unlock(file, way) || close(file))
            return &data;
    }
    return 0;
}

int main(void) {
    snprintf(path, sizeof path, "/proc/self/fd/%d", memfd_create("locked", 0));
    for (int way = 0; way < WAYS; way++) {
        pthread_t threads[2];
        void *wrong[2];
        pthread_create(&threads[0], 0, work, &way);
        pthread_create(&threads[1], 0, work, &way);
        pthread_join(threads[0], &wrong[0]);
        pthread_join(threads[1], &wrong[1]);
        if (wrong[0] || wrong[1])
            return 1;
    }
    return data != 6 * WAYS;
}
