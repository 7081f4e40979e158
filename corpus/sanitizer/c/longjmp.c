// verdict: silent
// Functions that are left by longjmp, more often than the call stack is deep.
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

atomic_int counter;

static __attribute__((noinline)) void leave(jmp_buf target, int depth) {
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    if (depth > 0)
        leave(target, depth - 1);
    longjmp(target, 1);
}

static void *work(void *unused) {
    for (volatile int round = 0; round < 2000; round++) {
        jmp_buf target;
        if (!setjmp(target))
            leave(target, 9);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return counter != 20000;
}
