// verdict: silent
// The first thread ends before another one, which goes on and joins it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_t first;
static int data;
atomic_int counter;

static void *survivor(void *unused) {
    for (int i = 0; i < 10; i++)
        atomic_fetch_add(&counter, 1);
    if (pthread_join(first, 0) || data != 7)
        abort();
    return unused;
}

int main(void) {
    pthread_t thread;
    first = pthread_self();
    pthread_create(&thread, 0, survivor, 0);
    pthread_detach(thread);
    data = 7;
    pthread_exit(0);
}
