// verdict: race
// as: double-checked-broken.sf
// double-checked.c as it was taught before 2005: the flag orders nothing.
#include "short.h"

atomic_bool ready;
static pthread_mutex_t creating = PTHREAD_MUTEX_INITIALIZER;
static int object;

static void user(int id) {
    (void)id;
    if (!load(ready, relaxed)) {
        pthread_mutex_lock(&creating);
        if (!load(ready, relaxed)) {
            object = 42;
            store(ready, true, relaxed);
        }
        pthread_mutex_unlock(&creating);
    }
    assert(object == 42);
}

int main(void) {
    TOGETHER(user, user, user);
    return 0;
}
