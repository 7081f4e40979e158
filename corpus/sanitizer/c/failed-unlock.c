// verdict: silent
// A thread that gives back what it does not have is told so, and nothing else happens: what the last holder did is still there for the next one.
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutexes[2];
static int data[2];
atomic_int stage;

static void await(int value) {
    while (atomic_load_explicit(&stage, memory_order_relaxed) < value) {
    }
}

static void *holder(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutexes[i]);
        data[i] = 1;
        pthread_mutex_unlock(&mutexes[i]);
    }
    atomic_store_explicit(&stage, 1, memory_order_relaxed);
    return unused;
}

static void *stranger(void *unused) {
    await(1);
    int wrong = 0;
    for (int i = 0; i < 2; i++)
        wrong |= pthread_mutex_unlock(&mutexes[i]) != EPERM;
    atomic_store_explicit(&stage, 2, memory_order_relaxed);
    return wrong ? &data : unused;
}

static void *next_holder(void *unused) {
    await(2);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutexes[i]);
        data[i]++;
        pthread_mutex_unlock(&mutexes[i]);
    }
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t threads[3];
    void *wrong = 0;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutexes[0], &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutexes[1], &attributes);
    pthread_create(&threads[0], 0, holder, 0);
    pthread_create(&threads[1], 0, stranger, 0);
    pthread_create(&threads[2], 0, next_holder, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], &wrong);
    pthread_join(threads[2], 0);
    return wrong || data[0] != 2 || data[1] != 2;
}
