// verdict: silent
// Plain data that a signal orders for which a thread waits without a handler, or that it reads from a descriptor.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { WAYS = 6 };
static sigset_t wanted;
static pthread_t waiter;
static pid_t waiter_number;
static int data, way, file;

static int send_one(void) {
    union sigval value = {0};
    switch (way) {
    case 0:
        return pthread_kill(waiter, SIGUSR1);
    case 1:
        return pthread_sigqueue(waiter, SIGUSR1, value);
    case 2:
        return kill(getpid(), SIGUSR1);
    case 3:
        return tgkill(getpid(), waiter_number, SIGUSR1);
    default:
        return sigqueue(getpid(), SIGUSR1, value);
    }
}

static int wait_for_one(void) {
    int number = 0;
    siginfo_t info;
    struct signalfd_siginfo read_info;
    struct timespec time = {60, 0};
    switch (way) {
    case 0:
        sigwait(&wanted, &number);
        return number;
    case 1:
        return sigwaitinfo(&wanted, &info);
    case 5:
        return read(file, &read_info, sizeof read_info) == sizeof read_info ? (int)read_info.ssi_signo : 0;
    default:
        return sigtimedwait(&wanted, &info, &time);
    }
}

static void *sender(void *unused) {
    data++;
    return send_one() ? &data : unused;
}

int main(void) {
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &wanted, 0);
    waiter = pthread_self();
    waiter_number = gettid();
    file = signalfd(-1, &wanted, 0);
    for (way = 0; way < WAYS; way++) {
        pthread_t thread;
        pthread_create(&thread, 0, sender, 0);
        if (wait_for_one() != SIGUSR1 || data != way + 1)
            return 1;
        pthread_join(thread, 0);
    }
    return 0;
}
