/* gen_memory.c - loads and stores of global, constant and shared memory.
 *
 * Each access is checked: against the allocation that the instruction touched last (warp.sites), or the block's shared
 * memory. What passes is done here: one place for all lanes, a row of consecutive elements, or any places (gather and
 * scatter). What does not pass runs by its body, which is the reference, finds the allocation, and faults if it must. */
#include <string.h>

#include "exec/tier/gen_access.h"

/* ---- addresses ---- */

static llvm_value site_field(struct gen *e, u32 site, u64 field)
{
    llvm_value p =
        gen_at(e, gen_arg(e, e->ptr, offsetof(struct tier_args, sites)), site * sizeof(struct site_cache) + field);
    return gen_load(e, e->i64, p, 8);
}

static llvm_value zero_extended(struct gen *e, llvm_value v, bool vec)
{
    return B(ZExt, v, vec ? gen_lanes_of(e, e->i64) : e->i64);
}

static struct access begin_access(struct gen *e, u32 record)
{
    const struct ir_inst *r = &e->g->code[record];
    const struct op *op = e->g->ops[record];
    struct access x = {.op = op, .r = r, .record = record, .bytes = op->size * (unsigned)op->count};
    const bool narrow = r->aux & IR_ADDR32;
    x.shared = op->space == SPACE_SHARED;
    if (r->aux & IR_ADDR_CONST) {
        x.at = gen_int(e, e->i64, (u64)r->imm);
        x.shape.kind = SHAPE_UNIFORM;
    } else {
        struct value a = gen_get(e, r->a, narrow ? CELL_32 : CELL_64);
        if (!a.v)
            a = gen_uniform(gen_int(e, narrow ? e->i32 : e->i64, 0));
        const bool vec = a.s.kind == SHAPE_VECTOR;
        x.shape = a.s;
        x.ok = a.ok;
        x.address = a;
        e->vec = vec;
        if (a.s.raw)
            a.v = gen_canonical(e, a.v);
        x.at = r->imm ? B(Add, a.v, gen_const(e, narrow ? 'i' : 'l', (u64)r->imm)) : a.v;
        if (narrow)
            x.at = zero_extended(e, x.at, vec);
    }
    return x;
}

/* The addresses of all lanes. */
static llvm_value address_lanes(struct gen *e, const struct access *x)
{
    const bool narrow = x->r->aux & IR_ADDR32;
    llvm_value v = gen_vector(e, x->address, narrow ? CELL_32 : CELL_64);
    e->vec = true;
    if (x->r->imm)
        v = B(Add, v, gen_const(e, narrow ? 'i' : 'l', (u64)x->r->imm));
    return narrow ? zero_extended(e, v, true) : v;
}

struct bounds access_site_bounds(struct gen *e, u32 site)
{
    llvm_value lo = site_field(e, site, offsetof(struct site_cache, lo));
    return (struct bounds){lo, B(Sub, site_field(e, site, offsetof(struct site_cache, hi)), lo)};
}

static struct bounds bounds_of(struct gen *e, const struct access *x)
{
    if (x->shared)
        return (struct bounds){gen_int(e, e->i64, 0), gen_arg(e, e->i64, offsetof(struct tier_args, shared_bytes))};
    return access_site_bounds(e, x->r->site);
}

llvm_value access_room(struct gen *e, const struct bounds *b, u64 n)
{
    llvm_value args[] = {B(Add, b->len, gen_int(e, e->i64, 1)), gen_int(e, e->i64, n)};
    return gen_call_of(e, "llvm.usub.sat", args, 2);
}

static llvm_value is_aligned(struct gen *e, const struct access *x, llvm_value at, char letter)
{
    return B(ICmp, LLVM_EQ, B(And, at, gen_const(e, letter, x->bytes - 1)), gen_const(e, letter, 0));
}

/* A scalar address, of n bytes from there. */
static llvm_value holds(struct gen *e, const struct access *x, llvm_value at, u64 n)
{
    const struct bounds b = bounds_of(e, x);
    llvm_value in = B(ICmp, LLVM_ULT, B(Sub, at, b.lo), access_room(e, &b, n));
    e->vec = false;
    return x->bytes > 1 ? B(And, in, is_aligned(e, x, at, 'l')) : in;
}

