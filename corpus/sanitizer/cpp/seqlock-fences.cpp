// verdict: violation
// as: seqlock-fence.sf
// A sequence lock for any small type, with relaxed words and fences. Not robust, and correct all the same: words that do not belong together are thrown away.
#include <atomic>
#include <cassert>
#include <thread>

template <typename T, unsigned Words>
class Sequenced {
    std::atomic<unsigned> sequence{0};
    std::atomic<T> words[Words]{};

public:
    void write(T value) {
        unsigned before = sequence.load(std::memory_order_relaxed);
        sequence.store(before + 1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        for (auto &word : words)
            word.store(value, std::memory_order_relaxed);
        sequence.store(before + 2, std::memory_order_release);
    }

    bool read(T (&copy)[Words]) const {
        unsigned before = sequence.load(std::memory_order_acquire);
        for (unsigned i = Words; i-- > 0;)
            copy[i] = words[i].load(std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_acquire);
        return before % 2 == 0 && sequence.load(std::memory_order_relaxed) == before;
    }
};

static Sequenced<int, 3> shared;

int main() {
    std::jthread writer([] {
        for (int round = 1; round <= 3; round++)
            shared.write(round);
    });
    for (int round = 0; round < 3; round++) {
        int copy[3];
        if (shared.read(copy))
            assert(copy[0] == copy[1] && copy[1] == copy[2]);
    }
}
