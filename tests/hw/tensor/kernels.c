/* kernels.c - see kernels.h. mma loads its fragments word by word, as the manual lays them out; wmma by wmma.load. */
#include "kernels.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct out {
    char *at, *end;
};
static void put(struct out *o, const char *form, ...)
{
    va_list list;
    va_start(list, form);
    o->at += vsnprintf(o->at, (size_t)(o->end - o->at), form, list);
    va_end(list);
}

static void registers(struct out *o, int first, int n)
{
    for (int i = 0; i < n; i++)
        put(o, "%s%%v%d", i ? ", " : "{", first + i);
    put(o, "}");
}

static int bytes(int elements, int bits) { return elements * bits / 8; }

/* %qN moves to the block's matrix. */
static void matrix(struct out *o, int q, const char *name, int size)
{
    put(o, "ld.param.u64 %%q%d, [%s];\nmul.wide.u32 %%q9, %%r2, %d;\nadd.s64 %%q%d, %%q%d, %%q9;\n", q, name, size, q,
        q);
}

/* %qN moves to the lane's words: its line, its place in it. */
static void lane(struct out *o, int q, int line, int place)
{
    put(o,
        "mul.lo.u32 %%r5, %%r4, %d;\nmad.lo.u32 %%r5, %%r3, %d, %%r5;\ncvt.u64.u32 %%q9, %%r5;\nadd.s64 %%q%d, %%q%d, "
        "%%q9;\n",
        place, line, q, q);
}

/* Of a sparse a, metadata choose the first two of four elements (of tf32 the first of two), all else of b is infinite or no
 * number. Register r of b has word 4 r + place of a column: every second one is given, of 8-bit floats the lower half of
 * each. */
static void sparse_b(struct out *o, const struct tensor_op *op, int na, int nb)
{
    const bool is_byte = op->a == T_E4M3 || op->a == T_E5M2;
    put(o, "setp.ne.u32 %%p1, %%r6, 0;\n");
    for (int r = 0; r < nb; r++)
        if (is_byte)
            put(o, "ld.global.u16 %%r7, [%%q2+%d];\nor.b32 %%v%d, %%r7, 0x7f7f0000;\n", r * 8, na + r);
        else
            put(o, "ld.global.b32 %%v%d, [%%q2+%d];\nselp.b32 %%v%d, %s, %%v%d, %%p1;\n", na + r, r * 8, na + r,
                op->a == T_F16 ? "0x7c007c00" : "0x7f807f80", na + r);
}

static void mma(struct out *o, const struct tensor_op *op, int wa, int wc)
{
    const int line = bytes(op->k, wa), na = line / 8, nb = op->sparse ? line / 8 : line / 16, nc = wc == 16 ? 2 : 4,
              c = na + nb;
    const bool is_byte = op->a == T_E4M3 || op->a == T_E5M2;
    lane(o, 1, line, 4);
    if (op->sparse) /* place / 2 words, or place halves */
        put(o, "mov.u32 %%r7, %%r4;\nand.b32 %%r6, %%r4, 1;\nshr.u32 %%r4, %%r4, %d;\n", is_byte ? 0 : 1);
    lane(o, 2, line, op->sparse && is_byte ? 2 : 4);
    if (op->sparse)
        put(o, "mov.u32 %%r4, %%r7;\n");
    lane(o, 3, bytes(8, wc), bytes(2, wc));
    lane(o, 4, bytes(8, wc), bytes(2, wc));
    for (int r = 0; r < na; r++)
        put(o, "ld.global.b32 %%v%d, [%%q1+%d];\n", r, r % 2 * 8 * line + r / 2 * 16);
    if (op->sparse)
        sparse_b(o, op, na, nb);
    for (int r = 0; r < nb && !op->sparse; r++)
        put(o, "ld.global.b32 %%v%d, [%%q2+%d];\n", na + r, r * 16);
    for (int r = 0; r < nc; r++)
        put(o, "ld.global.b32 %%v%d, [%%q3+%d];\n", c + r, wc == 16 ? r * 128 : r % 2 * 4 + r / 2 * 256);
    put(o, "mov.b32 %%v40, 0x44444444;\n%s ", op->name);
    registers(o, c + nc, nc);
    put(o, ", ");
    registers(o, 0, na);
    put(o, ", ");
    registers(o, na, nb);
    put(o, ", ");
    registers(o, c, nc);
    put(o, op->sparse ? ", %%v40, 0;\n" : ";\n");
    for (int r = 0; r < nc; r++)
        put(o, "st.global.b32 [%%q4+%d], %%v%d;\n", wc == 16 ? r * 128 : r % 2 * 4 + r / 2 * 256, c + nc + r);
}

