// verdict: silent
// Waiting for another process, with everything that processes can share. It is no deadlock if no thread of this one can go on.
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    pthread_rwlock_t rwlock;
    pthread_barrier_t barrier;
    sem_t semaphore, locked;
    int stage;
} *shared;

static void prepare(void) {
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    pthread_rwlockattr_t rwlock;
    pthread_barrierattr_t barrier;
    shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &mutex);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->condition, &condition);
    pthread_rwlockattr_init(&rwlock);
    pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&shared->rwlock, &rwlock);
    pthread_barrierattr_init(&barrier);
    pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &barrier, 2);
    sem_init(&shared->semaphore, 1, 0);
    sem_init(&shared->locked, 1, 0);
}

static void child(void) {
    usleep(2000);
    sem_post(&shared->semaphore);
    pthread_mutex_lock(&shared->mutex);
    pthread_rwlock_wrlock(&shared->rwlock);
    sem_post(&shared->locked);
    usleep(2000);
    pthread_rwlock_unlock(&shared->rwlock);
    usleep(2000);
    shared->stage = 1;
    pthread_mutex_unlock(&shared->mutex);
    usleep(2000);
    pthread_mutex_lock(&shared->mutex);
    shared->stage = 2;
    pthread_cond_signal(&shared->condition);
    pthread_mutex_unlock(&shared->mutex);
    usleep(2000);
    pthread_barrier_wait(&shared->barrier);
    _exit(0);
}

int main(void) {
    prepare();
    if (!fork())
        child();
    sem_wait(&shared->semaphore);
    sem_wait(&shared->locked);
    pthread_rwlock_rdlock(&shared->rwlock);
    pthread_rwlock_unlock(&shared->rwlock);
    pthread_mutex_lock(&shared->mutex);
    int wrong = shared->stage < 1;
    while (shared->stage < 2)
        pthread_cond_wait(&shared->condition, &shared->mutex);
    pthread_mutex_unlock(&shared->mutex);
    pthread_barrier_wait(&shared->barrier);
    wait(0);
    return wrong;
}
