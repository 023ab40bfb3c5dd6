/* hopper.h - a few instructions of sm_90a that CUDA C++ has no words for, as functions: mbarriers, TMA and wgmma (PTX ISA 9.7.9.25,
 * 9.7.13.15, 9.7.15). Addresses of shared memory are 32-bit, as PTX wants them. */
#ifndef HOPPER_H
#define HOPPER_H

#include <cuda.h>
#include <cuda_fp16.h>

typedef unsigned long long u64;
typedef unsigned int u32;

static __device__ inline u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

/* ---- mbarriers ---- */

static __device__ inline void barrier_init(u64 *barrier, u32 arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/* Mbarriers are seen by copies that come later. */
static __device__ inline void barrier_init_fence()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ inline void barrier_expect(u64 *barrier, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

static __device__ inline void barrier_arrive(u64 *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Until the phase of this parity is over. */
static __device__ inline void barrier_wait(u64 *barrier, u32 parity)
{
    u32 over = 0;
    while (!over)
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(over)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

/* ---- TMA ---- */

/* The map's box at column x, row y, to shared memory; its bytes arrive at the barrier. */
static __device__ inline void copy_in(void *to, const CUtensorMap *map, int x, int y, u64 *barrier)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            shared_address(to)),
        "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
        : "memory");
}

/* ---- wgmma ---- */

/* The descriptor of a matrix in shared memory whose rows have 128 bytes, swizzled as TMA's 128-byte mode does, at a multiple of 1024
 * bytes: eight rows are 1024 bytes on. */
static __device__ inline u64 matrix(const void *p)
{
    const u64 swizzle_128 = 1, eight_rows = 1024;
    return (shared_address(p) & 0x3ffff) >> 4 | 1ull << 16 | (eight_rows >> 4) << 32 | swizzle_128 << 62;
}

/* The descriptor `bytes` further on. */
static __device__ inline u64 further(u64 descriptor, u32 bytes) { return descriptor + (bytes >> 4); }

static __device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
static __device__ inline void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

/* The 32 numbers that a thread has of 64 x 64 ones: d[4j] and d[4j+1] are columns 8j + 2 (lane % 4) and the next of row
 * 16 (warp % 4) + lane / 4, d[4j+2] and d[4j+3] the same of the row eight below. */
#define F4(d, j) "+f"(d[j]), "+f"(d[j + 1]), "+f"(d[j + 2]), "+f"(d[j + 3])
#define F32(d) F4(d, 0), F4(d, 4), F4(d, 8), F4(d, 12), F4(d, 16), F4(d, 20), F4(d, 24), F4(d, 28)
#define D32                                                                                                            \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                          \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"

/* d = a b^T, or d + a b^T: a has 64 rows of 16, b has 64 rows of 16, both in shared memory. */
static __device__ inline void product_of_rows(float (&d)[32], u64 a, u64 b, int add)
{
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " D32 ", %32, %33, p, 1, 1, 0, 0;\n"
                 "}"
                 : F32(d)
                 : "l"(a), "l"(b), "r"(add));
}

/* d += a b: a has 64 rows of 16, in registers; b has 16 rows of 64, in shared memory. */
static __device__ inline void product(float (&d)[32], const u32 (&a)[4], u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " D32 ", {%32, %33, %34, %35}, %36, 1, 1, 1, 1;\n"
                 : F32(d)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#endif
