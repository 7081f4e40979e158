// verdict: silent
// as: nbw-w-lr-rl.sf
// The non-blocking write protocol beside a lock whose taking blocks.
#include "short.h"
#include <steadfast.h>

atomic_uint version;
atomic_bool buffer, shared;
atomic_int permit;

static void read_consistently(void) {
    unsigned before;
    do {
        before = load(version, acquire);
        (void)load(buffer, acquire);
    } while (load(version, acquire) != before || before % 2);
}

static void lock(void) {
    steadfast_blocking_cas(&permit, 1, 0, memory_order_acq_rel);
}

static void unlock(void) {
    store(permit, 1, release);
}

static void opener(int id) {
    (void)id;
    unlock();
}

static void writer(int id) {
    (void)id;
    unsigned v = load(version, acquire);
    store(version, v + 1, release);
    store(buffer, true, release);
    store(version, v + 2, release);
}

static void locker_reader(int id) {
    (void)id;
    lock();
    store(shared, true, release);
    unlock();
    read_consistently();
}

static void reader_locker(int id) {
    (void)id;
    read_consistently();
    lock();
    (void)load(shared, acquire);
    unlock();
}

int main(void) {
    TOGETHER(opener, writer, locker_reader, reader_locker);
    return 0;
}
