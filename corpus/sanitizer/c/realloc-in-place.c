// verdict: silent
// A block grows in place over another one that a thread has given back: what that thread did with it does not matter any more.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL = 2000, LARGE = 6000 };
static char *block, *neighbour;
static volatile int given_back;

// The sanitizer does not look into these two: they order the threads in time, and in no other way.
__attribute__((noinline, no_sanitize_thread)) static void say(void) {
    given_back = 1;
}

__attribute__((noinline, no_sanitize_thread)) static void wait_for_it(void) {
    for (int i = 0; i < 1000 && !given_back; i++) usleep(100);
}

static void *give_back(void *unused) {
    memset(neighbour, 1, LARGE);
    free(neighbour);
    say();
    return unused;
}

static void *grow(void *unused) {
    wait_for_it();
    block = realloc(block, SMALL + LARGE / 2);
    for (int i = 0; i < SMALL + LARGE / 2; i++) block[i] = 2;
    return unused;
}

int main(void) {
    block = malloc(SMALL);
    neighbour = malloc(LARGE);
    char *fence = malloc(SMALL);
    pthread_t threads[2];
    pthread_create(&threads[0], 0, give_back, 0);
    pthread_create(&threads[1], 0, grow, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    free(block);
    free(fence);
    return 0;
}
