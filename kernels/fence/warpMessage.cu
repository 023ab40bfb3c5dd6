/* warpMessage - one warp hands data to another of its block, through global memory.
 *
 * Warps work in pairs: the first puts 32 words into the pair's slot and raises a flag, the second waits for the flag,
 * reads the slot backwards and gives it back. Both are in one block, so __threadfence_block() is enough: between data
 * and flag in the writer, between flag and data in the reader, and the same on the way back. `volatile` makes the
 * compiler look at the flag each time; it orders nothing. __syncwarp() gathers the lanes' accesses in front of lane
 * 0's fence. No barrier of the block.
 * A pair moves 32 words a round, four rounds: 4 loads and 4 stores of 4 sectors on both sides, a flag each way. How
 * often a flag is read is a matter of time: at least once a round on each side.
 * Limit: each round waits for an answer, twice the latency of the cache.
 */
// LET: pairs = warps / 2
// LET: whole = n % (2 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= pairs * 4 * rounds when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum >= pairs * 10 * rounds when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == pairs * 4 * rounds when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == pairs * 10 * rounds when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == 0
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

enum { ROUNDS = 4 };

// flags: a word up and a word back for each pair, 0 at first
extern "C" __global__ void warpMessage(int *out, const int *in, int *slots, volatile unsigned int *flags,
                                       unsigned int n)
{
    unsigned int lane = threadIdx.x % warpSize, warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    unsigned int pair = warp / 2, idx = pair * ROUNDS * warpSize + lane;
    int *slot = slots + pair * warpSize;
    volatile unsigned int *sent = flags + 2 * pair, *taken = sent + 1;

    for (unsigned int round = 0; round < ROUNDS; round++, idx += warpSize)
    {
        if (warp % 2 == 0)
        {
            // the slot is free when the round before has been taken; all lanes wait, together
            while (*taken < round) {}
            __threadfence_block();
            slot[lane] = idx < n ? in[idx] : 0;
            __syncwarp();
            if (lane == 0)
            {
                __threadfence_block();
                *sent = round + 1;
            }
        }
        else
        {
            while (*sent <= round) {}
            __threadfence_block();
            int value = slot[warpSize - 1 - lane];
            if (idx < n) out[idx] = value;
            __syncwarp();
            if (lane == 0)
            {
                __threadfence_block();
                *taken = round + 1;
            }
        }
    }
}
