// verdict: silent
// as: singleton-rlx.sf
// A singleton by double-checked locking, from Boost, with a relaxed look under the lock.
#include "short.h"

_Atomic(int *) instance;
static pthread_mutex_t creating = PTHREAD_MUTEX_INITIALIZER;

static void user(int id) {
    int *found = load(instance, acquire);
    if (!found) {
        pthread_mutex_lock(&creating);
        found = load(instance, relaxed);
        if (!found) {
            found = malloc(sizeof *found);
            *found = id + 1;
            store(instance, found, release);
        }
        pthread_mutex_unlock(&creating);
    }
    assert(*found > 0);
}

int main(void) {
    TOGETHER(user, user, user, user);
    return 0;
}
