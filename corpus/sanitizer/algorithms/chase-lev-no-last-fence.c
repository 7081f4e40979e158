// verdict: violation
// as: chase-lev-attempt.sf
// The work-stealing deque of Chase and Lev with release and acquire, and fences on both sides. A thief whose attempt fails can read an old top.
#include "short.h"

enum { CAPACITY = 4 };
atomic_int top = 1, bottom = 1;

static void push(void) {
    int b = load(bottom, acquire);
    fence(seq_cst);
    int t = load(top, acquire);
    if (b <= t + CAPACITY)
        store(bottom, b + 1, release);
}

static void pop(void) {
    int b = load(bottom, acquire) - 1;
    store(bottom, b, release);
    fence(seq_cst);
    int t = load(top, acquire);
    if (b < t) {
        store(bottom, t, release);
    } else if (b == t) {
        int expected = t;
        compare_exchange(top, expected, t + 1, acq_rel, acquire);
        store(bottom, t + 1, release);
    }
}

static void owner(int id) {
    (void)id;
    unsigned state = 1;
    for (int i = 0; i < 32; i++) {
        if (i < 6 || choose(&state, 2))
            push();
        else
            pop();
    }
}

static void thief(int id) {
    (void)id;
    for (int i = 0; i < 12; i++) {
        fence(seq_cst);
        int t = load(top, acquire);
        fence(seq_cst);
        int b = load(bottom, acquire);
        if (b > t) {
            compare_exchange(top, t, t + 1, acq_rel, acquire);
        }
    }
}

int main(void) {
    TOGETHER(owner, thief, thief, thief);
    return 0;
}
