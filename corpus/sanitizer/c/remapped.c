// verdict: silent
// New memory in place of the old, by mappings that are moved there or that grow; and what stays where it is when its mapping grows still orders what it has ordered.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { PAGE = 4096 };
struct shared {
    pthread_mutex_t mutex;
    int data;
};
static _Atomic(char *) used;

static char *map(void) {
    return mmap(0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *use(void *memory) {
    struct shared *shared = memory;
    pthread_mutex_lock(&shared->mutex);
    shared->data = 1;
    pthread_mutex_unlock(&shared->mutex);
    ((char *)memory)[PAGE] = 1;
    atomic_store_explicit(&used, memory, memory_order_relaxed);
    return 0;
}

// Lets another thread use the memory, and waits for that in a way that orders nothing.
static pthread_t let_use(char *memory) {
    pthread_t thread;
    pthread_mutex_init(&((struct shared *)memory)->mutex, 0);
    pthread_create(&thread, 0, use, memory);
    while (atomic_load_explicit(&used, memory_order_relaxed) != memory) {
    }
    return thread;
}

static int moved(void) {
    char *old = map(), *new = map();
    pthread_t thread = let_use(old);
    int wrong = mremap(new, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, old) != old || old[PAGE];
    old[PAGE] = 2;
    pthread_join(thread, 0);
    return wrong;
}

static int grown(void) {
    char *memory = map();
    pthread_t thread = let_use(memory);
    int wrong = mremap(memory, 2 * PAGE, PAGE, 0) != memory;
    // Somebody else may have taken the place.
    if (mremap(memory, PAGE, 2 * PAGE, 0) == memory) {
        struct shared *shared = (struct shared *)memory;
        wrong |= memory[PAGE];
        memory[PAGE] = 2;
        pthread_mutex_lock(&shared->mutex);
        wrong |= shared->data != 1;
        pthread_mutex_unlock(&shared->mutex);
    }
    pthread_join(thread, 0);
    return wrong;
}

int main(void) {
    return moved() || grown();
}
