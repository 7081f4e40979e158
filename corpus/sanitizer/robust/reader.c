// verdict: race
// The process ends while a thread waits for input.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int shared;

static void *read_input(void *unused) {
    shared++;
    getchar();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, read_input, 0);
    shared++;
    usleep(200000);
    fputs("written", fopen("/dev/stdout", "w"));
    return 0;
}
