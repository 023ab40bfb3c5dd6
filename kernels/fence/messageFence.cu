/* messageFence - one block hands data to another.
 *
 * Change: the pair is two blocks, which share no barrier and no first-level cache: __threadfence(), of the whole GPU.
 * The writer's threads meet at __syncthreads(), then thread 0 fences for all of them and raises the flag; in the
 * reader the first warp waits and fences, and __syncthreads() hands it on. Without the writer's fence the flag may be
 * seen before the data, without the reader's it may read what its cache held in the round before: broken/ has each.
 * Which block writes and which reads is drawn by a ticket, so that a reader's writer has begun: blocks may begin in
 * any order, and one that has begun goes on.
 * A pair of W warps a side moves bx words a round, four rounds. Barriers: one behind the ticket, two a round.
 * Limit: each round waits for an answer; and the fence waits for all stores, not only for those that matter.
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

// flags: a word up and a word back for each pair, 0 at first
extern "C" __global__ void message(int *out, const int *in, int *slots, volatile unsigned int *flags,
                                   unsigned int *ticket, unsigned int n)
{
    __shared__ unsigned int drawn;
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned int pair = drawn / 2, idx = pair * ROUNDS * blockDim.x + threadIdx.x;
    int *slot = slots + pair * blockDim.x;
    volatile unsigned int *sent = flags + 2 * pair, *taken = sent + 1;

    for (unsigned int round = 0; round < ROUNDS; round++, idx += blockDim.x)
    {
        if (drawn % 2 == 0)
        {
            // the slot is free when the round before has been taken; the first warp waits, all its lanes together
            if (threadIdx.x < warpSize)
            {
                while (*taken < round) {}
                __threadfence();
            }
            __syncthreads();
            slot[threadIdx.x] = idx < n ? in[idx] : 0;
            __syncthreads();
            if (threadIdx.x == 0)
            {
                __threadfence();
                *sent = round + 1;
            }
        }
        else
        {
            if (threadIdx.x < warpSize)
            {
                while (*sent <= round) {}
                __threadfence();
            }
            __syncthreads();
            int value = slot[blockDim.x - 1 - threadIdx.x];
            if (idx < n) out[idx] = value;
            __syncthreads();
            if (threadIdx.x == 0)
            {
                __threadfence();
                *taken = round + 1;
            }
        }
    }
}
