// verdict: race
// A program that would notice if somebody else started a process for it: by a signal, or by waiting.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

int shared;
static volatile sig_atomic_t signals;

static void on_child(int signal) {
    (void)signal;
    signals++;
}

static void *work(void *unused) {
    shared = 1;
    return unused;
}

int main(int count, char **arguments) {
    (void)arguments;
    signal(SIGCHLD, count > 1 ? SIG_IGN : on_child);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    shared = 1;
    pthread_join(thread, 0);
    if (signals != 0) return 1;
    return wait(0) != -1 || errno != ECHILD ? 2 : 0;
}
