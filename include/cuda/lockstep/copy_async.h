/* copy_async.h - copies from global to shared memory that do not pass through registers: cp.async, its groups and
 * waits. */
#ifndef LOCKSTEP_COPY_ASYNC_H
#define LOCKSTEP_COPY_ASYNC_H

#include <cuda_runtime.h>

#if defined(__cplusplus) && defined(__CUDA__)

#define LS_D static __device__ __forceinline__

namespace ls_copy {

LS_D bool is_shared(const void *p) { return __nvvm_isspacep_shared(p); }
LS_D bool is_global(const void *p) { return __nvvm_isspacep_global(p); }
LS_D unsigned shared_address(const void *p)
{
    unsigned long long r;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(r) : "l"(p));
    return (unsigned)r;
}

/* `size` bytes, of which the last size - `given` become 0. */
template <unsigned Size> LS_D void piece(void *shared, const void *global, unsigned given)
{
    static_assert(Size == 4 || Size == 8 || Size == 16, "a copy has 4, 8 or 16 bytes");
    const unsigned to = shared_address(shared);
    if (given == Size)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(Size) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global), "n"(Size), "r"(given)
                     : "memory");
}

LS_D void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <unsigned Stage> LS_D void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(Stage) : "memory"); }

template <unsigned Size> LS_D void pieces(unsigned rank, unsigned threads, char *to, const char *from, size_t bytes)
{
    for (size_t i = (size_t)rank * Size; i < bytes; i += (size_t)threads * Size)
        piece<Size>(to + i, from + i, Size);
}

/* A part of `bytes` for each of `threads`. */
LS_D void by_threads(unsigned rank, unsigned threads, void *dst, const void *src, size_t bytes)
{
    char *to = (char *)dst;
    const char *from = (const char *)src;
    const size_t odd = (size_t)to | (size_t)from | bytes;
    if (!is_shared(dst) || !is_global(src) || odd % 4) {
        for (size_t i = rank; i < bytes; i += threads)
            to[i] = from[i];
        return;
    }
    if (odd % 16 == 0)
        pieces<16>(rank, threads, to, from, bytes);
    else if (odd % 8 == 0)
        pieces<8>(rank, threads, to, from, bytes);
    else
        pieces<4>(rank, threads, to, from, bytes);
}

} // namespace ls_copy

#undef LS_D
#endif

#endif
