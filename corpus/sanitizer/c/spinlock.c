// verdict: silent
// A spin lock: exchange with acquire, store with release. It protects plain data.
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;
static int counter;

static void *work(void *unused) {
    for (int round = 0; round < 5; round++) {
        while (atomic_exchange_explicit(&taken, 1, memory_order_acquire)) {
        }
        counter++;
        atomic_store_explicit(&taken, 0, memory_order_release);
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return counter != 15;
}
