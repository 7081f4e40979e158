// verdict: silent
// Functions that are called, in threads that nobody has started, when something was written or looked up in the background, or when there is a message. A request can be used again.
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
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

static int everything_written(void) {
    struct aiocb request = {.aio_fildes = memfd_create("written", 0), .aio_sigevent = adds(1)};
    data++;
    if (aio_fsync(O_SYNC, &request))
        return 1;
    sem_wait(&called);
    return data != 44;
}

static int several_requests(void) {
    struct aiocb request = {.aio_fildes = memfd_create("several", 0), .aio_buf = "x", .aio_nbytes = 1};
    request.aio_lio_opcode = LIO_WRITE;
    struct aiocb *all[] = {&request};
    struct sigevent event = adds(1);
    data++;
    if (lio_listio(LIO_NOWAIT, all, 1, &event))
        return 1;
    sem_wait(&called);
    return data != 46;
}

static int names(void) {
    struct gaicb request = {.ar_name = "127.0.0.1"};
    struct gaicb *all[] = {&request};
    struct sigevent event = adds(1);
    data++;
    if (getaddrinfo_a(GAI_NOWAIT, all, 1, &event))
        return 1;
    sem_wait(&called);
    return data != 48;
}

static void *nothing(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&called, 0, 0);
    // From now on there is a schedule.
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);
    return requests() || messages() || everything_written() || several_requests() || names();
}
