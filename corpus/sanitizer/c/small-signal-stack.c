// verdict: race
// Stacks for handlers of signals are small, and the kernel takes most of them. A report that is made there needs hardly more than a handler in which there is nothing to report.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 1 << 16, PAINT = 0xa5, LITTLE = 2048 };

static int mine, shared;
static atomic_int handled;
static unsigned char *memory;
static volatile int finished;

static void handler(int number) {
    if (number == SIGUSR1) mine++;
    if (number == SIGUSR2) shared++;
    atomic_fetch_add(&handled, 1);
}

// The sanitizer does not look into these: they order the threads in time, and in no other way.
__attribute__((noinline, no_sanitize_thread)) static void finish(void) {
    finished = 1;
}

__attribute__((noinline, no_sanitize_thread)) static void wait_for_the_other(void) {
    while (!finished) usleep(1000);
}

static void *other(void *unused) {
    shared++;
    finish();
    return unused;
}

// How much of the stack the handler of a signal takes. This looks at what others have written there.
__attribute__((noinline, no_sanitize_thread)) static int used(int number) {
    volatile unsigned char *stack = memory;
    for (int at = 0; at < SIZE; at++) stack[at] = PAINT;
    raise(number);
    int at = 0;
    while (stack[at] == PAINT) at++;
    return SIZE - at;
}

int main(void) {
    memory = malloc(SIZE);
    stack_t stack = {.ss_sp = memory, .ss_size = SIZE};
    if (sigaltstack(&stack, NULL)) return 1;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    wait_for_the_other();
    // What is done for the first time, like looking for a function, is not meant.
    used(SIGUSR1);
    int without = used(SIGUSR1), with = used(SIGUSR2);
    pthread_join(thread, NULL);
    if (with > without + LITTLE) {
        fprintf(stderr, "a report takes %d bytes\n", with - without);
        abort();
    }
    return atomic_load(&handled) != 3;
}