static void wmma(struct out *o, const struct tensor_op *op, int wa, int wc, int wd)
{
    const char *const type = op->a == T_F16 ? "f16" : op->a == T_BF16 ? "bf16" : "tf32";
    const int words = 32 / wa; /* elements a register; f16 has eight registers whatever the shape */
    const int na = op->a == T_F16 ? 8 : op->m * op->k / 32 / words,
              nb = op->a == T_F16 ? 8 : op->n * op->k / 32 / words;
    const int nc = wc == 16 ? 4 : 8, nd = wd == 16 ? 4 : 8;
    char shape[32];
    sprintf(shape, "m%dn%dk%d", op->m, op->n, op->k);
    put(o, "wmma.load.a.sync.aligned.row.%s.global.%s ", shape, type);
    registers(o, 0, na);
    put(o, ", [%%q1], %d;\nwmma.load.b.sync.aligned.col.%s.global.%s ", op->k, shape, type);
    registers(o, na, nb);
    put(o, ", [%%q2], %d;\nwmma.load.c.sync.aligned.row.%s.global.f%d ", op->k, shape, wc);
    registers(o, na + nb, nc);
    put(o, ", [%%q3], %d;\n%s ", op->n, op->name);
    registers(o, na + nb + nc, nd);
    put(o, ", ");
    registers(o, 0, na);
    put(o, ", ");
    registers(o, na, nb);
    put(o, ", ");
    registers(o, na + nb, nc);
    put(o, ";\nwmma.store.d.sync.aligned.row.%s.global.f%d [%%q4], ", shape, wd);
    registers(o, na + nb + nc, nd);
    put(o, ", %d;\n", op->n);
}

/* 16 bytes of a column of b as 32, with what is not chosen between: see sparse_b. */
static void sparse_column(struct out *o, const struct tensor_op *op)
{
    const bool is_byte = op->a == T_E4M3 || op->a == T_E5M2;
    put(o, "mov.b32 %%v8, %s;\n", is_byte ? "0x7f7f7f7f" : op->a == T_F16 ? "0x7c007c00" : "0x7f807f80");
    for (int w = 0; w < 4; w++)
        if (is_byte)
            put(o, "prmt.b32 %%v%d, %%v%d, %%v8, 0x5410;\nprmt.b32 %%v%d, %%v%d, %%v8, 0x5432;\n", 10 + 2 * w, w,
                11 + 2 * w, w);
        else
            put(o, "mov.b32 %%v%d, %%v%d;\nmov.b32 %%v%d, %%v8;\n", 10 + 2 * w, w, 11 + 2 * w);
    /* thread 2 n + h has pieces 2 h and 2 h + 1 of column n */
    put(o, "and.b32 %%r5, %%r1, 1;\nshl.b32 %%r5, %%r5, 8;\nadd.u32 %%r5, %%r5, %%r6;\nshr.u32 %%r7, %%r1, 1;\n"
           "mad.lo.u32 %%r5, %%r7, 16, %%r5;\n@%%p1 st.shared.v4.b32 [%%r5+2048], {%%v10, %%v11, %%v12, %%v13};\n"
           "@%%p1 st.shared.v4.b32 [%%r5+2176], {%%v14, %%v15, %%v16, %%v17};\n");
}

/* A thread copies 16 bytes of a; 16 threads do of b. In shared memory 8 lines of 16 bytes lie together, the other 16 bytes of
 * these lines behind them, then the next 8 lines: b is behind a. */
