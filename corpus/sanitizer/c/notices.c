// verdict: silent
// Functions that are called, in threads that nobody has started, when something was written in the background, or when there is a message. A request can be used again.
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sem_t called;
static int data;

static void function(union sigval value) {
    data += value.sival_int;
    sem_post(&called);
}

static struct sigevent adds(int number) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = function};
    event.sigev_value.sival_int = number;
    return event;
}

static int requests(void) {
    int ends[2];
    if (pipe(ends))
        return 1;
    struct aiocb request = {.aio_fildes = ends[1], .aio_buf = "x", .aio_nbytes = 1, .aio_sigevent = adds(10)};
    data = 1;
    for (int round = 0; round < 2; round++) {
        request.aio_sigevent.sigev_value.sival_int++;
        if (aio_write(&request))
            return 1;
        sem_wait(&called);
        if (aio_error(&request) || aio_return(&request) != 1)
            return 1;
    }
    return data != 24;
}

static int messages(void) {
    char name[32];
    struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = 8};
    snprintf(name, sizeof name, "/steadfast-%d", getpid());
    mqd_t queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &size);
    mq_unlink(name);
    struct sigevent event = adds(18);
    if (mq_notify(queue, &event) || mq_send(queue, "x", 1, 0))
        return 1;
    sem_wait(&called);
    return data != 42;
}

int main(void) {
    sem_init(&called, 0, 0);
    return requests() || messages();
}
