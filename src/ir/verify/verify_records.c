/* verify_records.c - the verifier's rules for records (emit*.c): each has a body and an instruction of its block, its
 * operands are slots of the frame and of the registers that its instruction names, and control goes where the blocks say.
 * Records are known by their bodies, as the engine knows them. */
#include "ir/verify/verify.h"

/* The bodies that the rules are about. */
#define KINDS(X)                                                                                                       \
    X(jump)                                                                                                            \
    X(jump_back)                                                                                                       \
    X(branch_if)                                                                                                       \
    X(branch_unless)                                                                                                   \
    X(branch_if_back)                                                                                                  \
    X(branch_unless_back)                                                                                              \
    X(branch_table)                                                                                                    \
    X(join)                                                                                                            \
    X(enter)                                                                                                           \
    X(tick)                                                                                                            \
    X(guard)                                                                                                           \
    X(guard_not)                                                                                                       \
    X(unguard)                                                                                                         \
    X(exit)                                                                                                            \
    X(ret)                                                                                                             \
    X(trap)                                                                                                            \
    X(call)                                                                                                            \
    X(call_indirect)                                                                                                   \
    X(call_builtin)
enum kind {
    KIND_PLAIN,
#define KIND(name) KIND_##name,
    KINDS(KIND)
#undef KIND
        KIND_COUNT
};

struct records {
    struct verify *v;
    const struct ir_code *code;
    unsigned shape;
    ir_body body[KIND_COUNT];
    u32 at, block; /* the record that is looked at, and its block */
    u32 unguard;   /* the record that ends the predicated instruction, or UINT32_MAX */
};

static const char *const shapes[IR_NSHAPES] = {"fast", "traced", "timed"};

static void find_kinds(struct records *x)
{
    static const char *const names[KIND_COUNT] = {NULL,
#define KIND(name) #name,
                                                  KINDS(KIND)
#undef KIND
    };
    const struct ir_target *t = x->v->target;
    for (int k = 1; k < KIND_COUNT; k++)
        x->body[k] = t->body(t->ctx, names[k], x->shape == IR_FAST ? IR_FAST : IR_TRACED);
}

static enum kind kind_of(const struct records *x, const struct ir_inst *r)
{
    for (int k = 1; k < KIND_COUNT; k++)
        if (r->run && r->run == x->body[k])
            return (enum kind)k;
    return KIND_PLAIN;
}

static bool broken(const struct records *x, const char *rule)
{
    return verify_broken(x->v, x->code->insts[x->at].site, "%s record %u: %s", shapes[x->shape], x->at, rule);
}

static const struct ir_inst *start_of(const struct records *x, u32 block)
{
    return &x->code->insts[x->code->block_at[block]];
}

static bool is_branch(enum kind k) { return k >= KIND_branch_if && k <= KIND_branch_unless_back; }
static bool goes_back(enum kind k)
{
    return k == KIND_jump_back || k == KIND_branch_if_back || k == KIND_branch_unless_back;
}

/* ---- operands ---- */

struct named {
    const struct ir_func *f;
    u32 at;
    bool found;
};

static void is_place(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct named *n = ctx;
    (void)is_write;
    n->found |= n->f->place[reg->index] == n->at;
}

/* A slot of the frame; below the constants, one of a register that the instruction names. 0 may also mean none. */
static bool verify_operand(struct records *x, u32 at)
{
    const struct ir_func *f = x->v->f;
    struct named n = {.f = f, .at = at, .found = at == 0 || at >= f->consts_at};
    if (at >= f->frame_bytes)
        return broken(x, "an operand lies outside the frame");
    if (at % (at >= f->masks_at && at < f->consts_at ? 4 : IR_SLOT))
        return broken(x, "an operand does not begin where a slot does");
    if (!n.found)
        ir_each_reg(&x->v->src->insts[x->code->insts[x->at].site], is_place, &n);
    return n.found || broken(x, "an operand is of no register that the instruction names");
}

/* The slots that a record of a vector has in a list: n, or 0. Atomics have those of their results behind the sources. */
static u32 listed(const struct ptx_inst *i)
{
    const u8 memory = ptx_op_rows[i->op].memory;
    const bool accesses = (memory == PTX_MEM_LOAD || memory == PTX_MEM_STORE) && i->space != SPACE_PARAM;
    u32 n = 0;
    if (!accesses && memory != PTX_MEM_ATOMIC && ptx_op_rows[i->op].result != PTX_RESULT_COPY)
        return 0;
    for (unsigned k = 0; k < i->noperands; k++)
        n = i->operands[k].kind == PTX_VEC ? i->operands[k].n : n;
    return memory == PTX_MEM_ATOMIC && ptx_dest_count(i) ? 2 * n : n;
}

