// verdict: silent
// Two threads load the same instrumented library at the same time. Both find it initialised, whoever did that.
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static const char *name;

static void *work(void *argument) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return &name;
    // A function, which ISO C cannot write down.
    void (*ordered)(int me);
    void *symbol = dlsym(library, "ordered");
    memcpy(&ordered, &symbol, sizeof ordered);
    ordered(argument != 0);
    return 0;
}

int main(int count, char **arguments) {
    pthread_t threads[2];
    void *wrong[2];
    name = count > 1 ? arguments[1] : "";
    pthread_create(&threads[0], 0, work, 0);
    pthread_create(&threads[1], 0, work, &name);
    pthread_join(threads[0], &wrong[0]);
    pthread_join(threads[1], &wrong[1]);
    return wrong[0] || wrong[1];
}
