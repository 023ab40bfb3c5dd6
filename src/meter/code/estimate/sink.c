/* sink.c - where parameters are loaded (sink.h). Uses are met from the last instruction to the first, so that a copy's own uses are known
 * when the one that it copies comes. */
#include "meter/code/estimate/sink.h"

#include "ir/pass.h"

enum { NOWHERE = IR_NO_BLOCK - 1 };

struct sinking {
    const struct ir_func *f;
    const struct estimate *e;
    u32 *uses;   /* by register: the block that dominates what reads it; NOWHERE: nothing does */
    u32 *writes; /* by register: how many instructions write it */
    u32 block;   /* where the instruction that is looked at stands, or will */
};

static bool is_reached(const struct ir_func *f, u32 b) { return b == 0 || f->blocks[b].idom != IR_NO_BLOCK; }

/* The last block that dominates both. */
static u32 meet(const struct ir_func *f, u32 a, u32 b)
{
    while (a != b)
        if (f->blocks[a].depth >= f->blocks[b].depth)
            a = f->blocks[a].idom;
        else
            b = f->blocks[b].idom;
    return a;
}

static void note_write(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct sinking *s = ctx;
    s->writes[reg->index] += is_write;
}

static void note_use(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct sinking *s = ctx;
    u32 *at = &s->uses[reg->index];
    if (!is_write)
        *at = *at == NOWHERE ? s->block : meet(s->f, *at, s->block);
}

/* A load of a parameter, or a copy that takes no instruction. */
static bool may_sink(const struct sinking *s, u32 site)
{
    const struct ptx_inst *i = &s->f->src->insts[site];
    const bool load = i->op == OP_LD && i->space == SPACE_PARAM && s->f->src->is_entry && s->e->sites[site].weight,
               copy = (i->op == OP_CVTA || i->op == OP_MOV) && i->noperands == 2 && !s->e->sites[site].weight &&
                      i->operands[1].kind == PTX_REG && s->writes[i->operands[1].var->index] == 1;
    return (load || copy) && !i->guard && i->operands[0].kind == PTX_REG && s->writes[i->operands[0].var->index] == 1;
}

/* Not into a loop, nor into a body that is predicated. */
static u32 place_of(const struct sinking *s, u32 site)
{
    const u32 own = s->f->block_of_site[site];
    u32 to = s->uses[s->f->src->insts[site].operands[0].var->index];
    if (to == NOWHERE || meet(s->f, own, to) != own)
        return own;
    while (to != own && (s->f->blocks[to].loop_depth > s->f->blocks[own].loop_depth || s->e->counts_as[to] != to))
        to = s->f->blocks[to].idom;
    return to;
}

u32 *sink_parameters(struct arena *mem, const struct ir_func *f, const struct estimate *e)
{
    const u32 n = f->src->ninsts, nregs = f->src->nregs;
    struct sinking s = {f, e, arena_array(mem, u32, nregs + 1), arena_array(mem, u32, nregs + 1), 0};
    u32 *place = arena_array(mem, u32, n + 1);
    for (u32 r = 0; r < nregs; r++)
        s.uses[r] = NOWHERE;
    for (u32 k = 0; k < n; k++)
        ir_each_reg(&f->src->insts[k], note_write, &s);
    for (u32 k = n; k-- > 0;) {
        place[k] = f->block_of_site[k];
        if (place[k] >= f->nblocks || !is_reached(f, place[k]))
            continue;
        if (may_sink(&s, k))
            place[k] = place_of(&s, k);
        else if (e->sites[k].address && f->src->insts[k].op == OP_MOV)
            place[k] = estimate_shared_place(f, k);
        s.block = place[k];
        ir_each_reg(&f->src->insts[k], note_use, &s);
    }
    return place;
}
