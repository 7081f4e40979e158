// verdict: violation
// rcu-offline.c without fences: a member that comes online and a writer that looks for members can miss each other.
#include "short.h"

enum { MEMBERS = 2, ROUNDS = 2 };
atomic_int current, grace = 1, reported[MEMBERS]; // 0 while offline
atomic_bool allocated[2] = {true, true};
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static void come_online(int id) {
    store(reported[id], load(grace, acquire), release);
}

static void go_offline(int id) {
    store(reported[id], 0, release);
}

static void replace(int id, bool online) {
    if (online)
        store(reported[id], 0, release);
    pthread_mutex_lock(&writing);
    int old = load(current, acquire);
    store(allocated[1 - old], true, release);
    store(current, 1 - old, release);
    int period = load(grace, acquire) + 1;
    store(grace, period, release);
    for (int i = 0; i < MEMBERS; i++) {
        int seen;
        do
            seen = load(reported[i], acquire);
        while (seen != period && seen != 0);
    }
    store(allocated[old], false, release);
    pthread_mutex_unlock(&writing);
    if (online)
        come_online(id);
}

static void member(int id) {
    unsigned state = (unsigned)id + 1;
    int rounds = 0;
    bool online = false;
    for (int i = 0; i < 10; i++) {
        switch (choose(&state, 4)) {
        case 0:
            if (online)
                assert(load(allocated[load(current, acquire)], acquire));
            break;
        case 1:
            come_online(id);
            online = true;
            break;
        case 2:
            if (online)
                go_offline(id);
            online = false;
            break;
        default:
            if (rounds++ < ROUNDS)
                replace(id, online);
        }
    }
    go_offline(id);
}

int main(void) {
    TOGETHER(member, member);
    return 0;
}
