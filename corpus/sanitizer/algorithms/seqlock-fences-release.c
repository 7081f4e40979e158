// verdict: violation
// as: seqlock-fence-rw.sf
// seqlock-fences.c with a writer that releases every word. Not robust, and correct all the same.
#include "short.h"

atomic_uint sequence;
atomic_int low, high;

static void writer(int id) {
    (void)id;
    for (int round = 1; round <= 3; round++) {
        unsigned s;
        do
            s = load(sequence, relaxed);
        while (s % 2 || !compare_exchange(sequence, s, s + 1, relaxed, relaxed));
        fence(acquire);
        store(low, round, release);
        store(high, round, release);
        store(sequence, s + 2, release);
    }
}

static void reader(int id) {
    (void)id;
    unsigned before;
    int a, b;
    do {
        do
            before = load(sequence, relaxed);
        while (before % 2);
        fence(acquire);
        a = load(high, relaxed);
        b = load(low, relaxed);
        fence(acquire);
    } while (load(sequence, relaxed) != before);
    assert(a == b);
}

int main(void) {
    TOGETHER(writer, reader, reader);
    return 0;
}
