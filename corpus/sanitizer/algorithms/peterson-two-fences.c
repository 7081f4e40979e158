// verdict: silent
// as: peterson-ra.sf
// Peterson's lock with a fence on either side of the store to victim: enough for release and acquire.
#include "short.h"

atomic_bool wants[2];
atomic_int victim;
static int counter;

static void process(int id) {
    for (int round = 0; round < 3; round++) {
        store(wants[id], true, release);
        fence(seq_cst);
        store(victim, id, release);
        fence(seq_cst);
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