/* A condition of 32 lanes for all that are active. */
static llvm_value in_all(struct gen *e, llvm_value lanes)
{
    if (e->mask)
        lanes = B(Or, lanes, B(Not, e->mask));
    return B(ICmp, LLVM_EQ, B(BitCast, lanes, e->i32), gen_int(e, e->i32, FULL_MASK));
}

static llvm_value all_hold(struct gen *e, const struct access *x)
{
    const struct bounds b = bounds_of(e, x);
    llvm_value off = x->shared ? x->at : B(Sub, x->at, gen_splat(e, b.lo));
    llvm_value in = B(ICmp, LLVM_ULT, off, gen_splat(e, access_room(e, &b, x->bytes)));
    e->vec = true;
    return in_all(e, x->bytes > 1 ? B(And, in, is_aligned(e, x, x->at, 'l')) : in);
}

/* Whether the lanes' addresses are one element apart; *first: lane 0's. */
static llvm_value is_row(struct gen *e, const struct access *x, llvm_value *first)
{
    llvm_value expected;
    llvm_value all[IR_LANES];
    for (u32 k = 0; k < IR_LANES; k++)
        all[k] = gen_int(e, e->i64, (u64)k * x->bytes);
    *first = B(ExtractElement, x->at, gen_int(e, e->i32, 0));
    expected = B(Add, gen_splat(e, *first), e->ll->ConstVector(all, IR_LANES));
    return in_all(e, B(ICmp, LLVM_EQ, x->at, expected));
}

llvm_value access_host(struct gen *e, const struct access *x, llvm_value at)
{
    if (!x->shared)
        return B(IntToPtr, at, e->ptr);
    return B(GEP2, e->i8, gen_arg(e, e->ptr, offsetof(struct tier_args, shared)), &at, 1);
}

/* Pointers of 32 lanes. */
static llvm_value host_lanes(struct gen *e, const struct access *x)
{
    e->vec = true;
    if (!x->shared)
        return B(IntToPtr, x->at, gen_lanes_of(e, e->ptr));
    llvm_value at = x->at;
    return B(GEP2, e->i8, gen_arg(e, e->ptr, offsetof(struct tier_args, shared)), &at, 1);
}

/* ---- elements ---- */

llvm_type access_element_type(struct gen *e, const struct op *op)
{
    return op->size == 1 ? e->i8 : op->size == 2 ? e->i16 : op->size == 4 ? e->i32 : e->i64;
}

static u8 element_kind(const struct op *op) { return op->size == 8 ? CELL_64 : CELL_32; }

static u32 element_slot(const struct access *x, unsigned k)
{
    return x->op->count > 1 ? x->r->list[k] : x->op->form == OP_STORE ? x->r->b : x->r->d;
}

/* What is in memory as a register has it. */
static llvm_value extended(struct gen *e, const struct op *op, llvm_value v, bool vec)
{
    llvm_type t = vec ? gen_lanes_of(e, e->i32) : e->i32;
    return op->size >= 4 ? v : op->sign ? B(SExt, v, t) : B(ZExt, v, t);
}

/* Element k of each of 32 rows of `count`: indices k, k + count, ... */
static llvm_value pick(struct gen *e, llvm_value all, unsigned k, unsigned count)
{
    llvm_value index[IR_LANES];
    for (u32 i = 0; i < IR_LANES; i++)
        index[i] = gen_int(e, e->i32, (u64)i * count + k);
    return B(ShuffleVector, all, e->ll->GetPoison(e->ll->TypeOf(all)), e->ll->ConstVector(index, IR_LANES));
}

/* Vectors of n elements, one behind the other. */
static llvm_value joined(struct gen *e, llvm_value a, llvm_value b, u32 n)
{
    llvm_value index[4 * IR_LANES];
    for (u32 i = 0; i < 2 * n; i++)
        index[i] = gen_int(e, e->i32, i);
    return B(ShuffleVector, a, b, e->ll->ConstVector(index, 2 * n));
}

/* The `count` elements of each lane side by side. */
llvm_value access_interleaved(struct gen *e, llvm_value *v, unsigned count)
{
    llvm_value index[4 * IR_LANES];
    if (count == 1)
        return v[0];
    llvm_value all = joined(e, v[0], v[1], IR_LANES);
    if (count == 4)
        all = joined(e, all, joined(e, v[2], v[3], IR_LANES), 2 * IR_LANES);
    for (u32 i = 0; i < IR_LANES * count; i++)
        index[i] = gen_int(e, e->i32, i % count * IR_LANES + i / count);
    return B(ShuffleVector, all, e->ll->GetPoison(e->ll->TypeOf(all)), e->ll->ConstVector(index, IR_LANES * count));
}

