// verdict: silent
// What a thread did before it asked for a handler is known in the handler; and what a handler passes on with a semaphore or an atomic gets there, whatever it interrupts.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ROUNDS = 30 };
static sem_t semaphore;
static int configuration, data[ROUNDS];
static volatile sig_atomic_t called;
atomic_int received, noise;

static void post(int number) {
    (void)number;
    sem_post(&semaphore);
}

static void use(int number) {
    (void)number;
    called = configuration;
}

static void *receiver(void *unused) {
    int sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        while (sem_wait(&semaphore)) {
        }
        sum += data[i];
        atomic_store_explicit(&received, i + 1, memory_order_release);
    }
    return sum == ROUNDS ? unused : &data;
}

static void *sender(void *of) {
    pthread_t thread = *(pthread_t *)of;
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load_explicit(&received, memory_order_acquire) < i) {
        }
        pthread_kill(thread, SIGUSR1);
    }
    return 0;
}

// The handler comes in the middle of one of these accesses.
static void *interrupted(void *unused) {
    pthread_t self = pthread_self(), thread;
    // One for every round: each is sent after the data of its round was written, which the thread knows itself.
    for (int i = 0; i < ROUNDS; i++)
        data[i] = 1;
    pthread_create(&thread, 0, sender, &self);
    while (atomic_load_explicit(&received, memory_order_acquire) < ROUNDS)
        atomic_fetch_add_explicit(&noise, 1, memory_order_relaxed);
    pthread_join(thread, 0);
    return unused;
}

static void *waits(void *unused) {
    while (!called)
        usleep(100);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    void *wrong = 0;
    sem_init(&semaphore, 0, 0);
    signal(SIGUSR1, post);
    pthread_create(&threads[0], 0, receiver, 0);
    pthread_create(&threads[1], 0, interrupted, 0);
    pthread_join(threads[0], &wrong);
    pthread_join(threads[1], 0);

    pthread_create(&threads[0], 0, waits, 0);
    configuration = 42;
    struct sigaction action = {.sa_handler = use}, before;
    sigaction(SIGUSR2, &action, 0);
    sigaction(SIGUSR2, 0, &before);
    pthread_kill(threads[0], SIGUSR2);
    pthread_join(threads[0], 0);
    return wrong || called != 42 || before.sa_handler != use || signal(SIGUSR1, SIG_DFL) != post;
}
