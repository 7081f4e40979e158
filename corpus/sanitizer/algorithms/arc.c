// verdict: silent
// as: arc-plain.sf
// The reference counter of Rust's Arc: clones are relaxed, drops release, and whoever drops last acquires with a fence before it frees.
#include "short.h"

struct shared {
    atomic_int strong;
    int data;
};
static struct shared *shared;

static void drop(void) {
    if (fetch_sub(shared->strong, 1, release) == 1) {
        fence(acquire);
        assert(shared->data == 42);
        shared->data = 0;
        free(shared);
    }
}

static void user(int id) {
    (void)id;
    fetch_add(shared->strong, 1, relaxed);
    assert(shared->data == 42);
    drop();
    assert(shared->data == 42);
    drop();
}

int main(void) {
    shared = malloc(sizeof *shared);
    shared->data = 42;
    store(shared->strong, 3, relaxed);
    TOGETHER(user, user, user);
    return 0;
}
