/* tile8 - tiles of 8.
 *
 * Change: 8 lanes a tile, three shuffles, 4 results a warp, which still lie in one sector: smaller tiles store more
 * for the same requests and sectors. The bytes of the stored sectors that are used go from 8 to 16 of 32.
 * Limit: three dependent shuffles.
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
    typedef Tile<8> tile;
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = tile::sum(idx < n ? in[idx] : 0);
    if (tile::rank() == 0 && idx < n) out[idx / 8] = sum;
}
