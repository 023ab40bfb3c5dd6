/* ref_warp.c - instructions of a whole warp, all 32 lanes active (PTX ISA 9.7.9.6, 9.7.13). See suite.h. */
#include "suite.h"

#include <string.h>

/* shfl.sync (9.7.9.6): in: a and b, and c in imm; out: the value, and whether the lane was in range. */
static void shfl(const struct ref *r, u64 in[][32], u64 out[][32])
{
    for (int lane = 0; lane < 32; lane++) {
        const int b = (int)(in[1][lane] & 31), clamp = r->imm & 31, seg = r->imm >> 8 & 31;
        const int max = (lane & seg) | (clamp & ~seg), min = lane & seg;
        int j = lane;
        bool p = false;
        if (ref_has(r, "up"))
            j = lane - b, p = j >= max;
        else if (ref_has(r, "down"))
            j = lane + b, p = j <= max;
        else if (ref_has(r, "bfly"))
            j = lane ^ b, p = j <= max;
        else
            j = min | (b & ~seg), p = j <= max;
        out[0][lane] = in[0][p ? j : lane];
        out[1][lane] = p;
    }
}

static void vote(const struct ref *r, u64 in[][32], u64 out[][32])
{
    u32 ballot = 0;
    for (int lane = 0; lane < 32; lane++)
        ballot |= (u32)((in[0][lane] != 0) != r->negate) << lane;
    const u64 x = ref_has(r, "ballot") ? ballot
                  : ref_has(r, "all")  ? ballot == ~0u
                  : ref_has(r, "any")  ? ballot != 0
                                       : ballot == 0 || ballot == ~0u;
    for (int lane = 0; lane < 32; lane++)
        out[0][lane] = x;
}

static void match(const struct ref *r, u64 in[][32], u64 out[][32])
{
    for (int lane = 0; lane < 32; lane++) {
        u32 same = 0;
        for (int j = 0; j < 32; j++)
            same |= (u32)(in[0][j] == in[0][lane]) << j;
        out[0][lane] = ref_has(r, "all") ? (same == ~0u ? same : 0) : same;
        out[1][lane] = same == ~0u;
    }
}

static void redux(const struct ref *r, u64 in[][32], u64 out[][32])
{
    const bool is_signed = r->d->kind == KIND_S;
    u64 x = in[0][0];
    for (int j = 1; j < 32; j++) {
        const u64 y = in[0][j];
        const bool less = is_signed ? (i32)y < (i32)x : y < x;
        x = ref_has(r, "add")           ? x + y
            : ref_has(r, "and")         ? x & y
            : ref_has(r, "or")          ? x | y
            : ref_has(r, "xor")         ? x ^ y
            : less == ref_has(r, "min") ? y
                                        : x;
    }
    for (int lane = 0; lane < 32; lane++)
        out[0][lane] = (u32)x;
}

static void active(const struct ref *r, u64 in[][32], u64 out[][32])
{
    (void)r, (void)in;
    for (int lane = 0; lane < 32; lane++)
        out[0][lane] = 0xffffffff;
}

static const struct {
    const char *op;
    void (*eval)(const struct ref *r, u64 in[][32], u64 out[][32]);
} ops[] = {{"shfl", shfl}, {"vote", vote}, {"match", match}, {"redux", redux}, {"activemask", active}};

static int find(const char *op)
{
    for (unsigned k = 0; k < sizeof ops / sizeof ops[0]; k++)
        if (!strncmp(op, ops[k].op, strlen(ops[k].op)) && (op[strlen(ops[k].op)] == '.' || !op[strlen(ops[k].op)]))
            return (int)k;
    return -1;
}

bool warp_find(const char *op) { return find(op) >= 0; }
void warp_eval(const struct ref *r, u64 in[][32], u64 out[][32]) { ops[find(r->tok[0])].eval(r, in, out); }