/* ---- loads ---- */

void access_put_elements(struct gen *e, const struct access *x, llvm_value *v, bool vec)
{
    for (unsigned k = 0; k < x->op->count; k++) {
        llvm_value value = extended(e, x->op, v[k], vec);
        gen_put(e, element_slot(x, k), element_kind(x->op), vec ? gen_of_lanes(value) : gen_uniform(value));
    }
}

/* A lane's elements, as one access of the host: docs/memory-model.md says who relies on that. */
void access_load_whole(struct gen *e, const struct access *x, llvm_value at, llvm_value *v)
{
    const unsigned count = x->op->count;
    llvm_type t = access_element_type(e, x->op);
    llvm_value all = gen_load(e, count > 1 ? e->ll->VectorType(t, count) : t, access_host(e, x, at), x->op->size);
    v[0] = all;
    for (unsigned k = 0; count > 1 && k < count; k++)
        v[k] = B(ExtractElement, all, gen_int(e, e->i32, k));
}

static void load_one_place(struct gen *e, const struct access *x, llvm_value at)
{
    llvm_value v[4];
    access_load_whole(e, x, at, v);
    access_put_elements(e, x, v, false);
}

/* n elements that lie one behind the other. Volatile where a lane has several: LLVM would load them apart if it sees that a
 * shuffle wants them apart. */
llvm_value access_load_many(struct gen *e, const struct access *x, llvm_value at, u32 n)
{
    llvm_type t = e->ll->VectorType(access_element_type(e, x->op), n);
    llvm_value v = gen_load(e, t, access_host(e, x, at), x->op->size);
    e->ll->SetVolatile(v, x->op->count > 1);
    return v;
}

/* All of the row is there, so lanes that are not active may be read too. */
static void load_row(struct gen *e, const struct access *x, llvm_value first)
{
    const unsigned count = x->op->count;
    llvm_value v[4], all = access_load_many(e, x, first, IR_LANES * count);
    for (unsigned k = 0; k < count; k++)
        v[k] = count > 1 ? pick(e, all, k, count) : all;
    access_put_elements(e, x, v, true);
}

static llvm_value active_lanes(struct gen *e)
{
    e->vec = true;
    return e->mask ? e->mask : gen_const(e, 'p', 1);
}

/* What a lane has in memory where lanes are apart: an element, or two as one of 64 bits. */
static llvm_type lane_type(struct gen *e, const struct op *op)
{
    return gen_lanes_of(e, op->count > 1 ? e->i64 : access_element_type(e, op));
}

static void load_gather(struct gen *e, const struct access *x)
{
    llvm_type t = lane_type(e, x->op), types[] = {t, gen_lanes_of(e, e->ptr)};
    llvm_value args[] = {host_lanes(e, x), gen_int(e, e->i32, x->bytes), active_lanes(e), e->ll->ConstNull(t)};
    llvm_value all = gen_call(e, "llvm.masked.gather", types, 2, args, 4), v[2] = {all};
    if (x->op->count > 1) {
        llvm_type i = gen_lanes_of(e, e->i32);
        v[0] = B(Trunc, all, i);
        v[1] = B(Trunc, B(LShr, all, gen_const(e, 'l', 32)), i);
    }
    access_put_elements(e, x, v, true);
}

/* ---- stores ---- */

llvm_value access_element(struct gen *e, const struct access *x, unsigned k, bool vec)
{
    const u8 kind = element_kind(x->op);
    struct value v = gen_get(e, element_slot(x, k), kind);
    if (v.s.raw)
        v.v = gen_canonical(e, v.v);
    if (!v.v)
        v = gen_coerce(e, v, (struct shape){.kind = SHAPE_UNIFORM}, kind);
    llvm_type t = access_element_type(e, x->op);
    llvm_value r = vec ? gen_vector(e, v, kind) : v.v;
    return x->op->size >= 4 ? r : B(Trunc, r, vec ? gen_lanes_of(e, t) : t);
}

static bool is_uniform(struct gen *e, const struct access *x, unsigned k)
{
    const u8 kind = gen_get(e, element_slot(x, k), element_kind(x->op)).s.kind;
    return kind == SHAPE_UNIFORM || kind == SHAPE_NONE;
}

