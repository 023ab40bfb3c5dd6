/* messageOneWord - each word is its own flag.
 *
 * Change: a datum and its mark travel in one word of 64 bits, which is stored and loaded as a whole: whoever sees the
 * mark has the datum. So there is nothing to order: no fence, no flag, no barrier but that of the ticket, and each
 * thread waits for its own word only. The price: twice the bytes, and a slot for each round, because nobody says when
 * one is free. AGAINST messageFence: stores are two requests a warp and round, 8 sectors into the slot and 4 of the
 * result.
 * Limit: polling; every lane's word must be there before its warp goes on.
 */
// AGAINST: messageFence
// LET: pairs = blocks / 2
// LET: whole = n % (4 * bx) == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum >= pairs * 2 * rounds * block_warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum >= pairs * 12 * rounds * block_warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == pairs * 2 * rounds * block_warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == pairs * 12 * rounds * block_warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum == blocks
// EXPECT: lockstep__barriers.sum == warps

#include "../lockstep_device.cuh"

enum { ROUNDS = 4 };

// slots: for each pair ROUNDS x blockDim.x words, the mark above the datum, 0 at first
extern "C" __global__ void message(int *out, const int *in, volatile unsigned long long *slots, unsigned int *ticket,
                                   unsigned int n)
{
    __shared__ unsigned int drawn;
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned int pair = drawn / 2, idx = pair * ROUNDS * blockDim.x + threadIdx.x;
    volatile unsigned long long *slot = slots + (unsigned long long)pair * ROUNDS * blockDim.x;

    for (unsigned int round = 0; round < ROUNDS; round++, idx += blockDim.x, slot += blockDim.x)
    {
        if (drawn % 2 == 0)
        {
            unsigned int value = idx < n ? (unsigned int)in[idx] : 0;
            slot[threadIdx.x] = 1ull << 32 | value;
        }
        else
        {
            unsigned long long word;
            do word = slot[blockDim.x - 1 - threadIdx.x];
            while (word >> 32 == 0);
            if (idx < n) out[idx] = (int)word;
        }
    }
}
