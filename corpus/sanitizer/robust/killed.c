// verdict: violation
// Store buffering, and then the process ends in the way that the argument names; with a second argument at once, while the stale read may still turn out to be a turn of a loop.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int x, y;
static volatile int finished;

// The sanitizer does not look into these two: they order the threads in time, and in no other way.
__attribute__((noinline, no_sanitize_thread)) static void finish(void) {
    finished = 1;
}

__attribute__((noinline, no_sanitize_thread)) static void wait_for_the_other(void) {
    while (!finished) usleep(1000);
}

static void *other(void *unused) {
    (void)unused;
    atomic_store_explicit(&x, 1, memory_order_release);
    long seen = atomic_load_explicit(&y, memory_order_acquire);
    finish();
    return (void *)seen;
}

static char *const program[] = {"true", NULL};

// What the name of a signal stands for.
static int signal_called(const char *name) {
    static const struct {
        const char *name;
        int number;
    } known[] = {
        {"terminate", SIGTERM}, {"alarm", SIGALRM}, {"user", SIGUSR1},      {"pipe", SIGPIPE},      {"time", SIGXCPU},
        {"call", SIGSYS},       {"input", SIGIO},   {"profile", SIGPROF},   {"trap", SIGTRAP},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].name)) return known[i].number;
    return strcmp(name, "real-time") ? 0 : SIGRTMIN + 3;
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "";
    if (!strcmp(how, "fork") && fork() != 0) {
        wait(NULL);
        return 0;
    }
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    // If both threads wrote before either reads, both would read 1, and there would be nothing to report.
    wait_for_the_other();
    atomic_store_explicit(&y, 1, memory_order_release);
    int seen = atomic_load_explicit(&x, memory_order_acquire);
    // One more access, so that nothing is held back any more.
    if (count < 3) atomic_store_explicit(&y, seen, memory_order_release);
    if (!strcmp(how, "return")) return 0;
    if (!strcmp(how, "exec")) execlp("true", "true", (char *)0);
    if (signal_called(how)) raise(signal_called(how));
    if (!strcmp(how, "process")) {
        kill(getpid(), SIGTERM);
        for (;;) pause();
    }
    if (!strcmp(how, "default")) {
        signal(SIGTERM, SIG_IGN);
        raise(SIGTERM);
        if (signal(SIGTERM, SIG_DFL) != SIG_IGN || signal(SIGTERM, SIG_DFL) != SIG_DFL) return 1;
        raise(SIGTERM);
    }
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "crash")) *(volatile int *)0 = 1;
    if (!strcmp(how, "leave")) _exit(0);
    if (!strcmp(how, "leave by number")) syscall(SYS_exit_group, 0);
    if (!strcmp(how, "end the thread")) {
        // The other one has ended by then.
        usleep(20000);
        syscall(SYS_exit, 0);
    }
    if (!strcmp(how, "exec by number")) syscall(SYS_execve, "/bin/true", program, program + 1);
    if (!strcmp(how, "two")) {
        if (fork() == 0) _exit(0);
        int status = 1;
        wait(&status);
        return status != 0;
    }
    if (!strcmp(how, "daemon")) return daemon(1, 1);
    kill(getpid(), SIGKILL);
}
