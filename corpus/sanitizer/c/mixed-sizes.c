// verdict: silent
// A word that is written whole and read in halves: it orders threads all the same.
#include <pthread.h>
#include <stdint.h>

union {
    uint64_t whole;
    uint32_t halves[2];
} word;
static int data;

static void *writer(void *unused) {
    data = 7;
    __atomic_store_n(&word.whole, 0x100000001u, __ATOMIC_RELEASE);
    return unused;
}

static void *reader(void *unused) {
    if (__atomic_load_n(&word.halves[1], __ATOMIC_ACQUIRE))
        return data == 7 ? unused : &data;
    __atomic_store_n(&word.halves[0], 5, __ATOMIC_RELAXED);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    void *wrong;
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], &wrong);
    return wrong != 0;
}
