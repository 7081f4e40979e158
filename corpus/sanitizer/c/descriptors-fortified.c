// verdict: silent
// flags: -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
// Plain data that descriptors order, read by the functions that look after the size of the buffer. (Without optimisation, they are the ordinary ones.)
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAYS = 6 };
static int ends[2], data, file;
static volatile size_t one = 1;

static void *sender(void *unused) {
    data++;
    return write(ends[1], "x", 1) == 1 ? unused : &data;
}

static int receive(int how) {
    char buffer[16];
    struct pollfd polled[2] = {{ends[0], POLLIN, 0}};
    switch (how) {
    case 0:
        return read(ends[0], buffer, one) == 1;
    case 1:
        return recv(ends[0], buffer, one, 0) == 1;
    case 2:
        return recvfrom(ends[0], buffer, one, 0, 0, 0) == 1;
    case 3:
        return poll(polled, one, -1) == 1;
    case 4:
        return ppoll(polled, one, 0, 0) == 1;
    default:
        // It is asked for until something is there.
        while (pread(file, buffer, one, 0) != 1)
            usleep(100);
        return 1;
    }
}

static void *writer(void *unused) {
    data++;
    return pwrite(file, "x", 1, 0) == 1 ? unused : &data;
}

int main(void) {
    file = memfd_create("file", 0);
    for (int how = 0; how < WAYS; how++) {
        pthread_t thread;
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
            return 1;
        pthread_create(&thread, 0, how == 5 ? writer : sender, 0);
        if (!receive(how) || data != how + 1)
            return 1;
        pthread_join(thread, 0);
        close(ends[0]);
        close(ends[1]);
    }
    return 0;
}
