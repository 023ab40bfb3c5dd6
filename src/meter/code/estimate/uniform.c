/* uniform.c - which registers have the same value in all lanes, as ptxas keeps them (lives.h).
 *
 * A value is the same in all lanes if it is made of such values only: of parameters, constants and numbers of the block. One that is carried
 * round a loop, and so is written by several instructions, stays in a uniform register if besides
 *
 *     its instructions are ones that uniform registers have (sums, products, shifts, logic),
 *     neither it nor what is made of it is compared with a constant; it is no address, and is not stored or given to other lanes: those read a
 *     lane's register,
 *     the loop is not unrolled, and calls nothing,
 *     all lanes run all of its writes together: no branch on which lanes part leads to some of them only, or out of the loop.
 *
 * Read off ptxas's code for small loops that differ in one of these. */
#include "base/vec.h"
#include "ir/pass.h"
#include "meter/blocks.h"
#include "meter/code/estimate/lives.h"
#include "meter/code/estimate/unroll.h"
#include "meter/sass/expand.h"

struct write {
    u32 reg, block;
    u32 next; /* 1 + another one of the same register; 0: none */
};

struct varying {
    struct arena *mem;
    const struct ir_func *f;
    bool *varies;  /* by register */
    u32 *writes;   /* by register: how many instructions write it */
    bool *parted;  /* by block: what a branch of it on which lanes part does to writes has been looked at */
    bool *reached; /* by block: between such a branch and where its lanes meet */
    u32 *stack;    /* of blocks that are reached, and whose successors are not looked at */
    bool *lane;    /* by register: a lane's register is read in its place */
    u32 *first;    /* by register: 1 + its first write of those carried */
    VEC(struct write) carried;
    u32 block;
    bool now; /* the result of the instruction that is looked at does */
    bool changed;
};

bool lives_is_of_lane(const struct ptx_inst *i)
{
    const u8 memory = ptx_op_rows[i->op].memory, class = ptx_op_rows[i->op].class;
    const struct ptx_operand *o = i->op == OP_MOV && i->noperands == 2 ? &i->operands[1] : NULL;
    const bool constant = i->op == OP_LD && (i->space == SPACE_PARAM || i->space == SPACE_CONST);
    if (o && o->kind == PTX_SREG)
        return ptx_sreg_rows[o->sreg].scope != SREG_SCOPE_BLOCK && ptx_sreg_rows[o->sreg].scope != SREG_SCOPE_GRID;
    return (memory != PTX_MEM_NONE && !constant) || class == PTX_CLASS_TEXTURE || class == PTX_CLASS_TENSOR ||
           class == PTX_CLASS_INTER_THREAD;
}

static void vary(struct varying *v, u32 reg)
{
    v->changed |= !v->varies[reg];
    v->varies[reg] = true;
}

/* ---- what uniform registers are not for ---- */

static void count_write(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct varying *v = ctx;
    v->writes[reg->index] += is_write;
}

static void keep_written(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct varying *v = ctx;
    if (is_write && v->writes[reg->index] > 1)
        vary(v, reg->index);
}

static void want_read(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct varying *v = ctx;
    v->changed |= !is_write && !v->lane[reg->index];
    v->lane[reg->index] |= !is_write;
}

static void note_wanted(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct varying *v = ctx;
    v->now |= is_write && v->lane[reg->index];
}

static void note_write(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct varying *v = ctx;
    if (!is_write || v->writes[reg->index] < 2 || v->varies[reg->index])
        return;
    vec_push(v->mem, &v->carried, ((struct write){reg->index, v->block, v->first[reg->index]}));
    v->first[reg->index] = v->carried.len;
}

static bool has_uniform_unit(const struct ptx_inst *i)
{
    if (i->ntypes && ptx_type_float((enum ptx_type)i->types[0]))
        return false;
    switch (i->op) {
    case OP_MOV:
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAD:
    case OP_SHL:
    case OP_SHR:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_CVT:
        return true;
    default:
        return false;
    }
}

/* A comparison with a constant or of 64 bits. */
static bool is_lane_comparison(const struct ptx_inst *i)
{
    bool constant = i->ntypes && ptx_type_bits((enum ptx_type)i->types[i->ntypes - 1]) > 32;
    for (u32 k = 1; k < i->noperands; k++)
        constant |= i->operands[k].kind == PTX_IMM;
    return (i->op == OP_SETP || i->op == OP_SET) && constant;
}

static bool calls_something(const struct ptx_inst *i)
{
    return ptx_op_rows[i->op].flow == FLOW_CALL || expand_has_slow_path(i);
}

/* In a block that calls something, or in a loop that is unrolled. */
static bool is_lane_block(const struct ir_func *f, u32 block)
{
    for (u32 s = f->blocks[block].first; s < f->blocks[block].end; s++)
        if (calls_something(&f->src->insts[s]))
            return true;
    return unroll_factor(f, block) > 1;
}

