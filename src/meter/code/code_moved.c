/* code_moved.c - accesses that machine code does before a warp enters their PTX block, or after it has left it: loads that ptxas
 * has moved up, over a function with branches of which it has made selects; or down, out of a loop to where their result is
 * used. */
#include "meter/code/make_code.h"

/* The block whose program runs while a warp is in the block of the site; IR_NO_BLOCK: none does. */
static u32 runs_in(const struct ir_func *f, const struct replay_code *c, u32 site)
{
    u32 b = f->block_of_site[site];
    while (b != IR_NO_BLOCK && !c->blocks[b].n)
        b = f->blocks[b].idom;
    return b;
}

static bool has_access(const struct replay_code *c, u32 block, u32 site)
{
    for (u32 p = 0; p < c->blocks[block].n; p++)
        for (u32 i = 0; i < c->blocks[block].programs[p].n; i++)
            if (replay_is_streamed(&c->blocks[block].programs[p].insts[i]) &&
                c->blocks[block].programs[p].insts[i].site == site)
                return true;
    return false;
}

/* All ways to `other` lead through `block`. */
static bool is_above(const struct ir_func *f, u32 block, u32 other)
{
    while (other != IR_NO_BLOCK && other != block)
        other = f->blocks[other].idom;
    return other == block;
}

/* It stands in a program of the block, and not in the one that runs when a warp comes to it. */
static bool is_elsewhere(const struct ir_func *f, const struct replay_code *c, u32 block, const struct replay_inst *i)
{
    const u32 runs = runs_in(f, c, i->site);
    return runs != block && runs != IR_NO_BLOCK && !has_access(c, runs, i->site);
}

void code_find_moved(struct arena *mem, const struct ir_func *f, struct replay_code *c)
{
    struct replay_moved *moved = arena_array(mem, struct replay_moved, f->src->ninsts + 1);
    for (u32 b = 0; b < c->nblocks; b++)
        for (u32 p = 0; p < c->blocks[b].n; p++)
            for (u32 i = 0; i < c->blocks[b].programs[p].n; i++) {
                const struct replay_inst *x = &c->blocks[b].programs[p].insts[i];
                if (x->op != REPLAY_MEMORY || code_is_async(&f->src->insts[x->site]) || !is_elsewhere(f, c, b, x))
                    continue;
                if (is_above(f, b, f->block_of_site[x->site]))
                    moved[x->site].up = b + 1;
                else
                    moved[x->site].down = true;
            }
    c->moved = moved;
}

bool code_is_lost(const struct ir_func *f, const struct replay_code *c, u32 block, const struct replay_inst *i)
{
    return replay_is_streamed(i) && is_elsewhere(f, c, block, i) && !c->moved[i->site].down &&
           c->moved[i->site].up != block + 1;
}
