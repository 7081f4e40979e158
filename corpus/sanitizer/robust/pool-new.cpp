// The other half of `pool.cpp`. In the same file the linker would not see that anybody calls the operator.
#include <cstddef>
#include <new>

static char pool[1 << 20];
static std::size_t used;

void *operator new(std::size_t bytes) {
    void *block = pool + used;
    used += (bytes + 15) & ~std::size_t(15);
    return block;
}

void operator delete(void *) noexcept {}
void operator delete(void *, std::size_t) noexcept {}
