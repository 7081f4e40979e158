// verdict: race
// With `pool-new.cpp`, which has an operator `new` that has no need of `malloc`. Who called it has nothing to do with the block that `malloc` gives next.
#include <cstdlib>
#include <new>
#include <thread>

__attribute__((noinline)) static void *from_new(std::size_t bytes) {
    return ::operator new(bytes);
}

__attribute__((noinline)) static int *from_malloc() {
    int *block = static_cast<int *>(std::malloc(64));
    *block = 0;
    return block;
}

int main() {
    char *volatile unused = static_cast<char *>(from_new(32));
    *unused = 1;
    int *block = from_malloc();
    std::thread thread([block] { *block = 1; });
    *block = 2;
    thread.join();
}
