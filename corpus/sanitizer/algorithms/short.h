/* Short names, so that these programs can be compared with those of corpus/programs line by line.
   Atomic variables are not static: clang puts a static variable that one function alone uses on the stack of that function, although threads share it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define load(x, order) atomic_load_explicit(&(x), memory_order_##order)
#define store(x, value, order) atomic_store_explicit(&(x), value, memory_order_##order)
#define swap(x, value, order) atomic_exchange_explicit(&(x), value, memory_order_##order)
#define fetch_add(x, value, order) atomic_fetch_add_explicit(&(x), value, memory_order_##order)
#define fetch_sub(x, value, order) atomic_fetch_sub_explicit(&(x), value, memory_order_##order)
#define compare_exchange(x, expected, desired, success, failure) \
    atomic_compare_exchange_strong_explicit(&(x), &(expected), desired, memory_order_##success, memory_order_##failure)
#define fence(order) atomic_thread_fence(memory_order_##order)

/* Runs functions as threads, each with its number, and waits for them. */
typedef void body(int id);

struct start {
    body *run;
    int id;
};

static void *start_thread(void *argument) {
    struct start *start = argument;
    start->run(start->id);
    return 0;
}

static inline void together(int count, body *bodies[]) {
    pthread_t threads[8];
    struct start starts[8];
    for (int i = 0; i < count; i++) {
        starts[i] = (struct start){bodies[i], i};
        pthread_create(&threads[i], 0, start_thread, &starts[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
}

#define TOGETHER(...) together(sizeof((body *[]){__VA_ARGS__}) / sizeof(body *), (body *[]){__VA_ARGS__})

/* Numbers that only look random: what differs from run to run is the schedule. */
static inline unsigned choose(unsigned *state, unsigned count) {
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % count;
}
