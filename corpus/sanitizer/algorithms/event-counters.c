// verdict: silent
// as: event-counters.sf
// Three threads count with relaxed increments; a fourth collects when they have said that they are done.
#include "short.h"

atomic_int count[2];
atomic_bool done[3];

static void worker(int id) {
    unsigned state = (unsigned)id;
    for (int i = 0; i < 3; i++)
        fetch_add(count[choose(&state, 2)], 1, relaxed);
    store(done[id], true, release);
}

static void collector(int id) {
    (void)id;
    for (int i = 0; i < 3; i++) {
        while (!load(done[i], acquire)) {
        }
    }
    assert(load(count[0], relaxed) + load(count[1], relaxed) == 9);
}

int main(void) {
    TOGETHER(worker, worker, worker, collector);
    return 0;
}
