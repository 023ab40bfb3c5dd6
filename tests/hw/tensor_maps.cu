/* tensor_maps.cu - the kernels of tensor_maps.c: one copy or reduction through a tensor map, of any kind; or through one that
 * the kernel changes.
 *
 *     nvcc -O1 -arch=sm_90a -ptx tests/hw/tensor_maps.cu -o tests/hw/tensor_maps.ptx */
#include <cstdint>
#include <cuda.h>

#include "tensor_maps.h"

#define COORDS1 "{%2}"
#define COORDS2 "{%2, %3}"
#define COORDS3 "{%2, %3, %4}"
#define COORDS4 "{%2, %3, %4, %5}"
#define COORDS5 "{%2, %3, %4, %5, %6}"
#define OPERANDS                                                                                                       \
    "r"(to), "l"(map), "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]), "r"(j.at[3]), "r"(j.at[4]), "r"(bar),                 \
        "h"((short)j.off[0]), "h"((short)j.off[1]), "h"((short)j.off[2])
#define LOAD_TILE(n)                                                                                                   \
    asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " COORDS##n \
                 "], [%7];" ::OPERANDS                                                                                 \
                 : "memory")
#define LOAD_IM2COL(n, offsets)                                                                                        \
    asm volatile("cp.async.bulk.tensor." #n                                                                            \
                 "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " COORDS##n "], [%7], " offsets \
                 ";" ::OPERANDS                                                                                        \
                 : "memory")
#define STORE_TILE(n, how)                                                                                             \
    asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta." how ".bulk_group [%1, " COORDS##n "], [%0];" ::OPERANDS \
                 : "memory")
#define REDUCE(n, op)                                                                                                  \
    asm volatile("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta." op ".tile.bulk_group [%1, " COORDS##n       \
                 "], [%0];" ::OPERANDS                                                                                 \
                 : "memory")
#define RANKS(f, ...)                                                                                                  \
    switch (j.rank) {                                                                                                  \
    case 1: f(1, ##__VA_ARGS__); break;                                                                                \
    case 2: f(2, ##__VA_ARGS__); break;                                                                                \
    case 3: f(3, ##__VA_ARGS__); break;                                                                                \
    case 4: f(4, ##__VA_ARGS__); break;                                                                                \
    case 5: f(5, ##__VA_ARGS__); break;                                                                                \
    }

__device__ void load(const CUtensorMap *map, const struct job &j, unsigned to, unsigned bar)
{
    if (j.mode == TILED) {
        RANKS(LOAD_TILE)
    } else if (j.rank == 3) {
        LOAD_IM2COL(3, "{%8}");
    } else if (j.rank == 4) {
        LOAD_IM2COL(4, "{%8, %9}");
    } else {
        LOAD_IM2COL(5, "{%8, %9, %10}");
    }
}

__device__ void store(const CUtensorMap *map, const struct job &j, unsigned to, unsigned bar)
{
    if (j.mode == IM2COL) {
        switch (j.rank) {
        case 3: STORE_TILE(3, "im2col_no_offs"); break;
        case 4: STORE_TILE(4, "im2col_no_offs"); break;
        case 5: STORE_TILE(5, "im2col_no_offs"); break;
        }
        return;
    }
    switch (j.way) {
    case STORE: RANKS(STORE_TILE, "tile") break;
    case ADD: RANKS(REDUCE, "add") break;
    case MIN: RANKS(REDUCE, "min") break;
    case MAX: RANKS(REDUCE, "max") break;
    case INC: RANKS(REDUCE, "inc") break;
    case DEC: RANKS(REDUCE, "dec") break;
    case AND: RANKS(REDUCE, "and") break;
    case OR: RANKS(REDUCE, "or") break;
    case XOR: RANKS(REDUCE, "xor") break;
    }
}

__device__ bool wait_for(unsigned bar)
{
    unsigned done = 0;
    for (int k = 0; k < 1 << 12 && !done; k++)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar)
                     : "memory");
    return done;
}

extern "C" __global__ void run(const __grid_constant__ CUtensorMap map, struct job j, unsigned char *shared, unsigned *done)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    __shared__ uint64_t barrier;
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier);
    const unsigned to = (unsigned)__cvta_generic_to_shared(memory) + j.base;
    for (unsigned k = threadIdx.x; k < SHARED_BYTES; k += blockDim.x)
        memory[k] = shared[k];
    if (!threadIdx.x)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(bar));
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (!threadIdx.x && j.way == LOAD) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(j.bytes) : "memory");
        load(&map, j, to, bar);
    } else if (!threadIdx.x) {
        store(&map, j, to, bar);
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
        *done = 1;
    }
    if (j.way == LOAD) {
        const bool over = wait_for(bar);
        if (!threadIdx.x)
            *done = over;
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < SHARED_BYTES; k += blockDim.x)
        shared[k] = memory[k];
}

