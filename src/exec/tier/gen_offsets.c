/* gen_offsets.c - loads and stores whose lanes are constant offsets apart: rows, a few rows, a few places, a small table. */
#include "exec/tier/gen_access.h"

struct access_layout access_lay_out(const struct access *x)
{
    struct access_layout l = {.even = true};
    const i64 *offset = x->shape.offset;
    i64 high = 0;
    for (u32 i = 0; i < IR_LANES; i++) {
        l.low = offset[i] < l.low ? offset[i] : l.low;
        high = offset[i] > high ? offset[i] : high;
        l.even &= (offset[i] & (x->bytes - 1)) == 0;
        if (i == 0 || offset[i] != offset[i - 1] + (i64)x->bytes)
            l.runs[l.nruns++] = (struct run){i, 0};
        l.runs[l.nruns - 1].n++;
        u32 p = 0;
        while (p < l.nplaces && l.places[p] != offset[i])
            p++;
        if (p == l.nplaces)
            l.places[l.nplaces++] = offset[i];
        l.place[i] = p;
    }
    l.span = (u64)(high - l.low) + x->bytes;
    return l;
}

llvm_value access_moved(struct gen *e, llvm_value at, i64 offset)
{
    return offset ? B(Add, at, gen_int(e, e->i64, (u64)offset)) : at;
}

/* Lanes [first, first + n) of `all` are those of `part` from 0 on. */
static llvm_value with_part(struct gen *e, llvm_value all, llvm_value part, u32 first, u32 n)
{
    llvm_value wide[IR_LANES], index[IR_LANES];
    for (u32 i = 0; i < IR_LANES; i++)
        wide[i] = gen_int(e, e->i32, i < n ? i : 0);
    llvm_value w = B(ShuffleVector, part, e->ll->GetPoison(e->ll->TypeOf(part)), e->ll->ConstVector(wide, IR_LANES));
    for (u32 i = 0; i < IR_LANES; i++)
        index[i] = gen_int(e, e->i32, i >= first && i < first + n ? IR_LANES + i - first : i);
    return all ? B(ShuffleVector, all, w, e->ll->ConstVector(index, IR_LANES)) : w;
}

/* Elements k, k + count, ... of a vector of n * count. */
static llvm_value pick_some(struct gen *e, llvm_value all, unsigned k, unsigned count, u32 n)
{
    llvm_value index[IR_LANES];
    for (u32 i = 0; i < n; i++)
        index[i] = gen_int(e, e->i32, (u64)i * count + k);
    return B(ShuffleVector, all, e->ll->GetPoison(e->ll->TypeOf(all)), e->ll->ConstVector(index, n));
}

static void load_runs(struct gen *e, const struct access *x, const struct access_layout *l)
{
    const unsigned count = x->op->count;
    llvm_value v[4] = {0};
    for (u32 r = 0; r < l->nruns; r++) {
        const struct run *run = &l->runs[r];
        llvm_value all = access_load_many(e, x, access_moved(e, x->at, x->shape.offset[run->first]), run->n * count);
        for (unsigned k = 0; k < count; k++)
            v[k] = with_part(e, v[k], pick_some(e, all, k, count, run->n), run->first, run->n);
    }
    access_put_elements(e, x, v, true);
}

/* Few places, each of which many lanes read. */
static void load_places(struct gen *e, const struct access *x, const struct access_layout *l)
{
    const unsigned count = x->op->count;
    llvm_type t = e->ll->VectorType(access_element_type(e, x->op), l->nplaces);
    llvm_value v[4], one[4], index[IR_LANES];
    for (u32 i = 0; i < IR_LANES; i++)
        index[i] = gen_int(e, e->i32, l->place[i]);
    for (unsigned k = 0; k < count; k++)
        v[k] = e->ll->GetPoison(t);
    for (u32 p = 0; p < l->nplaces; p++) {
        access_load_whole(e, x, access_moved(e, x->at, l->places[p]), one);
        for (unsigned k = 0; k < count; k++)
            v[k] = B(InsertElement, v[k], one[k], gen_int(e, e->i32, p));
    }
    for (unsigned k = 0; k < count; k++)
        v[k] = B(ShuffleVector, v[k], e->ll->GetPoison(t), e->ll->ConstVector(index, IR_LANES));
    access_put_elements(e, x, v, true);
}

