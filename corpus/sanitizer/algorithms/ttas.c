// verdict: silent
// as: ttas-lock.sf
// A test-and-test-and-set lock: look first, and exchange only if the lock seems free.
#include "short.h"

atomic_bool locked;
static int counter;

static void worker(int id) {
    (void)id;
    for (int round = 0; round < 3; round++) {
        bool expected;
        do {
            while (load(locked, relaxed)) {
            }
            expected = false;
        } while (!compare_exchange(locked, expected, true, acquire, relaxed));
        counter++;
        store(locked, false, release);
    }
}

int main(void) {
    TOGETHER(worker, worker, worker);
    return counter != 9;
}
