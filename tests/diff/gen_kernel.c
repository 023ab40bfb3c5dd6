/* gen_kernel.c - a kernel: regions of independent threads between operations that threads do together.
 *
 * Where an operation may stand depends on who is sure to arrive:
 *
 *     BLOCK_LEVEL   all threads of the block (top level, block-uniform ifs and loops): barriers, exchanges
 *     WARP_LEVEL    all lanes of a warp that exist (warp-uniform ifs and loops): shuffles and votes with the full mask
 *     LANES_LEVEL   the lanes of a constant mask (if ((M >> LANE) & 1)): the same with that mask
 *
 * A shuffle reads lanes of its own mask only. After an early exit of some threads there are only barriers. */
#include "gen.h"

enum level { BLOCK_LEVEL, WARP_LEVEL, LANES_LEVEL };

struct place {
    struct scope scope;
    enum level level;
    unsigned mask;    /* LANES_LEVEL */
    bool no_warp_ops; /* some lanes have gone, or the last warp is not whole */
    unsigned loops;
};

static void items(struct place p, int n, int depth);

static void region(struct place *p, int n)
{
    put("EACH\n");
    statements(p->scope, n, 2, false);
    put("END\n");
}

/* s0[a permutation of TID] = value; barrier; read anywhere; barrier. */
static void shared_exchange(struct place *p)
{
    static const char *const order[] = {"TID", "NT - 1 - TID", "(TID + %uu) %% NT", "(TID + NT - %uu) %% NT"};
    unsigned k = rnd(4), by = rnd(p->scope.sh->threads);
    put("EACH s0[");
    put(k < 2 ? "%s" : "%.0s", order[k]);
    if (k == 2)
        put("(TID + %uu) %% NT", by);
    else if (k == 3)
        put("(TID + NT - %uu) %% NT", by);
    put("] = ");
    expr_u32(&p->scope, 2);
    put("; END\nSYNC\n");
    struct place reading = *p;
    reading.scope.shared = true;
    region(&reading, 1 + (int)rnd(3));
    put("EACH V(%u) ^= s0[", rnd(NV));
    put("(TID * %uu + %uu) %% NT]; END\nSYNC\n", 1 + rnd(40), rnd(64));
}

static void shared_atomics(struct place *p)
{
    static const char *const ops[] = {"add", "umin", "umax", "smin", "smax", "and", "or", "xor"};
    put("EACH for (u32 q = TID; q < 64; q += NT) s1[q] = in[q + %u]; END\nSYNC\nEACH\n", rnd(512));
    for (int i = 0; i < 3; i++) {
        unsigned k = rnd(8);
        put("if (");
        expr_cond(&p->scope, 1);
        put(") atomic_%s(&s1[%u + ((", ops[k], k * 8);
        expr_u32(&p->scope, 1);
        put(") & 7)], ");
        expr_u32(&p->scope, 1);
        put(");\n");
    }
    put("END\nSYNC\nEACH V(%u) += s1[(V(%u) + TID) & 63]; END\nSYNC\n", rnd(NV), rnd(NV));
}

/* Through global memory: a block's own part, ordered by the barrier. */
static void global_exchange(struct place *p)
{
    put("SYNC\nEACH scratch[GID - TID + (NT - 1 - TID)] = "); /* not before its owner's atomics */
    expr_u32(&p->scope, 2);
    put("; END\nSYNC\nEACH V(%u) += scratch[GID - TID + (TID * %uu + 1) %% NT]; END\nSYNC\n", rnd(NV), rnd(NV) + 1);
}

static void barrier(struct place *p)
{
    static const char *const ops[] = {"SYNC_COUNT", "SYNC_OR", "SYNC_AND"};
    if (!rnd(3)) {
        put("SYNC\n");
        return;
    }
    put("%s(%u, ", ops[rnd(3)], rnd(NV));
    expr_cond(&p->scope, 2);
    put(")\n");
}

static unsigned bit_index(unsigned mask, unsigned n)
{
    for (unsigned i = 0;; i = (i + 1) & 31)
        if ((mask >> i) & 1 && n-- == 0)
            return i;
}

