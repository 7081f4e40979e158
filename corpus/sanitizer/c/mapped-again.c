// verdict: silent
// flags: -D_FILE_OFFSET_BITS=64
// New memory in place of the old, by the function that mmap is for programs with large files.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static _Atomic(char *) where;

static char *map(void *at, int more) {
    return mmap(at, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more, -1, 0);
}

static void *work(void *unused) {
    char *memory = map(0, 0);
    memory[0] = 1;
    atomic_store_explicit(&where, memory, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t thread;
    char *memory;
    pthread_create(&thread, 0, work, 0);
    while (!(memory = atomic_load_explicit(&where, memory_order_relaxed))) {
    }
    char *again = map(memory, MAP_FIXED);
    int wrong = again != memory || again[0];
    again[0] = 2;
    pthread_join(thread, 0);
    return wrong;
}
