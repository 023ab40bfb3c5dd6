/* heap_fences.cu - fences of malloc and free: the same launch again and again. `lanes` lanes of each warp take memory and give it back. A
 * fence of the whole system is sectors of L2 that are neither reads nor writes (lts__t_sectors_op_membar); heap_fences.sh has ncu count them. */
#include <cstdio>

__global__ void pair(int lanes, int bytes, int *out)
{
    int sum = 0;
    if ((int)(threadIdx.x % 32) < lanes) {
        volatile int *p = (volatile int *)malloc(bytes);
        *p = bytes;
        sum = *p;
        free((void *)p);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    enum { TIMES = 8 };
    static const int grids[][2] = {{16, 128}, {132, 32}, {132, 256}}, lanes[] = {1, 8}, sizes[] = {48, 600, 1536, 5000};
    int *out;
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 256u << 20);
    cudaMalloc(&out, sizeof(int) * 132 * 256);
    for (auto &g : grids)
        for (int l : lanes)
            for (int s : sizes)
                for (int k = 0; k < TIMES && (l == 1 || s < 1000 || g[1] < 256); k++) {
                    printf("%d,%d,%d,%d\n", g[0], g[1], l, s);
                    pair<<<g[0], g[1]>>>(l, s, out);
                    cudaDeviceSynchronize();
                }
    return cudaGetLastError() != cudaSuccess;
}
