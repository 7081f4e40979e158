// verdict: silent
// A queue of many producers and one consumer (Vyukov): exchange of the head, then the link is published with release.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct node stub;
_Atomic(struct node *) head = &stub;
static struct node *tail = &stub;

static void push(int value) {
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    struct node *before = atomic_exchange_explicit(&head, node, memory_order_acq_rel);
    atomic_store_explicit(&before->next, node, memory_order_release);
}

static int pop(void) {
    struct node *next = atomic_load_explicit(&tail->next, memory_order_acquire);
    if (!next)
        return 0;
    if (tail != &stub)
        free(tail);
    tail = next;
    return next->value;
}

static void *producer(void *unused) {
    push(1);
    push(2);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    int sum = 0;
    pthread_create(&threads[0], 0, producer, 0);
    pthread_create(&threads[1], 0, producer, 0);
    for (int i = 0; i < 10; i++)
        sum += pop();
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    for (int i = 0; i < 4; i++)
        sum += pop();
    return sum != 6;
}
