/* gen_near.c - whether addresses lie within a line of each other, by the sums that they are made of.
 *
 * p[y * n + x] and p[(y - 1) * n + x + n + 1] are such: both are p + 4 y n + 4 x and a constant. Sums are compared as if
 * nothing overflowed, so this is a guess: it decides what is fetched twice, and nothing that a result depends on. */
#include "exec/tier/gen.h"

enum { DEEPEST = 10, LINE = 64 };

static void add_value(const struct gen *e, struct sum *s, llvm_value v, u64 by, u32 depth);

/* by * v as one term; without room the address is near none. */
static void add_term(struct sum *s, llvm_value v, u64 by)
{
    u32 k = 0;
    while (k < s->n && s->term[k].v != v)
        k++;
    if (k == LS_ARRAY_LEN(s->term)) {
        s->whole = false;
        return;
    }
    s->term[k] = (struct term){v, by + (k < s->n ? s->term[k].by : 0)};
    s->n += k == s->n;
}

static bool constant(const struct gen *e, llvm_value v, u64 *n)
{
    if (!e->ll->IsAConstantInt(v))
        return false;
    *n = (u64)e->ll->ConstIntGetSExtValue(v);
    return true;
}

/* What the instruction adds, if it is one of those that sums are made of. */
static bool add_operands(const struct gen *e, struct sum *s, llvm_value v, u64 by, u32 depth)
{
    const llvm_value a = e->ll->GetOperand(v, 0), b = e->ll->GetNumOperands(v) > 1 ? e->ll->GetOperand(v, 1) : NULL;
    u64 n;
    switch (e->ll->GetInstructionOpcode(v)) {
    case LLVM_OP_ADD:
        add_value(e, s, a, by, depth);
        add_value(e, s, b, by, depth);
        return true;
    case LLVM_OP_SUB:
        add_value(e, s, a, by, depth);
        add_value(e, s, b, -by, depth);
        return true;
    case LLVM_OP_MUL:
        if (!constant(e, b, &n))
            return false;
        add_value(e, s, a, by * n, depth);
        return true;
    case LLVM_OP_SHL:
        if (!constant(e, b, &n) || n > 63)
            return false;
        add_value(e, s, a, by << n, depth);
        return true;
    case LLVM_OP_XOR: /* ~a = -a - 1 */
        if (!constant(e, b, &n) || n != UINT64_MAX)
            return false;
        add_value(e, s, a, -by, depth);
        s->constant -= by;
        return true;
    case LLVM_OP_SEXT:
    case LLVM_OP_ZEXT:
    case LLVM_OP_TRUNC:
        add_value(e, s, a, by, depth);
        return true;
    case LLVM_OP_PHI: /* of one way, as at the beginning of a node; in a loop others come later */
        if (!e->straight || v == e->x || e->ll->GetNumOperands(v) != 1)
            return false;
        add_value(e, s, a, by, depth);
        return true;
    default:
        return false;
    }
}

static void add_value(const struct gen *e, struct sum *s, llvm_value v, u64 by, u32 depth)
{
    u64 n;
    if (constant(e, v, &n))
        s->constant += by * n;
    else if (depth == DEEPEST || !e->ll->IsAInstruction(v) || !add_operands(e, s, v, by, depth + 1))
        add_term(s, v, by);
}

struct sum near_sum(const struct gen *e, llvm_value address)
{
    struct sum s = {.whole = true};
    add_value(e, &s, address, 1, 0);
    return s;
}

static bool has_terms(const struct sum *s, const struct sum *of)
{
    for (u32 k = 0; k < of->n; k++) {
        u64 by = 0;
        for (u32 j = 0; j < s->n; j++)
            by += s->term[j].v == of->term[k].v ? s->term[j].by : 0;
        if (by != of->term[k].by)
            return false;
    }
    return true;
}

bool near_each_other(const struct sum *a, const struct sum *b)
{
    return a->whole && b->whole && a->constant - b->constant + LINE - 1 < 2 * LINE - 1 && has_terms(a, b) &&
           has_terms(b, a);
}
