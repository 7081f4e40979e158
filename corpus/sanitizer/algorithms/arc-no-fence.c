// verdict: race
// as: arc-nofence.sf
// arc.c without the acquire fence: freeing races with what the other threads did before they dropped their references.
#include "short.h"

struct shared {
    atomic_int strong;
    int data;
};
static struct shared *shared;

static void drop(void) {
    if (fetch_sub(shared->strong, 1, release) == 1) {
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
