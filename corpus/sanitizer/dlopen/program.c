// verdict: violation
// Loads an instrumented library while threads run, calls it from two of them, and unloads it: with `ordered` everything is in order, otherwise it is store buffering inside of the library.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef void body(int me);
static body *called;

static void *work(void *argument) {
    called(argument != 0);
    return 0;
}

int main(int count, char **arguments) {
    void *library = count > 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : 0;
    if (!library) {
        fprintf(stderr, "%s\n", count > 2 ? dlerror() : "usage: program LIBRARY FUNCTION");
        return 2;
    }
    // A function, which ISO C cannot write down.
    void *symbol = dlsym(library, arguments[2]);
    memcpy(&called, &symbol, sizeof called);
    for (int round = 0; round < 2; round++) {
        pthread_t threads[2];
        pthread_create(&threads[0], 0, work, 0);
        pthread_create(&threads[1], 0, work, &called);
        pthread_join(threads[0], 0);
        pthread_join(threads[1], 0);
    }
    return dlclose(library);
}
