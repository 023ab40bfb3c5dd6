/* driver_kernels - the kernels that driver_api loads from a PTX file. */
extern "C" {
__constant__ float factor;

__global__ void scale_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + factor * b[i];
}

__global__ void reverse_block(int *data)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
}
