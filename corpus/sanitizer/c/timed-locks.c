// verdict: silent
// Locks that are tried or waited for with a limit, of every kind: what they order when they succeed is plain data.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static int by_mutex, by_recursive, by_rwlock, by_spin, by_semaphore, stage;

static struct timespec in(clockid_t clock, int seconds) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_sec += seconds;
    return time;
}

static void mutexes(void) {
    struct timespec limit = in(CLOCK_REALTIME, 20), steady = in(CLOCK_MONOTONIC, 20);
    if (pthread_mutex_trylock(&mutex) == 0) {
        by_mutex++;
        pthread_mutex_unlock(&mutex);
    }
    if (pthread_mutex_timedlock(&mutex, &limit) == 0) {
        by_mutex++;
        pthread_mutex_unlock(&mutex);
    }
    if (pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &steady) == 0) {
        by_mutex++;
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    by_recursive++;
    pthread_mutex_unlock(&recursive);
    by_recursive++;
    pthread_mutex_unlock(&recursive);
}

static void read_write_locks(void) {
    struct timespec limit = in(CLOCK_REALTIME, 20), steady = in(CLOCK_MONOTONIC, 20);
    int seen = 0;
    if (pthread_rwlock_tryrdlock(&rwlock) == 0) {
        seen += by_rwlock;
        pthread_rwlock_unlock(&rwlock);
    }
    if (pthread_rwlock_timedrdlock(&rwlock, &limit) == 0) {
        seen += by_rwlock;
        pthread_rwlock_unlock(&rwlock);
    }
    if (pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &steady) == 0) {
        seen += by_rwlock;
        pthread_rwlock_unlock(&rwlock);
    }
    if (pthread_rwlock_trywrlock(&rwlock) == 0) {
        by_rwlock += seen + 1;
        pthread_rwlock_unlock(&rwlock);
    }
    if (pthread_rwlock_timedwrlock(&rwlock, &limit) == 0) {
        by_rwlock++;
        pthread_rwlock_unlock(&rwlock);
    }
    if (pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &steady) == 0) {
        by_rwlock++;
        pthread_rwlock_unlock(&rwlock);
    }
}

static void semaphores(void) {
    struct timespec limit = in(CLOCK_REALTIME, 20), steady = in(CLOCK_MONOTONIC, 20);
    if (sem_trywait(&semaphore) == 0) {
        by_semaphore++;
        sem_post(&semaphore);
    }
    if (sem_timedwait(&semaphore, &limit) == 0) {
        by_semaphore++;
        sem_post(&semaphore);
    }
    if (sem_clockwait(&semaphore, CLOCK_MONOTONIC, &steady) == 0) {
        by_semaphore++;
        sem_post(&semaphore);
    }
}

static void conditions(void) {
    struct timespec limit = in(CLOCK_REALTIME, 20), steady = in(CLOCK_MONOTONIC, 20), past = in(CLOCK_REALTIME, -1);
    pthread_mutex_lock(&mutex);
    stage++;
    pthread_cond_broadcast(&changed);
    pthread_cond_timedwait(&changed, &mutex, &past);
    while (stage < 2)
        pthread_cond_timedwait(&changed, &mutex, &limit);
    by_mutex++;
    stage++;
    pthread_cond_broadcast(&changed);
    while (stage < 4)
        pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &steady);
    by_mutex++;
    pthread_mutex_unlock(&mutex);
}

static void *work(void *unused) {
    mutexes();
    read_write_locks();
    semaphores();
    conditions();
    if (pthread_spin_trylock(&spin) == 0) {
        by_spin++;
        pthread_spin_unlock(&spin);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_spin_init(&spin, 0);
    sem_init(&semaphore, 0, 1);
    pthread_create(&threads[0], 0, work, 0);
    pthread_create(&threads[1], 0, work, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return by_recursive != 4 || stage != 4 || by_mutex < 4 || by_rwlock < 0 || by_semaphore < 0 || by_spin < 1;
}
