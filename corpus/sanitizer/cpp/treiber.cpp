// verdict: silent
// as: treiber-stack.sf
// Treiber's stack: push publishes with release, pop takes all with acquire.
#include <atomic>
#include <thread>

struct Node {
    int value;
    Node *next;
};

std::atomic<Node *> head;

void push(int value) {
    Node *node = new Node{value, head.load(std::memory_order_relaxed)};
    while (!head.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
    }
}

int take_all() {
    int sum = 0;
    for (Node *node = head.exchange(nullptr, std::memory_order_acquire); node;) {
        sum += node->value;
        Node *next = node->next;
        delete node;
        node = next;
    }
    return sum;
}

int main() {
    int sums[3] = {};
    std::thread one([] { push(1); push(2); });
    std::thread two([] { push(3); push(4); });
    std::thread three([&] { sums[0] = take_all(); sums[1] = take_all(); });
    one.join();
    two.join();
    three.join();
    sums[2] = take_all();
    return sums[0] + sums[1] + sums[2] != 10;
}
