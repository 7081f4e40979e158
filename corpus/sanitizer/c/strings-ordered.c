// verdict: silent
// Strings and buffers that only one thread at a time uses: functions of libc look at no more than they say, and what comes through a pipe was sent before.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2];
static char left[32] = "left", shared[64], right[32];
static const char *volatile word = "a word";

static void *first(void *unused) {
    // The other one writes behind this.
    strcpy(shared, word);
    strncat(shared, word, 3);
    stpcpy(left, word);
    char *copy = strdup(left);
    int same = memcmp(copy, left, 7) == 0 && strncmp(shared, copy, 6) == 0 && memchr(left, 'w', 7) == strchr(left, 'w');
    free(copy);
    return write(ends[1], shared, 10) == 10 && same ? unused : left;
}

static void *second(void *unused) {
    memset(shared + 16, 'x', 8);
    char got[10];
    if (read(ends[0], got, sizeof got) != 10)
        return left;
    // Now it is known what the first has done.
    strncpy(right, shared, sizeof right);
    strcat(left, got);
    return strcmp(right, "a worda w") == 0 && strlen(left) == 15 ? unused : left;
}

int main(void) {
    pthread_t threads[2];
    void *results[2];
    if (pipe(ends))
        return 1;
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &results[i]);
    return results[0] || results[1];
}
