// verdict: silent
// All functions that ask for handlers mean what the manual says, and their handlers never interrupt the runtime, in which they would wait for their own thread. So it is with a fault's signal that somebody sends.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
enum { ROUNDS = 300 };
atomic_int called, stop;
static volatile sig_atomic_t last;
static pthread_t first;

static void count(int number) {
    last = number;
    atomic_fetch_add_explicit(&called, 1, memory_order_relaxed);
}

static void other(int number) {
    last = -number;
}

static unsigned flags(int number) {
    struct sigaction action;
    sigaction(number, 0, &action);
    return (unsigned)action.sa_flags & (SA_RESTART | SA_RESETHAND | SA_NODEFER);
}

// What a handler is installed with, whether it is still there when it was called, and what a signal that is held back does.
static int wrong_flags(void) {
    int wrong = signal(SIGUSR1, count) != SIG_DFL || flags(SIGUSR1) != SA_RESTART;
    wrong |= siginterrupt(SIGUSR1, 1) || flags(SIGUSR1) || signal(SIGUSR1, other) != count || flags(SIGUSR1);
    wrong |= siginterrupt(SIGUSR1, 0) || ssignal(SIGUSR1, count) != other || flags(SIGUSR1) != SA_RESTART;
    errno = 0;
    wrong |= signal(SIGUSR1, SIG_ERR) != SIG_ERR || errno != EINVAL;

    wrong |= sysv_signal(SIGUSR2, count) != SIG_DFL || flags(SIGUSR2) != (SA_RESETHAND | SA_NODEFER);
    raise(SIGUSR2);
    wrong |= last != SIGUSR2 || sigignore(SIGUSR2) || raise(SIGUSR2) || signal(SIGUSR2, SIG_DFL) != SIG_IGN;

    wrong |= sigset(SIGUSR2, count) != SIG_DFL || sigset(SIGUSR2, SIG_HOLD) != count;
    last = 0;
    raise(SIGUSR2);
    return wrong || last || sigset(SIGUSR2, count) != SIG_HOLD || last != SIGUSR2 || sigset(SIGUSR2, other) != count;
}

// The child has the memory of its parent, but handlers of its own.
static int wrong_in_child(void) {
    int status = 1;
    signal(SIGUSR1, count);
    pid_t child = vfork();
    if (!child)
        _exit(signal(SIGUSR1, other) != count || signal(SIGUSR1, SIG_IGN) != other);
    waitpid(child, &status, 0);
    raise(SIGUSR1);
    return status || last != SIGUSR1;
}

static __attribute__((noinline)) int deep(int bits) {
    atomic_fetch_add_explicit(&called, 0, memory_order_relaxed);
    return bits > 1 ? bits & 1 ? deep(bits / 2) : 1 + deep(bits / 2) : 0;
}

static void *sender(void *unused) {
    const int numbers[] = {SIGSEGV, SIGABRT, SIGALRM};
    for (int i = 0; i < ROUNDS; i++)
        pthread_kill(first, numbers[i % 3]);
    atomic_store_explicit(&stop, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    int wrong = wrong_flags() | wrong_in_child();
    pthread_t thread;
    first = pthread_self();
    signal(SIGSEGV, count);
    signal(SIGABRT, count);
    sigset(SIGALRM, count);
    pthread_create(&thread, 0, sender, 0);
    // Calls that were not made before are looked up in the runtime.
    for (int i = 0; !atomic_load_explicit(&stop, memory_order_relaxed); i = (i + 1) % 512)
        deep(512 + i);
    pthread_join(thread, 0);
    return wrong;
}
