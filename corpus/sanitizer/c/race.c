// verdict: race
// as: ../litmus/mp-plain-relaxed.sf
// Message passing of plain data with a relaxed flag: nothing orders the two accesses to the data.
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
static int data;

static void *writer(void *unused) {
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    while (!atomic_load_explicit(&flag, memory_order_acquire)) {
    }
    return data == 42 ? unused : &data;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
