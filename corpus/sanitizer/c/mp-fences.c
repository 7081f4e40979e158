// verdict: silent
// as: ../litmus/mp-fences.sf
// Message passing with relaxed accesses, a release fence before the flag and an acquire fence after it.
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
static int data;

static void *writer(void *unused) {
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        return data == 42 ? unused : &data;
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    void *wrong[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_join(threads[0], &wrong[0]);
    pthread_join(threads[1], &wrong[1]);
    return wrong[1] != 0;
}
