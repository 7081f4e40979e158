// verdict: silent
// A program that takes all keys for thread-specific data there are: none of them has a value in a new thread.
#include <limits.h>
#include <pthread.h>

static pthread_key_t keys[PTHREAD_KEYS_MAX];
static int count;

static void *work(void *unused) {
    for (int i = 0; i < count; i++)
        if (pthread_getspecific(keys[i])) return &count;
    return unused;
}

int main(void) {
    while (count < PTHREAD_KEYS_MAX && pthread_key_create(&keys[count], 0) == 0) count++;
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    void *wrong;
    pthread_join(thread, &wrong);
    return wrong != 0;
}
