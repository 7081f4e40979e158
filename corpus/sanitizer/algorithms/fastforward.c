// verdict: silent
// as: fastforward-queue.sf
// A bounded queue for one producer and one consumer with a flag in every slot.
#include "short.h"

enum { SIZE = 2, ITEMS = 6 };
atomic_bool full[SIZE];
static int item[SIZE];

static void producer(int id) {
    (void)id;
    for (int value = 0; value < ITEMS; value++) {
        while (load(full[value % SIZE], acquire)) {
        }
        item[value % SIZE] = value;
        store(full[value % SIZE], true, release);
    }
}

static void consumer(int id) {
    (void)id;
    for (int value = 0; value < ITEMS; value++) {
        while (!load(full[value % SIZE], acquire)) {
        }
        assert(item[value % SIZE] == value);
        store(full[value % SIZE], false, release);
    }
}

int main(void) {
    TOGETHER(producer, consumer);
    return 0;
}