static bool verify_operands(struct records *x, const struct ir_inst *r, enum kind kind)
{
    const struct ptx_inst *i = x->v->src->ninsts ? &x->v->src->insts[r->site] : NULL;
    const u32 n = i && kind == KIND_PLAIN && r->list ? listed(i) : 0;
    const u32 c = i && i->op == OP_CP_ASYNC ? 0 : r->c; /* an offset, not a slot */
    bool sound = verify_operand(x, r->d) && verify_operand(x, r->a) && verify_operand(x, r->b) && verify_operand(x, c);
    for (u32 k = 0; k < n && sound; k++)
        sound = verify_operand(x, r->list[k]);
    return sound;
}

/* ---- control ---- */

/* Whether control may go from the record's block to that record. */
static bool may_go(const struct records *x, const struct ir_inst *to)
{
    const struct ir_block *blk = &x->v->f->blocks[x->block];
    const struct ptx_inst *last = &x->v->src->insts[blk->end - 1];
    const bool to_end = blk->end == x->v->src->ninsts || ir_flow(last) == FLOW_BRANCH || ir_flow(last) == FLOW_TABLE;
    for (u32 k = 0; k < blk->nsucc; k++)
        if (to == start_of(x, blk->succs[k]))
            return true;
    return to_end && to == start_of(x, x->v->f->nblocks);
}

/* Where the lanes that part here meet: the record that begins that block, or NULL. */
static const struct ir_inst *meeting_point(const struct records *x)
{
    const struct ir_func *f = x->v->f;
    const struct ir_block *blk = &f->blocks[x->block];
    const bool skips = ir_is_skipped(&x->v->src->insts[blk->first]);
    const u32 next = x->block + 1;
    if (skips)
        return next < f->nblocks && f->blocks[next].is_join ? start_of(x, next) : NULL;
    return blk->ipdom == IR_NO_BLOCK ? NULL : start_of(x, blk->ipdom);
}

static bool verify_join(struct records *x, const struct ir_inst *r)
{
    const struct ir_inst *join = (const struct ir_inst *)(intptr_t)r->imm;
    if (join != meeting_point(x))
        return broken(x, "lanes that part do not meet at the immediate post-dominator");
    return !join || kind_of(x, join) == KIND_join || broken(x, "lanes that part meet where no join is");
}

static bool verify_jump(struct records *x, const struct ir_inst *r, enum kind kind)
{
    if (!may_go(x, r->target))
        return broken(x, "a branch goes to what is no successor of its block");
    if (goes_back(kind) ? r->target > r || !r->aux : r->target <= r)
        return broken(x, "a branch goes the other way than its body says, or costs nothing");
    return !is_branch(kind) || verify_join(x, r);
}

static bool verify_table(struct records *x, const struct ir_inst *r)
{
    const struct ir_table *t = r->ptr;
    if (!t || !t->n)
        return broken(x, "a table of branches is empty");
    for (u32 k = 0; k < t->n; k++)
        if (!may_go(x, t->targets[k]))
            return broken(x, "a table's branch goes to what is no successor of its block");
    return verify_join(x, r);
}

static bool verify_call(struct records *x, const struct ir_inst *r, enum kind kind)
{
    const struct ir_call *c = r->ptr;
    if (!c || c->ret_at > x->v->f->call_bytes)
        return broken(x, "a call's results lie outside the call area");
    return (kind == KIND_call           ? c->callee != 0
            : kind == KIND_call_builtin ? c->builtin >= 0
                                        : true) ||
           broken(x, "a call has nobody to call");
}

/* Nothing leaves between (verify_control), and what the guard goes past ends with its unguard. */
static bool verify_guard(struct records *x, const struct ir_inst *r)
{
    const struct ptx_inst *i = &x->v->src->insts[r->site];
    const u32 end = x->at + (u32)r->imm - 1;
    if (r->imm < 2 || end >= x->code->n || kind_of(x, &x->code->insts[end]) != KIND_unguard ||
        x->code->insts[end].site != r->site)
        return broken(x, "a guard does not lead behind its unguard");
    if (!i->guard || r->a != x->v->f->place[i->guard->index])
        return broken(x, "a guard asks for another predicate than its instruction");
    x->unguard = end;
    return true;
}

static bool verify_unguard(struct records *x)
{
    if (x->at != x->unguard)
        return broken(x, "an unguard has no guard");
    x->unguard = UINT32_MAX;
    return true;
}

static bool verify_end(struct records *x, const struct ir_inst *r, enum kind kind)
{
    const bool last = x->at + 1 == x->code->n;
    if (kind == KIND_ret && x->v->src->is_entry)
        return broken(x, "a kernel has nobody to return to");
    return last || kind == KIND_trap || ir_flow(&x->v->src->insts[r->site]) == FLOW_END ||
           broken(x, "a thread ends where its instruction does not");
}

static bool verify_tick(struct records *x, const struct ir_inst *r)
{
    const struct ir_tick *t = r->ptr;
    if (x->shape != IR_TIMED || !t || !t->steps)
        return broken(x, "a tick says nothing, or stands in code that is not timed");
    for (u32 k = 0; k < t->nreads + t->nwrites; k++)
        if (t->entry[k] >= x->v->f->scoreboard)
            return broken(x, "a tick names what is not in the scoreboard");
    return true;
}

