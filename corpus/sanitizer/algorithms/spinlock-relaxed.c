// verdict: silent
// as: spinlock4-rlx.sf
// The spinlock of Linux on x86 with relaxed attempts; only the winner pays for an acquire fence.
#include "short.h"

atomic_int attempts;
static int counter;

static void worker(int id) {
    (void)id;
    for (int round = 0; round < 2; round++) {
        while (fetch_add(attempts, 1, relaxed)) {
            while (load(attempts, relaxed)) {
            }
        }
        fence(acquire);
        counter++;
        store(attempts, 0, release);
    }
}

int main(void) {
    TOGETHER(worker, worker, worker, worker);
    return counter != 8;
}
