// verdict: violation
// What program.c, again.c and together.c load. It has an initialiser, variables of its own, and variables of each thread.
#include <stdatomic.h>
#include <unistd.h>

atomic_int x, y;
static _Thread_local int calls;
static int plain, initialised;

__attribute__((constructor)) static void initialise(void) {
    // Something that no compiler knows.
    initialised = getpid() ? 7 : 0;
}

void unordered(int me) {
    calls += initialised;
    atomic_store_explicit(me ? &y : &x, calls, memory_order_release);
    (void)atomic_load_explicit(me ? &x : &y, memory_order_acquire);
}

void ordered(int me) {
    calls += initialised;
    while (atomic_exchange_explicit(&x, 1, memory_order_acquire)) {
    }
    plain += calls + me;
    atomic_store_explicit(&x, 0, memory_order_release);
}

void plainly(void) {
    plain++;
}
