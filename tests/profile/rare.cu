// rare.cu - kernels of which most warps leave early: their machine instructions are those in front of a guarded EXIT. The
// numbers in test_cuda.sh are an H200's (ncu 2025.3: smsp__inst_executed.sum).
__device__ int sum, sums[64], list[1 << 20];

__global__ void rare(const int *s)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (s[i] == 0) {
        atomicAdd(&sum, 1);
        const int b = i >> 9;
        list[(i & ~511) + atomicAdd(sums + b, 1)] = i;
    }
}

__global__ void early(const int *s, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n)
        return;
    sums[i & 63] = s[i];
}

__global__ void search(const int *s, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        if (s[(i + k * 32) & 0xfffff] == 0) {
            atomicAdd(&sum, k);
            list[i] = k;
            return;
        }
}

int main()
{
    int *s;
    cudaMalloc(&s, 8 << 20);
    cudaMemset(s, 1, 8 << 20);
    rare<<<4096, 256>>>(s);
    early<<<512, 256>>>(s, 1000);
    search<<<512, 256>>>(s, 20);
    return cudaDeviceSynchronize();
}
