// verdict: silent
// A lock and messages of the program's own, which say to other sanitizers what they order; a race that does not matter; a fiber that goes from one thread to another.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

void __tsan_mutex_create(void *, unsigned);
void __tsan_mutex_destroy(void *, unsigned);
void __tsan_mutex_pre_lock(void *, unsigned);
void __tsan_mutex_post_lock(void *, unsigned, int);
int __tsan_mutex_pre_unlock(void *, unsigned);
void __tsan_mutex_post_unlock(void *, unsigned);
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned);
void __tsan_destroy_fiber(void *);
void __tsan_switch_to_fiber(void *, unsigned);
void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);
void AnnotateBenignRaceSized(const char *, int, const volatile void *, size_t, const char *);
void AnnotateIgnoreWritesBegin(const char *, int);
void AnnotateIgnoreWritesEnd(const char *, int);
int RunningOnValgrind(void);

static atomic_int lock, sent, left;
static int counter, message, statistics, unchecked, in_fiber;
static void *fiber;

// Everything is relaxed: what is said is all that orders.
static void take(void) {
    __tsan_mutex_pre_lock(&lock, 0);
    while (atomic_exchange_explicit(&lock, 1, memory_order_relaxed))
        ;
    __tsan_mutex_post_lock(&lock, 0, 0);
}

static void give_back(void) {
    __tsan_mutex_pre_unlock(&lock, 0);
    atomic_store_explicit(&lock, 0, memory_order_relaxed);
    __tsan_mutex_post_unlock(&lock, 0);
}

static void *work(void *unused) {
    for (int i = 0; i < 3; i++) {
        take();
        counter++;
        give_back();
        statistics++;
    }
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    unchecked++;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    return unused;
}

static void *receive(void *unused) {
    while (!atomic_load_explicit(&sent, memory_order_relaxed))
        ;
    AnnotateHappensAfter(__FILE__, __LINE__, &sent);
    return message == 42 ? unused : &message;
}

static void *go_on(void *unused) {
    while (!atomic_load_explicit(&left, memory_order_relaxed))
        ;
    void *own = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber, 0);
    in_fiber++;
    __tsan_switch_to_fiber(own, 0);
    return unused;
}

int main(void) {
    pthread_t threads[4];
    void *result;
    AnnotateBenignRaceSized(__FILE__, __LINE__, &statistics, sizeof statistics, "an estimate will do");
    __tsan_mutex_create(&lock, 0);
    fiber = __tsan_create_fiber(0);
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_create(&threads[2], NULL, receive, NULL);
    pthread_create(&threads[3], NULL, go_on, NULL);
    message = 42;
    AnnotateHappensBefore(__FILE__, __LINE__, &sent);
    atomic_store_explicit(&sent, 1, memory_order_relaxed);
    void *own = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber, 0);
    in_fiber++;
    __tsan_switch_to_fiber(own, 0);
    atomic_store_explicit(&left, 1, memory_order_relaxed);
    pthread_join(threads[2], &result);
    for (int i = 0; i < 4; i++)
        if (i != 2)
            pthread_join(threads[i], NULL);
    __tsan_destroy_fiber(fiber);
    __tsan_mutex_destroy(&lock, 0);
    return result != NULL || counter != 6 || in_fiber != 2 || RunningOnValgrind();
}
