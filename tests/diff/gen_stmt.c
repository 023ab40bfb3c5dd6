/* gen_stmt.c - statements of one thread: whatever control flow C has, bounded. A loop runs at most 9 times and loops nest
 * at most two deep inside a region, so no kernel runs long. */
#include "gen.h"

static void assign(const struct scope *s)
{
    int d = 1 + (int)rnd(3);
    if (s->in_function) {
        put("%c %s ", "ab"[rnd(2)], rnd(2) ? "+=" : "^=");
        expr_u32(s, d);
        put(";\n");
        return;
    }
    switch (rnd(9)) {
    case 0:
        put("W(%u) = ", rnd(NW));
        expr_u64(s, d);
        break;
    case 1:
        put("F(%u) = ", rnd(NF));
        expr_f32(s, d);
        break;
    case 2:
        put("D(%u) = ", rnd(ND));
        expr_f64(s, d);
        break;
    case 3:
        put("A((");
        expr_u32(s, d - 1);
        put(") & 7) = ");
        expr_u32(s, d);
        break;
    case 4:
        put("V(%u) += ", rnd(NV));
        expr_u32(s, d);
        break;
    default:
        put("V(%u) = ", rnd(NV));
        expr_u32(s, d);
        break;
    }
    put(";\n");
}

/* Atomics whose cells belong to one operation, so that their order does not matter; or to one thread. */
static void atomic(const struct scope *s)
{
    static const char *const ops[] = {"add", "umin", "umax", "smin", "smax", "and", "or", "xor"};
    unsigned k = rnd(8);
    switch (rnd(4)) {
    case 0:
        put("V(%u) ^= atomic_%s(&scratch[GID], ", rnd(NV), ops[k]);
        break;
    case 1:
        put("atomic_add64((u64 *)acc + 32 + %u, ", rnd(8));
        expr_u64(s, 1);
        put(");\n");
        return;
    case 2:
        put("V(%u) += atomic_cas(&scratch[GID], V(%u), ", rnd(NV), rnd(NV));
        break;
    default:
        put("atomic_%s(&acc[%u + ((", ops[k], k * 8);
        expr_u32(s, 1);
        put(") & 7)], ");
    }
    expr_u32(s, 2);
    put(");\n");
}

static void branch(struct scope s, int depth, bool loop)
{
    put("if (");
    expr_cond(&s, 2);
    put(") {\n");
    statements(s, 1 + (int)rnd(3), depth - 1, loop);
    if (rnd(2)) {
        put("} else {\n");
        statements(s, 1 + (int)rnd(3), depth - 1, loop);
    }
    put("}\n");
}

static void loop_statement(struct scope s, int depth)
{
    unsigned c = s.counters++;
    unsigned form = rnd(3);
    struct scope head = s;
    head.counters = c;
    if (form == 0) {
        put("for (u32 i%u = 0, e%u = (", c, c);
        expr_u32(&head, 2);
        put(") & 7; i%u < e%u; i%u++) {\n", c, c, c);
    } else if (form == 1) {
        put("{ u32 i%u = (", c);
        expr_u32(&head, 2);
        put(") & 7; while (i%u-- > 0) {\n", c);
    } else {
        put("{ u32 i%u = 0; do {\n", c);
    }
    statements(s, 1 + (int)rnd(4), depth - 1, true);
    if (form == 0)
        put("}\n");
    else if (form == 1)
        put("} }\n");
    else {
        put("} while (++i%u < 6 && (", c);
        expr_cond(&s, 2);
        put(")); }\n");
    }
}

static void switch_statement(struct scope s, int depth, bool loop)
{
    unsigned cases = 2 + rnd(4);
    put("switch ((");
    expr_u32(&s, 2);
    put(") %% %uu) {\n", cases + rnd(2));
    for (unsigned i = 0; i < cases; i++) {
        if (i + 1 == cases && rnd(2))
            put("default: {\n");
        else
            put("case %u: {\n", i);
        statements(s, 1 + (int)rnd(2), depth - 1, loop);
        put(rnd(4) ? "} break;\n" : "} FALLTHROUGH;\n");
    }
    put("case %u: break;\n}\n", cases + 1);
}

/* Leaves the loop, or this iteration of it. `continue` would be endless in the third form of loop only if its condition
 * did not count, and it does. */
static void leave(const struct scope *s)
{
    put("if (");
    expr_cond(s, 1);
    put(") %s;\n", rnd(2) ? "LEAVE" : "continue");
}

void statements(struct scope s, int n, int depth, bool loop)
{
    for (int i = 0; i < n; i++) {
        struct mark m = item_begin();
        unsigned k = rnd(12);
        if (depth > 0 && k < 3)
            branch(s, depth, loop);
        else if (depth > 0 && k < 5 && s.counters < 2)
            loop_statement(s, depth);
        else if (depth > 0 && k == 5)
            switch_statement(s, depth, false);
        else if (loop && k == 6)
            leave(&s);
        else if (k == 7 && !s.in_function)
            atomic(&s);
        else
            assign(&s);
        item_end(m);
    }
}

/* A device function that is called, not inlined; the last of three calls itself. */
void function(const struct shape *sh, unsigned index)
{
    struct scope s = {.sh = sh, .in_function = true};
    put("NOINLINE u32 f%u_%u(u32 a, u32 b)\n{\n", sh->seed, index);
    if (index == 2) {
        put("const u32 depth = b & 3;\nif (depth == 0) return a;\n");
        statements(s, 2, 1, false);
        put("return a ^ f%u_2(a + b, depth - 1) * 3u;\n}\n", sh->seed);
        return;
    }
    statements(s, 2 + (int)rnd(3), 2, false);
    put("return ");
    expr_u32(&s, 2);
    put(";\n}\n");
}