/* What a lane's register is made of is in one, too. */
static void want_sources(struct varying *v)
{
    const struct ptx_func *src = v->f->src;
    for (v->changed = true; v->changed;) {
        v->changed = false;
        for (u32 s = src->ninsts; s-- > 0;) {
            v->now = false;
            ir_each_reg(&src->insts[s], note_wanted, v);
            if (v->now && has_uniform_unit(&src->insts[s]))
                ir_each_reg(&src->insts[s], want_read, v);
        }
    }
}

static void look_at_carried(struct varying *v)
{
    const struct ptx_func *src = v->f->src;
    for (v->block = 0; v->block < v->f->nblocks; v->block++) {
        const bool lane = is_lane_block(v->f, v->block);
        for (u32 s = v->f->blocks[v->block].first; s < v->f->blocks[v->block].end; s++) {
            if (lane || !has_uniform_unit(&src->insts[s]))
                ir_each_reg(&src->insts[s], keep_written, v);
            if (is_lane_comparison(&src->insts[s]))
                ir_each_reg(&src->insts[s], want_read, v);
        }
    }
    want_sources(v);
    for (u32 s = 0; s < src->ninsts; s++)
        if (lives_is_of_lane(&src->insts[s]) || src->insts[s].op == OP_ST)
            ir_each_reg(&src->insts[s], want_read, v);
    for (u32 r = 0; r < src->nregs; r++)
        if (v->lane[r] && v->writes[r] > 1)
            vary(v, r);
    for (v->block = 0; v->block < v->f->nblocks; v->block++)
        for (u32 s = v->f->blocks[v->block].first; s < v->f->blocks[v->block].end; s++)
            ir_each_reg(&src->insts[s], note_write, v);
}

/* ---- where lanes part ---- */

/* All blocks that a branch of this one leads to, up to where its lanes meet. */
static void reach(struct varying *v, u32 block)
{
    u32 n = 0;
    memset(v->reached, 0, v->f->nblocks);
    v->stack[n++] = block;
    while (n) {
        const struct ir_block *b = &v->f->blocks[v->stack[--n]];
        for (u32 k = 0; k < b->nsucc; k++)
            if (b->succs[k] != v->f->blocks[block].ipdom && !v->reached[b->succs[k]]) {
                v->reached[b->succs[k]] = true;
                v->stack[n++] = b->succs[k];
            }
    }
}

/* All writes of a register are where lanes have come by one way of a branch. */
static bool is_of_one_way(const struct varying *v, u32 reg)
{
    u32 first = IR_NO_BLOCK;
    for (u32 k = v->first[reg]; k; k = v->carried.at[k - 1].next) {
        const u32 block = v->carried.at[k - 1].block;
        if (!v->reached[block])
            return false;
        if (first == IR_NO_BLOCK || block_dominates(v->f, block, first))
            first = block;
    }
    for (u32 k = v->first[reg]; k; k = v->carried.at[k - 1].next)
        if (!block_dominates(v->f, first, v->carried.at[k - 1].block))
            return false;
    return true;
}

static void part(struct varying *v, u32 block)
{
    v->parted[block] = true;
    reach(v, block);
    for (u32 k = 0; k < v->carried.len; k++) {
        const struct write *w = &v->carried.at[k];
        if (!v->varies[w->reg] && v->reached[w->block] && (v->reached[block] || !is_of_one_way(v, w->reg)))
            vary(v, w->reg);
    }
}

/* ---- what is made of what varies ---- */

static void look_at_read(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct varying *v = ctx;
    v->now |= !is_write && v->varies[reg->index];
}

static void mark_write(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct varying *v = ctx;
    if (is_write && v->now)
        vary(v, reg->index);
}

static void look_at_block(struct varying *v, u32 b)
{
    const struct ir_block *k = &v->f->blocks[b];
    for (u32 s = k->first; s < k->end; s++) {
        const struct ptx_inst *i = &v->f->src->insts[s];
        v->now = lives_is_of_lane(i) || (!v->f->src->is_entry && i->op == OP_LD && i->space == SPACE_PARAM);
        ir_each_reg(i, look_at_read, v);
        ir_each_reg(i, mark_write, v);
    }
    if (k->nsucc > 1 && k->end > k->first && v->now && !v->parted[b]) /* its last instruction branches */
        part(v, b);
}

bool *lives_find_varying(struct arena *mem, const struct ir_func *f)
{
    struct varying v = {.mem = mem,
                        .f = f,
                        .varies = arena_array(mem, bool, f->src->nregs + 1),
                        .writes = arena_array(mem, u32, f->src->nregs + 1),
                        .parted = arena_array(mem, bool, f->nblocks + 1),
                        .reached = arena_array(mem, bool, f->nblocks + 1),
                        .stack = arena_array(mem, u32, f->nblocks + 1),
                        .lane = arena_array(mem, bool, f->src->nregs + 1),
                        .first = arena_array(mem, u32, f->src->nregs + 1)};
    for (u32 s = 0; s < f->src->ninsts; s++)
        ir_each_reg(&f->src->insts[s], count_write, &v);
    look_at_carried(&v);
    for (v.changed = true; v.changed;) {
        v.changed = false;
        for (u32 b = 0; b < f->nblocks; b++)
            look_at_block(&v, b);
    }
    return v.varies;
}
