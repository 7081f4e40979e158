// verdict: silent
// What is to be done once fails for the first thread, which throws, and then another one, which may have waited for it, does it.
#include <mutex>
#include <thread>

static std::once_flag flag;
static int data, tried;

static int attempt() {
    try {
        std::call_once(flag, [] {
            if (tried++ == 0) {
                std::this_thread::yield();
                throw 1;
            }
            data = 7;
        });
    } catch (int) {
        return attempt();
    }
    return data;
}

int main() {
    int seen[3];
    {
        std::jthread first([&] { seen[0] = attempt(); });
        std::jthread second([&] { seen[1] = attempt(); });
        std::jthread third([&] { seen[2] = attempt(); });
    }
    return seen[0] != 7 || seen[1] != 7 || seen[2] != 7 || tried != 2;
}
