// init_kernels.cu - what compilers make of variables without values, padding and unset members: for
// test_init_compilers.c, which says for each kernel what initcheck must and must not find.
#ifndef __CUDACC_RTC__
#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __noinline__ __attribute__((noinline))
#define __shared__ __attribute__((shared))
#include <__clang_cuda_builtin_vars.h>
#endif
#endif

struct Padded {
    char c;
    int i;
    double d;
};
struct Some {
    int n;
    float a[8];
};
union Either {
    char c[16];
    int i;
};

// ---- without a fault ----

extern "C" __global__ void twice_if(int *out, int *in, int n)
{
    int x, i = threadIdx.x;
    if (n > i)
        x = in[i];
    out[i] = i;
    if (n > i)
        out[i] = x + 1;
}

extern "C" __global__ void last_seen(int *out, int *in, int n)
{
    int last;
    bool have = false;
    for (int i = 0; i < n; i++) {
        if (have && last > 20)
            out[threadIdx.x] = last;
        if (in[i] > 3) {
            last = in[i] * 2;
            have = true;
        }
    }
}

extern "C" __global__ void unused(int *out, int *in, int n)
{
    int set_but_unused, x;
    set_but_unused = x;
    x = in[threadIdx.x];
    (void)set_but_unused;
    out[threadIdx.x] = x + n;
}

extern "C" __global__ void copy_padded(int *out, int *in, int n)
{
    Padded p[4], *to = (Padded *)out;
    for (int i = 0; i < 4; i++) {
        p[i].c = i;
        p[i].i = in[i];
        p[i].d = i;
    }
    Padded q = p[n & 3];
    q.i++;
    to[threadIdx.x] = q;
}

extern "C" __global__ void copy_union(int *out, int *in, int n)
{
    Either e[2], *to = (Either *)out;
    e[0].i = 3;
    e[1].i = in[0];
    to[threadIdx.x] = e[n & 1];
}

__device__ __noinline__ float sum_of(Some s)
{
    float sum = 0;
    if (s.n > 0)
        sum += s.a[0];
    if (s.n > 2)
        sum += s.a[1] + s.a[2];
    return sum;
}

extern "C" __global__ void pass_some(int *out, int *in, int n)
{
    Some s;
    s.n = n;
    for (int i = 0; i < n; i++)
        s.a[i] = in[i];
    Some t = s;
    out[threadIdx.x] = (int)sum_of(t);
}

extern "C" __global__ void choose(int *out, int *in, int n)
{
    __shared__ int tile[32];
    int i = threadIdx.x;
    if (i < n)
        tile[i] = in[i];
    out[i] = i < n ? tile[i] : 0;
}

// ---- with one ----

extern "C" __global__ void sum_without_start(int *out, int *in, int n)
{
    int sum;
    for (int i = 0; i < n; i++)
        sum += in[i];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void set_by_some(int *out, int *in, int n)
{
    int x;
    if ((int)threadIdx.x < in[0])
        x = in[threadIdx.x];
    else if (n > 1000)
        x = 1;
    out[threadIdx.x] = x * 3 + n;
}

extern "C" __global__ void half_an_array(int *out, int *in, int n)
{
    int a[8];
    for (int i = 0; i < 4; i++)
        a[i] = in[i];
    out[threadIdx.x] = a[n & 7];
}

extern "C" __global__ void half_a_tile(int *out, int *in, int n)
{
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[i];
    out[i] = tile[i + n];
}
