// verdict: silent
// as: burns-ra.sf
// Burns' mutual exclusion for two threads: the second gives way to the first. A fence after each raising of a flag makes it robust.
#include "short.h"
#include <steadfast.h>

atomic_bool wants[2];
static int counter;

static void first(int id) {
    (void)id;
    for (int round = 0; round < 3; round++) {
        store(wants[0], true, release);
        fence(seq_cst);
        steadfast_wait(&wants[1], false, memory_order_acquire);
        counter++;
        store(wants[0], false, release);
    }
}

static void second(int id) {
    (void)id;
    for (int round = 0; round < 3; round++) {
        steadfast_wait(&wants[0], false, memory_order_acquire);
        store(wants[1], true, release);
        fence(seq_cst);
        if (!load(wants[0], acquire))
            counter++;
        store(wants[1], false, release);
    }
}

int main(void) {
    TOGETHER(first, second);
    return 0;
}
