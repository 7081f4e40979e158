// verdict: silent
// Two threads load an instrumented library, call it and unload it, one after the other. That is ordered by nothing; but what the second one finds in the place of the library is another one.
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const char *name;
static atomic_int turn;

static void *work(void *argument) {
    while (atomic_load_explicit(&turn, memory_order_relaxed) != (argument != 0)) {
    }
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return &turn;
    // A function, which ISO C cannot write down.
    void (*plainly)(void);
    void *symbol = dlsym(library, "plainly");
    memcpy(&plainly, &symbol, sizeof plainly);
    plainly();
    dlclose(library);
    atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
    return 0;
}

int main(int count, char **arguments) {
    pthread_t threads[2];
    void *wrong[2];
    name = count > 1 ? arguments[1] : "";
    pthread_create(&threads[0], 0, work, 0);
    pthread_create(&threads[1], 0, work, &turn);
    pthread_join(threads[0], &wrong[0]);
    pthread_join(threads[1], &wrong[1]);
    return wrong[0] || wrong[1];
}
