// verdict: violation
// as: hazard-pointer-nofence.sf
// A hazard pointer without a fence between announcing a node and looking again: the node can be deleted meanwhile. Nodes are reused, so that nothing is freed for real.
#include <atomic>
#include <thread>

struct Node {
    std::atomic<bool> alive{true};
};

static Node nodes[2];
static std::atomic<Node *> current{&nodes[0]};
static std::atomic<Node *> hazard{nullptr};

static void read() {
    Node *node = current.load(std::memory_order_acquire);
    hazard.store(node, std::memory_order_release);
    if (current.load(std::memory_order_acquire) == node)
        (void)node->alive.load(std::memory_order_acquire);
    hazard.store(nullptr, std::memory_order_release);
}

static void replace() {
    current.store(&nodes[1], std::memory_order_release);
    if (hazard.load(std::memory_order_acquire) != &nodes[0])
        nodes[0].alive.store(false, std::memory_order_release);
}

int main() {
    std::jthread reader([] { read(); }), reclaimer([] { replace(); });
}
