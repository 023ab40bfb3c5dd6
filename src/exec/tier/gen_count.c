/* gen_count.c - what code under a meter does besides: counts basic blocks, and counts or tells accesses and branches whose
 * lanes part, as traced bodies do (exec/access.h, exec/ops/control.inc). Where a counter is there, an event is an addition;
 * else the engine is called (tell.c). */
#include "exec/tier/gen_access.h"

static bool is_counted(const struct gen *e) { return e->g->mode == IR_TRACED; }

/* ---- calls ---- */

static void call_tell(struct gen *e, u64 field, llvm_value *args, unsigned n)
{
    llvm_type types[8];
    for (unsigned k = 0; k < n; k++)
        types[k] = e->ll->TypeOf(args[k]);
    llvm_value fn = gen_load(e, e->ptr, gen_at(e, gen_arg(e, e->ptr, offsetof(struct tier_args, tell)), field), 8);
    B(Call2, e->ll->FunctionType(e->ll->VoidTypeInContext(e->context), types, n, 0), fn, args, n);
}

/* The lanes of a mask, as bits. */
static llvm_value bits_of(struct gen *e, llvm_value mask)
{
    return mask ? B(BitCast, mask, e->i32) : gen_int(e, e->i32, FULL_MASK);
}

static llvm_value not_zero(struct gen *e, llvm_value v) { return B(ICmp, LLVM_NE, v, gen_int(e, e->ll->TypeOf(v), 0)); }

/* ---- blocks ---- */

/* Adds 1 and the number of lanes to the block's two counters at once. */
static void add_entry(struct gen *e, llvm_value blocks, u32 block, llvm_value mask, llvm_value bits)
{
    llvm_type pair = e->ll->VectorType(e->i64, 2);
    llvm_value at = gen_at(e, blocks, block * sizeof(struct exec_block_count));
    llvm_value by[] = {gen_int(e, e->i64, 1), gen_int(e, e->i64, IR_LANES)}, more = e->ll->ConstVector(by, 2);
    if (mask) {
        llvm_value lanes = B(ZExt, gen_call_of(e, "llvm.ctpop", &bits, 1), e->i64);
        more = B(InsertElement, more, B(ZExt, not_zero(e, bits), e->i64), gen_int(e, e->i32, 0));
        more = B(InsertElement, more, lanes, gen_int(e, e->i32, 1));
    }
    gen_store(e, B(Add, gen_load(e, pair, at, 8), more), at, 8);
}

llvm_value gen_counts_blocks(struct gen *e)
{
    return B(ICmp, LLVM_NE, gen_arg(e, e->ptr, offsetof(struct tier_args, blocks)), e->ll->ConstNull(e->ptr));
}

void gen_count_entry(struct gen *e, u32 block, llvm_value mask)
{
    _Static_assert(sizeof(struct exec_block_count) == 16 && offsetof(struct exec_block_count, threads) == 8,
                   "warps, threads");
    llvm_block count = gen_block(e), ask = gen_block(e), tell = gen_block(e), go = gen_block(e);
    llvm_value blocks = gen_arg(e, e->ptr, offsetof(struct tier_args, blocks)), bits = bits_of(e, mask);
    llvm_value args[] = {e->w, e->args, gen_int(e, e->i32, block), bits};
    gen_branch(e, gen_counts_blocks(e), count, ask, 1);
    gen_here(e, count);
    add_entry(e, blocks, block, mask, bits);
    e->ll->BuildBr(e->b, go);
    gen_here(e, ask);
    gen_branch(e, not_zero(e, bits), tell, go, 1);
    gen_here(e, tell);
    call_tell(e, offsetof(struct tier_tell, enter), args, 4);
    e->ll->BuildBr(e->b, go);
    gen_here(e, go);
}

/* ---- branches ---- */

void gen_count_part(struct gen *e, u32 site, llvm_value mask, llvm_value taken)
{
    if (!is_counted(e))
        return;
    llvm_block tell = gen_block(e), go = gen_block(e);
    llvm_value all = bits_of(e, mask), some = B(And, all, bits_of(e, taken));
    llvm_value args[] = {e->w, e->args, gen_int(e, e->i32, site), all, some};
    gen_branch(e, B(And, not_zero(e, some), B(ICmp, LLVM_NE, some, all)), tell, go, 0);
    gen_here(e, tell);
    call_tell(e, offsetof(struct tier_tell, diverge), args, 5);
    e->ll->BuildBr(e->b, go);
    gen_here(e, go);
}

