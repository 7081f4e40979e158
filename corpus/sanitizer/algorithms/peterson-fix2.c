// verdict: silent
// as: peterson-fix2.sf
// peterson-vjukov.c with its second repair: an acquire fence before the critical section, and relaxed loads.
#include "short.h"

atomic_bool wants[2];
atomic_int victim;
static int counter;

static void process(int id) {
    for (int round = 0; round < 3; round++) {
        store(wants[id], true, relaxed);
        (void)swap(victim, id, acq_rel);
        while (load(wants[1 - id], relaxed) && load(victim, relaxed) == id) {
        }
        fence(acquire);
        counter++;
        store(wants[id], false, release);
    }
}

int main(void) {
    TOGETHER(process, process);
    return counter != 6;
}
