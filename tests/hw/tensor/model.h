/* model.h - what a Hopper tensor core makes of one element of a matrix product, as plain arithmetic on integers.
 *
 * The products of a block of k and the accumulator are brought to the largest of their exponents, cut off below some bits
 * behind the point, and added; the sum is rounded once. `struct tensor_rule` says how, so that a program which has a GPU's
 * results can ask which rule gives them; tensor_rule is the one that does (tests/hw/h200/tensor.csv). */
#ifndef LS_TENSOR_MODEL_H
#define LS_TENSOR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum tensor_type { T_F16, T_BF16, T_TF32, T_E4M3, T_E5M2, T_F32, T_TYPES };

/* Bits of the exponent and the fraction; in memory. tf32 stands in the upper bits of a word. */
struct tensor_format {
    int exponent, fraction, width;
};
extern const struct tensor_format tensor_formats[T_TYPES];
int tensor_bias(enum tensor_type t);
double tensor_value(enum tensor_type t, uint32_t bits);

enum { TO_ZERO, TO_BELOW, TO_NEAREST };

struct tensor_rule {
    const char *name;
    int fraction;           /* bits behind the point of the largest exponent that are kept */
    int least;              /* the least that the largest exponent is taken to be */
    int cut, round;         /* terms: TO_ZERO, TO_BELOW; the sum to f32: any */
    bool normalised;        /* a product's exponent is that of its value, not the sum of its operands' */
    bool zeros;             /* the exponents of products that are 0 count */
    bool largest;           /* what is too large for f32 is the largest number, not infinity */
    bool products_overflow; /* a product of 2^128 and more is infinite */
    bool minus_zero;        /* a negative sum that is rounded to 0 keeps its sign */
    bool all_minus_zero;    /* zeros that are all negative add up to -0 */
    bool twice;             /* an f16 result is rounded to f32 first */
    /* wgmma of 8-bit floats; 0: as the first rule */
    int byte_fraction; /* instead of fraction */
    int byte_result;   /* bits behind the point of a result that is not 0, cut off below; f32 has 23 */
    int byte_step;     /* k of a block */
};
extern const struct tensor_rule tensor_rules[];
extern const int tensor_nrules; /* the first is the rule */

/* c + the sum of k products of an x and a y, one block. With half, c and the result are f16, else f32. */
uint32_t tensor_block(const struct tensor_rule *r, enum tensor_type x, enum tensor_type y, int k, const uint32_t *a,
                      const uint32_t *b, uint32_t c, bool half);

/* What ptxas makes of an instruction for sm_90: of tf32 wmma, two blocks; of 8-bit floats in mma, products of f16. */
enum tensor_kind { TENSOR_MMA, TENSOR_WMMA, TENSOR_WGMMA };
/* Of a sparse a, k is how many elements of a line there are. */
struct tensor_op {
    const char *name;
    enum tensor_kind by;
    int m, n, k;
    enum tensor_type a, b;
    bool half_c, half_d, sparse;
};
extern const struct tensor_op tensor_ops[]; /* those of a sparse a last */
extern const int tensor_nops;
uint32_t tensor_element(const struct tensor_rule *r, const struct tensor_op *op, const uint32_t *a, const uint32_t *b,
                        uint32_t c);

#endif
