// verdict: silent
// as: lamport2-3-ra.sf
// lamport.c for three threads.
#include "short.h"
#include <steadfast.h>

atomic_bool busy[3];
atomic_int x, y;
atomic_int owner;

static void process(int id) {
    for (int round = 0; round < 2; round++) {
    again:
        store(busy[id], true, release);
        fence(seq_cst);
        store(x, id + 1, release);
        fence(seq_cst);
        if (load(y, acquire)) {
            store(busy[id], false, release);
            steadfast_wait(&y, 0, memory_order_acquire);
            goto again;
        }
        store(y, id + 1, release);
        fence(seq_cst);
        int last = load(x, acquire);
        fence(seq_cst);
        if (last != id + 1) {
            store(busy[id], false, release);
            steadfast_wait(&busy[(id + 1) % 3], false, memory_order_acquire);
            fence(seq_cst);
            steadfast_wait(&busy[(id + 2) % 3], false, memory_order_acquire);
            if (load(y, acquire) != id + 1) {
                steadfast_wait(&y, 0, memory_order_acquire);
                goto again;
            }
        }
        store(owner, id, release);
        assert(load(owner, acquire) == id);
        store(y, 0, release);
        store(busy[id], false, release);
    }
}

int main(void) {
    TOGETHER(process, process, process);
    return 0;
}
