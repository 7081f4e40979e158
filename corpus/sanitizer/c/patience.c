// verdict: silent
// Threads that wait with a time limit of many seconds for somebody who is on the way: who yields or sleeps often, is in a system call for a moment, or is called by a timer. They must not give up.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;
static sem_t semaphore;
static int done;

static struct timespec in_a_minute(clockid_t clock) {
    struct timespec limit;
    clock_gettime(clock, &limit);
    limit.tv_sec += 60;
    return limit;
}

static void *polite(void *unused) {
    for (int i = 0; i < 300; i++)
        sched_yield();
    for (int i = 0; i < 30; i++)
        usleep(1);
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *away(void *unused) {
    pid_t child = fork();
    if (!child) {
        poll(0, 0, 50);
        _exit(0);
    }
    waitpid(child, 0, 0);
    sem_post(&semaphore);
    return unused;
}

static void notice(union sigval unused) {
    (void)unused;
    sem_post(&semaphore);
}

int main(void) {
    pthread_t thread;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition, &attributes);
    sem_init(&semaphore, 0, 0);

    struct timespec limit = in_a_minute(CLOCK_MONOTONIC);
    pthread_create(&thread, 0, polite, 0);
    pthread_mutex_lock(&mutex);
    while (!done)
        if (pthread_cond_timedwait(&condition, &mutex, &limit))
            abort();
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);

    limit = in_a_minute(CLOCK_REALTIME);
    pthread_create(&thread, 0, away, 0);
    if (sem_timedwait(&semaphore, &limit))
        abort();
    pthread_join(thread, 0);

    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notice};
    struct itimerspec time = {.it_value.tv_nsec = 1000000};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &time, 0))
        return 1;
    if (sem_timedwait(&semaphore, &limit))
        abort();
    timer_delete(timer);
    return 0;
}
