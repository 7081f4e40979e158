// verdict: silent
// A bounded queue with std::mutex, std::condition_variable and std::shared_mutex; timed waits may give up.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <thread>

std::mutex mutex;
std::shared_mutex statistics;
std::condition_variable changed;
std::queue<int> queue;
int taken, total;

void produce() {
    for (int i = 1; i <= 5; i++) {
        {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [] { return queue.size() < 2; });
            queue.push(i);
        }
        changed.notify_all();
    }
}

void consume() {
    for (;;) {
        int value;
        {
            std::unique_lock<std::mutex> lock(mutex);
            if (taken == 5)
                return;
            if (!changed.wait_for(lock, std::chrono::milliseconds(5), [] { return !queue.empty() || taken == 5; }))
                continue;
            if (queue.empty())
                return;
            value = queue.front();
            queue.pop();
            taken++;
        }
        changed.notify_all();
        std::unique_lock<std::shared_mutex> lock(statistics);
        total += value;
    }
}

int main() {
    std::thread producer(produce), one(consume), two(consume);
    producer.join();
    one.join();
    two.join();
    std::shared_lock<std::shared_mutex> lock(statistics);
    return total != 15;
}
