// together.cu - threads that work together, compared at every line (test_values.py).
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void reduce(const int *in, int *out)
{ //+ out[blockIdx.x]; in[0]
    __shared__ int cell[64]; //
    int t = threadIdx.x; //+ t
    cell[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) { //+ half; cell[63]
        int mine = cell[t]; //+ mine
        int other = t < half ? cell[t + half] : 0; //+ other
        __syncthreads();
        cell[t] = mine + other;
        __syncthreads();
    }
    int total = cell[0]; //+ total
    if (t == 0)
        out[blockIdx.x] = total;
}

__global__ void shuffles(int *out)
{ //+ out[threadIdx.x]
    int lane = threadIdx.x % 32; //+ lane
    int v = threadIdx.x * 3; //+ v
    for (int d = 16; d; d >>= 1) { //+ d
        int got = __shfl_down_sync(0xffffffff, v, d); //+ got
        v += got;
    }
    unsigned odd = __ballot_sync(0xffffffff, lane & 1); //+ odd
    int first = __shfl_sync(0xffffffff, v, 0); //+ first
    out[threadIdx.x] = first + __popc(odd);
}

__global__ void groups(int *out)
{ //+ out[threadIdx.x]
    cg::thread_block block = cg::this_thread_block(); //
    int rank = block.thread_rank(); //+ rank
    auto tile = cg::tiled_partition<8>(block); //
    int v = rank; //+ v
    for (int d = tile.size() / 2; d > 0; d /= 2) { //+ d
        v += tile.shfl_down(v, d);
    }
    if (rank % 3 == 0) {
        cg::coalesced_group some = cg::coalesced_threads(); //
        int place = some.thread_rank(); //+ place
        v += place * 100;
    }
    block.sync(); //-
    out[rank] = v;
}

__global__ void flat(int *out, int width)
{ //+ out[threadIdx.x]; width
    int x = blockIdx.x * blockDim.x + threadIdx.x; //+ x
    int y = blockIdx.y * blockDim.y + threadIdx.y; //+ y
    __shared__ int tile[4][8]; //
    tile[threadIdx.y][threadIdx.x] = y * width + x;
    __syncthreads();
    int turned = tile[threadIdx.x % 4][threadIdx.y]; //+ turned; tile[1][2]
    int old = atomicAdd(&out[threadIdx.x + 8 * threadIdx.y + 64], turned); //+ old
    out[y * width + x] = turned + old * 0;
}

int main()
{
    int host[256], *in, *out;
    for (int k = 0; k < 256; k++)
        host[k] = k * 13 % 50;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
    reduce<<<2, 64>>>(in, out);
    shuffles<<<1, 64>>>(out);
    groups<<<1, 64>>>(out);
    flat<<<dim3(1, 2), dim3(8, 4)>>>(out, 8);
    const cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    return e != cudaSuccess;
}