/* ---- accesses ---- */

static u32 what_of(const struct access *x)
{
    const u8 space = x->op->space == SPACE_NONE ? SPACE_GLOBAL : x->op->space;
    return TELL_WHAT(space, x->op->size, x->op->count) | (x->op->space == SPACE_NONE ? (u32)TELL_GENERIC : 0) |
           (x->op->form == OP_STORE ? (u32)TELL_STORE
            : x->op->sign           ? (u32)TELL_SIGNED
                                    : 0);
}

/* pattern NULL: the engine looks what it is. more: a flag of the word that says what the access is. */
static void tell(struct gen *e, const struct access *x, llvm_value lanes, llvm_value pattern, u32 more)
{
    gen_store(e, lanes, gen_at(e, e->args, offsetof(struct tier_args, addr)), 8);
    llvm_value args[] = {
        e->w,   e->args, gen_int(e, e->i32, x->r->site), gen_int(e, e->i32, what_of(x) | more), bits_of(e, e->mask),
        pattern};
    call_tell(e, pattern ? offsetof(struct tier_tell, known) : offsetof(struct tier_tell, any), args, pattern ? 6 : 5);
}

static void tell_known(struct gen *e, const struct access *x, llvm_value lanes, enum exec_pattern pattern)
{
    tell(e, x, lanes, gen_int(e, e->i32, pattern), 0);
}

static llvm_value counters_of(struct gen *e, const struct access *x)
{
    llvm_value sites = gen_arg(e, e->ptr, offsetof(struct tier_args, plain));
    return gen_at(e, sites, x->r->site * sizeof(struct exec_site_count));
}

/* Adds 1 to the counter, whose offset among the site's is given, if it is in use; else tells lanes so far apart. */
static void count_or_tell(struct gen *e, const struct access *x, llvm_value offset, llvm_value first, u32 stride)
{
    llvm_block count = gen_block(e), tell = gen_block(e), go = gen_block(e);
    llvm_value at = counters_of(e, x);
    at = B(GEP2, e->i8, at, &offset, 1);
    llvm_value n = gen_load(e, e->i64, at, 8);
    gen_branch(e, not_zero(e, n), count, tell, 1);
    gen_here(e, count);
    gen_store(e, B(Add, n, gen_int(e, e->i64, 1)), at, 8);
    e->ll->BuildBr(e->b, go);
    gen_here(e, tell);
    tell_known(e, x, gen_vector(e, gen_lanes_apart(e, first, 0, stride, CELL_64), CELL_64),
               stride ? PATTERN_CONTIGUOUS : PATTERN_UNIFORM);
    e->ll->BuildBr(e->b, go);
    gen_here(e, go);
}

static llvm_value counter(struct gen *e, enum exec_plain shape)
{
    return gen_int(e, e->i64, offsetof(struct exec_site_count, n[0]) + shape * sizeof(u64));
}

/* One place for all active lanes. */
static void count_same(struct gen *e, const struct access *x, llvm_value at)
{
    llvm_value which = counter(e, PLAIN_SAME);
    if (e->mask) {
        llvm_value all = B(ICmp, LLVM_EQ, bits_of(e, e->mask), gen_int(e, e->i32, FULL_MASK));
        which = B(Select, all, which, counter(e, PLAIN_SAME_SOME));
    }
    count_or_tell(e, x, which, at, 0);
}

/* A row, all of whose lanes are active. */
static void count_row(struct gen *e, const struct access *x, llvm_value first)
{
    llvm_value low = B(And, first, gen_int(e, e->i64, 31)), on = B(ICmp, LLVM_EQ, low, gen_int(e, e->i64, 0));
    count_or_tell(e, x, B(Select, on, counter(e, PLAIN_ROW), counter(e, PLAIN_ROW_OFF)), first, x->bytes);
}

/* Lanes that are always as far apart, all of them active: as long as lane 0 is at the same place within 32 bytes, that is as
 * long as sectors and banks are hit alike, it is counted. at: lane 0's place, or those of all lanes. */
