// verdict: silent
// Loops that ask again and again, with calls that do not wait, whether another thread has done something. Under a controlled schedule it has to get a chance.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static int ends[2], data;
static sem_t semaphore;

static void *writer(void *unused) {
    data++;
    return write(ends[1], "x", 1) == 1 ? unused : &data;
}

static void *poster(void *unused) {
    sem_post(&semaphore);
    return unused;
}

static void *adder(void *unused) {
    data++;
    return unused;
}

int main(void) {
    pthread_t thread;
    char byte;
    int value = 0;
    sem_init(&semaphore, 0, 0);
    if (pipe2(ends, O_NONBLOCK))
        return 1;
    struct pollfd polled = {ends[0], POLLIN, 0};

    pthread_create(&thread, 0, writer, 0);
    while (read(ends[0], &byte, 1) != 1) {
    }
    int wrong = data != 1;
    pthread_join(thread, 0);

    pthread_create(&thread, 0, writer, 0);
    while (poll(&polled, 1, 0) != 1) {
    }
    wrong |= data != 2;
    pthread_join(thread, 0);

    pthread_create(&thread, 0, adder, 0);
    while (pthread_tryjoin_np(thread, 0)) {
    }
    wrong |= data != 3;

    pthread_create(&thread, 0, poster, 0);
    while (!value)
        sem_getvalue(&semaphore, &value);
    pthread_join(thread, 0);
    return wrong;
}
