// verdict: silent
// Plain data that alarms and timers order, for a thread that waits for their signals.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { WAYS = 3 };
static sigset_t wanted;
static int data, way;
static timer_t timer;

static int start(void) {
    struct itimerval soon = {{0, 0}, {0, 1000}};
    struct itimerspec sooner = {{0, 0}, {0, 1000000}};
    switch (way) {
    case 0:
        return setitimer(ITIMER_REAL, &soon, 0);
    case 1:
        ualarm(1000, 0);
        return 0;
    default:
        return timer_settime(timer, 0, &sooner, 0);
    }
}

static void *starts(void *unused) {
    data++;
    return start() ? &data : unused;
}

int main(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGALRM);
    sigaddset(&wanted, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &wanted, 0);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer))
        return 1;
    for (way = 0; way < WAYS; way++) {
        pthread_t thread;
        int number = 0;
        pthread_create(&thread, 0, starts, 0);
        sigwait(&wanted, &number);
        if (number != (way == 2 ? SIGUSR1 : SIGALRM) || data != way + 1)
            return 1;
        pthread_join(thread, 0);
    }
    return timer_delete(timer);
}
