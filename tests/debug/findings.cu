// findings.cu - kernels with mistakes that the tools of `lockstep check` find: `findings NAME`.
#include <cstdio>
#include <cstring>

// A sum over shared memory that forgets the barrier behind the last step of its loop.
__global__ void sums(int *out)
{
    __shared__ int cell[64];
    int t = threadIdx.x;
    for (int round = 0; round < 3; round++) {
        cell[t] = t + round;
        __syncthreads();
        if (t < 32)
            out[blockIdx.x * 32 + t] += cell[t + 32];
    }
}

// Blocks hand on a value without an atomic.
__global__ void blocks(int *out)
{
    if (threadIdx.x == 0)
        out[0] = out[0] + blockIdx.x + 1;
}

__global__ void uninitialized(const int *in, int *out)
{
    __shared__ int cell[33];
    cell[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = cell[threadIdx.x + 1];
}

// One element too many, which is nobody's.
__global__ void behind(int *out, int n)
{
    int i = threadIdx.x;
    if (i <= n)
        out[i] = i;
}

__global__ void diverges(int *out)
{
    if (threadIdx.x < 8)
        __syncthreads();
    out[threadIdx.x] = threadIdx.x;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int host[64] = {0}, *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(out, host, sizeof host, cudaMemcpyHostToDevice);
    if (!strcmp(name, "sums"))
        for (int k = 0; k < 2; k++)
            sums<<<2, 64>>>(out);
    else if (!strcmp(name, "blocks"))
        blocks<<<2, 32>>>(out);
    else if (!strcmp(name, "uninitialized"))
        uninitialized<<<1, 32>>>(in, out);
    else if (!strcmp(name, "behind"))
        behind<<<1, 128>>>(out, 64);
    else if (!strcmp(name, "diverges"))
        diverges<<<1, 32>>>(out);
    const cudaError_t e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s: %s, %d %d\n", name, cudaGetErrorName(e), host[0], host[1]);
    return e != cudaSuccess;
}
