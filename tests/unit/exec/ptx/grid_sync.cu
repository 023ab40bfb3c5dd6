/* grid_sync.cu - kernels that wait for their whole grid. Compilations of it, with -I<repository>/kernels:
 *
 *     grid_sync_clang.ptx  clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -O3 -S
 *     grid_sync_nvcc.ptx   nvcc -ptx -arch=compute_90
 *     grid_sync_cg.ptx     nvcc -std=c++17 -ptx -arch=compute_90 -DGROUPS, with cooperative_groups */
#ifdef GROUPS
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define GRID_SYNC() cg::this_grid().sync()
#else
#include "lockstep_grid.cuh"
#define GRID_SYNC() ls_grid_sync()
#endif

/* `rounds` times each thread takes its neighbour's value: a rotation of n values, of which every step needs all before */
extern "C" __global__ void rotate(unsigned *a, unsigned *b, unsigned n, unsigned rounds)
{
    const unsigned t = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    for (unsigned i = 0; i < rounds; i++) {
        if (t < n)
            b[t] = a[(t + 1) % n] + 1;
        GRID_SYNC();
        if (t < n)
            a[t] = b[t];
        GRID_SYNC();
    }
}

#ifdef GROUPS
/* a[t] = rank in a tile of 64, then the value of the tile's lane 40; the kernel has shared memory of its own */
extern "C" __global__ void tiles(unsigned *a, unsigned *b)
{
    __shared__ unsigned own[128];
    extern __shared__ unsigned more[];
    const unsigned t = threadIdx.x;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    unsigned *const out = b + blockIdx.x * blockDim.x;
    own[t] = t + 1;
    more[t] = 2 * t + 1;
    a[blockIdx.x * blockDim.x + t] = tile.thread_rank();
    out[t] = tile.shfl(t, 40);
    tile.sync();
    out[t] += 1000 * (own[t ^ 33] + more[t ^ 32]);
}
#endif
