/* lockstep_wmma.cuh - products of 16 x 16 matrices by a warp on tensor cores, for clang without a toolkit and nvcc.
 *
 * A warp holds a matrix in *fragments*: each lane some registers of it, which elements is not documented. Three
 * instructions (PTX ISA, "Warp Level Matrix Instructions"): wmma.load takes a matrix from memory, whose rows are
 * `stride` elements apart; wmma.mma multiplies and adds, D = A B + C; wmma.store puts one back. All 32 lanes take part
 * in each, with the same address and stride. Here A and B are row by row, C and D are floats:
 *
 *     type of A and B    shape m n k    registers a lane of A, B    address          stride
 *     f16                16 16 16       8, 8                        32-byte aligned  multiple of 8 elements
 *     bf16               16 16 16       4, 4                        32-byte aligned  multiple of 8 elements
 *     tf32               16 16  8       4, 4                        32-byte aligned  multiple of 4 elements
 *
 * tf32 is a float of which 10 bits of mantissa count; ls_to_tf32() rounds to that, to nearest, ties away from zero. */
#ifndef LOCKSTEP_WMMA_CUH
#define LOCKSTEP_WMMA_CUH

#include "lockstep_device.cuh"

struct ls_sums {
    float x[8];
};
struct ls_f16_inputs {
    unsigned int x[8];
};
struct ls_bf16_inputs {
    unsigned int x[4];
};
struct ls_tf32_inputs {
    unsigned int x[4];
};

#define LS_WMMA static __device__ __forceinline__

/* ---- f16 ---- */

#define LS_LOAD_F16(letter)                                                                                            \
    LS_WMMA void ls_wmma_load_##letter(ls_f16_inputs &m, const void *at, unsigned int stride)                          \
    {                                                                                                                  \
        asm volatile("wmma.load." #letter                                                                              \
                     ".sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                     \
                     : "=r"(m.x[0]), "=r"(m.x[1]), "=r"(m.x[2]), "=r"(m.x[3]), "=r"(m.x[4]), "=r"(m.x[5]),             \
                       "=r"(m.x[6]), "=r"(m.x[7])                                                                      \
                     : "l"(at), "r"(stride)                                                                            \
                     : "memory");                                                                                      \
    }
LS_LOAD_F16(a)
LS_LOAD_F16(b)
#undef LS_LOAD_F16

LS_WMMA void ls_wmma_mma(ls_sums &d, const ls_f16_inputs &a, const ls_f16_inputs &b)
{
    asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
                 "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "
                 "{%0, %1, %2, %3, %4, %5, %6, %7};"
                 : "+f"(d.x[0]), "+f"(d.x[1]), "+f"(d.x[2]), "+f"(d.x[3]), "+f"(d.x[4]), "+f"(d.x[5]), "+f"(d.x[6]),
                   "+f"(d.x[7])
                 : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(a.x[4]), "r"(a.x[5]), "r"(a.x[6]),
                   "r"(a.x[7]), "r"(b.x[0]), "r"(b.x[1]), "r"(b.x[2]), "r"(b.x[3]), "r"(b.x[4]), "r"(b.x[5]),
                   "r"(b.x[6]), "r"(b.x[7]));
}

/* ---- bf16 and tf32: four registers a lane ---- */

#define LS_LOAD_4(inputs, letter, shape, type)                                                                         \
    LS_WMMA void ls_wmma_load_##letter(inputs &m, const void *at, unsigned int stride)                                 \
    {                                                                                                                  \
        asm volatile("wmma.load." #letter ".sync.aligned.row." #shape "." #type " {%0, %1, %2, %3}, [%4], %5;"         \
                     : "=r"(m.x[0]), "=r"(m.x[1]), "=r"(m.x[2]), "=r"(m.x[3])                                          \
                     : "l"(at), "r"(stride)                                                                            \
                     : "memory");                                                                                      \
    }
#define LS_MMA_4(inputs, shape, type)                                                                                  \
    LS_WMMA void ls_wmma_mma(ls_sums &d, const inputs &a, const inputs &b)                                             \
    {                                                                                                                  \
        asm volatile("wmma.mma.sync.aligned.row.row." #shape ".f32." #type "." #type                                   \
                     ".f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, "               \
                     "{%0, %1, %2, %3, %4, %5, %6, %7};"                                                               \
                     : "+f"(d.x[0]), "+f"(d.x[1]), "+f"(d.x[2]), "+f"(d.x[3]), "+f"(d.x[4]), "+f"(d.x[5]),             \
                       "+f"(d.x[6]), "+f"(d.x[7])                                                                      \
                     : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]), "r"(b.x[2]),      \
                       "r"(b.x[3]));                                                                                   \
    }
LS_LOAD_4(ls_bf16_inputs, a, m16n16k16, bf16)
LS_LOAD_4(ls_bf16_inputs, b, m16n16k16, bf16)
LS_MMA_4(ls_bf16_inputs, m16n16k16, bf16)
LS_LOAD_4(ls_tf32_inputs, a, m16n16k8, tf32)
LS_LOAD_4(ls_tf32_inputs, b, m16n16k8, tf32)
LS_MMA_4(ls_tf32_inputs, m16n16k8, tf32)
#undef LS_LOAD_4
#undef LS_MMA_4

LS_WMMA float ls_to_tf32(float v)
{
    unsigned int bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
    return __int_as_float((int)bits);
}

/* ---- sums: 16 x 16 floats, with the shape that made them ---- */

#define LS_STORE(name, shape)                                                                                          \
    LS_WMMA void name(float *at, const ls_sums &d, unsigned int stride)                                                \
    {                                                                                                                  \
        asm volatile("wmma.store.d.sync.aligned.row." #shape ".f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" ::     \
                         "l"(at),                                                                                      \
                     "f"(d.x[0]), "f"(d.x[1]), "f"(d.x[2]), "f"(d.x[3]), "f"(d.x[4]), "f"(d.x[5]), "f"(d.x[6]),        \
                     "f"(d.x[7]), "r"(stride)                                                                          \
                     : "memory");                                                                                      \
    }
LS_STORE(ls_wmma_store, m16n16k16)
LS_STORE(ls_wmma_store_tf32, m16n16k8)
#undef LS_STORE

/* ---- the instructions below wmma, of which is known who holds what (PTX ISA, mma.m16n8k16 and ldmatrix) ---- */

/* Four matrices of 8 x 8 halves: lanes 8 i to 8 i + 7 point to the rows of the i-th. Lane l gets of each elements 2 (l % 4) and the
 * next of row l / 4; transposed, of column l / 4. */
LS_WMMA void ls_ldmatrix(unsigned int (&m)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                 : "l"(row)
                 : "memory");
}

LS_WMMA void ls_ldmatrix_trans(unsigned int (&m)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                 : "l"(row)
                 : "memory");
}

/* d += A B: A 16 x 16, B 16 x 8 (two registers), d 16 x 8: columns 2 (l % 4) and the next of row l / 4, and of the row eight below. */
LS_WMMA void ls_mma(float (&d)[4], const unsigned int (&a)[4], const unsigned int *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#undef LS_WMMA

#endif
