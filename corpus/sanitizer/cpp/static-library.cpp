// verdict: silent
// flags: -static-libstdc++
// Variables that are initialised when a function first runs, where C++'s library is part of the executable: there is no other one whose functions could be called. The first attempt fails.
#include <thread>
#include <vector>

static int attempts;

struct Thing {
    int value;
    Thing() : value(41) {
        if (attempts++ == 0)
            throw 1;
        value++;
    }
};

static int look() {
    try {
        static Thing only;
        return only.value;
    } catch (int) {
        return look();
    }
}

int main() {
    std::vector<std::thread> threads;
    int found[3];
    for (int &result : found)
        threads.emplace_back([&] { result = look(); });
    for (auto &thread : threads)
        thread.join();
    return found[0] != 42 || found[1] != 42 || found[2] != 42 || attempts != 2;
}
