// verdict: silent
// Threads wait for what only the handler of a signal will do. That is no deadlock; and those who are interrupted in their sleep are told so.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static sem_t semaphore, never;
static pthread_t first;
atomic_int awake;

static void post(int number) {
    (void)number;
    sem_post(&semaphore);
}

static void nothing(int number) {
    (void)number;
}

static void *wakes(void *unused) {
    // The first one may come before the other thread sleeps.
    while (!atomic_load_explicit(&awake, memory_order_relaxed)) {
        pthread_kill(first, SIGUSR1);
        usleep(1000);
    }
    return unused;
}

int main(void) {
    struct sigaction posting = {.sa_handler = post, .sa_flags = SA_RESTART}, interrupting = {.sa_handler = nothing};
    struct itimerval soon = {{0, 20000}, {0, 20000}}, never_again = {{0, 0}, {0, 0}};
    struct timespec some_time = {1, 0};
    pthread_t thread;
    first = pthread_self();
    sem_init(&semaphore, 0, 0);
    sem_init(&never, 0, 0);

    sigaction(SIGALRM, &posting, 0);
    setitimer(ITIMER_REAL, &soon, 0);
    int wrong = sem_wait(&semaphore);

    sigaction(SIGALRM, &interrupting, 0);
    wrong |= sem_wait(&never) != -1 || errno != EINTR;
    setitimer(ITIMER_REAL, &never_again, 0);

    sigaction(SIGUSR1, &interrupting, 0);
    pthread_create(&thread, 0, wakes, 0);
    while (nanosleep(&some_time, 0) == 0) {
    }
    wrong |= errno != EINTR;
    atomic_store_explicit(&awake, 1, memory_order_relaxed);
    pthread_join(thread, 0);
    return wrong;
}
