/* matrices.cu - nvcuda::wmma, every type and shape (test_headers.c). One warp a kernel; out[] takes the sums in rows.
 */
#include <mma.h>

using namespace nvcuda;

/* Small whole numbers, so that every sum is exact in every type. */
template <class T> __device__ T number(const unsigned *in, int i)
{
    return (T)(float)((int)(in[i] >> 16 & 7) - (__is_same(T, unsigned char) ? 0 : 3));
}

template <int m, int n, int k, class T, class Element, class Sum, class LayoutA, class LayoutB>
__device__ void product(unsigned *out, const unsigned *in, wmma::layout_t layout)
{
    __shared__ __align__(32) Element a[m * k], b[k * n];
    __shared__ __align__(32) Sum c[m * n];
    for (int i = threadIdx.x; i < m * k; i += 32)
        a[i] = number<Element>(in, i);
    for (int i = threadIdx.x; i < k * n; i += 32)
        b[i] = number<Element>(in, 777 + i);
    for (int i = threadIdx.x; i < m * n; i += 32)
        c[i] = number<Sum>(in, 1555 + i);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> fb;
    wmma::fragment<wmma::accumulator, m, n, k, Sum> fc, fd;
    const bool by_rows_a = __is_same(LayoutA, wmma::row_major);
    const bool by_rows_b = __is_same(LayoutB, wmma::row_major);
    wmma::load_matrix_sync(fa, a, by_rows_a ? k : m);
    wmma::load_matrix_sync(fb, b, by_rows_b ? n : k);
    wmma::load_matrix_sync(fc, c, layout == wmma::mem_row_major ? n : m, layout);
    wmma::fill_fragment(fd, 0.0f);
    wmma::mma_sync(fd, fa, fb, fd);
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] = fc.x[i] + fd.x[i] * (Sum)2.0f;
    wmma::mma_sync(fc, fa, fb, fc);
    __syncwarp();
    wmma::store_matrix_sync(c, fc, layout == wmma::mem_row_major ? n : m, layout);
    __syncwarp();
    for (int i = threadIdx.x; i < m * n; i += 32)
        out[i] = (unsigned)(int)(float)c[i];
}

#define KERNEL(name, m, n, k, T, Element, Sum)                                                                         \
    extern "C" __global__ void wmma_##name(unsigned *out, const unsigned *in)                                          \
    {                                                                                                                  \
        using namespace wmma;                                                                                          \
        if (threadIdx.x >= 32)                                                                                         \
            return;                                                                                                    \
        product<m, n, k, T, Element, Sum, row_major, row_major>(out, in, mem_row_major);                               \
        product<m, n, k, T, Element, Sum, row_major, col_major>(out + 256, in, mem_col_major);                         \
        product<m, n, k, T, Element, Sum, col_major, row_major>(out + 512, in, mem_row_major);                         \
        product<m, n, k, T, Element, Sum, col_major, col_major>(out + 768, in, mem_col_major);                         \
    }
#define SHAPES(name, T, Sum)                                                                                           \
    KERNEL(name##_16_16, 16, 16, 16, T, T, Sum)                                                                        \
    KERNEL(name##_32_8, 32, 8, 16, T, T, Sum)                                                                          \
    KERNEL(name##_8_32, 8, 32, 16, T, T, Sum)
SHAPES(half_half, half, half)
SHAPES(half_float, half, float)
SHAPES(bf16, __nv_bfloat16, float)
SHAPES(s8, signed char, int)
SHAPES(u8, unsigned char, int)
KERNEL(tf32, 16, 16, 8, wmma::precision::tf32, float, float)
KERNEL(double, 8, 8, 4, double, double, double)

/* 4 bits and one: rows of a and columns of b, 128 bits each, as they lie in in[]. */
template <int k, class T, class Pointer> __device__ void packed(unsigned *out, const unsigned *in)
{
    wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 8, 8, k, int> c;
    wmma::load_matrix_sync(a, (const Pointer *)in, k);
    wmma::load_matrix_sync(b, (const Pointer *)(in + 64), k);
    wmma::fill_fragment(c, 5);
    if constexpr (k == 128) {
        wmma::bmma_sync(c, a, b, c);
        wmma::store_matrix_sync((int *)out + 64, c, 8, wmma::mem_row_major);
        wmma::bmma_sync(c, a, b, c, wmma::experimental::bmmaBitOpAND);
    } else {
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync((int *)out, c, 8, wmma::mem_row_major);
}
extern "C" __global__ void wmma_s4(unsigned *out, const unsigned *in)
{
    packed<32, wmma::experimental::precision::s4, int>(out, in);
}
extern "C" __global__ void wmma_u4(unsigned *out, const unsigned *in)
{
    packed<32, wmma::experimental::precision::u4, unsigned>(out, in);
}
extern "C" __global__ void wmma_b1(unsigned *out, const unsigned *in)
{
    packed<128, wmma::experimental::precision::b1, unsigned>(out, in);
}
extern "C" __global__ void wmma_to_tf32(unsigned *out, const unsigned *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned)__float_as_int(wmma::__float_to_tf32(__int_as_float((int)in[i])));
}