static void count_again(struct gen *e, const struct access *x, llvm_value first, llvm_value at)
{
    const struct value lanes = {.v = at, .s = x->shape};
    llvm_block count = gen_block(e), other = gen_block(e), go = gen_block(e);
    llvm_value all = counters_of(e, x), counter = gen_at(e, all, offsetof(struct exec_site_count, n[PLAIN_AGAIN]));
    llvm_value phase = gen_load(e, e->i32, gen_at(e, all, offsetof(struct exec_site_count, phase)), 4);
    llvm_value n = gen_load(e, e->i64, counter, 8);
    llvm_value low = B(And, B(Trunc, first, e->i32), gen_int(e, e->i32, 31));
    gen_branch(e, B(And, not_zero(e, n), B(ICmp, LLVM_EQ, low, phase)), count, other, 1);
    gen_here(e, count);
    gen_store(e, B(Add, n, gen_int(e, e->i64, 1)), counter, 8);
    e->ll->BuildBr(e->b, go);
    gen_here(e, other);
    tell(e, x, first == at ? gen_vector(e, lanes, CELL_64) : at, gen_int(e, e->i32, PATTERN_GATHER), TELL_AGAIN);
    e->ll->BuildBr(e->b, go);
    gen_here(e, go);
}

/* Any places, but no row of the whole warp: that has been asked before. */
static void count_lanes(struct gen *e, const struct access *x)
{
    if (e->mask || x->ok) {
        tell(e, x, x->at, NULL, 0);
        return;
    }
    if (x->shape.kind == SHAPE_OFFSETS) {
        count_again(e, x, B(ExtractElement, x->at, gen_int(e, e->i32, 0)), x->at);
        return;
    }
    llvm_block one = gen_block(e), many = gen_block(e), go = gen_block(e);
    llvm_value first = B(ExtractElement, x->at, gen_int(e, e->i32, 0));
    llvm_value other = B(BitCast, B(ICmp, LLVM_NE, x->at, gen_splat(e, first)), e->i32);
    gen_branch(e, not_zero(e, other), many, one, 0);
    gen_here(e, one);
    count_same(e, x, first);
    e->ll->BuildBr(e->b, go);
    gen_here(e, many);
    tell_known(e, x, x->at, PATTERN_GATHER);
    e->ll->BuildBr(e->b, go);
    gen_here(e, go);
}

static bool is_row(const struct access *x)
{
    for (u32 i = 0; i < IR_LANES; i++)
        if (x->shape.offset[i] != (i64)i * x->bytes)
            return false;
    return true;
}

/* Lanes that are constant offsets apart. */
static void count_offsets(struct gen *e, const struct access *x)
{
    const struct value lanes = {.v = x->at, .s = {.kind = SHAPE_OFFSETS, .offset = x->shape.offset}};
    if (!e->mask && is_row(x)) {
        count_row(e, x, x->at);
        return;
    }
    if (!e->mask) {
        count_again(e, x, x->at, x->at);
        return;
    }
    if (!is_row(x)) {
        tell(e, x, gen_vector(e, lanes, CELL_64), NULL, 0);
        return;
    }
    llvm_block all = gen_block(e), some = gen_block(e), go = gen_block(e);
    gen_branch(e, B(ICmp, LLVM_EQ, bits_of(e, e->mask), gen_int(e, e->i32, FULL_MASK)), all, some, 0);
    gen_here(e, all);
    count_row(e, x, x->at);
    e->ll->BuildBr(e->b, go);
    gen_here(e, some);
    tell(e, x, gen_vector(e, lanes, CELL_64), NULL, 0);
    e->ll->BuildBr(e->b, go);
    gen_here(e, go);
}

void gen_count_access(struct gen *e, const struct access *x, llvm_value first)
{
    if (!is_counted(e))
        return;
    if (first)
        count_row(e, x, first);
    else if (e->ll->GetTypeKind(e->ll->TypeOf(x->at)) == LLVM_TYPE_VECTOR)
        count_lanes(e, x);
    else if (x->shape.kind == SHAPE_UNIFORM)
        count_same(e, x, x->at);
    else
        count_offsets(e, x);
}
