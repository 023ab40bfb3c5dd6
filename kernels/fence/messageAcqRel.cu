/* messageAcqRel - the order belongs to the flag.
 *
 * Change: no fences. The flag is stored with release (what stands before it is seen first) and loaded with acquire
 * (what stands after it is read later), at the scope of the GPU. That says what is meant: which two accesses make the
 * order. A fence orders everything with everything. The accesses are the same, and so are the counters.
 * Limit: as before, an answer for each round.
 */
// LET: pairs = blocks / 2
// LET: whole = n % (4 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= pairs * (2 * rounds * block_warps + 2 * rounds) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum >= pairs * (8 * rounds * block_warps + 2 * rounds) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == pairs * rounds * (2 * block_warps + 2) when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == pairs * rounds * (8 * block_warps + 2) when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == blocks
// EXPECT: lockstep__barriers.sum == warps * (1 + 2 * rounds)

#include "../lockstep_device.cuh"

enum { ROUNDS = 4 };

static __device__ __forceinline__ unsigned int loadAcquire(const unsigned int *p)
{
    unsigned int v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

static __device__ __forceinline__ void storeRelease(unsigned int *p, unsigned int v)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

// flags: a word up and a word back for each pair, 0 at first
extern "C" __global__ void message(int *out, const int *in, int *slots, unsigned int *flags,
                                   unsigned int *ticket, unsigned int n)
{
    __shared__ unsigned int drawn;
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned int pair = drawn / 2, idx = pair * ROUNDS * blockDim.x + threadIdx.x;
    int *slot = slots + pair * blockDim.x;
    unsigned int *sent = flags + 2 * pair, *taken = sent + 1;

    for (unsigned int round = 0; round < ROUNDS; round++, idx += blockDim.x)
    {
        if (drawn % 2 == 0)
        {
            // the slot is free when the round before has been taken; the first warp waits, all its lanes together
            while (threadIdx.x < warpSize && loadAcquire(taken) < round) {}
            __syncthreads();
            slot[threadIdx.x] = idx < n ? in[idx] : 0;
            __syncthreads();
            if (threadIdx.x == 0) storeRelease(sent, round + 1);
        }
        else
        {
            while (threadIdx.x < warpSize && loadAcquire(sent) <= round) {}
            __syncthreads();
            int value = slot[blockDim.x - 1 - threadIdx.x];
            if (idx < n) out[idx] = value;
            __syncthreads();
            if (threadIdx.x == 0) storeRelease(taken, round + 1);
        }
    }
}
