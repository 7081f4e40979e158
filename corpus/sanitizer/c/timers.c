// verdict: silent
// Timers call functions, in threads that nobody has started, and handlers. Who waits for them does not wait for ever.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t called;
static int before, seen;

static void function(union sigval value) {
    seen = before + value.sival_int;
    sem_post(&called);
}

static void handler(int number) {
    (void)number;
    sem_post(&called);
}

static void *waits(void *unused) {
    while (sem_wait(&called)) {
    }
    return unused;
}

static void set(timer_t timer) {
    struct itimerspec soon = {{0, 0}, {0, 20000000}};
    timer_settime(timer, 0, &soon, 0);
}

static timer_t start(struct sigevent *event) {
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, event, &timer);
    set(timer);
    return timer;
}

int main(void) {
    sem_init(&called, 0, 0);
    before = 40;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = function};
    event.sigev_value.sival_int = 2;
    timer_t timer = start(&event);
    waits(0);
    if (seen != 42)
        return 1;
    // Once more, with something else.
    before = 50;
    set(timer);
    waits(0);
    timer_delete(timer);
    if (seen != 52)
        return 1;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, 0);
    pthread_t thread;
    pthread_create(&thread, 0, waits, 0);
    struct sigevent signal = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer = start(&signal);
    pthread_join(thread, 0);
    return timer_delete(timer);
}
