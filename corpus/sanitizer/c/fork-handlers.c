// verdict: silent
// Handlers around forks that take locks of the program, while another thread holds them and uses the runtime.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;

static void take(void) {
    pthread_mutex_lock(&mutex);
}

static void give(void) {
    pthread_mutex_unlock(&mutex);
}

static void *work(void *unused) {
    for (int round = 0; round < 50 && !stop; round++) {
        take();
        for (int i = 0; i < 5; i++) {
            atomic_int *block = malloc(sizeof *block);
            atomic_store(block, i);
            free(block);
        }
        give();
    }
    return unused;
}

int main(void) {
    pthread_atfork(take, give, give);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) _exit(0);
        waitpid(child, 0, 0);
    }
    stop = 1;
    pthread_join(thread, 0);
    return 0;
}
