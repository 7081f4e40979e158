// verdict: silent
// What C++20 waits with: atomic wait and notify, a latch, a barrier, semaphores, and threads that are asked to stop. They order plain data.
#include <atomic>
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>

static int data[4];

static bool with_wait() {
    std::atomic<int> flag{0};
    data[0] = 0;
    std::jthread sender([&] {
        data[0] = 42;
        flag.store(1, std::memory_order_release);
        flag.notify_all();
    });
    flag.wait(0, std::memory_order_acquire);
    return data[0] == 42;
}

static bool with_latch() {
    std::latch done{2};
    std::jthread one([&] { data[1] = 1; done.count_down(); });
    std::jthread two([&] { data[2] = 2; done.count_down(); });
    done.wait();
    return data[1] + data[2] == 3;
}

static bool with_barrier() {
    std::barrier<> meeting{2};
    bool right[2] = {};
    auto party = [&](int me) {
        for (int round = 1; round <= 3; round++) {
            data[me] = round;
            meeting.arrive_and_wait();
            right[me] = data[1 - me] == round;
            meeting.arrive_and_wait();
        }
    };
    {
        std::jthread one(party, 0), two(party, 1);
    }
    return right[0] && right[1];
}

static bool with_semaphores() {
    std::binary_semaphore full{0}, empty{1};
    int sum = 0;
    std::jthread producer([&] {
        for (int i = 1; i <= 3; i++) {
            empty.acquire();
            data[3] = i;
            full.release();
        }
    });
    for (int i = 1; i <= 3; i++) {
        full.acquire();
        sum += data[3];
        empty.release();
    }
    return sum == 6;
}

static bool with_stop() {
    int rounds = 0;
    std::jthread worker([&](std::stop_token stop) {
        while (!stop.stop_requested())
            rounds++;
    });
    worker.request_stop();
    worker.join();
    return rounds >= 0;
}

int main() {
    return !(with_wait() && with_latch() && with_barrier() && with_semaphores() && with_stop());
}
