/* tile16 - tiles: parts of a warp that work by themselves.
 *
 * Change: a group of 16 lanes exchanges in registers, with shuffles of width 16: nothing crosses the border of a tile.
 * This is what cooperative groups call tiled_partition<16>; a tile is no more than a width, a rank and a mask (the
 * mask may be the whole warp's while all its tiles do the same). No shared memory, no barrier.
 * Limit: four dependent shuffles.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum == 0
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

// Size neighbouring lanes of a warp; Size is a power of two up to 32
template <int Size> struct Tile
{
    static __device__ __forceinline__ unsigned int rank() { return threadIdx.x % Size; }

    // the tile's sum, in its first lane; all tiles of the warp come here together
    static __device__ __forceinline__ int sum(int value)
    {
#pragma unroll
        for (unsigned int distance = Size / 2; distance > 0; distance /= 2)
            value += __shfl_down_sync(0xffffffff, value, distance, Size);
        return value;
    }
};

extern "C" __global__ void tileSum(int *out, const int *in, unsigned int n)
{
    typedef Tile<16> tile;
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = tile::sum(idx < n ? in[idx] : 0);
    if (tile::rank() == 0 && idx < n) out[idx / 16] = sum;
}
