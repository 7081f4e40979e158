// verdict: silent
// The locks of C11 that are tried or waited for with a limit, and threads that detach themselves or leave early.
#include <stdatomic.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex, limited;
static cnd_t changed;
static int plain, stage, ended;

static struct timespec in(int seconds) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    time.tv_sec += seconds;
    return time;
}

static int work(void *argument) {
    struct timespec limit = in(20);
    if (mtx_trylock(&limited) == thrd_success) {
        plain++;
        mtx_unlock(&limited);
    }
    if (mtx_timedlock(&limited, &limit) == thrd_success) {
        plain++;
        mtx_unlock(&limited);
    }
    mtx_lock(&mutex);
    stage++;
    cnd_broadcast(&changed);
    while (stage < 2)
        cnd_timedwait(&changed, &mutex, &limit);
    mtx_unlock(&mutex);
    if (argument)
        thrd_exit(3);
    return 3;
}

static int alone(void *unused) {
    thrd_detach(thrd_current());
    mtx_lock(&mutex);
    ended = 1;
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    return unused != 0;
}

int main(void) {
    thrd_t threads[2], third;
    int results[2];
    mtx_init(&mutex, mtx_plain);
    mtx_init(&limited, mtx_timed | mtx_recursive);
    cnd_init(&changed);
    thrd_create(&threads[0], work, 0);
    thrd_create(&threads[1], work, &plain);
    thrd_join(threads[0], &results[0]);
    thrd_join(threads[1], &results[1]);
    int sum = plain;
    thrd_create(&third, alone, 0);
    mtx_lock(&mutex);
    while (!ended)
        cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    return results[0] != 3 || results[1] != 3 || sum < 2;
}
