// verdict: silent
// as: rcu.sf
// User-mode read-copy-update with quiescent states: the writer frees the old cell when every reader has reported; readers need no fence.
#include "short.h"
#include <steadfast.h>

enum { READERS = 2, ROUNDS = 3 };
struct cell {
    int value;
};
_Atomic(struct cell *) current;
atomic_int grace, reported[READERS];

static void reader(int id) {
    unsigned state = (unsigned)id;
    while (load(reported[id], relaxed) != ROUNDS) {
        if (choose(&state, 2)) {
            struct cell *cell = load(current, acquire);
            assert(cell->value >= 0);
        } else {
            store(reported[id], load(grace, acquire), release);
        }
    }
}

static void writer(int id) {
    (void)id;
    for (int round = 1; round <= ROUNDS; round++) {
        struct cell *fresh = malloc(sizeof *fresh), *old = load(current, relaxed);
        fresh->value = round;
        store(current, fresh, release);
        store(grace, round, release);
        for (int i = 0; i < READERS; i++)
            steadfast_wait(&reported[i], round, memory_order_acquire);
        old->value = -1;
        free(old);
    }
}

int main(void) {
    current = malloc(sizeof(struct cell));
    current->value = 0;
    TOGETHER(reader, reader, writer);
    free(current);
    return 0;
}
