// verdict: silent
// as: mcs-lock-spin.sf
// The MCS queue lock as a class, with nodes on the stack of whoever holds it. It protects plain data.
#include <atomic>
#include <mutex>
#include <thread>

class McsLock {
    struct Node {
        std::atomic<Node *> next{nullptr};
        std::atomic<bool> waiting{false};
    };
    std::atomic<Node *> tail{nullptr};

public:
    class Guard {
        McsLock &lock;
        Node node;

    public:
        explicit Guard(McsLock &lock) : lock(lock) {
            Node *before = lock.tail.exchange(&node, std::memory_order_acq_rel);
            if (before) {
                node.waiting.store(true, std::memory_order_relaxed);
                before->next.store(&node, std::memory_order_release);
                while (node.waiting.load(std::memory_order_acquire)) {
                }
            }
        }
        Guard(const Guard &) = delete;
        ~Guard() {
            if (!node.next.load(std::memory_order_acquire)) {
                Node *expected = &node;
                if (lock.tail.compare_exchange_strong(expected, nullptr, std::memory_order_release, std::memory_order_relaxed))
                    return;
            }
            Node *after;
            do
                after = node.next.load(std::memory_order_acquire);
            while (!after);
            after->waiting.store(false, std::memory_order_release);
        }
    };
};

static McsLock lock;
static int counter;

int main() {
    {
        auto work = [] {
            for (int round = 0; round < 3; round++) {
                McsLock::Guard guard(lock);
                counter++;
            }
        };
        std::jthread one(work), two(work), three(work);
    }
    return counter != 9;
}
