/* flight.c - which registers products of warpgroups (wgmma.mma_async) may still write or read, where.
 *
 * A product is done some time between its instruction and the wait for its group. What it writes (d) and what it reads from
 * registers (a) keeps a slot of its own (live.c). Forward dataflow says in front of which instructions a product may be
 * under way: its d and a from the instruction on, nothing behind a wait for all groups. A program must not touch such
 * registers before it has waited; where one does, ptxas puts a wait in front (it says so, C7517), and so does emit_wgmma.c,
 * with a record that looks which products there really are. */
#include "ir/pass.h"

enum { WORD_BITS = 64 };

static void note(void *ctx, const struct ptx_var *reg, bool is_write)
{
    const struct pass *p = ctx;
    if (ir_class(reg->type) == CLASS_32)
        p->late[reg->index] |= is_write ? WGMMA_WRITTEN : WGMMA_READ;
}

static void start(void *ctx, const struct ptx_var *reg, bool is_write)
{
    (void)is_write;
    if (ir_class(reg->type) == CLASS_32)
        ((u64 *)ctx)[reg->index / WORD_BITS] |= (u64)1 << reg->index % WORD_BITS;
}

void ir_step_flight(const struct pass *p, const struct ptx_inst *i, u64 *set)
{
    if (ir_is_wgmma(i))
        ir_each_reg(i, start, set);
    else if (i->op == OP_WGMMA_WAIT_GROUP && !i->guard && !i->operands[0].bits)
        memset(set, 0, p->flight_words * sizeof *set);
}

/* What is under way behind each block, until nothing is added. */
static void solve(struct pass *p)
{
    const struct ir_block *blocks = p->out->blocks;
    u64 *now = arena_array(p->mem, u64, p->flight_words);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < p->out->nblocks; b++) {
            memcpy(now, p->flight + (size_t)b * p->flight_words, p->flight_words * sizeof *now);
            for (u32 k = blocks[b].first; k < blocks[b].end; k++)
                ir_step_flight(p, &p->f->insts[k], now);
            for (u32 k = 0; k < blocks[b].nsucc; k++)
                for (u32 w = 0; w < p->flight_words; w++) {
                    u64 *to = p->flight + (size_t)blocks[b].succs[k] * p->flight_words + w;
                    changed |= (now[w] & ~*to) != 0;
                    *to |= now[w];
                }
        }
    }
}

void ir_build_flight(struct pass *p)
{
    for (u32 k = 0; k < p->f->ninsts; k++) {
        if (!ir_is_wgmma(&p->f->insts[k]))
            continue;
        if (!p->late)
            p->late = arena_array(p->mem, u8, p->f->nregs + 1);
        ir_each_reg(&p->f->insts[k], note, p);
    }
    if (!p->late)
        return;
    p->flight_words = (p->f->nregs + WORD_BITS - 1) / WORD_BITS;
    p->flight = arena_array(p->mem, u64, (size_t)p->out->nblocks * p->flight_words);
    solve(p);
}
