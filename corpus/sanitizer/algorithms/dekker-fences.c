// verdict: silent
// as: dekker-tso.sf
// Dekker's algorithm with a fence after each time a thread raises or lowers its flag.
#include "short.h"

atomic_bool wants[2];
atomic_int turn;
atomic_int counter;

static void process(int id) {
    for (int round = 0; round < 3; round++) {
        store(wants[id], true, release);
        fence(seq_cst);
        while (load(wants[1 - id], acquire)) {
            if (load(turn, acquire) != id) {
                store(wants[id], false, release);
                fence(seq_cst);
                while (load(turn, acquire) != id) {
                }
                store(wants[id], true, release);
                fence(seq_cst);
            }
        }
        store(counter, load(counter, relaxed) + 1, relaxed);
        store(turn, 1 - id, release);
        store(wants[id], false, release);
    }
}

int main(void) {
    TOGETHER(process, process);
    return counter != 6;
}
