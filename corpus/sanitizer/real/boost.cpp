// Boost.Lockfree: a queue, a stack and a ring, each with several threads.
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>
#include <atomic>
#include <thread>
#include <vector>

constexpr int ITEMS = 30;
boost::lockfree::queue<int> queue(4);
boost::lockfree::stack<int> stack(4);
boost::lockfree::spsc_queue<int, boost::lockfree::capacity<4>> ring;
std::atomic<int> taken;

void produce(bool with_ring) {
    for (int item = 0; item < ITEMS; item++) {
        queue.push(item);
        stack.push(item);
        while (with_ring && !ring.push(item)) std::this_thread::yield();
    }
}

void consume(bool with_ring, int all) {
    int item;
    while (taken.load(std::memory_order_relaxed) < all) {
        int got = queue.pop(item) + stack.pop(item) + (with_ring && ring.pop(item));
        taken.fetch_add(got, std::memory_order_relaxed);
        std::this_thread::yield();
    }
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++) threads.emplace_back(produce, i == 0);
    for (int i = 0; i < 2; i++) threads.emplace_back(consume, i == 0, 5 * ITEMS);
    for (auto& thread : threads) thread.join();
}
