// verdict: silent
// Variables that are initialised when a function first runs, by several threads at once.
#include <atomic>
#include <thread>
#include <vector>

std::atomic<int> made;

struct Thing {
    int value;
    Thing() : value(made.fetch_add(1, std::memory_order_relaxed) + 41) {}
};

Thing &thing() {
    static Thing only;
    return only;
}

int main() {
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&] { wrong += thing().value != 41; });
    for (auto &thread : threads)
        thread.join();
    return wrong;
}
