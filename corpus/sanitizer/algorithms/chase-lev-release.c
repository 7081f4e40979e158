// verdict: silent
// as: chase-lev-attempt-ra.sf
// The work-stealing deque of Chase and Lev with release and acquire, and fences on both sides and around the thief's reads.
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
    for (int i = 0; i < 8; i++) {
        if (choose(&state, 2))
            push();
        else
            pop();
    }
}

static void thief(int id) {
    (void)id;
    for (int i = 0; i < 4; i++) {
        fence(seq_cst);
        int t = load(top, acquire);
        fence(seq_cst);
        int b = load(bottom, acquire);
        if (b > t) {
            fence(seq_cst);
            compare_exchange(top, t, t + 1, acq_rel, acquire);
        }
    }
}

int main(void) {
    TOGETHER(owner, thief, thief);
    return 0;
}
