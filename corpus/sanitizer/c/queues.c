// verdict: silent
// Plain data that queues of messages and the semaphores of System V order.
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

enum { OLD, NEW, TIMED, SEMAPHORE, WAYS };
static int old, semaphore, data, way;
static mqd_t new;
static struct timespec until;

struct message {
    long kind;
    char text[8];
};

static int change(int by) {
    struct sembuf operation = {0, (short)by, 0};
    return semop(semaphore, &operation, 1) == 0;
}

static int send_one(void) {
    struct message message = {1, "x"};
    switch (way) {
    case OLD:
        return msgsnd(old, &message, sizeof message.text, 0) == 0;
    case NEW:
        return mq_send(new, message.text, sizeof message.text, 0) == 0;
    case TIMED:
        return mq_timedsend(new, message.text, sizeof message.text, 0, &until) == 0;
    default:
        return change(1);
    }
}

static int receive_one(void) {
    struct message message;
    switch (way) {
    case OLD:
        return msgrcv(old, &message, sizeof message.text, 0, 0) == sizeof message.text;
    case NEW:
        return mq_receive(new, message.text, sizeof message.text, 0) == sizeof message.text;
    case TIMED:
        return mq_timedreceive(new, message.text, sizeof message.text, 0, &until) == sizeof message.text;
    default:
        return change(-1);
    }
}

static void *sender(void *unused) {
    data++;
    return send_one() ? unused : &data;
}

static int all(void) {
    for (way = 0; way < WAYS; way++) {
        pthread_t thread;
        pthread_create(&thread, 0, sender, 0);
        if (!receive_one() || data != way + 1)
            return 1;
        pthread_join(thread, 0);
    }
    return 0;
}

int main(void) {
    char name[32];
    struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = 8};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    snprintf(name, sizeof name, "/steadfast-%d", getpid());
    new = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &size);
    mq_unlink(name);
    old = msgget(IPC_PRIVATE, 0600);
    semaphore = semget(IPC_PRIVATE, 1, 0600);
    int wrong = new < 0 || old < 0 || semaphore < 0 || all();
    msgctl(old, IPC_RMID, 0);
    semctl(semaphore, 0, IPC_RMID);
    return wrong;
}
