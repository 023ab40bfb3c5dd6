/* gen_expr.c - random expressions. Every one has one value in C and in CUDA C: unsigned arithmetic, masked shifts,
 * divisors that are odd or positive, conversions inside the range. Helpers are in diff_common.h. */
/* clang-format off */ // rows of macros and of text
#include "gen.h"

static void constant(void)
{
    static const char *const special[] = {"0u", "1u", "0xffffffffu", "0x80000000u", "0x7fffffffu", "31u", "32u", "255u",
                                          "0x8000u", "0xffffu"};
    if (rnd(2))
        put("%s", special[rnd(10)]);
    else
        put("0x%xu", rnd(0x7fffffff) >> rnd(30));
}

static void leaf_uniform(const struct scope *s)
{
    switch (rnd(s->by_warp ? 5 : 4)) {
    case 0: put("n"); break;
    case 1: put("BLOCK"); break;
    case 2: put("in[(n + %uu) & 1023]", rnd(1024)); break;
    case 3: constant(); break;
    case 4: put("WARP"); break;
    }
}

static void leaf_u32(const struct scope *s)
{
    if (s->uniform || s->by_warp) {
        leaf_uniform(s);
        return;
    }
    if (s->counters && !rnd(4)) {
        put("i%u", rnd(s->counters));
        return;
    }
    if (s->in_function) {
        if (rnd(4))
            put("%c", "ab"[rnd(2)]);
        else
            constant();
        return;
    }
    switch (rnd(14)) {
    case 0: constant(); break;
    case 1: put("TID"); break;
    case 2: put("LANE"); break;
    case 3: leaf_uniform(s); break;
    case 4: put("A(%u)", rnd(NA)); break;
    case 5: put("(u32)W(%u)", rnd(NW)); break;
    case 6: put("(u32)(W(%u) >> 32)", rnd(NW)); break;
    case 7: put("f32_bits(F(%u))", rnd(NF)); break;
    default: put("V(%u)", rnd(NV)); break;
    }
}

/* A read of memory at a computed place. */
static void load(const struct scope *s, int d)
{
    if (s->in_function || s->uniform || s->by_warp) {
        leaf_u32(s);
        return;
    }
    static const char *const at[] = {"in[(%s", "u8_at(in, (%s", "s8_at(in, (%s", "u16_at(in, (%s", "s16_at(in, (%s",
                                     "quad_at(in, (%s", "TABLE((%s", "A((%s", "pair_at(in, (%s"};
    static const char *const end[] = {") & 1023]", ") & 4095)", ") & 4095)", ") & 2047)", ") & 2047)",
                                      ") & 255)", ") & 15)", ") & 7)", ") & 255)"};
    if (s->shared && rnd(2)) {
        put("s0[(");
        expr_u32(s, d - 1);
        put(") %% NT]");
        return;
    }
    unsigned k = rnd(9);
    put(at[k], "");
    expr_u32(s, d - 1);
    put("%s", end[k]);
}

static void binary(const struct scope *s, int d, const char *before, const char *between, const char *after)
{
    put("%s", before);
    expr_u32(s, d - 1);
    put("%s", between);
    expr_u32(s, d - 1);
    put("%s", after);
}

static void call(const struct scope *s, int d)
{
    const struct shape *sh = s->sh;
    if (!sh->nfuncs || s->in_function || s->uniform || s->by_warp) {
        binary(s, d, "(", " ^ ", ")");
        return;
    }
    if (sh->nfuncs > 1 && !rnd(4)) { /* which function depends on the thread: an indirect call */
        put("((");
        expr_cond(s, d - 1);
        put(") ? f%u_0 : f%u_1)(", sh->seed, sh->seed);
    } else {
        put("f%u_%u(", sh->seed, rnd(sh->nfuncs));
    }
    binary(s, d, "", ", ", ")");
}

static void conversion(const struct scope *s, int d)
{
    if (s->in_function || s->uniform || s->by_warp) {
        leaf_u32(s);
        return;
    }
    switch (rnd(6)) {
    case 0: put("f32_bits("); expr_f32(s, d - 1); put(")"); break;
    case 1: put("f32_to_s32("); expr_f32(s, d - 1); put(")"); break;
    case 2: put("f64_to_s32("); expr_f64(s, d - 1); put(")"); break;
    case 3: put("(u32)("); expr_u64(s, d - 1); put(")"); break;
    case 4: put("(u32)(("); expr_u64(s, d - 1); put(") >> 32)"); break;
    case 5: put("f16_bits("); expr_f32(s, d - 1); put(")"); break;
    }
}

static void unary(const struct scope *s, int d)
{
    static const char *const fn[] = {"~(",        "-(",      "popc(",       "clz(",        "brev(",
                                     "abs32(",    "(u32)(s32)(s8)(", "(u32)(s32)(s16)(", "(u32)(u8)(", "(u32)(u16)(",
                                     "(u32)!(", "ffs32("};
    put("(%s", fn[rnd(12)]);
    expr_u32(s, d - 1);
    put("))");
}

