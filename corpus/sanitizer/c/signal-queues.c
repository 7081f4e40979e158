// verdict: silent
// Signals come whole, in their order, and as many as were sent, whatever the thread was doing and however full the queue is; with their mask, on their stack, and once more if the handler has left by a jump.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

enum { ROUNDS = 200 };
static atomic_int expected, standard, jumped, wrong, ready, stop, noise;
static pthread_t busy;
static char other_stack[1 << 16];
static sigjmp_buf back;

// That they are numbered shows that none is lost or overtakes another one.
static void numbered(int number, siginfo_t *info, void *context) {
    char here;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, 0, &blocked);
    int is_on_stack = &here >= other_stack && &here < other_stack + sizeof other_stack;
    int is_right = info->si_signo == number && info->si_code == SI_QUEUE && info->si_pid == getpid();
    int is_masked = sigismember(&blocked, number) && sigismember(&blocked, SIGUSR2);
    int was_masked = sigismember(&((ucontext_t *)context)->uc_sigmask, number);
    int next = atomic_fetch_add_explicit(&expected, 1, memory_order_relaxed);
    if (!is_on_stack || !is_right || !is_masked || was_masked || info->si_value.sival_int != next)
        atomic_fetch_add_explicit(&wrong, 1, memory_order_relaxed);
}

static void count(int number) {
    (void)number;
    atomic_fetch_add_explicit(&standard, 1, memory_order_relaxed);
}

static void jump(int number) {
    atomic_fetch_add_explicit(&jumped, 1, memory_order_relaxed);
    siglongjmp(back, number);
}

static void *works(void *unused) {
    stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigaltstack(&stack, 0);
    pthread_sigmask(SIG_UNBLOCK, &one, 0);
    sigsetjmp(back, 1);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    while (!atomic_load_explicit(&stop, memory_order_relaxed))
        atomic_fetch_add_explicit(&noise, 1, memory_order_relaxed);
    return unused;
}

static void wait_for(atomic_int *variable, int value) {
    while (atomic_load_explicit(variable, memory_order_relaxed) < value)
        sched_yield();
}

static void handle(int number, void (*handler)(int), void (*with_info)(int, siginfo_t *, void *), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigaddset(&action.sa_mask, SIGUSR2);
    if (with_info)
        action.sa_sigaction = with_info;
    else
        action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, 0);
}

// How many signals wait for processes of the user.
static unsigned queued(void) {
    char line[256];
    unsigned count = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status) && !sscanf(line, "SigQ: %u", &count)) {
    }
    if (status)
        fclose(status);
    return count;
}

int main(void) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    handle(SIGRTMIN, 0, numbered, SA_SIGINFO | SA_ONSTACK);
    handle(SIGUSR1, count, 0, 0);
    handle(SIGUSR2, jump, 0, 0);
    // Those for the process are for the other thread.
    pthread_sigmask(SIG_BLOCK, &one, 0);
    pthread_create(&busy, 0, works, 0);
    wait_for(&ready, 1);

    for (int i = 0; i < ROUNDS; i++)
        while (pthread_sigqueue(busy, SIGRTMIN, (union sigval){.sival_int = i}))
            sched_yield();
    wait_for(&expected, ROUNDS);

    for (int i = 0; i < ROUNDS / 20; i++) {
        kill(getpid(), SIGUSR1);
        pthread_kill(busy, SIGUSR1);
        wait_for(&standard, 2 * i + 2);
    }
    for (int i = 0; i < ROUNDS / 20; i++) {
        pthread_kill(busy, SIGUSR2);
        wait_for(&jumped, i + 1);
    }

    // There is hardly any room left, or none if other processes of the user have taken it.
    int sent = ROUNDS;
    struct rlimit few = {queued() + 2, queued() + 2};
    setrlimit(RLIMIT_SIGPENDING, &few);
    for (int i = 0; i < ROUNDS; i++)
        if (pthread_sigqueue(busy, SIGRTMIN, (union sigval){.sival_int = sent}))
            sched_yield();
        else
            sent++;
    wait_for(&expected, sent);
    atomic_store_explicit(&stop, 1, memory_order_relaxed);
    pthread_join(busy, 0);
    return atomic_load_explicit(&wrong, memory_order_relaxed) != 0;
}
