// verdict: silent
// A barrier for two is used by three: the host meets one guest and then the other, who comes while the first has perhaps not left yet.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static sem_t first_has_come;
static int told[2], heard[2], answers[2];

static void *guest(void *argument) {
    size_t me = (size_t)argument;
    if (me == 1)
        sem_wait(&first_has_come);
    answers[me] = 1;
    pthread_barrier_wait(&barrier);
    heard[me] = told[me];
    return NULL;
}

static void *host(void *result) {
    for (int i = 0; i < 2; i++) {
        told[i] = 1;
        pthread_barrier_wait(&barrier);
        *(int *)result += answers[i];
        sem_post(&first_has_come);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int result = 0;
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&first_has_come, 0, 0);
    pthread_create(&threads[2], NULL, host, &result);
    for (size_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, guest, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return result == 2 && heard[0] + heard[1] == 2 ? 0 : 1;
}
