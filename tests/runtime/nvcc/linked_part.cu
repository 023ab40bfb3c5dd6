// linked_part.cu - what linked_main.cu refers to.
__device__ int total = 100;
__constant__ int factor = 3;
static __device__ int mine = 50;

__device__ __noinline__ int scale(int x)
{
    return x * 10;
}

__global__ void use_mine(int *out)
{
    *out = mine;
}

int part_mine()
{
    int v = 0, *p;
    cudaMalloc(&p, 4);
    use_mine<<<1, 1>>>(p);
    cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);
    cudaFree(p);
    return v;
}