/* A join, if there is one, is a block's first record; all have one, or none, as the block says. */
static bool verify_place_of_join(struct records *x, const struct ir_inst *r)
{
    return (r == start_of(x, x->block) && x->v->f->blocks[x->block].is_join) ||
           broken(x, "a join is not where a block begins at which lanes meet");
}

static bool verify_control(struct records *x, const struct ir_inst *r, enum kind kind)
{
    if (x->unguard != UINT32_MAX && kind != KIND_PLAIN && kind != KIND_unguard)
        return broken(x, "control leaves a predicated instruction in its middle");
    switch (kind) {
    case KIND_guard:
    case KIND_guard_not:
        return verify_guard(x, r);
    case KIND_unguard:
        return verify_unguard(x);
    case KIND_join:
        return verify_place_of_join(x, r);
    case KIND_enter:
        return (x->shape != IR_FAST && r->imm == (i64)x->block) || broken(x, "it enters another block than its own");
    case KIND_tick:
        return verify_tick(x, r);
    case KIND_branch_table:
        return verify_table(x, r);
    case KIND_exit:
    case KIND_ret:
    case KIND_trap:
        return verify_end(x, r, kind);
    case KIND_call:
    case KIND_call_indirect:
    case KIND_call_builtin:
        return verify_call(x, r, kind);
    case KIND_PLAIN:
        return true;
    default:
        return verify_jump(x, r, kind);
    }
}

/* ---- blocks ---- */

static bool falls_through(enum kind k)
{
    return k != KIND_jump && k != KIND_jump_back && k != KIND_branch_table && k != KIND_exit && k != KIND_ret &&
           k != KIND_trap;
}

/* Behind a block's last record comes the next block: it must be a successor, or not be reached that way. */
static bool verify_block_end(struct records *x)
{
    const u32 begin = x->code->block_at[x->block], end = x->code->block_at[x->block + 1];
    x->at = end > begin ? end - 1 : begin;
    const bool falls = end == begin || falls_through(kind_of(x, &x->code->insts[x->at]));
    return !falls || may_go(x, start_of(x, x->block + 1)) || broken(x, "a block runs into the next one");
}

static bool verify_block_begin(struct records *x)
{
    u32 enters = 0;
    const u32 begin = x->code->block_at[x->block], end = x->code->block_at[x->block + 1];
    x->at = begin;
    if (x->v->f->blocks[x->block].is_join && (end == begin || kind_of(x, start_of(x, x->block)) != KIND_join))
        return broken(x, "a block at which lanes meet begins without a join");
    for (u32 k = begin; k < end; k++)
        enters += kind_of(x, &x->code->insts[k]) == KIND_enter;
    return enters == (x->shape != IR_FAST) || broken(x, "a block is not entered once");
}

static bool verify_record(struct records *x)
{
    const struct ir_inst *r = &x->code->insts[x->at];
    const struct ir_block *blk = &x->v->f->blocks[x->block];
    const enum kind kind = kind_of(x, r);
    if (!r->run)
        return broken(x, "it has no body");
    if (r->site < blk->first || r->site >= blk->end || (x->at && r->site < x->code->insts[x->at - 1].site))
        return broken(x, "its instruction is not of its block, or out of order");
    return verify_control(x, r, kind) && verify_operands(x, r, kind);
}

static bool verify_starts(struct records *x)
{
    const u32 *at = x->code->block_at, n = x->v->f->nblocks;
    for (u32 b = 0; b < n; b++)
        if (at[b] > at[b + 1])
            return broken(x, "blocks are not in order");
    return at[n] + 1 == x->code->n || broken(x, "something follows the final return");
}

/* The last record: a function that ends without saying so returns. */
static bool verify_final(struct records *x)
{
    x->at = x->code->n - 1;
    return kind_of(x, &x->code->insts[x->at]) == (x->v->src->is_entry ? KIND_exit : KIND_ret) ||
           broken(x, "the code does not end with a return");
}

bool verify_records(struct verify *v, unsigned shape)
{
    struct records x = {.v = v, .code = &v->f->code[shape], .shape = shape, .unguard = UINT32_MAX};
    if (!x.code->insts)
        return shape == IR_TIMED || verify_broken(v, UINT32_MAX, "there is no %s code", shapes[shape]);
    find_kinds(&x);
    bool sound = verify_starts(&x) && verify_final(&x);
    for (x.block = 0; x.block < v->f->nblocks && sound; x.block++) {
        sound = verify_block_begin(&x);
        for (x.at = x.code->block_at[x.block]; x.at < x.code->block_at[x.block + 1] && sound; x.at++)
            sound = verify_record(&x);
        sound = sound && verify_block_end(&x);
    }
    return sound;
}
