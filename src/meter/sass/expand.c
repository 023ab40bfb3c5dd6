/* expand.c - sequences of machine instructions (expand.h).
 *
 * Each is what ptxas 13.0 makes for sm_90 of a kernel that loads the operands, runs the instruction and stores the result. Slow
 * paths are left out: j is the branch round the call of one, J where the ways meet again. Divisions of 64 bits are a call always,
 * and have the letters of its usual path. */
#include "meter/sass/expand.h"

#include <string.h>

struct row {
    u16 op;         /* enum ptx_op */
    u8 type;        /* the first one of the instruction; PTX_NONE: any */
    u16 has, lacks; /* modifiers that it has and has not; PTX_MOD_NONE: any */
    const char *sequence;
};

static const struct row rows[] = {
    {OP_RSQRT, PTX_F32, MOD_FTZ, PTX_MOD_NONE, "x"},
    {OP_RSQRT, PTX_F32, PTX_MOD_NONE, PTX_MOD_NONE, "pfxf"},
    {OP_RSQRT, PTX_F64, MOD_FTZ, PTX_MOD_NONE, "x(h)"},
    {OP_RSQRT, PTX_F64, PTX_MOD_NONE, PTX_MOD_NONE, "xddddd(vpBj)J"},
    {OP_SQRT, PTX_F32, MOD_APPROX, MOD_FTZ, "pfxf"},
    {OP_SQRT, PTX_F32, MOD_APPROX, PTX_MOD_NONE, "x"},
    {OP_SQRT, PTX_F32, PTX_MOD_NONE, PTX_MOD_NONE, "x(vpBj)ffffJ"},
    {OP_SQRT, PTX_F64, PTX_MOD_NONE, PTX_MOD_NONE, "xdddddddd(v)(h)(vpBj)J"},
    {OP_RCP, PTX_F32, MOD_APPROX, MOD_FTZ, "(p)paafxf"},
    {OP_RCP, PTX_F32, MOD_APPROX, PTX_MOD_NONE, "x"},
    {OP_RCP, PTX_F32, PTX_MOD_NONE, PTX_MOD_NONE, "(vapBj)xfffJ"},
    {OP_RCP, PTX_F64, MOD_APPROX, PTX_MOD_NONE, "x(h)"},
    {OP_RCP, PTX_F64, PTX_MOD_NONE, PTX_MOD_NONE, "xddddd(vpBj)J"},
    {OP_DIV, PTX_F32, MOD_APPROX, MOD_FTZ, "p(f)fxf"},
    {OP_DIV, PTX_F32, MOD_APPROX, PTX_MOD_NONE, "xf"},
    {OP_DIV, PTX_F32, MOD_FULL, MOD_FTZ, "(p)p(f)(f)ffxf"},
    {OP_DIV, PTX_F32, MOD_FULL, PTX_MOD_NONE, "p(f)fxf"},
    {OP_DIV, PTX_F32, PTX_MOD_NONE, PTX_MOD_NONE, "xfffff(cBj)J"},
    {OP_DIV, PTX_F64, PTX_MOD_NONE, PTX_MOD_NONE, "xdddddddd[fpBj](p)J"},
    {OP_SIN, PTX_F32, PTX_MOD_NONE, PTX_MOD_NONE, "fx"},
    {OP_COS, PTX_F32, PTX_MOD_NONE, PTX_MOD_NONE, "fx"},
    {OP_LG2, PTX_F32, MOD_FTZ, PTX_MOD_NONE, "x"},
    {OP_LG2, PTX_F32, PTX_MOD_NONE, PTX_MOD_NONE, "pfxf"},
    {OP_EX2, PTX_F32, PTX_MOD_NONE, MOD_FTZ, "pfxf"},
    {OP_EX2, PTX_NONE, PTX_MOD_NONE, PTX_MOD_NONE, "x"},
    {OP_TANH, PTX_NONE, PTX_MOD_NONE, PTX_MOD_NONE, "x"},
    {OP_DIV, PTX_S32, PTX_MOD_NONE, PTX_MOD_NONE, "acxvchhhhhpapaa(a)(a)(h)(h)(a)(ap)(p)(a)a"},
    {OP_REM, PTX_S32, PTX_MOD_NONE, PTX_MOD_NONE, "acxvchhhhhpapaa(a)(a)(h)(h)(p)(p)(a)"},
    {OP_DIV, PTX_U32, PTX_MOD_NONE, PTX_MOD_NONE, "cxvchhhhpapaa(p)(h)(a)(a)a"},
    {OP_REM, PTX_U32, PTX_MOD_NONE, PTX_MOD_NONE, "cxvchhhhpapaa(p)(h)(a)a"},
    {OP_ABS, PTX_S64, PTX_MOD_NONE, PTX_MOD_NONE, "(p)vh(a)a"},
    {OP_NEG, PTX_S64, PTX_MOD_NONE, PTX_MOD_NONE, "va"},
    {OP_ABS, PTX_F32, PTX_MOD_NONE, PTX_MOD_NONE, ""}, /* signs are modifiers of operands */
    {OP_NEG, PTX_F32, PTX_MOD_NONE, PTX_MOD_NONE, ""},
    {OP_ABS, PTX_F64, PTX_MOD_NONE, PTX_MOD_NONE, ""},
    {OP_NEG, PTX_F64, PTX_MOD_NONE, PTX_MOD_NONE, ""},
    {OP_MIN, PTX_F64, PTX_MOD_NONE, PTX_MOD_NONE, "(h)(h)qaaah"},
    {OP_MAX, PTX_F64, PTX_MOD_NONE, PTX_MOD_NONE, "(h)(h)qaaah"},
    {OP_MIN, PTX_S64, PTX_MOD_NONE, PTX_MOD_NONE, "pp(a)a"},
    {OP_MIN, PTX_U64, PTX_MOD_NONE, PTX_MOD_NONE, "pp(a)a"},
    {OP_MAX, PTX_S64, PTX_MOD_NONE, PTX_MOD_NONE, "pp(a)a"},
    {OP_MAX, PTX_U64, PTX_MOD_NONE, PTX_MOD_NONE, "pp(a)a"},
    {OP_MUL, PTX_U64, MOD_HI, PTX_MOD_NONE, "(h)hhhaah"},
    {OP_MUL, PTX_S64, MOD_HI, PTX_MOD_NONE, "(h)(p)(p)hhhaahahaha(a)(a)(a)a"},
    {OP_POPC, PTX_B64, PTX_MOD_NONE, PTX_MOD_NONE, "(c)ca"},
    {OP_CLZ, PTX_B32, PTX_MOD_NONE, PTX_MOD_NONE, "ca"},
    {OP_CLZ, PTX_B64, PTX_MOD_NONE, PTX_MOD_NONE, "pacaah"},
    {OP_BREV, PTX_B32, PTX_MOD_NONE, PTX_MOD_NONE, "c"},
    {OP_BREV, PTX_B64, PTX_MOD_NONE, PTX_MOD_NONE, "(c)c"},
};

