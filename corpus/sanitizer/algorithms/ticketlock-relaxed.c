// verdict: violation
// as: ticketlock-relaxed.sf
// A ticket lock with a relaxed draw, which fails when the numbers wrap around: a thread that was away can take an old value of serving for its turn.
#include "short.h"
#include <steadfast.h>

enum { NUMBERS = 3 };
atomic_uint next, serving;
static int counter;

static void worker(int id) {
    (void)id;
    for (int round = 0; round < 6; round++) {
        unsigned ticket = fetch_add(next, 1, relaxed) % NUMBERS;
        steadfast_wait(&serving, ticket, memory_order_acquire);
        counter++;
        store(serving, (ticket + 1) % NUMBERS, release);
    }
}

int main(void) {
    TOGETHER(worker, worker);
    return counter != 12;
}
