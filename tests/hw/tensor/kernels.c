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

static void mma(struct out *o, const struct tensor_op *op, int wa, int wc)
{
    const int line = bytes(op->k, wa), na = line / 8, nb = line / 16, nc = wc == 16 ? 2 : 4, c = na + nb;
    lane(o, 1, line, 4);
    lane(o, 2, line, 4);
    lane(o, 3, bytes(8, wc), bytes(2, wc));
    lane(o, 4, bytes(8, wc), bytes(2, wc));
    for (int r = 0; r < na; r++)
        put(o, "ld.global.b32 %%v%d, [%%q1+%d];\n", r, r % 2 * 8 * line + r / 2 * 16);
    for (int r = 0; r < nb; r++)
        put(o, "ld.global.b32 %%v%d, [%%q2+%d];\n", na + r, r * 16);
    for (int r = 0; r < nc; r++)
        put(o, "ld.global.b32 %%v%d, [%%q3+%d];\n", c + r, wc == 16 ? r * 128 : r % 2 * 4 + r / 2 * 256);
    put(o, "%s ", op->name);
    registers(o, c + nc, nc);
    put(o, ", ");
    registers(o, 0, na);
    put(o, ", ");
    registers(o, na, nb);
    put(o, ", ");
    registers(o, c, nc);
    put(o, ";\n");
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

void tensor_kernel(const struct tensor_op *op, char *text, size_t size)
{
    struct out o = {text, text + size};
    const int wa = tensor_formats[op->a].width, wc = op->half_c ? 16 : 32, wd = op->half_d ? 16 : 32;
    put(&o, ".version 8.7\n.target sm_90\n.address_size 64\n"
            ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{\n"
            ".reg .b32 %%v<48>, %%r<8>;\n.reg .b64 %%q<10>;\n"
            "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\nshr.u32 %%r3, %%r1, 2;\nand.b32 %%r4, %%r1, 3;\n");
    matrix(&o, 1, "a", bytes(op->m * op->k, wa));
    matrix(&o, 2, "b", bytes(op->n * op->k, wa));
    matrix(&o, 3, "c", bytes(op->m * op->n, wc));
    matrix(&o, 4, "d", bytes(op->m * op->n, wd));
    if (op->wmma)
        wmma(&o, op, wa, wc, wd);
    else
        mma(&o, op, wa, wc);
    put(&o, "ret;\n}\n");
}
