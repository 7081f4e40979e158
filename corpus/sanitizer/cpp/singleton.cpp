// verdict: silent
// as: singleton.sf
// Double-checked locking: the pointer is published with release and read with acquire.
#include <atomic>
#include <mutex>
#include <thread>

struct Thing {
    int value = 42;
};

std::atomic<Thing *> instance;
std::mutex mutex;

Thing *get() {
    Thing *thing = instance.load(std::memory_order_acquire);
    if (!thing) {
        std::lock_guard<std::mutex> guard(mutex);
        thing = instance.load(std::memory_order_relaxed);
        if (!thing) {
            thing = new Thing;
            instance.store(thing, std::memory_order_release);
        }
    }
    return thing;
}

int main() {
    int values[2] = {};
    std::thread one([&] { values[0] = get()->value; });
    std::thread two([&] { values[1] = get()->value; });
    one.join();
    two.join();
    delete instance.load();
    return values[0] + values[1] != 84;
}