static void shuffle(unsigned mask)
{
    unsigned dst = rnd(NV), src = rnd(NV);
    unsigned k = mask == ~0u ? rnd(6) : rnd(2);
    static const unsigned widths[] = {32, 32, 16, 8, 4, 2};
    unsigned width = widths[rnd(6)];
    switch (k) {
    case 0:
        put("SHFL_IDX(%u, %u, %u, 32, 0x%xu)\n", dst, src, bit_index(mask, rnd(32)), mask);
        break;
    case 1: {
        unsigned by = 1u << rnd(5), closed = 0;
        for (unsigned i = 0; i < 32; i++)
            if ((mask >> i) & (mask >> (i ^ by)) & 1)
                closed |= 1u << i;
        if (closed == mask)
            put("SHFL_XOR(%u, %u, %u, 32, 0x%xu)\n", dst, src, by, mask);
        else
            put("SHFL_IDX(%u, %u, %u, 32, 0x%xu)\n", dst, src, bit_index(mask, rnd(7)), mask);
        break;
    }
    case 2:
        put("SHFL_XOR(%u, %u, %u, %u, 0x%xu)\n", dst, src, rnd(32), width, mask);
        break;
    case 3:
        put("SHFL_UP(%u, %u, %u, %u, 0x%xu)\n", dst, src, rnd(32), width, mask);
        break;
    case 4:
        put("SHFL_DOWN(%u, %u, %u, %u, 0x%xu)\n", dst, src, rnd(32), width, mask);
        break;
    case 5:
        put("SHFL_IDX(%u, %u, V(%u), %u, 0x%xu)\n", dst, src, rnd(NV), width, mask);
        break;
    }
}

static void vote(struct place *p, unsigned mask)
{
    static const char *const ops[] = {"BALLOT", "ANY", "ALL", "MATCH"};
    static const char *const redux[] = {"REDUX_ADD", "REDUX_UMIN", "REDUX_SMAX", "REDUX_XOR", "REDUX_AND", "REDUX_OR"};
    unsigned k = rnd(6);
    if (k < 3) {
        put("%s(%u, 0x%xu, ", ops[k], rnd(NV), mask);
        expr_cond(&p->scope, 2);
        put(")\n");
    } else if (k == 3) {
        put("MATCH(%u, 0x%xu, V(%u) & %u)\n", rnd(NV), mask, rnd(NV), 1 + rnd(7));
    } else {
        put("%s(%u, 0x%xu, V(%u))\n", redux[rnd(6)], rnd(NV), mask, rnd(NV));
    }
}

static void warp_operation(struct place *p)
{
    unsigned mask = p->level == LANES_LEVEL ? p->mask : ~0u;
    unsigned k = rnd(5);
    if (k == 4)
        put("SYNCWARP(0x%xu)\n", mask);
    else if (k < 2)
        vote(p, mask);
    else
        shuffle(mask);
}

static void uniform_if(struct place p, int depth)
{
    struct scope u = p.scope;
    u.uniform = true;
    put("if (");
    expr_cond(&u, 2);
    put(") {\n");
    items(p, 2, depth - 1);
    put("}\n");
}

static void uniform_loop(struct place p, int depth)
{
    unsigned c = p.loops++;
    struct scope u = p.scope;
    u.uniform = true;
    put("for (u32 u%u = 0, x%u = (", c, c);
    expr_u32(&u, 1);
    put(") & 3; u%u < x%u; u%u++) {\n", c, c, c);
    items(p, 2, depth - 1);
    put("}\n");
}

static void warp_if(struct place p, int depth)
{
    struct scope u = p.scope;
    u.by_warp = true;
    put("IF_EACH(");
    expr_cond(&u, 2);
    put(")\n");
    p.level = p.level == BLOCK_LEVEL ? WARP_LEVEL : p.level;
    items(p, 2, depth - 1);
    put("END_IF\n");
}

static void warp_loop(struct place p, int depth)
{
    unsigned c = p.loops++;
    struct scope u = p.scope;
    u.by_warp = true;
    put("FOR_EACH(u%u, (", c);
    expr_u32(&u, 1);
    put(") & 3)\n");
    p.level = p.level == BLOCK_LEVEL ? WARP_LEVEL : p.level;
    items(p, 2, depth - 1);
    put("END_FOR\n");
}

static void lanes_if(struct place p, int depth)
{
    static const unsigned masks[] = {0x55555555, 0xaaaaaaaa, 0xffff0000, 0x0000ffff,
                                     0x0f0f0f0f, 0x00000001, 0x80000001};
    p.mask = rnd(2) ? masks[rnd(7)] : (rnd(0x7fffffff) ^ rnd(0x7fffffff) << 1) | 1u << rnd(32);
    p.level = LANES_LEVEL;
    put("IF_EACH((0x%xu >> LANE) & 1)\n", p.mask);
    items(p, 2, depth - 1);
    put("END_IF\n");
}

