// moodycamel's queue, with and without tokens.
#include "concurrentqueue.h"
#include <atomic>
#include <thread>
#include <vector>

constexpr int ITEMS = 40;
moodycamel::ConcurrentQueue<int> queue(8);
std::atomic<int> taken;

void produce(bool with_token) {
    moodycamel::ProducerToken token(queue);
    for (int item = 0; item < ITEMS; item++) {
        if (with_token) queue.enqueue(token, item);
        else queue.enqueue(item);
    }
}

void consume(bool with_token) {
    moodycamel::ConsumerToken token(queue);
    int items[3];
    while (taken.load(std::memory_order_relaxed) < 2 * ITEMS) {
        int got = with_token ? queue.try_dequeue_bulk(token, items, 3) : queue.try_dequeue(items[0]);
        taken.fetch_add(got, std::memory_order_relaxed);
        std::this_thread::yield();
    }
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++) threads.emplace_back(produce, i == 0);
    for (int i = 0; i < 2; i++) threads.emplace_back(consume, i == 0);
    for (auto& thread : threads) thread.join();
}
