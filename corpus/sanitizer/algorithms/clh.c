// verdict: silent
// as: clh-lock.sf
// The CLH queue lock: a thread waits for the node of the one before it, and takes that node over as its own.
#include "short.h"

atomic_bool held[3];
atomic_int tail = 2;
static int counter;

static void worker(int id) {
    int mine = id;
    for (int round = 0; round < 4; round++) {
        store(held[mine], true, relaxed);
        int ahead = swap(tail, mine, acq_rel);
        while (load(held[ahead], acquire)) {
        }
        counter++;
        store(held[mine], false, release);
        mine = ahead;
    }
}

int main(void) {
    TOGETHER(worker, worker);
    return counter != 8;
}
