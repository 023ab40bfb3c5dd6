// What the checked-in PTX of this directory is made of (README there says how).
#ifdef __clang__
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#else
#define THREAD threadIdx.x
#endif

struct Base { int id; };
struct Point : Base { float x, y; unsigned flags : 3, mode : 5; };
template <typename T, int N> struct Arr { T v[N]; };
enum Color { RED, GREEN = 5, BLUE };
union U { int i; float f; };
namespace ns {
__device__ int count;
__constant__ float coef[4];
}

__device__ int sq(int a)
{
    int r = a * a;
    return r;
}

__device__ __noinline__ float scale(float f, const Point &p)
{
    float t = f * p.x;
    t += ns::coef[1];
    return t;
}

extern "C" __global__ void kern(const float *in, float *out, int n, Point p, Arr<int, 3> a)
{
    __shared__ float tile[4][8];
    int i = THREAD;
    Color c = i & 1 ? GREEN : BLUE;
    U u;
    u.i = i;
    const char *name = "hello";
    if (i < n) {
        double s = 0;
        for (int k = 0; k < 3; k++) {
            int q = sq(a.v[k]);
            s += q;
        }
        tile[i % 4][i % 8] = s;
        out[i] = scale(in[i], p) + s + c + u.f + name[i % 5] + tile[0][0];
        ns::count++;
    }
}
