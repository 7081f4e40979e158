// verdict: silent
// as: mcs-lock-spin.sf
// The MCS queue lock: a thread waits at a flag of its own, and its predecessor lowers it.
#include "short.h"

atomic_int tail, next[3];
atomic_bool waiting[3];
static int counter;

static void lock(int id) {
    store(next[id], 0, relaxed);
    int before = swap(tail, id + 1, acq_rel);
    if (before) {
        store(waiting[id], true, relaxed);
        store(next[before - 1], id + 1, release);
        while (load(waiting[id], acquire)) {
        }
    }
}

static void unlock(int id) {
    if (!load(next[id], acquire)) {
        int expected = id + 1;
        if (compare_exchange(tail, expected, 0, release, relaxed))
            return;
    }
    int after;
    do
        after = load(next[id], acquire);
    while (!after);
    store(waiting[after - 1], false, release);
}

static void worker(int id) {
    for (int round = 0; round < 3; round++) {
        lock(id);
        counter++;
        unlock(id);
    }
}

int main(void) {
    TOGETHER(worker, worker, worker);
    return counter != 9;
}