/* The last lane's value stays. */
static void store_one_place(struct gen *e, const struct access *x, llvm_value at)
{
    llvm_value lane = gen_int(e, e->i32, IR_LANES - 1);
    if (e->mask) {
        llvm_value args[] = {B(BitCast, e->mask, e->i32), gen_int(e, e->i1, 1)};
        lane = B(Sub, lane, gen_call_of(e, "llvm.ctlz", args, 2));
    }
    llvm_value v[4] = {0}, all;
    for (unsigned k = 0; k < x->op->count; k++)
        v[k] = is_uniform(e, x, k) ? access_element(e, x, k, false)
                                   : B(ExtractElement, access_element(e, x, k, true), lane);
    all = x->op->count > 1 ? e->ll->GetPoison(e->ll->VectorType(access_element_type(e, x->op), x->op->count)) : v[0];
    for (unsigned k = 0; x->op->count > 1 && k < x->op->count; k++)
        all = B(InsertElement, all, v[k], gen_int(e, e->i32, k));
    gen_store(e, all, access_host(e, x, at), x->op->size);
}

llvm_value access_each_twice(struct gen *e, llvm_value mask, unsigned count)
{
    llvm_value index[4 * IR_LANES];
    for (u32 i = 0; i < IR_LANES * count; i++)
        index[i] = gen_int(e, e->i32, i / count);
    return B(ShuffleVector, mask, e->ll->GetPoison(e->ll->TypeOf(mask)), e->ll->ConstVector(index, IR_LANES * count));
}

static void store_row(struct gen *e, const struct access *x, llvm_value first)
{
    const unsigned count = x->op->count;
    llvm_value v[4];
    for (unsigned k = 0; k < count; k++)
        v[k] = access_element(e, x, k, true);
    llvm_value all = access_interleaved(e, v, count), p = access_host(e, x, first);
    if (!e->mask) {
        gen_store(e, all, p, x->op->size);
        return;
    }
    llvm_type types[] = {e->ll->TypeOf(all), e->ptr};
    llvm_value args[] = {all, p, gen_int(e, e->i32, x->op->size),
                         count > 1 ? access_each_twice(e, e->mask, count) : e->mask};
    gen_call(e, "llvm.masked.store", types, 2, args, 4);
}

/* In ascending order, as far as places overlap. */
static void store_scatter(struct gen *e, const struct access *x)
{
    llvm_type t = lane_type(e, x->op), types[] = {t, gen_lanes_of(e, e->ptr)};
    llvm_value v = access_element(e, x, 0, true);
    if (x->op->count > 1) {
        llvm_value high = B(ZExt, access_element(e, x, 1, true), t);
        e->vec = true;
        v = B(Or, B(ZExt, v, t), B(Shl, high, gen_const(e, 'l', 32)));
    }
    llvm_value args[] = {v, host_lanes(e, x), gen_int(e, e->i32, x->bytes), active_lanes(e)};
    gen_call(e, "llvm.masked.scatter", types, 2, args, 4);
}

/* ---- the slow way ---- */

static void by_body(struct gen *e, const struct access *x, bool one_place)
{
    const bool store = x->op->form == OP_STORE;
    if (!(x->r->aux & IR_ADDR_CONST))
        gen_spill(e, x->r->a, x->r->aux & IR_ADDR32 ? CELL_32 : CELL_64);
    for (unsigned k = 0; k < x->op->count && (store || e->mask); k++)
        gen_spill(e, element_slot(x, k), element_kind(x->op));
    gen_run_body(e, x->record, x->record + 1);
    for (unsigned k = 0; k < x->op->count && !store; k++)
        gen_reload(e, element_slot(x, k), element_kind(x->op), one_place && !e->mask ? SHAPE_UNIFORM : SHAPE_VECTOR);
}

/* ---- an access: the ways that it may go, each of which comes to the same end ---- */

typedef void one_way(struct gen *e, const struct access *x, llvm_value at);

static void do_place(struct gen *e, const struct access *x, llvm_value at)
{
    if (x->op->form == OP_STORE)
        store_one_place(e, x, at);
    else
        load_one_place(e, x, at);
}

static void do_row(struct gen *e, const struct access *x, llvm_value first)
{
    if (x->op->form == OP_STORE)
        store_row(e, x, first);
    else
        load_row(e, x, first);
}

