/* tileOwn - tiles that go different ways.
 *
 * Change: a tile of 4 whose first element is positive gives its sum, another one its smallest element. Now only some
 * tiles of a warp come to a shuffle, so its mask must be the tile's own: with the whole warp's, lanes would wait for
 * others that are in the other branch. Behind the branch the tiles meet again and store with one request.
 * Limit: the two ways run one after the other.
 */
// LET: whole = n % bx == 0
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
// EXPECT: l1tex__t_requests_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum == warps when whole
// EXPECT: lockstep__barriers.sum == 0

#include "../lockstep_device.cuh"

// Size neighbouring lanes of a warp; Size is a power of two below 32
template <int Size> struct Tile
{
    static __device__ __forceinline__ unsigned int rank() { return threadIdx.x % Size; }
    static __device__ __forceinline__ unsigned int number() { return threadIdx.x % warpSize / Size; }
    static __device__ __forceinline__ unsigned int mask() { return ((1u << Size) - 1) << (number() * Size); }

    // in the tile's first lane; a tile comes as a whole, or not at all
    static __device__ __forceinline__ int sum(int value)
    {
#pragma unroll
        for (unsigned int distance = Size / 2; distance > 0; distance /= 2)
            value += __shfl_down_sync(mask(), value, distance, Size);
        return value;
    }
    static __device__ __forceinline__ int least(int value)
    {
#pragma unroll
        for (unsigned int distance = Size / 2; distance > 0; distance /= 2)
            value = min(value, __shfl_down_sync(mask(), value, distance, Size));
        return value;
    }
    static __device__ __forceinline__ int first(int value) { return __shfl_sync(mask(), value, 0, Size); }
};

extern "C" __global__ void tileOwn(int *out, const int *in, unsigned int n)
{
    typedef Tile<4> tile;
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int value = idx < n ? in[idx] : 0, result;
    if (tile::first(value) > 0)
        result = tile::sum(value);
    else
        result = tile::least(value);
    if (tile::rank() == 0 && idx < n) out[idx / 4] = result;
}
