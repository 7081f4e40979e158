// verdict: race
// as: spinlock4-rlx-nofence.sf
// spinlock-relaxed.c without the fence: the critical sections are not ordered.
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
        counter++;
        store(attempts, 0, release);
    }
}

int main(void) {
    TOGETHER(worker, worker, worker, worker);
    return counter != 8;
}
