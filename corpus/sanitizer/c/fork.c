// verdict: silent
// Forking while other threads are busy: the child goes on alone.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

atomic_int stop, counter;

static void *work(void *unused) {
    while (!atomic_load_explicit(&stop, memory_order_acquire)) {
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
        free(malloc(32));
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    int failed = 0;
    pthread_create(&thread, 0, work, 0);
    for (int round = 0; round < 5; round++) {
        pid_t child = fork();
        if (child == 0) {
            atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
            free(malloc(64));
            _exit(7);
        }
        int status = 0;
        waitpid(child, &status, 0);
        failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 7;
    }
    atomic_store_explicit(&stop, 1, memory_order_release);
    pthread_join(thread, 0);
    return failed;
}
