// verdict: violation
// Store buffering in an object on the heap, from lambdas.
#include <atomic>
#include <memory>
#include <thread>

struct Flags {
    std::atomic<bool> left{false}, right{false};
};

int main() {
    auto flags = std::make_shared<Flags>();
    bool a = false, b = false;
    std::thread one([&, flags] {
        flags->left.store(true, std::memory_order_release);
        a = flags->right.load(std::memory_order_acquire);
    });
    std::thread two([&, flags] {
        flags->right.store(true, std::memory_order_release);
        b = flags->left.load(std::memory_order_acquire);
    });
    one.join();
    two.join();
    return 0;
}
