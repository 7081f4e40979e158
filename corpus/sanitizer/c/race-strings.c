// verdict: race
// What libc does with strings, it does in the name of the program.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char text[64];
// The compiler should not know what is copied, or it would do it itself.
static const char *volatile word = "a word";

static void *writer(void *unused) {
    strcpy(text, word);
    return unused;
}

static void *reader(void *unused) {
    return strlen(text) > 6 ? unused : NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
