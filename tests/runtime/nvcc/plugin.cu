// plugin.cu - a shared library with a kernel, opened and closed by plugin_host.c; its default stream is the thread's
// own.
static __device__ int calls;

static __global__ void work(int *out, int v)
{
    *out = v + ++calls;
}

extern "C" int plugin_run(int v)
{
    int *p, back = -1;
    if (cudaMalloc(&p, sizeof *p) != cudaSuccess)
        return -2;
    work<<<1, 1>>>(p, v);
    const cudaError_t e = cudaMemcpy(&back, p, sizeof back, cudaMemcpyDeviceToHost);
    cudaFree(p);
    return e == cudaSuccess ? back : -static_cast<int>(e);
}
