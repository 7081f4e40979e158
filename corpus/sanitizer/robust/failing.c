// verdict: race
// A race or a deadlock in a program that fails or does not, as its argument says.
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *writer(void *unused) {
    data++;
    return unused;
}

static void *waiter(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "";
    pthread_t thread;
    int deadlock = !strcmp(how, "deadlock");
    if (deadlock)
        pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, deadlock ? waiter : writer, 0);
    if (!deadlock)
        data++;
    pthread_join(thread, 0);
    return !strcmp(how, "fail");
}
