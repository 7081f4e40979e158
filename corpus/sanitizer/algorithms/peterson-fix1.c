// verdict: silent
// as: peterson-fix1.sf
// peterson-vjukov.c with its first repair: the load of victim acquires.
#include "short.h"

atomic_bool wants[2];
atomic_int victim;
static int counter;

static void process(int id) {
    for (int round = 0; round < 3; round++) {
        store(wants[id], true, relaxed);
        (void)swap(victim, id, acq_rel);
        while (load(wants[1 - id], acquire) && load(victim, acquire) == id) {
        }
        counter++;
        store(wants[id], false, release);
    }
}

int main(void) {
    TOGETHER(process, process);
    return counter != 6;
}
