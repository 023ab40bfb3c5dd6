// kernels.cu - what the profiler's tests run; the counters follow from the code. kernels.ptx was made of it, here, by
//   clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -O3 -fno-unroll-loops -gline-tables-only -S \
//     -fdebug-compilation-dir=. kernels.cu -o kernels.ptx
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

static __attribute__((device)) int thread() { return __nvvm_read_ptx_sreg_tid_x(); }
static __attribute__((device)) int block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
static __attribute__((device)) int threads() { return __nvvm_read_ptx_sreg_ntid_x(); }

// A warp's load touches `stride` times the sectors of its store.
__global__ void strided(const float *in, float *out, int stride)
{
    const int i = block() * threads() + thread();
    const float v = in[i * stride];
    out[i] = v;
}

// Reads a column of a square tile of 32 x 32 words: all lanes in one bank, 32 wavefronts a load.
__global__ void column(float *out)
{
    __shared__ float tile[32 * 32];
    const int lane = thread();
    for (int row = 0; row < 32; row++)
        tile[row * 32 + lane] = out[row * 32 + lane];
    __nvvm_bar_sync(0);
    float sum = 0;
    for (int c = 0; c < 32; c++)
        sum += tile[lane * 32 + c];
    out[lane] = sum;
}

namespace deep {
template <typename T, int N> __global__ void scale(T *data, const T factor)
{
    const int i = block() * threads() + thread();
    for (int k = 0; k < N; k++)
        data[i] = data[i] * factor + 1;
}
template __global__ void scale<float, 3>(float *, float);
}

extern "C" __global__ void tiny(int *p)
{
    p[thread()] = thread();
}
