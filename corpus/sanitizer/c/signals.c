// verdict: silent
// Handlers of signals that make atomic accesses, in the middle of anything; and jumping out of one.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>

atomic_int handled, flag;
static int data;
static sigjmp_buf back;

static void count(int number) {
    (void)number;
    atomic_fetch_add_explicit(&handled, 1, memory_order_acq_rel);
}

static void jump(int number) {
    siglongjmp(back, number);
}

static void *sender(void *unused) {
    data = 42;
    raise(SIGUSR1);
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction counting = {.sa_handler = count, .sa_flags = SA_RESTART}, jumping = {.sa_handler = jump};
    sigaction(SIGUSR1, &counting, 0);
    sigaction(SIGUSR2, &jumping, 0);
    pthread_create(&thread, 0, sender, 0);
    for (int i = 0; i < 3; i++) {
        pthread_kill(pthread_self(), SIGUSR1);
        if (!sigsetjmp(back, 1))
            raise(SIGUSR2);
    }
    int wrong = atomic_load_explicit(&flag, memory_order_acquire) && data != 42;
    pthread_join(thread, 0);
    return wrong || handled != 4;
}
