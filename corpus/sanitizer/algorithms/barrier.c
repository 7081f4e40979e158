// verdict: silent
// as: barrier-spin.sf
// A barrier for two threads: each announces itself and waits for the other.
#include "short.h"

atomic_bool here[2];
static int data[2];

static void party(int id) {
    data[id] = 1;
    store(here[id], true, release);
    while (!load(here[1 - id], acquire)) {
    }
    assert(data[1 - id] == 1);
}

int main(void) {
    TOGETHER(party, party);
    return 0;
}
