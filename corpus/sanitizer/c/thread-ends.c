// verdict: silent
// Threads that end in other ways than by returning: pthread_exit, cancelling with cleanup handlers; joining that tries or has a limit; pthread_once. All of them order plain data.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised, by_exit, by_cancel, by_join, cleaned;

static void initialise(void) { initialised = 7; }

static void clean(void *unused) {
    cleaned = initialised + (unused != 0);
}

static void *exits(void *unused) {
    pthread_once(&once, initialise);
    by_exit = initialised;
    pthread_exit(unused);
}

static void *waits(void *unused) {
    pthread_once(&once, initialise);
    by_cancel = initialised;
    pthread_cleanup_push(clean, unused);
    for (;;)
        pause();
    pthread_cleanup_pop(1);
    return unused;
}

static void *returns(void *unused) {
    by_join++;
    return unused;
}

int main(void) {
    pthread_t threads[4];
    struct timespec limit;
    void *result;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 20;
    pthread_create(&threads[0], 0, exits, 0);
    pthread_create(&threads[1], 0, waits, 0);
    pthread_join(threads[0], 0);
    pthread_cancel(threads[1]);
    pthread_join(threads[1], &result);
    // The thread may have been cancelled before it came to anything.
    int wrong = by_exit != 7 || result != PTHREAD_CANCELED || by_cancel + cleaned > 14;
    pthread_create(&threads[2], 0, returns, 0);
    while (pthread_tryjoin_np(threads[2], 0))
        usleep(100);
    by_join++;
    pthread_create(&threads[3], 0, returns, 0);
    wrong |= pthread_timedjoin_np(threads[3], 0, &limit);
    return wrong || by_join != 3;
}
