// verdict: silent
// A barrier of two flags, with waits that are marked as such: an old value that is read on the way does not count.
#include <pthread.h>
#include <stdatomic.h>
#include <steadfast.h>

atomic_int left, right, lock;
static int data;

static void meet(atomic_int *mine, atomic_int *other) {
    atomic_store_explicit(mine, 1, memory_order_release);
    steadfast_wait(other, 1, memory_order_acquire);
    steadfast_blocking_cas(&lock, 0, 1, memory_order_acquire);
    data++;
    atomic_store_explicit(&lock, 0, memory_order_release);
}

static void *one(void *unused) {
    meet(&left, &right);
    return unused;
}

static void *two(void *unused) {
    meet(&right, &left);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, two, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return data != 2;
}