/* ---- conversions ---- */

static bool is_half(enum ptx_type t) { return t == PTX_F16 || t == PTX_F16X2; }
static bool is_bfloat(enum ptx_type t) { return t == PTX_BF16 || t == PTX_BF16X2; }
static bool is_integer(enum ptx_type t) { return ptx_type_bits(t) <= 64 && !ptx_type_float(t); }

/* Between integers: only the upper bits of a narrow one have to be made. */
static const char *extend(enum ptx_type to, enum ptx_type from)
{
    const u32 bits = ptx_type_bits(to) < ptx_type_bits(from) ? ptx_type_bits(to) : ptx_type_bits(from);
    const enum ptx_type narrow = ptx_type_bits(to) < ptx_type_bits(from) ? to : from;
    const bool sign = ptx_type_signed(narrow);
    if (to == from || bits == 64)
        return "";
    if (bits == 32)
        return ptx_type_bits(to) == 64 && sign ? "a" : "";
    if (bits == 16)
        return ptx_type_bits(to) <= 16 || !sign ? "" : ptx_type_bits(to) == 64 ? "aha" : "a";
    return !sign ? "a" : ptx_type_bits(to) == 64 ? "aha" : ptx_type_bits(to) == 32 ? "a" : "aa";
}

static const char *convert(enum ptx_type to, enum ptx_type from, u32 cc_major)
{
    if (is_integer(to) && is_integer(from))
        return extend(to, from);
    if (to == PTX_TF32)
        return "paa";
    if ((is_half(to) || is_bfloat(to)) && from == PTX_F32)
        return "a";
    if (to == PTX_F32 && (is_half(from) || is_bfloat(from)))
        return is_half(from) ? "H" : "a";
    if (is_integer(to))
        return ptx_type_bits(to) > 8 ? "c" : ptx_type_signed(to) ? "caa" : "ca";
    if (to != PTX_F32 || !is_integer(from) || cc_major < 9 || ptx_type_bits(from) == 64)
        return "c";
    return from == PTX_U8 ? "aa" : from == PTX_S8 || from == PTX_S16 ? "c" : "a";
}

