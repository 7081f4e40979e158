// verdict: violation
// as: peterson-sc.sf
// Peterson's algorithm with release and acquire.
#include <pthread.h>
#include <stdatomic.h>

atomic_int wants[2], turn;
static int counter;

static void *work(void *argument) {
    int me = argument != 0;
    for (int round = 0; round < 3; round++) {
        atomic_store_explicit(&wants[me], 1, memory_order_release);
        atomic_store_explicit(&turn, 1 - me, memory_order_release);
        while (atomic_load_explicit(&wants[1 - me], memory_order_acquire) &&
               atomic_load_explicit(&turn, memory_order_acquire) == 1 - me) {
        }
        counter++;
        atomic_store_explicit(&wants[me], 0, memory_order_release);
    }
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, work, 0);
    pthread_create(&threads[1], 0, work, &counter);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return counter != 6;
}
