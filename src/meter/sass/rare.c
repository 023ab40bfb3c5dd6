/* rare.c - machine code that runs in rare cases only (match.h).
 *
 * A division or a root is a short sequence, and a call for operands that it cannot do (denormal numbers, infinities). The call has a branch around it;
 * what it calls is a function that ptxas brings along, behind the kernel's own code. A division of 64-bit integers is such a
 * function, too, but called always.
 *
 * Behind WARPSYNC.COLLECTIVE is the way round for a warp whose lanes came apart before a shuffle. */
#include "meter/sass/match.h"

/* One of another function's lines is that function's. */
bool match_is_hidden_call(const struct match *m, u32 inst)
{
    const struct sass_inst *made = &m->code->insts[inst];
    const u32 site = match_site(m, inst);
    return made->op == SASS_CALL && (site ? m->f->src->insts[site - 1].op != OP_CALL : !made->line);
}

u32 match_block_at(const struct match *m, i32 inst)
{
    for (u32 b = 0; b < m->blocks.len; b++)
        if (inst >= (i32)m->blocks.at[b].first && inst < (i32)m->blocks.at[b].end)
            return b;
    return m->blocks.len;
}

/* From its first instruction to the return. */
struct match_callee match_callee(const struct match *m, u32 inst)
{
    const i32 target = m->code->insts[inst].target;
    struct match_callee c = {0};
    if (target < 0)
        return c;
    c.first = c.end = (u32)target;
    while (c.end < m->code->n) {
        const struct sass_inst *i = &m->code->insts[c.end++];
        if (i->op == SASS_RET && !i->guarded)
            break;
    }
    return c;
}

static void mark(struct match *m, struct match_callee c)
{
    for (u32 b = c.first < c.end ? match_block_at(m, (i32)c.first) : m->blocks.len;
         b < m->blocks.len && m->blocks.at[b].first < c.end; b++)
        m->rare[b] = 1;
}

/* A branch over the call, of the same PTX instruction, is in front of it. */
static bool is_jumped_over(const struct match *m, u32 block, u32 call)
{
    const u32 before = block ? m->blocks.at[block - 1].end - 1 : 0;
    const struct sass_inst *last = &m->code->insts[before];
    return block && last->op == SASS_BRA && last->guarded && last->target > (i32)call &&
           match_site(m, before) == match_site(m, call);
}

void match_find_rare(struct match *m)
{
    m->rare = arena_array(m->mem, u8, m->blocks.len + 1);
    for (u32 b = 0; b < m->blocks.len; b++)
        for (u32 i = m->blocks.at[b].first; i < m->blocks.at[b].end; i++)
            if (m->code->insts[i].op == SASS_COLLECT) {
                m->rare[b] = 1;
            } else if (match_is_hidden_call(m, i)) {
                mark(m, match_callee(m, i));
                m->rare[b] |= is_jumped_over(m, b, i);
            }
}