/* ---- all ---- */

const char *expand_inst(const struct ptx_inst *i, u32 cc_major)
{
    const enum ptx_type type = i->ntypes ? (enum ptx_type)i->types[0] : PTX_NONE;
    if (i->op == OP_CVT && i->ntypes >= 2) {
        const bool saturates = type == PTX_F32 && i->types[1] == PTX_F32 && ptx_has(i, MOD_SAT);
        return saturates ? "f" : convert(type, (enum ptx_type)i->types[1], cc_major);
    }
    if ((i->op == OP_DIV || i->op == OP_REM) && !ptx_type_float(type) && ptx_type_bits(type) <= 32 &&
        i->operands[2].kind == PTX_IMM)
        return "hhpaapa";
    if ((i->op == OP_BFE || i->op == OP_BFI) && ptx_type_bits(type) == 32)
        return i->operands[i->noperands - 1].kind == PTX_IMM ? "aa" : i->op == OP_BFE ? "(a)(a)aaa" : "(a)(a)(a)aaa";
    for (u32 k = 0; k < LS_ARRAY_LEN(rows); k++)
        if (rows[k].op == i->op && (rows[k].type == PTX_NONE || rows[k].type == type) &&
            (rows[k].has == PTX_MOD_NONE || ptx_has(i, (enum ptx_mod)rows[k].has)) &&
            (rows[k].lacks == PTX_MOD_NONE || !ptx_has(i, (enum ptx_mod)rows[k].lacks)))
            return rows[k].sequence;
    return NULL;
}

bool expand_has_slow_path(const struct ptx_inst *i)
{
    const char *sequence = expand_inst(i, 9);
    return sequence && strchr(sequence, 'j');
}

const char *expand_division(const struct ptx_inst *i)
{
    const enum ptx_type type = i->ntypes ? (enum ptx_type)i->types[0] : PTX_NONE;
    if ((i->op != OP_DIV && i->op != OP_REM) || (type != PTX_S32 && type != PTX_U32) || i->operands[2].kind == PTX_IMM)
        return NULL;
    if (type == PTX_S32)
        return i->op == OP_DIV ? "ahhhpavp(ap)(a)aaa" : "ahhhpap(p)aaa";
    return i->op == OP_DIV ? "hhhpavpva" : "hhhpapaa";
}

u32 expand_length(const char *sequence)
{
    u32 n = 0;
    for (const char *p = sequence; *p; p++)
        n += *p != '(' && *p != ')' && *p != '[' && *p != ']';
    return n;
}