static void do_lanes(struct gen *e, const struct access *x, llvm_value none)
{
    (void)none;
    if (x->op->form == OP_STORE)
        store_scatter(e, x);
    else
        load_gather(e, x);
}

/* If ok then this way, else what `otherwise` makes; both come together. */
static void choose(struct gen *e, const struct access *x, llvm_value ok, one_way *way, llvm_value at,
                   void (*otherwise)(struct gen *e, const struct access *x), int likely)
{
    llvm_block yes = gen_block(e), no = gen_block(e), ends[2];
    struct value *before = gen_snapshot(e);
    gen_branch(e, ok, yes, no, likely);
    gen_here(e, yes);
    gen_count_access(e, x, way == do_row ? at : NULL);
    way(e, x, at);
    struct value *after = gen_snapshot(e);
    llvm_block end = e->ll->GetInsertBlock(e->b);
    memcpy(e->now, before, sizeof *before * e->g->cells.len);
    gen_here(e, no);
    otherwise(e, x);
    gen_meet(e, after, end, ends);
}

static void any_body(struct gen *e, const struct access *x) { by_body(e, x, false); }

/* One address of the local window is another place for each lane, so what the lanes load there differs. */
static void place_body(struct gen *e, const struct access *x)
{
    if (x->op->form == OP_LOAD && x->op->space == SPACE_NONE && !e->mask) {
        llvm_value base = gen_load(e, e->i64, gen_at(e, e->w, offsetof(struct warp, local_window)), 8);
        gen_leave_unless(e, B(ICmp, LLVM_UGE, B(Sub, x->at, base), gen_int(e, e->i64, MEM_WINDOW_BYTES)));
    }
    by_body(e, x, true);
}

/* Addresses that nothing is known of: any places, or by the body. There are no gathers of 16 bytes, and two of 8 could come
 * between the halves of a store. */
static void scattered(struct gen *e, const struct access *x)
{
    const bool store = x->op->form == OP_STORE;
    if (x->op->size < 4 || x->bytes > 8 || (store && !e->has_scatter))
        by_body(e, x, false);
    else
        choose(e, x, all_hold(e, x), do_lanes, NULL, any_body, 1);
}

/* ---- */

/* Where lanes are apart by constants, or at one place: checked against the allocation of this very instruction. */
static void by_site(struct gen *e, const struct access *x)
{
    if (x->shape.kind == SHAPE_UNIFORM) {
        choose(e, x, holds(e, x, x->at, x->bytes), do_place, x->at, place_body, 1);
    } else {
        const struct access_layout l = access_lay_out(x);
        llvm_value ok = holds(e, x, access_moved(e, x->at, l.low), l.span);
        choose(e, x, x->ok ? B(And, ok, x->ok) : ok, access_do_offsets, NULL, any_body, 1);
    }
}

/* First against the allocation of the pointer that the address is made of (gen_root.c). */
static void by_root(struct gen *e, const struct access *x, i64 low, u64 span, one_way *way, llvm_value at)
{
    llvm_value ok = access_by_root(e, x, low, span);
    if (ok)
        choose(e, x, ok, way, at, by_site, 1);
    else
        by_site(e, x);
}

static void gen_access(struct gen *e, u32 record)
{
    struct access x = begin_access(e, record);
    llvm_value first = x.at;
    if (x.shape.kind == SHAPE_UNIFORM) {
        by_root(e, &x, 0, x.bytes, do_place, x.at);
        return;
    }
    if (x.shape.kind == SHAPE_OFFSETS) {
        const struct access_layout l = access_lay_out(&x);
        if (access_serves_offsets(&x, &l)) {
            by_root(e, &x, l.low, l.span, access_do_offsets, NULL);
            return;
        }
        x.at = address_lanes(e, &x);
        scattered(e, &x);
        return;
    }
    if (e->mask) { /* where lanes have parted a row is rare, and each way more is as much code again */
        scattered(e, &x);
        return;
    }
    llvm_value row = is_row(e, &x, &first);
    choose(e, &x, B(And, row, holds(e, &x, first, IR_LANES * (u64)x.bytes)), do_row, first, scattered, 0);
}

void gen_load_op(struct gen *e, u32 record) { gen_access(e, record); }
void gen_store_op(struct gen *e, u32 record) { gen_access(e, record); }
