// verdict: silent
// The threads, mutexes, conditions and call_once of C11.
#include <stdatomic.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
atomic_int x, y;
static int plain, ready, initialised;

static void initialise(void) { initialised = 7; }

static int work(void *argument) {
    int me = argument != 0;
    atomic_int *mine = me ? &y : &x, *other = me ? &x : &y;
    call_once(&once, initialise);
    mtx_lock(&mutex);
    atomic_store_explicit(mine, 1, memory_order_relaxed);
    (void)atomic_load_explicit(other, memory_order_relaxed);
    plain += initialised;
    ready++;
    cnd_signal(&changed);
    while (ready < 2)
        cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    return 3;
}

int main(void) {
    thrd_t threads[2];
    int result = 0, sum = 0;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_create(&threads[0], work, 0);
    thrd_create(&threads[1], work, &plain);
    for (int i = 0; i < 2; i++) {
        thrd_join(threads[i], &result);
        sum += result;
    }
    return plain != 14 || sum != 6;
}
