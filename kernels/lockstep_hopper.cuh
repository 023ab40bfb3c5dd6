/* lockstep_hopper.cuh - what Hopper's tensor cores are fed with, for clang without a toolkit and nvcc: mbarriers, tiles by TMA, and
 * products by four warps (wgmma). Compiled for sm_90a. PTX ISA 8.0: 9.7.9.25, 9.7.13.15, 9.7.15.
 *
 * An *mbarrier* counts arrivals of threads and bytes of copies; a phase is over when none of both is missing, and the next begins.
 * Phases are told apart by their parity: 0, 1, 0, ...
 *
 * A *tensor map* says where a matrix lies in device memory and what box of it a copy takes. The host makes it (kernels/family.h); here it
 * is a pointer. What a box has outside of the matrix is zero. Boxes here have rows of 64 halves, 128 bytes, and lie in shared memory at
 * multiples of 1024 bytes, swizzled: the eight pieces of 16 bytes of row r change places, piece p goes to p ^ (r % 8). So eight
 * rows of one column are in all banks. */
#ifndef LOCKSTEP_HOPPER_CUH
#define LOCKSTEP_HOPPER_CUH

#include "lockstep_cluster.cuh"

#define LS_HOPPER static __device__ __forceinline__

typedef unsigned long long ls_barrier;    /* in shared memory */
typedef unsigned short ls_box_row[64];    /* halves */

/* ---- mbarriers ---- */

LS_HOPPER void ls_barrier_init(ls_barrier *b, unsigned int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(ls_shared(b)), "r"(arrivals) : "memory");
}

/* Copies and other blocks of the cluster see what was initialised. */
LS_HOPPER void ls_barrier_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

LS_HOPPER void ls_barrier_arrive(ls_barrier *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(ls_shared(b)) : "memory");
}

/* An arrival, and so many bytes to come. */
LS_HOPPER void ls_barrier_expect(ls_barrier *b, unsigned int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ls_shared(b)), "r"(bytes) : "memory");
}

LS_HOPPER void ls_barrier_wait(ls_barrier *b, unsigned int parity)
{
    unsigned int over = 0;
    while (!over)
    {
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(over)
                     : "r"(ls_shared(b)), "r"(parity)
                     : "memory");
    }
}

/* ---- TMA ---- */

/* The map's box whose first element is column x of row y; its bytes arrive at the barrier. */
LS_HOPPER void ls_copy_box(void *to, const void *map, int x, int y, ls_barrier *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     ls_shared(to)),
                 "l"(map), "r"(x), "r"(y), "r"(ls_shared(b))
                 : "memory");
}

/* One dimension. */
LS_HOPPER void ls_copy_cells(void *to, const void *map, int x, ls_barrier *b)
{
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(
                     ls_shared(to)),
                 "l"(map), "r"(x), "r"(ls_shared(b))
                 : "memory");
}

/* A box to the map's matrix; what would be outside is not written. Threads that wrote to the box: ls_written, then a barrier. */
LS_HOPPER void ls_written() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

LS_HOPPER void ls_store_box(const void *map, int x, int y, const void *from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(
                     ls_shared(from))
                 : "memory");
}

/* This thread's stores have read their boxes. */
LS_HOPPER void ls_store_wait()
{
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* ---- clusters ---- */

/* At the same barrier of the block of that rank. */
LS_HOPPER void ls_barrier_arrive_at(ls_barrier *b, unsigned int rank)
{
    asm volatile("{\n"
                 ".reg .u32 at;\n"
                 "mapa.shared::cluster.u32 at, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [at];\n"
                 "}" ::"r"(ls_shared(b)),
                 "r"(rank)
                 : "memory");
}

/* To the same place of every block whose rank is a bit of `ranks`, and at its barrier. */
LS_HOPPER void ls_copy_box_to(void *to, const void *map, int x, int y, ls_barrier *b, unsigned short ranks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], "
                 "[%4], %5;" ::"r"(ls_shared(to)),
                 "l"(map), "r"(x), "r"(y), "r"(ls_shared(b)), "h"(ranks)
                 : "memory");
}

/* ---- wgmma: four warps together. What it reads may not change, nor its sums be looked at, before ls_wgmma_wait ---- */

/* A matrix in swizzled boxes: eight rows are 1024 bytes further on, the next 64 columns `columns` bytes (if it has them). Its place is
 * 18 bits: in a cluster, what an address has above is the block's rank. */
LS_HOPPER unsigned long long ls_matrix(const void *p, unsigned int columns)
{
    const unsigned long long swizzle_128 = 1;
    return (unsigned long long)((ls_shared(p) & 0x3ffff) >> 4) | (unsigned long long)(columns >> 4) << 16 | (1024ull >> 4) << 32 | swizzle_128 << 62;
}

/* The same, so many bytes further on. */
LS_HOPPER unsigned long long ls_further(unsigned long long matrix, unsigned int bytes) { return matrix + (bytes >> 4); }

/* 64 x 128 sums. Lane l of the group's warp w has rows 16 w + l / 4 (x[4j], x[4j + 1]) and that + 8 (x[4j + 2], x[4j + 3]), columns
 * 8 j + 2 (l % 4) and the next. */
struct ls_group_sums {
    float x[64];
};

/* What registers hold is for the products that follow. */
LS_HOPPER void ls_wgmma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
LS_HOPPER void ls_wgmma_wait()
{
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define LS_F4(i) "+f"(d.x[i]), "+f"(d.x[i + 1]), "+f"(d.x[i + 2]), "+f"(d.x[i + 3])
#define LS_F16(i) LS_F4(i), LS_F4(i + 4), LS_F4(i + 8), LS_F4(i + 12)

/* d += A B: A has 64 rows of 16 halves, B 16 rows of 128. */
LS_HOPPER void ls_wgmma(ls_group_sums &d, unsigned long long a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, 1, 1, 1, 0, 1;"
                 : LS_F16(0), LS_F16(16), LS_F16(32), LS_F16(48)
                 : "l"(a), "l"(b));
}

#undef LS_F16
#undef LS_F4

/* To C, whose rows have an even number of floats, from (row, col) on, `first` being the group's first thread. */
LS_HOPPER void ls_store_sums(float *c, const ls_group_sums &d, unsigned int thread, unsigned int row, unsigned int col,
                             unsigned int nrows, unsigned int ncols)
{
    row += thread / 32 * 16 + thread % 32 / 4;
    col += thread % 4 * 2;
#pragma unroll
    for (unsigned int i = 0; i < 64; i += 2)
    {
        const unsigned int y = row + i / 2 % 2 * 8, x = col + i / 4 * 8;
        if (y < nrows && x < ncols)
        {
            __stwb((float2 *)&c[y * ncols + x], make_float2(d.x[i], d.x[i + 1]));
        }
    }
}

#undef LS_HOPPER

#endif
