// verdict: silent
// as: parker-fixed.sf
// Parking and unparking, after Java's LockSupport: a fence after a permit was consumed.
#include "short.h"
#include <steadfast.h>

atomic_bool condition, permit = true;

static void parker(int id) {
    (void)id;
    while (!load(condition, acquire)) {
        steadfast_wait(&permit, true, memory_order_acquire);
        store(permit, false, release);
        fence(seq_cst);
    }
}

static void unparker(int id) {
    (void)id;
    store(condition, true, release);
    fence(seq_cst);
    store(permit, true, release);
}

int main(void) {
    TOGETHER(parker, unparker);
    return 0;
}
