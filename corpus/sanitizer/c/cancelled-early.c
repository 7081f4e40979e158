// verdict: silent
// A thread that is cancelled before it waits does not wait; and one that only asks whether it should end gives others a chance to say so.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void clean(void *unused) {
    (void)unused;
    cleaned++;
    pthread_mutex_unlock(&mutex);
}

static void *waits(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean, 0);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(1);
    return unused;
}

static void *asks(void *unused) {
    for (;;)
        pthread_testcancel();
    return unused;
}

int main(void) {
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, 0, i % 2 ? asks : waits, 0);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED)
            return 1;
    }
    return cleaned > 5;
}
