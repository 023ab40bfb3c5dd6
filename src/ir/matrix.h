/* matrix.h - how the record of a warp matrix instruction (PTX ISA 9.7.14) says what to do, in ptr: made by
 * emit_matrix.c, run by exec/ops/matrix.inc.
 *
 * A fragment is a matrix spread over the lanes of a warp. It consists of *units*: tiles of 8 lines by 4 * per_lane
 * neighbouring elements of a line (a "run"). Lane l holds of each unit the per_lane elements at line l / 4 that begin
 * at run position l % 4 * per_lane:
 *
 *     line 0   | lane 0 .. | lane 1 .. | lane 2 .. | lane 3 .. |
 *     line 1   | lane 4 .. | lane 5 .. | lane 6 .. | lane 7 .. |      16-bit elements: per_lane 2, a unit is 8 x 8
 *     ...                                                             8-bit: 4, 8 x 16; tf32 and f64: 1, 8 x 4
 *     line 7   | lane 28.. | lane 29.. | lane 30.. | lane 31.. |      accumulators: 2, 8 x 8, whatever their width
 *
 * Lines and runs: of A rows and k, of B columns and k, of C and D rows and columns. So every fragment of mma (9.7.14.5)
 * is a list of units, and so are those of wmma, whose layout the manual leaves open: here they are what ptxas (CUDA
 * 13.0, sm_90) makes of them, the pieces of mma.m16n8k16 (m16n8k8 of tf32, m8n8k4 of f64). m8n32k16 is m32n8k16 of the
 * transposed matrices, with A and B exchanged. Fragments of f16 may have more registers than the matrix needs (they had
 * on sm_70): the others hold copies. */
#ifndef LS_IR_MATRIX_H
#define LS_IR_MATRIX_H

#include "ptx/ptx.h"

enum { MATRIX_UNITS = 8, MATRIX_SLOTS = 8 };

struct ir_fragment {
    u8 type;     /* enum ptx_type of an element */
    u8 bits;     /* of an element: 1, 4, 8, 16, 32 or 64 */
    u8 per_lane; /* elements of a unit that a lane holds */
    u8 units;
    u8 nslots;             /* registers as written */
    u8 line[MATRIX_UNITS]; /* where each unit begins */
    u16 run[MATRIX_UNITS];
    u32 slots[MATRIX_SLOTS];
};

/* How memory is gone through, as ptxas does. Direct: a run is contiguous in memory. */
enum matrix_walk {
    MATRIX_DIRECT,   /* a unit is one access of a lane's neighbouring elements */
    MATRIX_PAIRS,    /* lines are contiguous, 16 bits: a unit is read transposed, two elements a lane, and turned */
    MATRIX_ELEMENTS, /* lines are contiguous, other widths: each element is an access */
    MATRIX_ROWS,     /* ldmatrix: a lane points at a row of 16 bytes, up to four units an access */
};

enum matrix_op { MATRIX_MUL, MATRIX_XOR, MATRIX_AND };

/* As bits 13 and 14 of MXCSR have them. */
enum matrix_rounding { MATRIX_RN, MATRIX_RM, MATRIX_RP, MATRIX_RZ };

struct ir_matrix {
    u16 m, n, k;
    u8 op;          /* enum matrix_op */
    bool satfinite; /* integers: clamp the result instead of wrapping */
    u8 rounding;    /* f64: enum matrix_rounding */
    u8 selector;    /* products of a sparse a, whose fragment is of k / 2: which lanes' metadata */
    u32 metadata;   /* a slot */
    bool apart;     /* products: a register of d is one of a or b, or one of c at another place */
    /* loads and stores, of fragment d */
    u8 space;       /* enum ptx_space */
    u8 walk;        /* enum matrix_walk */
    bool crossed;   /* not direct; ldmatrix, stmatrix: .trans; products of quads: a is by columns */
    bool b_crossed; /* products of quads: b is by lines */
    u8 rows_units;  /* MATRIX_ROWS: units an access */
    struct ir_fragment a, b, c, d;
};

/* What ptxas (CUDA 13.0, sm_90) makes of a matrix instruction: how many HMMA, IMMA, DMMA or BMMA, how many memory
 * accesses of a warp. */
u32 ir_matrix_products(const struct ptx_inst *i);
u32 ir_matrix_accesses(const struct ptx_inst *i);

/* The registers that hold a unit. */
static inline u32 matrix_unit_slots(const struct ir_fragment *f) { return f->bits >= 32 ? f->per_lane : 1; }

#endif
