/* wmma_shapes.h - the shapes and types of mma.h: for each, its fragments, loads, stores and products.
 *
 *     type of a, b   shapes m n k                      elements a lane of a, b
 *     half           16 16 16, 32 8 16, 8 32 16        16, 16
 *     bf16           the same                          as many as there are: m k / 32, n k / 32
 *     s8, u8         the same                          as many as there are
 *     tf32           16 16 8                           4, 4
 *     double         8 8 4                             1, 1
 *     s4, u4         8 8 32                            8, 8 in one register
 *     b1             8 8 128                           32, 32 in one register
 *
 * half fragments hold each element twice. Included by mma.h alone, which says what share, order and words are. */

namespace nvcuda {
namespace wmma {

#define LS_HERE __device__ __forceinline__

/* ---- a and b ---- */

#define LS_INPUT(use, m, n, k, type, element, count, stored, word, load)                                               \
    template <class Layout>                                                                                            \
    class fragment<use, m, n, k, type, Layout> : public ls_wmma::share<element, count, stored> {};                     \
    template <class Layout>                                                                                            \
    LS_HERE void load_matrix_sync(fragment<use, m, n, k, type, Layout> &f, const element *p, unsigned stride)          \
    {                                                                                                                  \
        load(ls_wmma::words<word>(f), (const word *)p, stride, ls_wmma::order<Layout>::column);                        \
    }

/* ---- accumulators ---- */

#define LS_SUM(m, n, k, type, count, word, load, store)                                                                \
    template <> class fragment<accumulator, m, n, k, type, void> : public ls_wmma::share<type, count> {};              \
    LS_HERE void load_matrix_sync(fragment<accumulator, m, n, k, type> &f, const type *p, unsigned stride,             \
                                  layout_t layout)                                                                     \
    {                                                                                                                  \
        if (layout == mem_row_major)                                                                                   \
            load(ls_wmma::words<word>(f), (const word *)p, stride, 0);                                                 \
        else                                                                                                           \
            load(ls_wmma::words<word>(f), (const word *)p, stride, 1);                                                 \
    }                                                                                                                  \
    LS_HERE void store_matrix_sync(type *p, const fragment<accumulator, m, n, k, type> &f, unsigned stride,            \
                                   layout_t layout)                                                                    \
    {                                                                                                                  \
        if (layout == mem_row_major)                                                                                   \
            store((word *)p, ls_wmma::words<word>(f), stride, 0);                                                      \
        else                                                                                                           \
            store((word *)p, ls_wmma::words<word>(f), stride, 1);                                                      \
    }

/* ---- products ---- */

#define LS_PRODUCT(m, n, k, type, to, from, word, to_word, from_word, product)                                         \
    template <class A, class B>                                                                                        \
    LS_HERE void mma_sync(fragment<accumulator, m, n, k, to> &d, const fragment<matrix_a, m, n, k, type, A> &a,        \
                          const fragment<matrix_b, m, n, k, type, B> &b,                                               \
                          const fragment<accumulator, m, n, k, from> &c, bool saturate = false)                        \
    {                                                                                                                  \
        if (saturate)                                                                                                  \
            product(ls_wmma::words<to_word>(d), ls_wmma::words<word>(a), ls_wmma::words<word>(b),                      \
                    ls_wmma::words<from_word>(c), ls_wmma::orders<A, B>::value, 1);                                    \
        else                                                                                                           \
            product(ls_wmma::words<to_word>(d), ls_wmma::words<word>(a), ls_wmma::words<word>(b),                      \
                    ls_wmma::words<from_word>(c), ls_wmma::orders<A, B>::value, 0);                                    \
    }
/* One that cannot saturate. */
#define LS_PRODUCT_PLAIN(m, n, k, type, to, word, to_word, product)                                                    \
    template <class A, class B>                                                                                        \
    LS_HERE void mma_sync(fragment<accumulator, m, n, k, to> &d, const fragment<matrix_a, m, n, k, type, A> &a,        \
                          const fragment<matrix_b, m, n, k, type, B> &b, const fragment<accumulator, m, n, k, to> &c)  \
    {                                                                                                                  \
        product(ls_wmma::words<to_word>(d), ls_wmma::words<word>(a), ls_wmma::words<word>(b),                          \
                ls_wmma::words<to_word>(c), ls_wmma::orders<A, B>::value, 0);                                          \
    }

/* ---- half ---- */

#define LS_HALF(m, n, k, shape)                                                                                        \
    LS_INPUT(matrix_a, m, n, k, __half, __half, 16, 16, int, __hmma_##shape##_ld_a)                                    \
    LS_INPUT(matrix_b, m, n, k, __half, __half, 16, 16, int, __hmma_##shape##_ld_b)                                    \
    LS_SUM(m, n, k, __half, 8, int, __hmma_##shape##_ld_c_f16, __hmma_##shape##_st_c_f16)                              \
    LS_SUM(m, n, k, float, 8, float, __hmma_##shape##_ld_c_f32, __hmma_##shape##_st_c_f32)                             \
    LS_PRODUCT(m, n, k, __half, __half, __half, int, int, int, __hmma_##shape##_mma_f16f16)                            \
    LS_PRODUCT(m, n, k, __half, float, __half, int, float, int, __hmma_##shape##_mma_f32f16)                           \
    LS_PRODUCT(m, n, k, __half, __half, float, int, int, float, __hmma_##shape##_mma_f16f32)                           \
    LS_PRODUCT(m, n, k, __half, float, float, int, float, float, __hmma_##shape##_mma_f32f32)
LS_HALF(16, 16, 16, m16n16k16)
LS_HALF(32, 8, 16, m32n8k16)
LS_HALF(8, 32, 16, m8n32k16)
#undef LS_HALF

/* ---- bf16: its sums are the floats of half ---- */

#define LS_BF16(m, n, k, shape, a_count, b_count)                                                                      \
    LS_INPUT(matrix_a, m, n, k, __nv_bfloat16, __nv_bfloat16, a_count, a_count, int, __mma_bf16_##shape##_ld_a)        \
    LS_INPUT(matrix_b, m, n, k, __nv_bfloat16, __nv_bfloat16, b_count, b_count, int, __mma_bf16_##shape##_ld_b)        \
    LS_PRODUCT_PLAIN(m, n, k, __nv_bfloat16, float, int, float, __mma_bf16_##shape##_mma_f32)
LS_BF16(16, 16, 16, m16n16k16, 8, 8)
LS_BF16(32, 8, 16, m32n8k16, 16, 4)
LS_BF16(8, 32, 16, m8n32k16, 4, 16)
#undef LS_BF16

/* ---- integers of 8 bits ---- */

#define LS_INT8(m, n, k, shape, a_count, b_count)                                                                      \
    LS_INPUT(matrix_a, m, n, k, signed char, signed char, a_count, a_count, int, __imma_##shape##_ld_a_s8)             \
    LS_INPUT(matrix_b, m, n, k, signed char, signed char, b_count, b_count, int, __imma_##shape##_ld_b_s8)             \
    LS_INPUT(matrix_a, m, n, k, unsigned char, unsigned char, a_count, a_count, int, __imma_##shape##_ld_a_u8)         \
    LS_INPUT(matrix_b, m, n, k, unsigned char, unsigned char, b_count, b_count, int, __imma_##shape##_ld_b_u8)         \
    LS_SUM(m, n, k, int, 8, int, __imma_##shape##_ld_c, __imma_##shape##_st_c_i32)                                     \
    LS_PRODUCT(m, n, k, signed char, int, int, int, int, int, __imma_##shape##_mma_s8)                                 \
    LS_PRODUCT(m, n, k, unsigned char, int, int, int, int, int, __imma_##shape##_mma_u8)
LS_INT8(16, 16, 16, m16n16k16, 8, 8)
LS_INT8(32, 8, 16, m32n8k16, 16, 4)
LS_INT8(8, 32, 16, m8n32k16, 4, 16)
#undef LS_INT8

/* ---- tf32 and double ---- */

LS_INPUT(matrix_a, 16, 16, 8, precision::tf32, float, 4, 4, int, __mma_tf32_m16n16k8_ld_a)
LS_INPUT(matrix_b, 16, 16, 8, precision::tf32, float, 4, 4, int, __mma_tf32_m16n16k8_ld_b)
LS_SUM(16, 16, 8, float, 8, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
LS_PRODUCT_PLAIN(16, 16, 8, precision::tf32, float, int, float, __mma_tf32_m16n16k8_mma_f32)

LS_INPUT(matrix_a, 8, 8, 4, double, double, 1, 1, double, __dmma_m8n8k4_ld_a)
LS_INPUT(matrix_b, 8, 8, 4, double, double, 1, 1, double, __dmma_m8n8k4_ld_b)
LS_SUM(8, 8, 4, double, 2, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
LS_PRODUCT_PLAIN(8, 8, 4, double, double, double, double, __dmma_m8n8k4_mma_f64)

/* ---- integers of 4 bits and of one: a by rows and b by columns, always ---- */

#define LS_PACKED(use, m, n, k, type, element, count, layout, load)                                                    \
    template <>                                                                                                        \
    class fragment<use, m, n, k, experimental::precision::type, layout> : public ls_wmma::share<element, count, 1> {}; \
    LS_HERE void load_matrix_sync(fragment<use, m, n, k, experimental::precision::type, layout> &f, const void *p,     \
                                  unsigned stride)                                                                     \
    {                                                                                                                  \
        load(ls_wmma::words<int>(f), (const int *)p, stride, ls_wmma::order<layout>::column);                          \
    }
LS_PACKED(matrix_a, 8, 8, 32, s4, int, 8, row_major, __imma_m8n8k32_ld_a_s4)
LS_PACKED(matrix_b, 8, 8, 32, s4, int, 8, col_major, __imma_m8n8k32_ld_b_s4)
LS_PACKED(matrix_a, 8, 8, 32, u4, unsigned, 8, row_major, __imma_m8n8k32_ld_a_u4)
LS_PACKED(matrix_b, 8, 8, 32, u4, unsigned, 8, col_major, __imma_m8n8k32_ld_b_u4)
LS_PACKED(matrix_a, 8, 8, 128, b1, unsigned, 32, row_major, __bmma_m8n8k128_ld_a_b1)
LS_PACKED(matrix_b, 8, 8, 128, b1, unsigned, 32, col_major, __bmma_m8n8k128_ld_b_b1)
#undef LS_PACKED
LS_SUM(8, 8, 32, int, 2, int, __imma_m8n8k32_ld_c, __imma_m8n8k32_st_c_i32)
LS_SUM(8, 8, 128, int, 2, int, __bmma_m8n8k128_ld_c, __bmma_m8n8k128_st_c_i32)
LS_PRODUCT(8, 8, 32, experimental::precision::s4, int, int, int, int, int, __imma_m8n8k32_mma_s4)
LS_PRODUCT(8, 8, 32, experimental::precision::u4, int, int, int, int, int, __imma_m8n8k32_mma_u4)

LS_HERE void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
                       const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
                       const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
                       const fragment<accumulator, 8, 8, 128, int> &c,
                       experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                       experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    if (op == experimental::bmmaBitOpAND)
        __bmma_m8n8k128_mma_and_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
    else
        __bmma_m8n8k128_mma_xor_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
}

#undef LS_INPUT
#undef LS_SUM
#undef LS_PRODUCT
#undef LS_PRODUCT_PLAIN
#undef LS_HERE

} // namespace wmma
} // namespace nvcuda
