// verdict: race
// An atomic wait beside a plain write that nothing orders.
#include <pthread.h>
#include <stdatomic.h>
#include <steadfast.h>

static int flag;

static void *writer(void *unused) {
    flag = 1;
    return unused;
}

static void *reader(void *unused) {
    steadfast_wait((atomic_int *)&flag, 1, memory_order_acquire);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
