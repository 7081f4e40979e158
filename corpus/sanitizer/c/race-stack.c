// verdict: race
// A variable on the stack of a thread, and one that every thread has for itself: others have their addresses, too.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static _Thread_local int own;
static int *addresses[2];

static void *owner(void *unused) {
    int local = 0;
    addresses[0] = &local, addresses[1] = &own;
    pthread_setname_np(pthread_self(), "the owner");
    for (int i = 0; i < 3; i++) {
        pthread_barrier_wait(&barrier);
        if (i == 1)
            local++, own++;
    }
    return unused;
}

static void *visitor(void *unused) {
    for (int i = 0; i < 3; i++) {
        pthread_barrier_wait(&barrier);
        if (i == 1)
            ++*addresses[0], ++*addresses[1];
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, visitor, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
