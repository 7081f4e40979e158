// verdict: silent
// as: ticketlock-spin.sf
// A ticket lock. It protects plain data.
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next, serving;
static int counter;

static void *work(void *unused) {
    for (int round = 0; round < 4; round++) {
        unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_acq_rel);
        while (atomic_load_explicit(&serving, memory_order_acquire) != mine) {
        }
        counter++;
        atomic_store_explicit(&serving, mine + 1, memory_order_release);
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return counter != 12;
}
