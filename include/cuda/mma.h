/* mma.h - products of small matrices by a warp: nvcuda::wmma, fragments, their loads, stores and products.
 *
 * The names and meanings are those of the CUDA C++ Programming Guide, "Warp Matrix Functions"; the instructions are
 * clang's builtins (wmma.load, wmma.store, wmma.mma). A fragment's x[] is the lane's share of the matrix, as many
 * elements as num_elements says; which elements they are is not documented, so that fragments of one type and shape may
 * be worked on element by element alone. lockstep/wmma_shapes.h has the shapes and types that there are. */
#ifndef LOCKSTEP_MMA_H
#define LOCKSTEP_MMA_H

#if defined(__cplusplus) && defined(__CUDA__)

#include <cuda_runtime.h>

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#define LS_D static __device__ __forceinline__

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

namespace experimental {
namespace precision {
struct s4;
struct u4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;

} // namespace wmma
} // namespace nvcuda

namespace ls_wmma {

/* The elements of a lane: `Stored` numbers of type Element, which hold `Count` elements. */
template <class Element, int Count, int Stored = Count> struct share {
    typedef Element element_type;
    typedef Element storage_element_type;
    static constexpr int num_elements = Count;
    static constexpr int num_storage_elements = Stored;
    Element x[Stored];
};

template <class Layout> struct order;
template <> struct order<nvcuda::wmma::row_major> {
    static constexpr int column = 0;
};
template <> struct order<nvcuda::wmma::col_major> {
    static constexpr int column = 1;
};

/* The builtins' number for the two orders of a product. */
template <class A, class B> struct orders {
    static constexpr int value = 2 * order<A>::column + order<B>::column;
};

/* x[] as the builtins take it. */
template <class Word, class Fragment> LS_D Word *words(Fragment &f) { return (Word *)f.x; }
template <class Word, class Fragment> LS_D const Word *words(const Fragment &f) { return (const Word *)f.x; }

} // namespace ls_wmma

#include "lockstep/wmma_shapes.h"

namespace nvcuda {
namespace wmma {

template <class Fragment>
__device__ __forceinline__ void fill_fragment(Fragment &f, const typename Fragment::element_type value)
{
#pragma unroll
    for (int i = 0; i < Fragment::num_storage_elements; i++)
        f.x[i] = value;
}

/* To the ten bits of mantissa that tf32 counts, to nearest, ties away from zero. */
LS_D float __float_to_tf32(float value)
{
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return __builtin_bit_cast(float, bits);
}

} // namespace wmma
} // namespace nvcuda

#undef LS_D
#endif

#endif
