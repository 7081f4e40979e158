// verdict: race
// A thread overflows its stack, again and again at other places, and recovers in a handler on another stack. Whatever the runtime was about to do then, it can go on: it still sees the race at the end.
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 1 << 16, TIMES = 60 };

static sigjmp_buf before;
static atomic_int counter;
static int *shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void overflown(int number) {
    (void)number;
    siglongjmp(before, 1);
}

// Kinds take turns, so that each of them meets the end of the stack.
__attribute__((noinline)) static int recurse(int depth, int kind) {
    volatile char local[64];
    local[depth & 63] = (char)depth;
    switch (kind) {
    case 0: atomic_fetch_add(&counter, 1); break;
    case 1: atomic_thread_fence(memory_order_seq_cst); break;
    case 2: shared[depth & 15]++; break;
    }
    return recurse(depth + 1, kind) + local[depth & 63];
}

__attribute__((noinline)) static int from_another_place(int time) {
    volatile char *room = alloca(16 * time + 16);
    room[0] = 1;
    return recurse(time, time % 3) + room[0];
}

static void *overflow(void *unused) {
    stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};
    sigaltstack(&stack, NULL);
    for (volatile int time = 0; time < TIMES; time++)
        if (sigsetjmp(before, 1) == 0) from_another_place(time);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    shared[16] = 1;
    return unused;
}

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = overflown;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    shared = calloc(17, sizeof *shared);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, overflow, NULL)) return 1;
    shared[16] = 2;
    pthread_join(thread, NULL);
    return 0;
}
