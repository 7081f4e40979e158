// verdict: silent
// Plain data that descriptors order: many messages at once, files that go to a socket without being read, and the end of what another thread has closed.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MESSAGES, SENDFILE, SPLICE, COPIED, SHUTDOWN, CLOSED, REPLACED, WAYS };
static int ends[2], from[2], file, copy, data, way;

static struct iovec vector(char *byte) {
    return (struct iovec){byte, 1};
}

static int send_one(void) {
    char byte = 'x';
    struct iovec buffer = vector(&byte);
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &buffer, .msg_iovlen = 1}};
    switch (way) {
    case MESSAGES:
        return sendmmsg(ends[1], &message, 1, 0) == 1;
    case SENDFILE:
        return sendfile(ends[1], file, 0, 1) == 1;
    case SPLICE:
        return splice(from[0], 0, ends[1], 0, 1, 0) == 1;
    case COPIED:
        return copy_file_range(file, &(off_t){0}, copy, 0, 1, 0) == 1;
    case SHUTDOWN:
        return shutdown(ends[1], SHUT_WR) == 0;
    case CLOSED:
        return close(ends[1]) == 0;
    default:
        return dup2(file, ends[1]) == ends[1];
    }
}

static void *sender(void *unused) {
    data++;
    return send_one() ? unused : &data;
}

static int receive_one(void) {
    char byte;
    struct iovec buffer = vector(&byte);
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &buffer, .msg_iovlen = 1}};
    switch (way) {
    case MESSAGES:
        return recvmmsg(ends[0], &message, 1, 0, 0) == 1;
    case SENDFILE:
    case SPLICE:
        return read(ends[0], &byte, 1) == 1;
    case COPIED:
        while (pread(copy, &byte, 1, 0) != 1)
            usleep(100);
        return 1;
    default:
        return read(ends[0], &byte, 1) == 0;
    }
}

int main(void) {
    file = memfd_create("from", 0);
    copy = memfd_create("to", 0);
    if (pipe(from) || write(from[1], "x", 1) != 1 || write(file, "xx", 2) != 2 || lseek(file, 0, SEEK_SET))
        return 1;
    for (way = 0; way < WAYS; way++) {
        pthread_t thread;
        void *wrong;
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
            return 1;
        pthread_create(&thread, 0, sender, 0);
        if (!receive_one() || data != way + 1)
            return 1;
        pthread_join(thread, &wrong);
        if (wrong)
            return 1;
    }
    return 0;
}
