/* waits.cu - how long do kernels take whose blocks wait for each other, with one worker and with several?
 *
 * Blocks that wait read a word again and again until another block has written it. Which worker runs that other block,
 * and what the waiting costs meanwhile, decides whether a second worker helps or hurts. bench/waits.sh runs this
 * program under `lockstep run` with 1, 2 and 4 workers.
 *
 * Each kernel checks its own result: a wrong one is told in place of its time. */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { THREADS = 128 };
typedef unsigned long long u64;

/* Something to do, about `trips` multiply-adds. */
__device__ float work(int trips)
{
    float x = threadIdx.x;
    for (int i = 0; i < trips; i++)
        x = x * 0.999f + 1.0f;
    return x;
}

__device__ float kept;

__device__ void keep(float x)
{
    if (x == -1.0f)
        kept = x; /* never */
}

/* Decoupled look-back: a tile publishes its own sum (flag 1), adds up the sums of the tiles before it until one knows
 * everything before it (flag 2), and publishes that. 64 bits a tile: flag, sum. */
__global__ void look_back(u64 *tile, int trips)
{
    keep(work(trips));
    if (threadIdx.x)
        return;
    volatile u64 *t = tile;
    const u64 one = 1;
    t[blockIdx.x] = 1ull << 32 | one;
    u64 sum = one;
    for (int k = (int)blockIdx.x - 1; k >= 0; k--) {
        u64 seen;
        while (!((seen = t[k]) >> 32))
            ;
        sum += (unsigned)seen;
        if (seen >> 32 == 2)
            break;
    }
    t[blockIdx.x] = 2ull << 32 | sum;
}

/* The same with a warp that looks at 32 tiles at a time and sleeps between two looks, as CUB does. */
__global__ void look_back_warp(u64 *tile, int trips)
{
    keep(work(trips));
    if (threadIdx.x >= 32)
        return;
    volatile u64 *t = tile;
    if (!threadIdx.x)
        t[blockIdx.x] = 1ull << 32 | 1;
    u64 sum = 1;
    for (int k = (int)blockIdx.x - 1;; k -= 32) {
        const int mine = k - (int)threadIdx.x;
        u64 seen = mine < 0 ? 2ull << 32 : t[mine];
        while (__any_sync(~0u, !(seen >> 32))) {
            __nanosleep(100);
            seen = mine < 0 ? 2ull << 32 : t[mine];
        }
        const unsigned all = __ballot_sync(~0u, seen >> 32 == 2);
        const int last = all ? __ffs(all) - 1 : 31;
        sum += __reduce_add_sync(~0u, (int)threadIdx.x <= last ? (unsigned)seen : 0u);
        if (all)
            break;
    }
    if (!threadIdx.x)
        t[blockIdx.x] = 2ull << 32 | sum;
}

/* Every block waits for the one before it; the others of a block wait at a barrier. */
__global__ void chain(u64 *tile, int trips)
{
    keep(work(trips));
    if (!threadIdx.x) {
        volatile u64 *t = tile;
        u64 before = 0;
        while (blockIdx.x && !(before = t[blockIdx.x - 1]))
            ;
        t[blockIdx.x] = before + 1;
    }
    __syncthreads();
    keep(work(trips));
}

/* One lock for all. */
__global__ void spin_lock(u64 *tile, int trips)
{
    if (!threadIdx.x) {
        unsigned *lock = (unsigned *)(tile + gridDim.x);
        while (atomicCAS(lock, 0u, 1u))
            ;
        __threadfence();
        volatile u64 *count = tile + gridDim.x - 1;
        const u64 old = *count;
        keep(work(trips));
        *count = old + 1;
        __threadfence();
        atomicExch(lock, 0u);
    }
    __syncthreads();
    keep(work(trips));
}

/* Blocks draw numbers and are served in their order. */
__global__ void tickets(u64 *tile, int trips)
{
    if (!threadIdx.x) {
        unsigned *next = (unsigned *)(tile + gridDim.x);
        volatile unsigned *serving = next + 1;
        const unsigned mine = atomicAdd(next, 1u);
        while (*serving != mine)
            ;
        volatile u64 *count = tile + gridDim.x - 1;
        const u64 old = *count;
        keep(work(trips));
        *count = old + 1;
        __threadfence();
        *serving = mine + 1;
    }
    __syncthreads();
    keep(work(trips));
}

/* All blocks meet, again and again; all are there at once. */
__global__ void grid_barrier(u64 *tile, int trips)
{
    unsigned *count = (unsigned *)(tile + gridDim.x);
    for (unsigned round = 1; round <= 20; round++) {
        keep(work(trips));
        __syncthreads();
        if (!threadIdx.x) {
            __threadfence();
            atomicAdd(count, 1u);
            while (*(volatile unsigned *)count < round * gridDim.x)
                ;
        }
        __syncthreads();
    }
    if (!threadIdx.x && blockIdx.x + 1 == gridDim.x)
        tile[blockIdx.x] = *count / 20;
}

/* Even blocks make, odd blocks take, one value at a time. */
__global__ void hand_over(u64 *tile, int trips)
{
    volatile unsigned *slot = (unsigned *)(tile + (blockIdx.x | 1));
    const bool makes = blockIdx.x % 2 == 0;
    for (unsigned round = 1; round <= 8; round++) {
        keep(work(trips));
        __syncthreads();
        if (!threadIdx.x) {
            while (*slot != 2 * round - (makes ? 2 : 1))
                ;
            __threadfence();
            *slot = 2 * round - (makes ? 1 : 0);
        }
        __syncthreads();
    }
    if (!threadIdx.x && !makes && blockIdx.x + 1 == gridDim.x)
        tile[blockIdx.x] = gridDim.x;
}

struct bench {
    const char *name;
    void (*kernel)(u64 *, int);
    int blocks, trips;
};

int main(int argc, char **argv)
{
    static const struct bench all[] = {
        {"look_back", look_back, 20000, 100},
        {"look_back, light", look_back, 100000, 0},
        {"look_back_warp", look_back_warp, 20000, 100},
        {"look_back_warp, light", look_back_warp, 100000, 0},
        {"chain", chain, 20000, 100},
        {"chain, heavy", chain, 1000, 10000},
        {"spin_lock", spin_lock, 20000, 100},
        {"spin_lock, heavy", spin_lock, 1000, 3000},
        {"tickets", tickets, 20000, 100},
        {"tickets, heavy", tickets, 1000, 3000},
        {"grid_barrier", grid_barrier, 528, 100},
        {"grid_barrier, heavy", grid_barrier, 132, 3000},
        {"hand_over", hand_over, 2000, 100},
        {"hand_over, heavy", hand_over, 264, 3000},
    };
    for (const struct bench &b : all) {
        if (argc > 1 && strncmp(b.name, argv[1], strlen(argv[1])))
            continue;
        u64 *tile, last = 0;
        const size_t bytes = (size_t)(b.blocks + 1) * 8;
        cudaMalloc(&tile, bytes);
        cudaMemset(tile, 0, bytes);
        cudaDeviceSynchronize();
        const auto start = std::chrono::steady_clock::now();
        b.kernel<<<b.blocks, THREADS>>>(tile, b.trips);
        const cudaError_t e = cudaDeviceSynchronize();
        const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        cudaMemcpy(&last, tile + b.blocks - 1, 8, cudaMemcpyDeviceToHost);
        const bool right = !e && (unsigned)last == (unsigned)b.blocks;
        printf("%-24s %9.3f s%s\n", b.name, s, right ? "" : e ? cudaGetErrorName(e) : " WRONG");
        fflush(stdout);
        cudaFree(tile);
    }
    return 0;
}
