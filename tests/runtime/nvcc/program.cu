// program.cu - what a program that nvcc compiled does with the runtime library: registered kernels and variables of
// every kind, launches with and without streams, errors, events, textures, managed memory. Prints what is wrong; exits
// with the number of failed checks.
#include <cstdio>
#include <thread>

static int failures;
#define CHECK(cond)                                                                                                    \
    do {                                                                                                               \
        if (!(cond)) {                                                                                                 \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #cond);                                                          \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)
#define OK(call) CHECK((call) == cudaSuccess)

__device__ int counter = 3;
__constant__ float weights[4];
__managed__ int shared_sum = 10;
static __device__ int hidden = 1;

struct pair {
    char tag;
    double value;
};

__global__ void add(int n, pair p, const float *a, float *b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i] * weights[i % 4] + static_cast<float>(p.value) + p.tag;
}

__global__ void count(int by)
{
    atomicAdd(&counter, by);
    atomicAdd(&shared_sum, by);
    hidden += by;
}

template <typename T> __global__ void fill(T *p, T v)
{
    p[threadIdx.x] = v;
}

__global__ void sample(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 1.5f);
}

__global__ void dynamic(int *out)
{
    extern __shared__ int cells[];
    cells[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}

static void kernels()
{
    const int n = 70;
    float host[n], back[n], w[4] = {1, 2, 3, 4}, *a, *b;
    for (int i = 0; i < n; i++)
        host[i] = i;
    OK(cudaMemcpyToSymbol(weights, w, sizeof w));
    OK(cudaMalloc(&a, sizeof host));
    OK(cudaMalloc(&b, sizeof host));
    OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    add<<<dim3(3), dim3(32)>>>(n, pair{1, 0.5}, a, b);
    OK(cudaGetLastError());
    OK(cudaMemcpy(back, b, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(back[i] == i * w[i % 4] + 1.5f);
    fill<<<1, 8>>>(a, 2.5f);
    fill<double><<<1, 4>>>(reinterpret_cast<double *>(b), 1.25);
    OK(cudaMemcpy(back, a, 32, cudaMemcpyDeviceToHost));
    CHECK(back[7] == 2.5f);
    double d[4];
    OK(cudaMemcpy(d, b, 32, cudaMemcpyDeviceToHost));
    CHECK(d[3] == 1.25);
    int *cells, order[64];
    OK(cudaMalloc(&cells, sizeof order));
    dynamic<<<1, 64, 64 * sizeof(int)>>>(cells);
    OK(cudaMemcpy(order, cells, sizeof order, cudaMemcpyDeviceToHost));
    CHECK(order[0] == 63 && order[63] == 0);
    int grid, block, active;
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, dynamic, 0, 0));
    CHECK(block >= 32 && block % 32 == 0 && grid >= 1);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, dynamic, 128, 0));
    CHECK(active > 0);
    cudaFuncAttributes attr;
    OK(cudaFuncGetAttributes(&attr, add));
    CHECK(attr.maxThreadsPerBlock > 0 && attr.sharedSizeBytes == 0);
}

static void variables()
{
    int v = 0, h = 0;
    CHECK(shared_sum == 10); // before any kernel has run
    count<<<1, 1>>>(5);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(&v, counter, sizeof v));
    CHECK(v == 8);
    CHECK(shared_sum == 15);
    shared_sum = 100;
    count<<<1, 1>>>(1);
    OK(cudaDeviceSynchronize());
    CHECK(shared_sum == 101);
    OK(cudaMemcpyFromSymbol(&h, hidden, sizeof h));
    CHECK(h == 7);
    void *p;
    size_t size;
    OK(cudaGetSymbolAddress(&p, counter));
    OK(cudaGetSymbolSize(&size, weights));
    CHECK(size == 16);
    OK(cudaMemcpy(&v, p, sizeof v, cudaMemcpyDefault));
    CHECK(v == 9);
}

static void textures()
{
    float in[2][8], out[8], *o;
    for (int i = 0; i < 16; i++)
        in[i / 8][i % 8] = i;
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&a, &d, 8, 2));
    OK(cudaMemcpy2DToArray(a, 0, 0, in, 32, 32, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc t = {};
    t.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex;
    OK(cudaCreateTextureObject(&tex, &r, &t, nullptr));
    OK(cudaMalloc(&o, sizeof out));
    sample<<<1, 8>>>(tex, o);
    OK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        CHECK(out[i] == 8 + i);
    OK(cudaDestroyTextureObject(tex));
    OK(cudaFreeArray(a));
}

static void errors()
{
    float *p = nullptr;
    fill<<<1, 2000>>>(p, 1.f);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    OK(cudaGetLastError());
    fill<<<1, 1>>>(p, 1.f);
    OK(cudaGetLastError()); // the launch was right
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaMalloc(&p, 4) == cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    OK(cudaGetLastError());
    OK(cudaMalloc(&p, 4));
    fill<<<1, 1>>>(p, 1.f);
    OK(cudaDeviceSynchronize());
    count<<<1, 1>>>(1); // the module is as new
    OK(cudaDeviceSynchronize());
    int v;
    OK(cudaMemcpyFromSymbol(&v, counter, sizeof v));
    CHECK(v == 4);
}

static void threads()
{
    std::thread other([] {
        float *p, back[4];
        OK(cudaMalloc(&p, 16));
        fill<<<1, 4>>>(p, 6.f);
        OK(cudaMemcpy(back, p, 16, cudaMemcpyDeviceToHost));
        CHECK(back[3] == 6);
        CHECK(cudaSetDevice(1000) == cudaErrorInvalidDevice);
    });
    other.join();
    OK(cudaGetLastError());
}

int main()
{
    kernels();
    variables();
    textures();
    threads();
    errors();
    if (failures == 0)
        printf("ok\n");
    return failures;
}
