// verdict: silent
// as: lock-exchange.sf
// A test-and-set lock from an exchange, with the weakest orderings that work: failed exchanges keep the release sequence alive.
#include "short.h"

atomic_bool locked;
static int counter;

static void worker(int id) {
    (void)id;
    for (int round = 0; round < 4; round++) {
        while (swap(locked, true, relaxed)) {
        }
        fence(acquire);
        counter++;
        store(locked, false, release);
    }
}

int main(void) {
    TOGETHER(worker, worker);
    return counter != 8;
}
