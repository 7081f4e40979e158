// verdict: violation
// as: wait-free-ring-loop.sf
// wait-free-ring.c with a producer that goes on: correct, but not robust. A side can believe for longer than when threads take turns that the ring is empty or full.
#include "short.h"

enum { SIZE = 6 };
atomic_int head, tail;
static int ring[SIZE];

static bool push(int value) {
    int h = load(head, relaxed), next = (h + 1) % SIZE;
    if (next == load(tail, acquire))
        return false;
    ring[h] = value;
    store(head, next, release);
    return true;
}

static bool pop(int *value) {
    int t = load(tail, relaxed);
    if (t == load(head, acquire))
        return false;
    *value = ring[t];
    store(tail, (t + 1) % SIZE, release);
    return true;
}

static void producer(int id) {
    (void)id;
    for (int i = 0; i < 4; i++)
        push(1);
}

static void consumer(int id) {
    (void)id;
    int value = 1;
    for (int i = 0; i < 4; i++)
        pop(&value);
    assert(value == 1);
}

int main(void) {
    TOGETHER(producer, consumer);
    return 0;
}
