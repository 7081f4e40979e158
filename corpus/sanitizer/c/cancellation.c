// verdict: silent
// Threads that are cancelled while they wait: for a condition, for which they get the mutex back, for a semaphore, for another thread, or just for some time.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_t sleeper;
static sem_t begun, empty;
static int data;

static void clean_up(void *unused) {
    (void)unused;
    data++;
    pthread_mutex_unlock(&mutex);
}

static void *waits_for_condition(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean_up, 0);
    sem_post(&begun);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(0);
    return unused;
}

static void *waits_for_semaphore(void *unused) {
    sem_post(&begun);
    sem_wait(&empty);
    return unused;
}

static void *sleeps(void *unused) {
    sem_post(&begun);
    for (;;)
        usleep(1000);
    return unused;
}

static void *waits_for_thread(void *unused) {
    sem_post(&begun);
    pthread_join(sleeper, 0);
    return unused;
}

static int cancel(pthread_t thread) {
    void *result;
    pthread_cancel(thread);
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED;
}

static pthread_t start(void *(*routine)(void *)) {
    pthread_t thread;
    pthread_create(&thread, 0, routine, 0);
    sem_wait(&begun);
    return thread;
}

int main(void) {
    sem_init(&begun, 0, 0);
    sem_init(&empty, 0, 0);
    pthread_t thread = start(waits_for_condition);
    pthread_mutex_lock(&mutex);
    data++;
    pthread_mutex_unlock(&mutex);
    int right = cancel(thread) && cancel(start(waits_for_semaphore));
    sleeper = start(sleeps);
    right &= cancel(start(waits_for_thread));
    right &= cancel(sleeper);
    return !right || data != 2;
}
