// verdict: race
// One thread copies a block while another one writes to it. The length is not known to the compiler.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static char from[64], to[64];
static volatile size_t length = 40;

static void *copies(void *unused) {
    (void)unused;
    memcpy(to, from, length);
    return NULL;
}

static void *fills(void *unused) {
    (void)unused;
    memset(from, 1, length);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, copies, NULL);
    pthread_create(&threads[1], NULL, fills, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return to[0] & 2;
}
