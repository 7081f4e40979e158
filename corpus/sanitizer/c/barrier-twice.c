// verdict: race
// Two threads meet twice. Between the meetings both write, and nothing orders that: that the faster one comes to the second meeting before the slower one has left the first is no order.
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static int between;

static void *work(void *unused) {
    pthread_barrier_wait(&barrier);
    between++;
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return between > 2;
}