void expr_u32(const struct scope *s, int d)
{
    static const char *const ops[][3] = {
        {"(", " + ", ")"},          {"(", " - ", ")"},           {"(", " * ", ")"},         {"(", " & ", ")"},
        {"(", " | ", ")"},          {"(", " ^ ", ")"},           {"shl(", ", ", ")"},       {"shr(", ", ", ")"},
        {"sar(", ", ", ")"},        {"umin(", ", ", ")"},        {"umax(", ", ", ")"},      {"smin(", ", ", ")"},
        {"smax(", ", ", ")"},       {"mulhi(", ", ", ")"},       {"smulhi(", ", ", ")"},    {"udiv(", ", ", ")"},
        {"urem(", ", ", ")"},       {"sdiv(", ", ", ")"},        {"srem(", ", ", ")"},      {"rotl(", ", ", ")"},
        {"bits(", ", ", ")"},       {"sbits(", ", ", ")"},       {"mul24(", ", ", ")"},     {"avg(", ", ", ")"},
    };
    if (d <= 0) {
        leaf_u32(s);
        return;
    }
    switch (rnd(16)) {
    case 0: leaf_u32(s); break;
    case 1:
    case 2: load(s, d); break;
    case 3:
    case 4: unary(s, d); break;
    case 5: call(s, d); break;
    case 6: conversion(s, d); break;
    case 7:
        put("((");
        expr_cond(s, d - 1);
        binary(s, d, ") ? ", " : ", ")");
        break;
    case 8:
        binary(s, d, "fshl(", ", ", ", ");
        expr_u32(s, d - 1);
        put(")");
        break;
    default: {
        const char *const *op = ops[rnd(24)];
        binary(s, d, op[0], op[1], op[2]);
    }
    }
}

void expr_u64(const struct scope *s, int d)
{
    static const char *const ops[][3] = {
        {"(", " + ", ")"}, {"(", " - ", ")"}, {"(", " * ", ")"}, {"(", " ^ ", ")"}, {"(", " & ", ")"}, {"(", " | ", ")"},
        {"udiv64(", ", ", ")"}, {"srem64(", ", ", ")"}, {"smin64(", ", ", ")"}, {"umax64(", ", ", ")"},
        {"mulhi64(", ", ", ")"},
    };
    if (d <= 0 || !rnd(6)) {
        put("W(%u)", rnd(NW));
        return;
    }
    unsigned k = rnd(6);
    if (k == 0) {
        put("((u64)(");
        expr_u32(s, d - 1);
        put(") * (");
        expr_u32(s, d - 1);
        put("))");
    } else if (k == 1) {
        put(rnd(2) ? "(u64)(s64)(s32)(" : "(u64)(");
        expr_u32(s, d - 1);
        put(")");
    } else if (k == 2) {
        static const char *const shift[] = {"shl64(", "shr64(", "sar64("};
        put("%s", shift[rnd(3)]);
        expr_u64(s, d - 1);
        put(", ");
        expr_u32(s, d - 1);
        put(")");
    } else if (k == 3 && rnd(2)) {
        put("f64_bits(");
        expr_f64(s, d - 1);
        put(")");
    } else {
        const char *const *op = ops[rnd(11)];
        put("%s", op[0]);
        expr_u64(s, d - 1);
        put("%s", op[1]);
        expr_u64(s, d - 1);
        put("%s", op[2]);
    }
}

void expr_f32(const struct scope *s, int d)
{
    static const char *const ops[][3] = {
        {"(", " + ", ")"}, {"(", " - ", ")"},       {"(", " * ", ")"},       {"(", " / ", ")"},
        {"f32_min(", ", ", ")"}, {"f32_max(", ", ", ")"}, {"f32_less(", ", ", ")"}, {"(", " * ", ")"},
    };
    if (d <= 0 || !rnd(5)) {
        put("F(%u)", rnd(NF));
        return;
    }
    switch (rnd(8)) {
    case 0: put("(float)(s32)("); expr_u32(s, d - 1); put(")"); break;
    case 1: put("(float)("); expr_u32(s, d - 1); put(")"); break;
    case 2: put("f32_sqrt("); expr_f32(s, d - 1); put(")"); break;
    case 3: put("(float)("); expr_f64(s, d - 1); put(")"); break;
    case 4:
        put("f32_fma(");
        expr_f32(s, d - 1);
        put(", ");
        expr_f32(s, d - 1);
        put(", F(%u))", rnd(NF));
        break;
    default: {
        const char *const *op = ops[rnd(8)];
        put("%s", op[0]);
        expr_f32(s, d - 1);
        put("%s", op[1]);
        expr_f32(s, d - 1);
        put("%s", op[2]);
    }
    }
}

void expr_f64(const struct scope *s, int d)
{
    if (d <= 0 || !rnd(5)) {
        put("D(%u)", rnd(ND));
        return;
    }
    switch (rnd(7)) {
    case 0: put("(double)(s32)("); expr_u32(s, d - 1); put(")"); break;
    case 1: put("(double)("); expr_f32(s, d - 1); put(")"); break;
    case 2: put("(double)("); expr_u64(s, d - 1); put(")"); break;
    case 3: put("f64_sqrt("); expr_f64(s, d - 1); put(")"); break;
    case 4: put("f64_fma("); expr_f64(s, d - 1); put(", D(%u), D(%u))", rnd(ND), rnd(ND)); break;
    default:
        put("(");
        expr_f64(s, d - 1);
        put(" %c ", "+-*/"[rnd(4)]);
        expr_f64(s, d - 1);
        put(")");
    }
}

void expr_cond(const struct scope *s, int d)
{
    static const char *const compare[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
    bool plain = s->in_function || s->uniform || s->by_warp;
    unsigned k = rnd(plain ? 3 : 6);
    if (k == 0) {
        put("((");
        expr_u32(s, d - 1);
        put(") & %uu) != 0", 1 + rnd(15));
        return;
    }
    const char *cast = k == 2 ? "(s32)" : "";
    const char *op = compare[rnd(6)];
    void (*side)(const struct scope *, int) = k == 3 ? expr_f32 : k == 4 ? expr_u64 : k == 5 ? expr_f64 : expr_u32;
    put("%s(", cast);
    side(s, d - 1);
    put(")%s%s(", op, cast);
    side(s, d - 1);
    put(")");
}
