// verdict: silent
// as: cilk-the-wsq-tso.sf
// The work-stealing queue of Cilk 5 (THE protocol): each side moves its own index and then looks at the other's, with a fence between.
#include "short.h"

atomic_int head = 1, tail = 1;
static pthread_mutex_t stealing = PTHREAD_MUTEX_INITIALIZER;

static void pop(void) {
    int t = load(tail, acquire) - 1;
    store(tail, t, release);
    fence(seq_cst);
    if (load(head, acquire) > t) {
        store(tail, t + 1, release);
        pthread_mutex_lock(&stealing);
        store(tail, t, release);
        if (load(head, acquire) > t)
            store(tail, t + 1, release);
        pthread_mutex_unlock(&stealing);
    }
}

static void owner(int id) {
    (void)id;
    unsigned state = 1;
    for (int i = 0; i < 8; i++) {
        if (choose(&state, 2))
            store(tail, load(tail, acquire) + 1, release);
        else
            pop();
    }
}

static void thief(int id) {
    (void)id;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&stealing);
        int h = load(head, acquire);
        store(head, h + 1, release);
        fence(seq_cst);
        if (h + 1 > load(tail, acquire))
            store(head, h, release);
        pthread_mutex_unlock(&stealing);
    }
}

int main(void) {
    TOGETHER(owner, thief);
    return 0;
}
