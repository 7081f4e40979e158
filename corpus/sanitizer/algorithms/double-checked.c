// verdict: silent
// as: double-checked.sf
// Double-checked locking: the first look acquires, the publication releases.
#include "short.h"

atomic_bool ready;
static pthread_mutex_t creating = PTHREAD_MUTEX_INITIALIZER;
static int object;

static void user(int id) {
    (void)id;
    if (!load(ready, acquire)) {
        pthread_mutex_lock(&creating);
        if (!load(ready, relaxed)) {
            object = 42;
            store(ready, true, release);
        }
        pthread_mutex_unlock(&creating);
    }
    assert(object == 42);
}

int main(void) {
    TOGETHER(user, user, user);
    return 0;
}
