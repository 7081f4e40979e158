// verdict: silent
// What steadfast.h has for C, also without the sanitizer, with all types that it is for.
#include <stdatomic.h>
#include <steadfast.h>

static atomic_int number;
static atomic_char letter;
static atomic_bool flag;
static _Atomic unsigned short half;
static atomic_llong wide;

int main(void) {
    steadfast_ignore_begin();
    steadfast_wait(&number, 0, memory_order_acquire);
    steadfast_wait(&letter, 0, memory_order_relaxed);
    steadfast_wait(&flag, 0, memory_order_seq_cst);
    steadfast_blocking_cas(&number, 0, 1, memory_order_acq_rel);
    int changed = steadfast_strong_cas(&letter, 0, 1, memory_order_acquire);
    changed += steadfast_strong_cas(&flag, 0, 1, memory_order_release);
    changed += steadfast_strong_cas(&half, 0, 1, memory_order_acq_rel);
    changed += steadfast_strong_cas(&wide, 0, 1, __ATOMIC_SEQ_CST);
    changed += steadfast_strong_cas(&letter, 0, 1, memory_order_acquire);
    steadfast_ignore_end();
    return !(changed == 4 && number == 1 && letter == 1 && flag && half == 1 && wide == 1);
}
