// verdict: silent
// The form of fork that calls no handlers, while another thread is in the middle of something.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int counter, done;

static void *counts(void *unused) {
    while (!atomic_load(&done))
        atomic_fetch_add(&counter, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    int wrong = 0;
    pthread_create(&thread, 0, counts, 0);
    for (int i = 0; i < 20; i++) {
        pid_t child = _Fork();
        if (child == 0) {
            for (int j = 0; j < 100; j++)
                atomic_fetch_add(&counter, 1);
            _exit(0);
        }
        int status;
        wrong += waitpid(child, &status, 0) != child || status != 0;
    }
    atomic_store(&done, 1);
    pthread_join(thread, 0);
    return wrong;
}
