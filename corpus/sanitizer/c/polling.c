// verdict: silent
// Threads that wait with a time limit, again and again, for one that does so, too. Under a controlled schedule all of them have to lose their patience at some time, not always the same.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int stopped, rounds, done;
static atomic_int flag;

// Nobody signals: it looks at the time.
static void wait_a_little(void) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 1000000;
    if (limit.tv_nsec >= 1000000000) {
        limit.tv_nsec -= 1000000000;
        limit.tv_sec++;
    }
    pthread_cond_timedwait(&condition, &mutex, &limit);
}

static void *worker(void *unused) {
    pthread_mutex_lock(&mutex);
    while (rounds < 3) {
        wait_a_little();
        rounds++;
    }
    done = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *sleeper(void *unused) {
    for (;;) {
        usleep(1000);
        pthread_mutex_lock(&mutex);
        int ends = stopped;
        pthread_mutex_unlock(&mutex);
        if (ends)
            return unused;
    }
}

static void *late(void *unused) {
    pthread_mutex_lock(&mutex);
    wait_a_little();
    pthread_mutex_unlock(&mutex);
    atomic_store(&flag, atomic_load(&flag) + 1);
    return unused;
}

int main(void) {
    pthread_t threads[2], other;
    pthread_create(&threads[0], 0, sleeper, 0);
    pthread_create(&threads[1], 0, worker, 0);
    pthread_mutex_lock(&mutex);
    while (!done)
        wait_a_little();
    stopped = 1;
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    // Those who do not sleep while they wait.
    pthread_create(&other, 0, late, 0);
    while (atomic_load(&flag) < 1) {
    }
    pthread_join(other, 0);
    pthread_create(&other, 0, late, 0);
    while (atomic_load(&flag) < 2)
        sched_yield();
    pthread_join(other, 0);
    return rounds != 3;
}
