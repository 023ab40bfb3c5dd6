// uneven.cu - seven of eight warps wait at a barrier for the eighth, which multiplies: nearly all of the warps' time is the barrier's.
__global__ void uneven(float *p)
{
    __shared__ float s[256];
    float v = p[threadIdx.x];
    if (threadIdx.x < 32)
        for (int i = 0; i < 20000; i++)
            v = v * 1.5f + 1.0f;
    s[threadIdx.x] = v;
    __syncthreads();
    p[threadIdx.x] = s[255 - threadIdx.x];
}

int main()
{
    float *p;
    cudaMalloc(&p, 1024);
    cudaMemset(p, 0, 1024);
    uneven<<<1, 256>>>(p);
    return cudaDeviceSynchronize();
}
