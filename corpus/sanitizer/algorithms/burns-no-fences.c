// verdict: violation
// as: burns-sc.sf
// burns.c without fences: both can be inside.
#include "short.h"
#include <steadfast.h>

atomic_bool wants[2];
static int counter;

static void first(int id) {
    (void)id;
    for (int round = 0; round < 3; round++) {
        store(wants[0], true, release);
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
        if (!load(wants[0], acquire))
            counter++;
        store(wants[1], false, release);
    }
}

int main(void) {
    TOGETHER(first, second);
    return 0;
}
