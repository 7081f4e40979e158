// verdict: silent
// Plain data that a byte through a pipe orders.
#include <pthread.h>
#include <unistd.h>

static int ends[2], data;

static void *writer(void *unused) {
    data = 7;
    return write(ends[1], "x", 1) == 1 ? unused : &data;
}

static void *reader(void *unused) {
    char byte;
    return read(ends[0], &byte, 1) == 1 && data == 7 ? unused : &data;
}

int main(void) {
    pthread_t threads[2];
    void *wrong[2];
    if (pipe(ends))
        return 1;
    pthread_create(&threads[0], 0, reader, 0);
    pthread_create(&threads[1], 0, writer, 0);
    pthread_join(threads[0], &wrong[0]);
    pthread_join(threads[1], &wrong[1]);
    return wrong[0] || wrong[1];
}