/* All that lies between the first place and the last, of which each lane takes its part. */
static void load_span(struct gen *e, const struct access *x, const struct access_layout *l)
{
    const u32 n = (u32)(l->span / x->op->size);
    llvm_value v[4], index[IR_LANES];
    llvm_value all = access_load_many(e, x, access_moved(e, x->at, l->low), n);
    for (unsigned k = 0; k < x->op->count; k++) {
        for (u32 i = 0; i < IR_LANES; i++)
            index[i] = gen_int(e, e->i32, (u64)(x->shape.offset[i] - l->low) / x->op->size + k);
        v[k] = B(ShuffleVector, all, e->ll->GetPoison(e->ll->TypeOf(all)), e->ll->ConstVector(index, IR_LANES));
    }
    access_put_elements(e, x, v, true);
}

/* In ascending order of lanes. */
static void store_runs(struct gen *e, const struct access *x, const struct access_layout *l)
{
    const unsigned count = x->op->count;
    llvm_value v[4], index[4 * IR_LANES];
    for (unsigned k = 0; k < count; k++)
        v[k] = access_element(e, x, k, true);
    llvm_value all = access_interleaved(e, v, count),
               mask = e->mask && count > 1 ? access_each_twice(e, e->mask, count) : e->mask;
    for (u32 r = 0; r < l->nruns; r++) {
        const struct run *run = &l->runs[r];
        for (u32 i = 0; i < run->n * count; i++)
            index[i] = gen_int(e, e->i32, run->first * count + i);
        llvm_value which = e->ll->ConstVector(index, run->n * count);
        llvm_value part = B(ShuffleVector, all, e->ll->GetPoison(e->ll->TypeOf(all)), which);
        llvm_value p = access_host(e, x, access_moved(e, x->at, x->shape.offset[run->first]));
        if (mask) {
            llvm_value m = B(ShuffleVector, mask, e->ll->GetPoison(e->ll->TypeOf(mask)), which);
            llvm_type types[] = {e->ll->TypeOf(part), e->ptr};
            llvm_value args[] = {part, p, gen_int(e, e->i32, x->op->size), m};
            gen_call(e, "llvm.masked.store", types, 2, args, 4);
        } else {
            gen_store(e, part, p, x->op->size);
        }
    }
}

/* Element k of each row of `all` in its place between the first and the last; where no lane's is, 0. */
static llvm_value spread(struct gen *e, const struct access *x, const struct access_layout *l, llvm_value all, u32 n)
{
    const unsigned count = x->op->count;
    llvm_value index[WIDEST_SPAN];
    for (u32 i = 0; i < n; i++)
        index[i] = gen_int(e, e->i32, IR_LANES * count);
    for (u32 i = 0; i < IR_LANES * count; i++)
        index[(u64)(x->shape.offset[i / count] - l->low) / x->op->size + i % count] = gen_int(e, e->i32, i);
    return B(ShuffleVector, all, e->ll->ConstNull(e->ll->TypeOf(all)), e->ll->ConstVector(index, n));
}

/* Lanes with places of their own, not far from each other: all that lies between the first and the last, but for what is no
 * active lane's. A scatter takes several times as long. */
static void store_span(struct gen *e, const struct access *x, const struct access_layout *l)
{
    const unsigned count = x->op->count;
    llvm_value v[4];
    u32 n = 16; /* whole registers, for LLVM: what is behind the last place is nobody's */
    while (n * x->op->size < l->span)
        n *= 2;
    for (unsigned k = 0; k < count; k++)
        v[k] = access_element(e, x, k, true);
    e->vec = true;
    llvm_value on = e->mask ? B(SExt, e->mask, gen_lanes_of(e, e->i32)) : gen_const(e, 'i', UINT32_MAX);
    on = spread(e, x, l, count > 1 ? access_each_twice(e, on, count) : on, n);
    llvm_value all = spread(e, x, l, access_interleaved(e, v, count), n);
    llvm_type types[] = {e->ll->TypeOf(all), e->ptr};
    llvm_value args[] = {all, access_host(e, x, access_moved(e, x->at, l->low)), gen_int(e, e->i32, x->op->size),
                         B(ICmp, LLVM_NE, on, e->ll->ConstNull(e->ll->TypeOf(on)))};
    gen_call(e, "llvm.masked.store", types, 2, args, 4);
}

