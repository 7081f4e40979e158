// verdict: silent
// A barrier is destroyed and freed as soon as one thread has passed it; the other one is perhaps still on its way out.
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *barrier;
static int data, seen;

static void *reader(void *unused) {
    pthread_barrier_wait(barrier);
    seen = data;
    return unused;
}

int main(void) {
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        barrier = malloc(sizeof *barrier);
        pthread_barrier_init(barrier, 0, 2);
        pthread_create(&thread, 0, reader, 0);
        data = i;
        pthread_barrier_wait(barrier);
        pthread_barrier_destroy(barrier);
        free(barrier);
        pthread_join(thread, 0);
        if (seen != i)
            return 1;
    }
    return 0;
}
