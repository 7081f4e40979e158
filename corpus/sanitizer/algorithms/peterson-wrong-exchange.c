// verdict: violation
// as: peterson-ra-bratosz.sf
// Peterson's lock with an exchange of the flags, which is the wrong place.
#include "short.h"

atomic_bool wants[2];
atomic_int victim;
static int counter;

static void process(int id) {
    for (int round = 0; round < 3; round++) {
        (void)swap(wants[id], true, acq_rel);
        store(victim, id, release);
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