#define REPLACE(field, type, constraint, value)                                                                        \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], %1;" ::"r"(at), constraint(value)  \
                 : "memory")
#define REPLACE_NTH(field, n, type, constraint, value)                                                                 \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], " #n ", %1;" ::"r"(at),            \
                 constraint(value)                                                                                     \
                 : "memory")
#define REPLACE_WORD(field, n)                                                                                         \
    case n: asm volatile("tensormap.replace.tile." field ".shared::cta.b1024.b32 [%0], " #n ";" ::"r"(at) : "memory"); break;
#define REPLACE_DIMENSION(n)                                                                                           \
    if (n < f.rank) {                                                                                                  \
        REPLACE_NTH("global_dim", n, "b32", "r", f.dims[n]);                                                           \
        REPLACE_NTH("box_dim", n, "b32", "r", f.box[n]);                                                               \
        REPLACE_NTH("element_stride", n, "b32", "r", f.steps[n]);                                                      \
    }
#define REPLACE_STRIDE(n)                                                                                              \
    if (n + 1 < f.rank)                                                                                                \
    REPLACE_NTH("global_stride", n, "b64", "l", f.strides[n])

__device__ void replace_words(unsigned at, const struct fields &f)
{
    switch (f.type) {
        REPLACE_WORD("elemtype", 0)
        REPLACE_WORD("elemtype", 1)
        REPLACE_WORD("elemtype", 2)
        REPLACE_WORD("elemtype", 3)
        REPLACE_WORD("elemtype", 4)
        REPLACE_WORD("elemtype", 5)
        REPLACE_WORD("elemtype", 6)
        REPLACE_WORD("elemtype", 7)
        REPLACE_WORD("elemtype", 8)
        REPLACE_WORD("elemtype", 9)
        REPLACE_WORD("elemtype", 10)
        REPLACE_WORD("elemtype", 11)
        REPLACE_WORD("elemtype", 12)
    }
    switch (f.interleave) {
        REPLACE_WORD("interleave_layout", 0)
        REPLACE_WORD("interleave_layout", 1)
        REPLACE_WORD("interleave_layout", 2)
    }
    switch (f.swizzle) {
        REPLACE_WORD("swizzle_mode", 0)
        REPLACE_WORD("swizzle_mode", 1)
        REPLACE_WORD("swizzle_mode", 2)
        REPLACE_WORD("swizzle_mode", 3)
    }
    switch (f.fill) {
        REPLACE_WORD("fill_mode", 0)
        REPLACE_WORD("fill_mode", 1)
    }
}

__device__ void replace_all(unsigned at, const struct fields &f)
{
    REPLACE("global_address", "b64", "l", f.address);
    REPLACE("rank", "b32", "r", f.rank - 1);
    REPLACE_DIMENSION(0)
    REPLACE_DIMENSION(1)
    REPLACE_DIMENSION(2)
    REPLACE_DIMENSION(3)
    REPLACE_DIMENSION(4)
    REPLACE_STRIDE(0);
    REPLACE_STRIDE(1);
    REPLACE_STRIDE(2);
    REPLACE_STRIDE(3);
    replace_words(at, f);
}

__device__ void prefetch(const CUtensorMap *map, const struct job &j)
{
    if (j.rank == 2)
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map), "r"(j.at[0]), "r"(j.at[1]));
}

/* A load through `map` changed to `f`, by way of `copy`. */
extern "C" __global__ void change(const __grid_constant__ CUtensorMap map, struct job j, unsigned char *shared,
                                  unsigned *done, struct fields f, CUtensorMap *copy)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    __shared__ __align__(128) uint64_t held[16];
    __shared__ uint64_t barrier;
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier);
    const unsigned at = (unsigned)__cvta_generic_to_shared(held);
    const unsigned to = (unsigned)__cvta_generic_to_shared(memory) + j.base;
    for (unsigned k = threadIdx.x; k < SHARED_BYTES; k += blockDim.x)
        memory[k] = shared[k];
    if (threadIdx.x < 16)
        held[threadIdx.x] = ((const uint64_t *)&map)[threadIdx.x];
    if (!threadIdx.x)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(bar));
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x < 32) {
        if (!threadIdx.x)
            replace_all(at, f);
        __syncwarp();
        asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], "
                     "128;" ::"l"(copy),
                     "r"(at)
                     : "memory");
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(copy) : "memory");
        if (!threadIdx.x) {
            prefetch(copy, j);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(j.bytes) : "memory");
            load(copy, j, to, bar);
        }
    }
    const bool over = wait_for(bar);
    if (!threadIdx.x)
        *done = over;
    __syncthreads();
    for (unsigned k = threadIdx.x; k < SHARED_BYTES; k += blockDim.x)
        shared[k] = memory[k];
}
