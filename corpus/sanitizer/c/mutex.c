// verdict: silent
// Store buffering inside of a mutex, with condition variables, semaphores, a barrier and a lock for readers: all of them order threads.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t semaphore;
atomic_int x, y;
static int plain, stage;

static void buffer(atomic_int *mine, atomic_int *other) {
    atomic_store_explicit(mine, 1, memory_order_relaxed);
    (void)atomic_load_explicit(other, memory_order_relaxed);
    plain++;
}

static void *work(void *argument) {
    int me = argument != 0;
    atomic_int *mine = me ? &y : &x, *other = me ? &x : &y;
    pthread_mutex_lock(&mutex);
    buffer(mine, other);
    stage++;
    pthread_cond_broadcast(&changed);
    while (stage < 2)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    pthread_rwlock_rdlock(&rwlock);
    (void)plain;
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_wrlock(&rwlock);
    buffer(mine, other);
    pthread_rwlock_unlock(&rwlock);
    pthread_barrier_wait(&barrier);
    pthread_spin_lock(&spin);
    buffer(mine, other);
    pthread_spin_unlock(&spin);
    pthread_barrier_wait(&barrier);
    sem_wait(&semaphore);
    buffer(mine, other);
    sem_post(&semaphore);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, 0, 2);
    pthread_spin_init(&spin, 0);
    sem_init(&semaphore, 0, 1);
    pthread_create(&threads[0], 0, work, 0);
    pthread_create(&threads[1], 0, work, &plain);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return plain != 8;
}
