// verdict: silent
// The owner of a mutex dies, and the next one continues with what it left. Waiting for that is no deadlock, although nobody gives the mutex back.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutexes[2];
static sem_t taken;
static int data[2];

static void *dies(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutexes[i]);
        data[i] = 1;
    }
    sem_post(&taken);
    data[1]++;
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    int wrong = 0;
    sem_init(&taken, 0, 0);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutexes[0], &attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&mutexes[1], &attributes);
    pthread_create(&thread, 0, dies, 0);
    sem_wait(&taken);
    for (int i = 0; i < 2; i++) {
        wrong |= pthread_mutex_lock(&mutexes[i]) != EOWNERDEAD;
        pthread_mutex_consistent(&mutexes[i]);
        wrong |= data[i] != i + 1;
        data[i]++;
        pthread_mutex_unlock(&mutexes[i]);
    }
    pthread_join(thread, 0);
    return wrong;
}
