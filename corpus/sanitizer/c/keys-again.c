// verdict: silent
// A destructor of thread-specific data that sets its data again is called four times, and all that it does is done before the thread is joined.
#include <pthread.h>

static pthread_key_t key;
static int data;

static void destructor(void *value) {
    data++;
    pthread_setspecific(key, value);
}

static void *work(void *unused) {
    pthread_setspecific(key, &key);
    data = 1;
    return unused;
}

int main(void) {
    pthread_key_create(&key, destructor);
    for (int i = 0; i < 5; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, work, 0);
        pthread_join(thread, 0);
        if (data != 5)
            return 1;
    }
    return 0;
}
