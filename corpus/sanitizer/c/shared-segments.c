// verdict: silent
// Two segments of shared memory that are attached at the same place, one after the other, have nothing to do with each other.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ipc.h>
#include <sys/shm.h>

static _Atomic(int *) where;

static int *attach(void *at) {
    int segment = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    int *memory = shmat(segment, at, 0);
    shmctl(segment, IPC_RMID, 0);
    return memory;
}

static void *work(void *unused) {
    int *memory = attach(0);
    memory[1] = 1;
    shmdt(memory);
    atomic_store_explicit(&where, memory, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t thread;
    int *memory;
    pthread_create(&thread, 0, work, 0);
    while (!(memory = atomic_load_explicit(&where, memory_order_relaxed))) {
    }
    int *again = attach(memory), wrong = 0;
    // Somebody else may have taken the place.
    if (again == memory) {
        wrong = again[1];
        again[1] = 2;
    }
    pthread_join(thread, 0);
    return wrong;
}
