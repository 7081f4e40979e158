// verdict: silent
// Plain data that descriptors order in other ways than by reading what was written to a pipe: a connection, an event that is only waited for, a timer, and a pipe that has the
// number of the standard output.
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t length;
static int data, listener, event, timer, pipes[2];

static void *connects(void *unused) {
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    data = 1;
    connect(file, (struct sockaddr *)&address, length);
    close(file);
    return unused;
}

static void *signals(void *unused) {
    data++;
    eventfd_write(event, 1);
    return unused;
}

static void *starts(void *unused) {
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    data++;
    timerfd_settime(timer, 0, &soon, 0);
    return unused;
}

static void *prints(void *unused) {
    data++;
    return write(1, "x", 1) == 1 ? unused : &data;
}

static int connection(void) {
    pthread_t thread;
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    length = offsetof(struct sockaddr_un, sun_path) + 1 + snprintf(address.sun_path + 1, 64, "steadfast-%d", getpid());
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1))
        return 1;
    pthread_create(&thread, 0, connects, 0);
    close(accept(listener, 0, 0));
    int wrong = data != 1;
    pthread_join(thread, 0);
    return wrong;
}

static void wait_for_event(int how) {
    int file = epoll_create1(0);
    struct epoll_event wanted = {.events = EPOLLIN};
    struct pollfd polled = {event, POLLIN, 0};
    fd_set selected;
    switch (how) {
    case 0:
        epoll_ctl(file, EPOLL_CTL_ADD, event, &wanted);
        epoll_wait(file, &wanted, 1, -1);
        break;
    case 1:
        poll(&polled, 1, -1);
        break;
    default:
        FD_ZERO(&selected);
        FD_SET(event, &selected);
        select(event + 1, &selected, 0, 0, 0);
    }
    close(file);
}

static int events(void) {
    for (int how = 0; how < 3; how++) {
        pthread_t thread;
        event = eventfd(0, 0);
        pthread_create(&thread, 0, signals, 0);
        wait_for_event(how);
        if (data != how + 2)
            return 1;
        pthread_join(thread, 0);
        close(event);
    }
    return 0;
}

static int timers(void) {
    pthread_t thread;
    unsigned long long times;
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    pthread_create(&thread, 0, starts, 0);
    int wrong = read(timer, &times, sizeof times) != sizeof times || data != 5;
    pthread_join(thread, 0);
    return wrong;
}

static int standard_output(void) {
    pthread_t thread;
    char byte;
    if (pipe(pipes) || dup2(pipes[1], 1) != 1)
        return 1;
    pthread_create(&thread, 0, prints, 0);
    int wrong = read(pipes[0], &byte, 1) != 1 || data != 6;
    pthread_join(thread, 0);
    return wrong;
}

int main(void) {
    return connection() || events() || timers() || standard_output();
}
