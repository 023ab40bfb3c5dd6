/* reciprocals.c - divisions of 32 bits by the same value, where no ptxas is asked. ptxas makes the reciprocal of a divisor once for all divisions
 * behind it, and in front of a loop of one block if the loop does not change it: of one divisor a loop. */
#include "ir/pass.h"
#include "meter/blocks.h"
#include "meter/rules.h"
#include "meter/sass/expand.h"

struct divisions {
    const struct ir_func *f;
    u32 *writes;               /* by register: how many instructions write it */
    const struct ptx_var *out; /* of the block that is looked at: the divisor in front of it */
};

static void count_write(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct divisions *d = ctx;
    d->writes[reg->index] += is_write;
}

static const struct ptx_var *divisor_of(const struct ptx_inst *i)
{
    return expand_division(i) && i->operands[2].kind == PTX_REG && !i->guard ? i->operands[2].var : NULL;
}

static bool is_signed(const struct ptx_inst *i) { return ptx_type_signed((enum ptx_type)i->types[0]); }

/* 1 + a division before it that has made the reciprocal; 0: there is none. */
static u32 find_earlier(const struct divisions *d, u32 site)
{
    const struct ptx_inst *i = &d->f->src->insts[site];
    const u32 block = d->f->block_of_site[site];
    for (u32 s = site; s-- > 0;) {
        const struct ptx_inst *o = &d->f->src->insts[s];
        if (divisor_of(o) == divisor_of(i) && is_signed(o) == is_signed(i) &&
            block_dominates(d->f, d->f->block_of_site[s], block))
            return 1 + s;
    }
    return 0;
}

/* The only write of what does not change in the loop is in front of it. */
static bool is_made_before(const struct ir_func *f, u32 block, const struct ptx_var *divisor)
{
    for (u32 s = f->blocks[block].first; s < f->blocks[block].end; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        if (i->noperands && i->operands[0].kind == PTX_REG && i->operands[0].var == divisor)
            return false;
    }
    return true;
}

void estimate_reciprocals(struct arena *mem, const struct ir_func *f, struct site_estimate *sites)
{
    struct divisions d = {.f = f, .writes = arena_array(mem, u32, f->src->nregs + 1)};
    u32 last = IR_NO_BLOCK;
    for (u32 s = 0; s < f->src->ninsts; s++)
        ir_each_reg(&f->src->insts[s], count_write, &d);
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        const struct ptx_var *divisor = divisor_of(i);
        const u32 block = f->block_of_site[s];
        if (!divisor || d.writes[divisor->index] != 1 || block >= f->nblocks)
            continue;
        d.out = last == block ? d.out : NULL;
        last = block;
        u32 from = find_earlier(&d, s);
        if (!from && !d.out && block_follows_itself(f, block) && is_made_before(f, block, divisor)) {
            d.out = divisor;
            from = 1 + s;
        }
        sites[s].reciprocal = from;
        sites[s].weight = from ? (u8)expand_length(expand_division(i)) : sites[s].weight;
    }
}
