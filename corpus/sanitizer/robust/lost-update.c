// verdict: silent
// One preemption, between a load and the store behind it, loses an update. Then the program aborts; with an argument it loops for ever.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_barrier_t start;
static atomic_int counter, others;

static void *add(void *unused) {
    (void)unused;
    pthread_barrier_wait(&start);
    for (int round = 0; round < 2; round++)
        atomic_fetch_add(&others, 1);
    int old = atomic_load(&counter);
    atomic_store(&counter, old + 1);
    for (int round = 0; round < 2; round++)
        atomic_fetch_add(&others, 1);
    return NULL;
}

int main(int count, char **arguments) {
    (void)arguments;
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    for (int thread = 0; thread < 2; thread++)
        pthread_create(&threads[thread], NULL, add, NULL);
    for (int thread = 0; thread < 2; thread++)
        pthread_join(threads[thread], NULL);
    if (counter == 2)
        return 0;
    while (count > 1)
        atomic_fetch_add(&others, 1);
    abort();
}
