// verdict: silent
// The handler of an alarm may come when its thread has just taken a lock, or waits for others at a barrier.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static atomic_int calls;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t called;
static long sum;

static void handler(int number) {
    (void)number;
    if (atomic_fetch_add(&calls, 1) == 0)
        sem_post(&called);
}

static void every(int microseconds) {
    struct itimerval time = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &time, 0);
}

static void *waits_for_the_handler(void *unused) {
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, 0);
    while (sem_wait(&called)) {
    }
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, 0);
    pthread_barrier_init(&barrier, 0, 2);
    sem_init(&called, 0, 0);
    pthread_t thread;
    pthread_create(&thread, 0, waits_for_the_handler, 0);
    every(1000);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, 0);
    every(100);
    for (int i = 0; i < 5000; i++) {
        pthread_mutex_lock(&mutex);
        sum++;
        pthread_mutex_unlock(&mutex);
    }
    every(0);
    return sum == 5000 ? 0 : 1;
}