static void wgmma(struct out *o, const struct tensor_op *op, int wc)
{
    const int nc = wc == 16 ? 2 : 4;
    put(o, "and.b32 %%r5, %%r1, 1;\nshl.b32 %%r5, %%r5, 7;\nshr.u32 %%r6, %%r1, 4;\nmad.lo.u32 %%r5, %%r6, 256, %%r5;\n"
           "shr.u32 %%r6, %%r1, 1;\nand.b32 %%r6, %%r6, 7;\nmad.lo.u32 %%r5, %%r6, 16, %%r5;\n"
           "mov.u32 %%r6, sm;\nadd.u32 %%r5, %%r5, %%r6;\nmul.wide.u32 %%q9, %%r1, 16;\n"
           "add.s64 %%q1, %%q1, %%q9;\nadd.s64 %%q2, %%q2, %%q9;\n"
           "ld.global.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%q1];\nst.shared.v4.b32 [%%r5], {%%v0, %%v1, %%v2, %%v3};\n"
           "setp.lt.u32 %%p1, %%r1, 16;\n@%%p1 ld.global.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%q2];\n");
    if (op->sparse)
        sparse_column(o, op);
    else
        put(o, "@%%p1 st.shared.v4.b32 [%%r5+2048], {%%v0, %%v1, %%v2, %%v3};\n");
    put(o, "fence.proxy.async;\nbar.sync 0;\n");
    put(o, "cvt.u64.u32 %%q1, %%r6;\nshr.u64 %%q1, %%q1, 4;\nadd.s64 %%q1, %%q1, 0x1000080000;\nadd.s64 %%q2, %%q1, "
           "128;\n");
    /* q9: where the lane's line and columns are, 16 lines a warp */
    put(o, "shr.u32 %%r5, %%r1, 5;\nshl.b32 %%r5, %%r5, 4;\nand.b32 %%r3, %%r3, 7;\nadd.u32 %%r3, %%r3, %%r5;\n");
    lane(o, 3, bytes(8, wc), bytes(2, wc));
    lane(o, 4, bytes(8, wc), bytes(2, wc));
    for (int r = 0; r < nc; r++)
        put(o, "ld.global.b32 %%v%d, [%%q3+%d];\n", r, wc == 16 ? r * 128 : r % 2 * 4 + r / 2 * 256);
    put(o, "mov.b32 %%v40, 0x44444444;\nwgmma.fence.sync.aligned;\n%s ", op->name);
    registers(o, 0, nc);
    put(o, ", %%q1, %%q2, %s1, 1, 1%s;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
        op->sparse ? "%v40, 0, " : "", op->a == T_F16 || op->a == T_BF16 ? ", 0, 0" : "");
    for (int r = 0; r < nc; r++)
        put(o, "st.global.b32 [%%q4+%d], %%v%d;\n", wc == 16 ? r * 128 : r % 2 * 4 + r / 2 * 256, r);
}

void tensor_kernel(const struct tensor_op *op, char *text, size_t size)
{
    struct out o = {text, text + size};
    const int wa = tensor_formats[op->a].width, wc = op->half_c ? 16 : 32, wd = op->half_d ? 16 : 32;
    put(&o,
        ".version 8.7\n.target sm_90%s\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{\n"
        ".reg .b32 %%v<48>, %%r<9>;\n.reg .b64 %%q<10>;\n.reg .pred %%p<2>;\n.shared .align 1024 .b8 sm[2560];\n"
        "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\nshr.u32 %%r3, %%r1, 2;\nand.b32 %%r4, %%r1, 3;\n",
        op->by == TENSOR_WGMMA ? "a" : "");
    matrix(&o, 1, "a", bytes(op->m * op->k, wa));
    matrix(&o, 2, "b", bytes(op->n * op->k, wa));
    matrix(&o, 3, "c", bytes(op->m * op->n, wc));
    matrix(&o, 4, "d", bytes(op->m * op->n, wd));
    if (op->by == TENSOR_WGMMA)
        wgmma(&o, op, wc);
    else if (op->by == TENSOR_WMMA)
        wmma(&o, op, wa, wc, wd);
    else
        mma(&o, op, wa, wc);
    put(&o, "ret;\n}\n");
}
