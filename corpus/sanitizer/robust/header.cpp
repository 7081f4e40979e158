// verdict: silent
// What steadfast.h has for C++, also without the sanitizer, with all types that it is for.
#include <atomic>
#include <steadfast.h>

static std::atomic<int> number;
static std::atomic<char> letter;
static std::atomic<bool> flag;
static std::atomic<unsigned short> half;
static std::atomic<long long> wide;
static int builtin;

int main() {
    steadfast_ignore_begin();
    steadfast_wait(&number, 0, std::memory_order_acquire);
    steadfast_wait(&letter, 0, std::memory_order_relaxed);
    steadfast_wait(&flag, false, std::memory_order_seq_cst);
    steadfast_wait(&builtin, 0, __ATOMIC_ACQUIRE);
    steadfast_blocking_cas(&number, 0, 1, std::memory_order_acq_rel);
    int changed = steadfast_strong_cas(&letter, 0, 1, std::memory_order_acquire);
    changed += steadfast_strong_cas(&flag, false, true, std::memory_order_release);
    changed += steadfast_strong_cas(&half, 0, 1, std::memory_order_acq_rel);
    changed += steadfast_strong_cas(&wide, 0, 1, __ATOMIC_SEQ_CST);
    changed += steadfast_strong_cas(&builtin, 0, 1, __ATOMIC_ACQ_REL);
    changed += steadfast_strong_cas(&letter, 0, 1, std::memory_order_acquire);
    steadfast_ignore_end();
    return !(changed == 5 && number == 1 && letter == 1 && flag && half == 1 && wide == 1 && builtin == 1);
}
