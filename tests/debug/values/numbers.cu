// numbers.cu - variables of every kind of number, whose values are compared at every line (test_values.py).
#include <cstdio>
#include <cuda_fp16.h>

enum fruit { APPLE, PEAR = 5, PLUM = -3 };
enum class tone : unsigned char { LOW = 1, HIGH = 200 };

struct packed {
    unsigned low : 5;
    int middle : 7;
    unsigned long long high : 40;
    bool flag : 1;
};

union bits {
    float f;
    unsigned u;
    unsigned char bytes[4];
    struct {
        short low, high;
    } halves;
};

// Whole numbers of each size, and what their arithmetic does at the ends.
__global__ void integers(long long *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    char c = 'a' + t % 26; //+ c
    signed char sc = -t; //+ sc
    unsigned char uc = 250 + t; //+ uc
    short s = -1000 * t; //+ s
    unsigned short us = 65535 - t; //+ us
    unsigned u = 4000000000u + t; //+ u
    long l = -5000000000l * t; //+ l
    unsigned long ul = ~0ul - t; //+ ul
    long long ll = 1ll << (t + 20); //+ ll
    unsigned long long ull = (unsigned long long)ll * 3; //+ ull
    c += 1;
    sc *= 3;
    uc++;
    s = s / 3 - uc;
    us -= s;
    u = u << 1 | 1;
    l = l % 1000003;
    ul >>= c % 7;
    ll -= ull;
    int sum = c + sc + uc + s + us; //+ sum
    sum += (int)u + (int)l;
    out[t] = sum + (long long)ul + ll;
}

__global__ void reals(float *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    float f = t * 0.1f; //+ f
    double d = t / 3.0; //+ d
    float tiny = 1e-40f * t; //+ tiny
    double huge = 1e300 * t; //+ huge
    f = f * f - 1;
    huge *= 1e10;
    float root = sqrtf(f); //+ root
    double mixed = d + f; //+ mixed
    bool positive = f > 0; //+ positive
    f = positive ? f : -0.0f;
    tiny = tiny * 2 + f;
    out[t] = f + (float)mixed + tiny + (root == root ? root : 0) + (huge < 1 ? 1 : 0);
}

__global__ void halves(float *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    __half h = __float2half(t * 0.25f); //+ h.__x = __half_as_ushort(h)
    __half one = __float2half(1.0f); //+ one.__x = __half_as_ushort(one)
    __half2 pair = __floats2half2_rn(t, -t); //+ pair.x.__x = __half_as_ushort(__low2half(pair)); pair.y.__x = __half_as_ushort(__high2half(pair))
    h = __hadd(h, one);
    pair = __hadd2(pair, pair);
    float back = __half2float(h); //+ back
    back += __low2float(pair);
    out[t] = back;
}

__global__ void choices(int *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    bool odd = t % 2; //+ odd
    bool many = t > 20; //+ many
    fruit f = odd ? PEAR : APPLE; //+ (int)f; f == PEAR
    tone n = many ? tone::HIGH : tone::LOW; //+ (int)n
    if (t == 7)
        f = PLUM;
    if (odd && many)
        n = (tone)77;
    char letter = many ? 'z' : '\n'; //+ letter
    odd = !odd;
    out[t] = f + (int)n + letter + odd;
}

__global__ void fields(int *out)
{ //+ out[threadIdx.x]
    const int t = threadIdx.x; //+ t
    packed p = {}; //+ p.low; p.middle; p.high; p.flag
    p.low = t;
    p.middle = 3 - t * 2;
    p.high = (1ull << 39) + t;
    p.flag = t & 4;
    p.low++;
    bits b; //
    b.f = t + 0.5f; //+ b.f; b.u; b.bytes[3]; b.halves.high; b.halves.low
    b.u ^= 0x80000000u;
    b.bytes[0] = t;
    b.halves.high++;
    out[t] = p.low + p.middle + (int)p.high + b.u;
}

// More variables than a debugger's line: large vectors and small ones.
__global__ void vectors(float4 *out)
{ //+ out[threadIdx.x].w
    const int t = threadIdx.x; //+ t
    float4 v = make_float4(t, 2 * t, 0.5f, -1); //+ v.x; v.y; v.z; v.w
    uchar4 small = make_uchar4(t, 255 - t, 1, 0); //+ small.x; small.y; small.z; small.w
    double2 d = make_double2(t * 0.5, -t); //+ d.x; d.y
    int3 i = make_int3(t, t + 1, t + 2); //+ i.x; i.y; i.z
    dim3 grid(t, 2); //+ grid.x; grid.y; grid.z
    v.x += i.z;
    small.w = small.x + small.y;
    d.y *= grid.x + grid.z;
    i.y = (int)d.y;
    v.w = small.w + i.y;
    out[t] = v;
}

int main()
{
    void *out;
    cudaMalloc(&out, 4096);
    cudaMemset(out, 0, 4096);
    integers<<<1, 40>>>((long long *)out);
    reals<<<1, 32>>>((float *)out);
    halves<<<1, 32>>>((float *)out);
    choices<<<1, 33>>>((int *)out);
    fields<<<1, 32>>>((int *)out);
    vectors<<<1, 32>>>((float4 *)out);
    const cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    return e != cudaSuccess;
}
