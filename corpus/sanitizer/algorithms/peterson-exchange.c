// verdict: silent
// as: peterson-ra-dmitriy.sf
// Peterson's lock with an exchange of victim: enough.
#include "short.h"

atomic_bool wants[2];
atomic_int victim;
static int counter;

static void process(int id) {
    for (int round = 0; round < 3; round++) {
        store(wants[id], true, release);
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
