/* cpp_features - C++ in kernels: templates, classes, virtual functions, function pointers, lambdas, overloads and
 * operators, placement new, constexpr, static members, structs as arguments. */
#include <cuda_runtime.h>
#include <new>

#include "program.h"

/* ---- virtual functions: the objects are made on the device, where their tables are ---- */

class shape {
  public:
    __device__ virtual float area() const = 0;
    __device__ virtual ~shape() {}
};

class rectangle : public shape {
    float w, h;

  public:
    __device__ rectangle(float w_, float h_) : w(w_), h(h_) {}
    __device__ float area() const override { return w * h; }
};

class square : public rectangle {
  public:
    __device__ explicit square(float side) : rectangle(side, side) {}
};

class triangle : public shape {
    float base, height;

  public:
    __device__ triangle(float b, float h) : base(b), height(h) {}
    __device__ float area() const override { return base * height / 2; }
};

__global__ void areas(float *out)
{
    int i = threadIdx.x;
    shape *s;
    if (i % 3 == 0)
        s = new rectangle(i, 2);
    else if (i % 3 == 1)
        s = new square(i);
    else
        s = new triangle(i, 4);
    out[i] = s->area(); // three targets in one warp
    delete s;
}

/* ---- function pointers: direct, in a table, and taken by the host from a device variable ---- */

typedef float (*binary)(float, float);

__device__ float plus(float a, float b)
{
    return a + b;
}
__device__ float minus(float a, float b)
{
    return a - b;
}
__device__ __noinline__ float times(float a, float b)
{
    return a * b;
}
__device__ binary table[3] = {plus, minus, times};
__device__ binary exported = times;

__global__ void by_table(float *out)
{
    out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x, 2);
}

__global__ void by_pointer(float *out, binary f)
{
    out[threadIdx.x] = f(threadIdx.x, 3);
}

/* ---- templates, functors, lambdas ---- */

template <class T, class F> __global__ void map(T *data, int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = f(data[i]);
}

struct affine {
    float a, b;
    __host__ __device__ float operator()(float x) const { return a * x + b; }
};

template <int N> struct power {
    template <class T> static __device__ T of(T x) { return x * power<N - 1>::of(x); }
};
template <> struct power<0> {
    template <class T> static __device__ T of(T) { return 1; }
};

template <class... T> __device__ auto sum_of(T... values)
{
    return (values + ...);
}

struct complex_number {
    float re, im;
    __device__ complex_number operator*(const complex_number &o) const
    {
        return {re * o.re - im * o.im, re * o.im + im * o.re};
    }
    __device__ friend complex_number operator+(const complex_number &a, const complex_number &b)
    {
        return {a.re + b.re, a.im + b.im};
    }
};

struct big {
    int values[40];
    char tag;
    double last;
};

__device__ constexpr int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

__global__ void mixture(float *out, big b, const int *in)
{
    static_assert(factorial(5) == 120, "evaluated by the compiler");
    __shared__ char room[sizeof(complex_number) * 4];
    complex_number *z = new (room) complex_number{1, 2};
    auto square_of = [](auto x) { return x * x; };
    int captured = in[0];
    auto add = [=](int x) { return x + captured; };
    out[0] = power<5>::of(2.0f);
    out[1] = (float)power<3>::of(3);
    out[2] = sum_of(1, 2.5f, 3u);
    complex_number w = *z * *z + *z; // (1 + 2i)^2 + (1 + 2i) = -2 + 6i
    out[3] = w.re;
    out[4] = w.im;
    out[5] = square_of(1.5f) + square_of(2);
    out[6] = (float)add(5);
    out[7] = (float)(b.values[39] + b.tag + b.last);
}

static float host[64], *device;

static void get(int n)
{
    CHECK(cudaMemcpy(host, device, n * sizeof *host, cudaMemcpyDeviceToHost));
}

static void virtual_functions(void)
{
    int bad = 0;
    areas<<<1, 32>>>(device);
    get(32);
    for (int i = 0; i < 32; i++)
        bad += host[i] != (i % 3 == 0 ? i * 2.0f : i % 3 == 1 ? (float)i * i : i * 2.0f);
    verdict(bad == 0, "virtual functions");
}

static void function_pointers(void)
{
    int bad = 0;
    by_table<<<1, 32>>>(device);
    get(32);
    for (int i = 0; i < 32; i++)
        bad += host[i] != (i % 3 == 0 ? i + 2.0f : i % 3 == 1 ? i - 2.0f : i * 2.0f);
    verdict(bad == 0, "a table of functions");
    binary f;
    CHECK(cudaMemcpyFromSymbol(&f, exported, sizeof f));
    by_pointer<<<1, 32>>>(device, f);
    get(32);
    bad = 0;
    for (int i = 0; i < 32; i++)
        bad += host[i] != i * 3.0f;
    verdict(bad == 0, "a function's address as an argument");
}

static void functors(void)
{
    int bad = 0;
    for (int i = 0; i < 64; i++)
        host[i] = (float)i;
    CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    affine f = {2, 1};
    map<<<2, 32>>>(device, 64, f);
    float by = 0.5f;
    map<<<2, 32>>>(device, 64, [=] __device__(float x) { return x * by; });
    get(64);
    for (int i = 0; i < 64; i++)
        bad += host[i] != f((float)i) * 0.5f;
    verdict(bad == 0, "functors and lambdas as arguments");
}

static void language(void)
{
    const float want[8] = {32, 27, 6.5f, -2, 6, 6.25f, 12, 39 * 39 + 'A' + 0.5f};
    int seven = 7, *in;
    big b;
    for (int i = 0; i < 40; i++)
        b.values[i] = i * i;
    b.tag = 'A';
    b.last = 0.5;
    CHECK(cudaMalloc(&in, sizeof seven));
    CHECK(cudaMemcpy(in, &seven, sizeof seven, cudaMemcpyHostToDevice));
    mixture<<<1, 1>>>(device, b, in);
    get(8);
    verdict(memcmp(host, want, sizeof want) == 0, "templates, operators, placement new, lambdas, large arguments");
    CHECK(cudaFree(in));
}

int main()
{
    CHECK(cudaMalloc(&device, sizeof host));
    virtual_functions();
    function_pointers();
    functors();
    language();
    CHECK(cudaFree(device));
    return failures;
}