/* A block of several rows reads pieces of as many lines of a matrix, and the processor does not see that the next blocks
 * want the pieces beside them. So an access fetches what the one of the block after so many will want, if that is the next in
 * x. On a stencil of five points of 2048 x 2048 this took a third of the time (EPYC 9005); 1 is too late.
 *
 * Blocks of one row that follow each other without loops read on where the last one ended. The processor sees that, but what
 * a warp does besides its loads fills the window in which it runs ahead: fewer lines are under way than it could have, and
 * saxpy of 2^22 took 1.5 times as long as with lines fetched so far ahead (Sapphire Rapids, a busy machine; 1 KiB to 4 KiB are
 * alike). In a loop the next access is not the next block's.
 *
 * What a block of several rows stores is fetched only where the next block in x does not store beside it, as in a transpose, which
 * took 3.5 ms so and 3.9 without. Where it does, the processor has seen it by itself: the stencil took 1.46 ms without and 1.50
 * with. One block ahead would be another worker's: with it that transpose took 3.2 ms on one core, but 2.5 instead of 1.9 on two. */
enum { BLOCKS_AHEAD = 4, BYTES_AHEAD = 2048, LINE = 64 };

/* Whether nothing has been fetched for a neighbour of this address: one within a line, whatever constants their accesses add.
 * The 27 points of a stencil are nine rows. */
static bool is_first_of(struct gen *e, llvm_value base)
{
    const struct sum sum = near_sum(e, base);
    for (u32 k = 0; k < e->fetched.len; k++)
        if (near_each_other(&e->fetched.at[k], &sum))
            return false;
    vec_push(e->mem, &e->fetched, sum);
    return true;
}

/* %ctaid.x, if the code has asked for it. */
static llvm_value block_x(const struct gen *e)
{
    const struct ir_func *f = e->g->f;
    for (u32 k = 0; k < f->nconsts; k++)
        if (f->consts[k].kind == IR_CONST_SREG && f->consts[k].value == SREG_ctaid * IR_AXES)
            return e->consts[k].v;
    return NULL;
}

/* Whether the next block in x accesses what is beside, as far as can be seen. */
static bool goes_on_in_x(const struct gen *e, const struct access *x)
{
    const struct sum sum = near_sum(e, x->address.v);
    const llvm_value block = block_x(e);
    for (u32 k = 0; k < sum.n; k++)
        if (sum.term[k].v == block)
            return sum.term[k].by == (u64)e->block[0] * x->bytes;
    return false;
}

static void fetch_ahead(struct gen *e, const struct access *x, const struct access_layout *l)
{
    const bool row = e->block[1] * e->block[2] == 1, store = x->op->form == OP_STORE;
    const i64 ahead = l->low + (row ? BYTES_AHEAD : (i64)BLOCKS_AHEAD * e->block[0] * x->bytes);
    if (e->dry || x->shared || l->nruns != 1 || (row && !e->straight))
        return;
    if ((store && !row && goes_on_in_x(e, x)) || !is_first_of(e, x->address.v))
        return;
    for (i64 k = 0; k < (i64)l->span; k += LINE) {
        llvm_value args[] = {access_host(e, x, access_moved(e, x->at, ahead + k)), gen_int(e, e->i32, store),
                             gen_int(e, e->i32, 3), gen_int(e, e->i32, 1)};
        gen_call(e, "llvm.prefetch", &e->ptr, 1, args, 4);
    }
}

void access_do_offsets(struct gen *e, const struct access *x, llvm_value none)
{
    const struct access_layout l = access_lay_out(x);
    (void)none;
    fetch_ahead(e, x, &l);
    if (x->op->form == OP_STORE && l.nruns <= MOST_RUNS)
        store_runs(e, x, &l);
    else if (x->op->form == OP_STORE)
        store_span(e, x, &l);
    else if (l.nruns <= MOST_RUNS)
        load_runs(e, x, &l);
    else if (l.nplaces <= MOST_PLACES)
        load_places(e, x, &l);
    else
        load_span(e, x, &l);
}

/* The ways above serve it: few runs, or little space between the places; or a load of few places. Masked stores are of
 * elements of 4 bytes or more. */
bool access_serves_offsets(const struct access *x, const struct access_layout *l)
{
    if (!l->even)
        return false;
    if (x->op->form == OP_STORE)
        return l->nruns <= MOST_RUNS || (l->nplaces == IR_LANES && l->span <= WIDEST_SPAN && x->op->size >= 4);
    return l->nruns <= MOST_RUNS || l->nplaces <= MOST_PLACES || l->span <= WIDEST_SPAN;
}
