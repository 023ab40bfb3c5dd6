/* warp_ops - votes, shuffles, matches, reductions and masks within a warp, whole and in part. */
#include <cuda_runtime.h>

#include "program.h"

enum { LANES = 32, ROWS = 27 };

#define FULL 0xffffffffu

__device__ int counter;

__global__ void rows(int *out)
{
    int lane = threadIdx.x, row = 0;
    auto put = [&](int value) { out[row++ * LANES + lane] = value; };
    put(__all_sync(FULL, lane < 32));
    put(__all_sync(FULL, lane < 31));
    put(__any_sync(FULL, lane == 7));
    put((int)__ballot_sync(FULL, lane % 3 == 0));
    put(__shfl_sync(FULL, lane * lane, 5));
    put(__shfl_sync(FULL, lane, lane + 1, 8));
    put(__shfl_up_sync(FULL, lane, 4));
    put(__shfl_down_sync(FULL, lane, 4, 16));
    put(__shfl_xor_sync(FULL, lane, 21));
    put((int)__shfl_sync(FULL, (long long)lane << 33, 9) + (int)(__shfl_sync(FULL, (long long)lane << 33, 9) >> 33));
    put((int)__shfl_down_sync(FULL, lane * 0.5, 2));
    put((int)__match_any_sync(FULL, lane / 5));
    int all_equal = 5;
    put((int)__match_all_sync(FULL, 42, &all_equal) ^ all_equal);
    put((int)__match_all_sync(FULL, lane, &all_equal) | all_equal);
    put(__reduce_add_sync(FULL, lane));
    put((int)__reduce_max_sync(FULL, lane * 7 % 32));
    put(__reduce_min_sync(FULL, lane - 16));
    put((int)__reduce_or_sync(FULL, 1u << (lane / 2)));
    put((int)__reduce_and_sync(FULL, ~(1u << lane % 4)));
    put((int)__reduce_xor_sync(FULL, (unsigned)lane));
    // a part of the warp: the odd lanes only
    int odd = -1;
    if (lane & 1) {
        unsigned mask = __activemask();
        odd = __popc(mask) + __shfl_down_sync(0xaaaaaaaau, lane, 2) + (int)__ballot_sync(0xaaaaaaaau, lane > 16);
    }
    __syncwarp();
    put(odd);
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    put((int)below);
    put(__popc(__ballot_sync(FULL, lane & 4) & below)); // the place of a lane among those that voted
    put(__syncthreads_count(lane < 10) + __syncthreads_and(lane < 40) + __syncthreads_or(lane > 40));
    int before; // only lane 0 has one
    if (lane == 0)
        before = atomicAdd(&counter, 5);
    put(__shfl_sync(FULL, before, 0) + lane);
    put(*(volatile int *)&counter);
    asm("mov.u32 %0, %laneid;" : "=r"(below)); // nvcc needs one percent sign only
    put((int)below);
}

static int expected(int row, int lane)
{
    unsigned below = (1u << lane) - 1, ballot;
    switch (row) {
    case 0:
        return 1;
    case 1:
        return 0;
    case 2:
        return 1;
    case 3:
        return 0x49249249; // bits 0, 3, 6 ... 30
    case 4:
        return 25;
    case 5:
        return lane / 8 * 8 + (lane + 1) % 8;
    case 6:
        return lane < 4 ? lane : lane - 4;
    case 7:
        return lane % 16 < 12 ? lane + 4 : lane;
    case 8:
        return lane ^ 21;
    case 9:
        return 9;
    case 10:
        return (int)((lane < 30 ? lane + 2 : lane) * 0.5);
    case 11:
        return (int)(lane / 5 == 6 ? 0xc0000000u : 31u << lane / 5 * 5);
    case 12:
        return (int)(FULL ^ 1u);
    case 13:
        return 0;
    case 14:
        return 496;
    case 15:
        return 31;
    case 16:
        return -16;
    case 17:
        return 0xffff;
    case 18:
        return (int)0xfffffff0u;
    case 19:
        return 0;
    case 20:
        if (!(lane & 1))
            return -1;
        ballot = 0xaaaa0000u; // the odd lanes above 16
        return 16 + (lane < 31 ? lane + 2 : lane) + (int)ballot;
    case 21:
        return (int)below;
    case 22:
        return __builtin_popcount(0xf0f0f0f0u & below);
    case 23:
        return 10 + 1 + 0;
    case 25:
        return 5;
    default:
        return lane;
    }
}

int main()
{
    static int host[ROWS * LANES];
    int *device;
    CHECK(cudaMalloc(&device, sizeof host));
    rows<<<1, LANES>>>(device);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int row = 0; row < ROWS; row++) {
        int bad = 0;
        for (int lane = 0; lane < LANES; lane++)
            if (host[row * LANES + lane] != expected(row, lane) && !bad++)
                printf("lane %d has %d, not %d: ", lane, host[row * LANES + lane], expected(row, lane));
        verdict(bad == 0, "operation %d", row);
    }
    CHECK(cudaFree(device));
    return failures;
}
