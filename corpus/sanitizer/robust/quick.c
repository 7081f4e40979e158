// verdict: race
// The process ends by `quick_exit`, which leaves what was not written yet where it is.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int shared;

static void *other(void *unused) {
    shared = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    shared = 2;
    pthread_join(thread, NULL);
    printf("not written (%d)", shared);
    quick_exit(0);
}
