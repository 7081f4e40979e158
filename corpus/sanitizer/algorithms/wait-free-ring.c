// verdict: silent
// as: wait-free-ring.sf
// A ring buffer for one producer and one consumer, from Boost. The producer pushes once.
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
