// verdict: violation
// as: hazard-pointer-nofence.sf
// hazard-pointer.c without fences: a cell can be freed while it is used.
#include "short.h"

atomic_int current, hazard;
atomic_bool alive[2] = {true, true};

static void reader(int id) {
    (void)id;
    int cell = load(current, acquire);
    store(hazard, cell + 1, release);
    if (load(current, acquire) == cell)
        assert(load(alive[cell], acquire));
    store(hazard, 0, release);
}

static void reclaimer(int id) {
    (void)id;
    store(current, 1, release);
    if (load(hazard, acquire) != 1)
        store(alive[0], false, release);
}

int main(void) {
    TOGETHER(reader, reclaimer);
    return 0;
}