/* What the threads of a block do together. */
static void block_item(struct place *p, int depth)
{
    switch (rnd(depth > 0 ? 7 : 5)) {
    case 0:
    case 1:
        shared_exchange(p);
        break;
    case 2:
        shared_atomics(p);
        break;
    case 3:
        global_exchange(p);
        break;
    case 4:
        barrier(p);
        break;
    case 5:
        uniform_if(*p, depth);
        break;
    case 6:
        uniform_loop(*p, depth);
        break;
    }
}

static void warp_item(struct place *p, int depth)
{
    unsigned k = rnd(depth > 0 ? 8 : 4);
    if (k == 7 && p->level != LANES_LEVEL)
        lanes_if(*p, depth);
    else if (k == 6)
        warp_if(*p, depth);
    else if (k == 5)
        warp_loop(*p, depth);
    else if (p->no_warp_ops)
        region(p, 1);
    else
        warp_operation(p);
}

static void items(struct place p, int n, int depth)
{
    for (int i = 0; i < n; i++) {
        struct mark m = item_begin();
        unsigned k = rnd(10);
        if (k < 4)
            region(&p, 1 + (int)rnd(4));
        else if (k < 7 && p.level == BLOCK_LEVEL)
            block_item(&p, depth);
        else
            warp_item(&p, depth);
        item_end(m);
    }
}

static void begin(const struct shape *sh)
{
    put("KERNEL(%u, %u, %u)\n", sh->seed, sh->threads, sh->blocks);
    put("SHARED(s0, %u)\nSHARED(s1, 64)\nEACH\n", sh->threads);
    for (unsigned i = 0; i < NV; i++)
        put("V(%u) = in[(GID * %uu + %uu) & 1023];\n", i, 1 + rnd(64), rnd(1024));
    for (unsigned i = 0; i < NW; i++)
        put("W(%u) = (u64)V(%u) << 32 | V(%u);\n", i, rnd(NV), rnd(NV));
    for (unsigned i = 0; i < NF; i++)
        put(rnd(3) ? "F(%u) = (float)(s32)V(%u) * 0x1p-20f;\n" : "F(%u) = f32_of_bits(V(%u));\n", i, rnd(NV));
    for (unsigned i = 0; i < ND; i++)
        put("D(%u) = (double)(s32)V(%u) * 0x1p-12;\n", i, rnd(NV));
    for (unsigned i = 0; i < NA; i++)
        put("A(%u) = V(%u) + %uu;\n", i, rnd(NV), i);
    put("s0[TID] = TID;\nEND\nSYNC\n"); /* after an early exit somebody's cell may keep this */
}

static void finish(void)
{
    put("EACH\n");
    for (unsigned i = 0; i < NV; i++)
        put("out[GID * 32 + %u] = V(%u);\n", i, i);
    for (unsigned i = 0; i < NW; i++)
        put("((u64 *)out)[GID * 16 + %u] = W(%u);\n", 4 + i, i);
    for (unsigned i = 0; i < NF; i++)
        put("out[GID * 32 + %u] = f32_bits(F(%u));\n", 16 + i, i);
    for (unsigned i = 0; i < ND; i++)
        put("((u64 *)out)[GID * 16 + %u] = f64_bits(D(%u));\n", 10 + i, i);
    for (unsigned i = 0; i < NA; i++)
        put("out[GID * 32 + %u] = A(%u);\n", 24 + i, i);
    put("END\nEND_KERNEL\n\n");
}

void gen_kernel(struct shape *sh)
{
    unsigned nfuncs = rnd(4);
    for (unsigned i = 0; i < nfuncs; i++)
        function(sh, i);
    sh->nfuncs = nfuncs;
    begin(sh);
    struct place p = {.scope = {.sh = sh}, .no_warp_ops = sh->threads % 32 != 0};
    items(p, 3 + (int)rnd(5), 2);
    if (!rnd(4)) {
        struct mark m = item_begin();
        put("EXIT_IF(");
        expr_cond(&p.scope, 2);
        put(")\n");
        item_end(m);
        p.no_warp_ops = true;
        items(p, 2, 1);
    }
    finish();
}
