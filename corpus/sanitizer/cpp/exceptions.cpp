// verdict: silent
// Exceptions through instrumented functions.
#include <atomic>
#include <stdexcept>
#include <thread>

std::atomic<int> counter;

__attribute__((noinline)) void fall(int depth) {
    counter.fetch_add(1, std::memory_order_relaxed);
    if (depth == 0)
        throw std::runtime_error("bottom");
    fall(depth - 1);
    counter.fetch_sub(1, std::memory_order_relaxed);
}

void work() {
    for (int round = 0; round < 300; round++) {
        try {
            fall(9);
        } catch (const std::runtime_error &) {
        }
    }
}

int main() {
    std::thread one(work), two(work);
    one.join();
    two.join();
    return counter != 6000;
}
