// verdict: silent
// as: seqlock.sf
// A sequence lock with release and acquire: two writers, two readers.
#include "short.h"

atomic_uint sequence;
atomic_int low, high;

static void writer(int id) {
    for (int round = 1; round <= 2; round++) {
        unsigned s;
        do
            s = load(sequence, acquire);
        while (s % 2 || !compare_exchange(sequence, s, s + 1, acq_rel, acquire));
        store(low, 10 * id + round, release);
        store(high, 10 * id + round, release);
        store(sequence, s + 2, release);
    }
}

static void reader(int id) {
    (void)id;
    for (int round = 0; round < 3; round++) {
        unsigned before = load(sequence, acquire);
        if (before % 2 == 0) {
            int a = load(low, acquire);
            int b = load(high, acquire);
            if (load(sequence, acquire) == before)
                assert(a == b);
        }
    }
}

int main(void) {
    TOGETHER(writer, writer, reader, reader);
    return 0;
}
