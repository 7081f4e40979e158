// verdict: silent
// as: dekker-rlx.sf
// Dekker's algorithm with relaxed accesses and fences (Williams 2010): one seq_cst fence for the flags, acquire and release fences around the critical section.
#include "short.h"

atomic_bool wants[2];
atomic_int turn;
static int counter;

static void process(int id) {
    store(wants[id], true, relaxed);
    fence(seq_cst);
    while (load(wants[1 - id], relaxed)) {
        if (load(turn, relaxed) != id) {
            store(wants[id], false, relaxed);
            while (load(turn, relaxed) != id) {
            }
            store(wants[id], true, relaxed);
            fence(seq_cst);
        }
    }
    fence(acquire);
    counter++;
    store(turn, 1 - id, relaxed);
    fence(release);
    store(wants[id], false, relaxed);
}

int main(void) {
    TOGETHER(process, process);
    return counter != 2;
}
