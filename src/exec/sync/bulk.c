/* bulk.c - issuing bulk asynchronous copies and reductions (PTX ISA 9.7.9.25.4, .5), st.async and red.async, lane by lane:
 * usually one lane of a block issues them. What becomes of them then is flight.c's. Also st.bulk, which is done at once.
 *
 * Their bytes go round the load-store unit: the events of their accesses are not counted; addresses are checked as any
 * others.
 * Addresses and sizes are multiples of 16 bytes, of st.bulk 8; a tensor's box in shared memory begins at a multiple of
 * 128. */
#include "exec/sync/async.h"

#include <stdio.h>
#include <string.h>

#include "exec/sync/flight.h"
#include "exec/sync/weak.h"

enum { UNIT = FLIGHT_UNIT, BOX_ALIGN = 128, SHARED_LINE = 128 };

/* An instruction that the tensor map does not fit; false. */
static bool illegal(struct warp *w, const struct ir_inst *pc, unsigned lane, const char *why)
{
    struct exec_fault f = {.kind = FAULT_ILLEGAL_INSTRUCTION};
    fault_place(w, pc, lane, &f);
    snprintf(f.detail, sizeof f.detail, "%s", why);
    grid_fault(w->block->grid, &f);
    w->stop = STOP_FAULT;
    return false;
}

/* Device memory, checked; NULL after a fault. *left_out: the kernel goes on nevertheless. */
static u8 *global(struct warp *w, const struct ir_inst *pc, u64 address, unsigned lane, u32 bytes, u32 align,
                  bool write, bool *left_out)
{
    u64 lo, hi;
    enum mem_kind kind;
    const bool aligned = address % align == 0;
    if (aligned && mem_range(w->mem, address, &lo, &hi, &kind) && hi - address >= bytes &&
        !(write && mem_read_only(kind)))
        return (u8 *)(uintptr_t)address;
    if (aligned && warp_forgive(w, pc, lane, address, bytes, SPACE_GLOBAL, write, false))
        return (u8 *)(uintptr_t)address;
    *left_out = warp_excuse(w, pc, aligned ? FAULT_ILLEGAL_ADDRESS : FAULT_MISALIGNED, lane, address, bytes,
                            SPACE_GLOBAL, write, false);
    return NULL;
}

/* ---- events ---- */

/* One side of it: an address of device memory, or an offset in a block's shared memory. */
struct side {
    const struct block *home; /* NULL: device memory */
    u64 at;
};

static struct side side_of(const struct warp *w, const u8 *p, bool shared)
{
    const struct block *home = shared ? cluster_block_of(w, p) : NULL;
    return (struct side){home, shared ? (u64)(p - home->shared) : (u64)(uintptr_t)p};
}

static void tell_side(struct warp *w, const struct ir_inst *pc, unsigned lane, enum exec_access_op op, struct side s,
                      u32 bytes)
{
    if (w->hooks && w->hooks->whole)
        return;
    if (s.home && s.home != w->block)
        warp_touch_far(w, pc, lane, op, s.home, s.at, bytes);
    else
        warp_touch(w, pc, lane, s.home ? SPACE_SHARED : SPACE_GLOBAL, op, s.at, bytes, true);
}

/* A piece of a copy, from an offset on. */
static void tell_piece(struct warp *w, const struct ir_inst *pc, unsigned lane, struct side to, struct side from,
                       u32 offset, u32 bytes)
{
    const struct ir_bulk *b = pc->ptr;
    to.at += offset;
    from.at += offset;
    tell_side(w, pc, lane, ACCESS_LD, from, bytes);
    tell_side(w, pc, lane, b->op && b->kind == BULK_OUT ? ACCESS_RED : ACCESS_ST, to, bytes);
}

/* The bytes of a copy without a tensor. */
static void tell(struct warp *w, const struct ir_inst *pc, unsigned lane, struct side to, struct side from, u32 bytes,
                 u32 mask)
{
    const u32 piece = mask == 0xffff ? bytes : 1;
    for (u32 k = 0; k < bytes; k += piece)
        if (mask >> k % UNIT & 1)
            tell_piece(w, pc, lane, to, from, k, piece);
}

/* ---- starting a copy ---- */

static u32 lane32(const u8 *regs, u32 slot, unsigned lane) { return ((const u32 *)(const void *)(regs + slot))[lane]; }

static struct copy new_copy(const struct warp *w, const struct ir_inst *pc, unsigned lane)
{
    const struct ir_bulk *b = pc->ptr;
    return (struct copy){
        .what = b, .func = w->func, .pc = pc, .warp = w->index, .lane = lane, .mask = 0xffff, .type = b->type};
}

struct told_rows {
    const struct exec_bulk *bulk;
    void (*fn)(void *ctx, u64 address, u32 bytes);
    void *ctx;
};

/* Bytes from `address` on, which shared memory has from `place` on: no piece reaches from one line there to the next. */
static void tell_lines(const struct told_rows *t, u64 address, u64 place, u32 bytes)
{
    for (u32 k = 0, n; k < bytes; k += n) {
        const u32 room = SHARED_LINE - (u32)((place + k) % SHARED_LINE);
        n = room < bytes - k ? room : bytes - k;
        t->fn(t->ctx, address + k, n);
    }
}

static bool tell_inside(void *ctx, const struct tensor_row *r)
{
    const struct told_rows *t = ctx;
    tell_lines(t, r->address, t->bulk->shared + r->place + r->first, r->count);
    return true;
}

static void tell_rows(const struct exec_bulk *b, void (*fn)(void *ctx, u64 address, u32 bytes), void *ctx)
{
    struct told_rows t = {b, fn, ctx};
    if (b->box)
        tensor_rows(b->box, tell_inside, &t);
    else if (b->address)
        tell_lines(&t, b->address, b->shared, b->bytes);
}

/* All of it, once: where it ends, or what it reads if that is shared memory, and where its bytes arrive. */
static void tell_whole(struct warp *w, const struct copy *c, const u8 *global_side, const u8 *shared_side, u32 blocks)
{
    const struct block *home = shared_side ? cluster_block_of(w, shared_side) : w->block;
    const struct exec_bulk b = {.func = w->func,
                                .site = c->pc->site,
                                .warp = w->index,
                                .lane = c->lane,
                                .what = c->what,
                                .box = c->what->is_tensor ? &c->box : NULL,
                                .bytes = c->bytes,
                                .blocks = blocks ? blocks : 1u << home->info.rank,
                                .shared = shared_side ? (u64)(shared_side - home->shared) : 0,
                                .address = (u64)(uintptr_t)global_side,
                                .barrier = c->barrier ? (u64)(c->barrier - cluster_block_of(w, c->barrier)->shared)
                                                      : UINT64_MAX,
                                .first = c->lane == (u32)__builtin_ctz(w->mask),
                                .block = w->info,
                                .rows = tell_rows};
    w->hooks->bulk(w->hook_ctx, &b);
}

static bool hears_whole(const struct warp *w, const struct copy *c)
{
    return w->hooks && w->hooks->bulk && !c->left_out;
}

/* Its bytes will arrive at the mbarrier, if there is one. */
static bool start(struct warp *w, const struct ir_inst *pc, const u8 *regs, struct copy *c,
                  const struct ir_address *barrier)
{
    if (c->what->kind != BULK_OUT)
        c->barrier = mbarrier_awaits_bytes(w, pc, regs, barrier, c->lane);
    return (c->barrier || c->what->kind == BULK_OUT) && flight_start(w, c);
}

/* blocks: to which the copy goes, a bit each; UINT32_MAX: it has been told. */
static bool copy_bytes(struct warp *w, const struct ir_inst *pc, u8 *regs, unsigned lane,
                       const struct ir_address *target, const struct ir_address *barrier, u32 blocks)
{
    const struct ir_bulk *b = pc->ptr;
    struct copy c = new_copy(w, pc, lane);
    c.bytes = lane32(regs, b->bytes, lane);
    c.mask = b->is_masked ? lane32(regs, b->mask, lane) : 0xffff;
    if (c.bytes % UNIT) {
        warp_fault(w, pc, FAULT_MISALIGNED, lane, c.bytes, c.bytes, SPACE_SHARED, true, false);
        return false;
    }
    const bool in = b->kind == BULK_IN, out = b->kind == BULK_OUT;
    c.from = in ? global(w, pc, async_address(regs, &b->from, lane), lane, c.bytes, UNIT, false, &c.left_out)
                : async_shared(w, pc, regs, &b->from, lane, c.bytes, UNIT, false, &c.left_out);
    if (c.from)
        c.to = out ? global(w, pc, async_address(regs, target, lane), lane, c.bytes, UNIT, true, &c.left_out)
                   : async_shared(w, pc, regs, target, lane, c.bytes, UNIT, true, &c.left_out);
    if (!c.to && !c.left_out)
        return false;
    if (c.to && w->hooks)
        tell(w, pc, lane, side_of(w, c.to, !out), side_of(w, c.from, !in), c.bytes, c.mask);
    if (!start(w, pc, regs, &c, barrier))
        return false;
    if (hears_whole(w, &c) && blocks != UINT32_MAX)
        tell_whole(w, &c, in ? c.from : out ? c.to : NULL, out ? c.from : c.to, blocks);
    return true;
}

/* ---- tensors ---- */

/* The enum ptx_type by which a reduction takes the elements of a map, PTX_NONE: there is none. */
static u8 reduced_type(u8 type, u32 op)
{
    static const u8 types[TENSOR_TYPES] = {
        [TENSOR_U32] = PTX_U32,     [TENSOR_S32] = PTX_S32,   [TENSOR_U64] = PTX_U64,     [TENSOR_S64] = PTX_S64,
        [TENSOR_F16] = PTX_F16,     [TENSOR_BF16] = PTX_BF16, [TENSOR_F32] = PTX_F32,     [TENSOR_F64] = PTX_F64,
        [TENSOR_F32_FTZ] = PTX_F32, [TENSOR_TF32] = PTX_F32,  [TENSOR_TF32_FTZ] = PTX_F32};
    const bool small = type == TENSOR_F16 || type == TENSOR_BF16;
    const bool integer = type >= TENSOR_U32 && type <= TENSOR_S64;
    const bool good = op == MOD_ADD                    ? type != TENSOR_S64
                      : op == MOD_MIN || op == MOD_MAX ? integer || small
                      : op == MOD_INC || op == MOD_DEC ? type == TENSOR_U32
                                                       : integer && type != TENSOR_S64;
    return good ? types[type] : PTX_NONE;
}

/* What a walk over the rows of a box needs. */
struct rows {
    struct warp *w;
    const struct ir_inst *pc;
    struct copy *c;
    u64 lo, hi; /* of the allocation of the last row */
};

/* A row must lie in memory that the device may touch. */
static bool check_row(void *ctx, const struct tensor_row *r)
{
    struct rows *x = ctx;
    enum mem_kind kind;
    const bool write = x->c->what->kind == BULK_OUT;
    if (!r->count || (r->address >= x->lo && r->address < x->hi && x->hi - r->address >= r->count))
        return true;
    if (mem_range(x->w->mem, r->address, &x->lo, &x->hi, &kind) && x->hi - r->address >= r->count &&
        !(write && mem_read_only(kind)))
        return true;
    x->lo = x->hi = 0;
    return global(x->w, x->pc, r->address, x->c->lane, r->count, 1, write, &x->c->left_out) != NULL;
}

/* The events of a row, unit by unit. */
static bool tell_row(void *ctx, const struct tensor_row *r)
{
    const struct rows *x = ctx;
    const struct tensor_map *m = &x->c->box.map;
    const bool in = x->c->what->kind == BULK_IN;
    const struct side shared = side_of(x->w, in ? x->c->to : x->c->from, true);
    const u64 box = shared.at;
    for (u32 k = 0; k < r->bytes; k += UNIT) {
        const u64 place = tensor_swizzled(m->swizzle, box + r->place + k);
        const u32 lo = r->count && r->first > k ? r->first - k : 0;
        const u32 hi = r->count && r->first + r->count < k + UNIT ? r->first + r->count - k : UNIT;
        const bool inside = r->count && r->first < k + UNIT && r->first + r->count > k;
        const struct side here = {shared.home, place + lo}, there = {NULL, r->address + k + lo - r->first};
        if (inside)
            tell_piece(x->w, x->pc, x->c->lane, in ? here : there, in ? there : here, 0, hi - lo);
    }
    return true;
}

/* A map may lie in local memory, which no GPU takes: clang 19 copies a kernel's parameter there when its address is taken, for it knows
 * no __grid_constant__. */
static const u8 *map_at(struct warp *w, const struct ir_inst *pc, u64 address, unsigned lane, bool *left_out)
{
    const u64 at = address - w->local_window;
    if (at < w->local_bytes && w->local_bytes - at >= TENSOR_MAP_BYTES)
        return w->local + lane * w->local_bytes + at;
    return global(w, pc, address, lane, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, false, left_out);
}

static bool read_box(struct warp *w, const struct ir_inst *pc, const u8 *regs, unsigned lane, struct tensor_box *box)
{
    const struct ir_bulk *b = pc->ptr;
    bool left_out = false;
    const u64 address = async_address(regs, b->kind == BULK_OUT ? &b->to : &b->from, lane);
    const u8 *map = map_at(w, pc, address, lane, &left_out);
    if (!map)
        return left_out && illegal(w, pc, lane, "its tensor map is not in memory");
    memcpy(&box->map, map, sizeof box->map);
    for (u32 k = 0; k < TENSOR_RANKS; k++)
        box->at[k] = k < b->rank ? (i32)lane32(regs, b->at[k], lane) : 0;
    for (u32 k = 0; k < 3; k++)
        box->offsets[k] =
            b->is_im2col && b->kind == BULK_IN && k + 2 < b->rank ? (u16)lane32(regs, b->offsets[k], lane) : 0;
    const char *wrong = tensor_wrong(box, b->rank, b->is_im2col ? TENSOR_IM2COL : TENSOR_TILED, b->kind == BULK_OUT);
    return !wrong || illegal(w, pc, lane, wrong);
}

static bool copy_box(struct warp *w, const struct ir_inst *pc, u8 *regs, unsigned lane, const struct ir_address *target,
                     const struct ir_address *barrier, u32 blocks)
{
    const struct ir_bulk *b = pc->ptr;
    const bool in = b->kind == BULK_IN;
    struct copy c = new_copy(w, pc, lane);
    if (!read_box(w, pc, regs, lane, &c.box))
        return false;
    c.type = b->op ? reduced_type(c.box.map.type, b->op) : PTX_NONE;
    if (b->op && c.type == PTX_NONE)
        return illegal(w, pc, lane, "the tensor map's type has no such reduction");
    c.bytes = tensor_box_bytes(&c.box.map);
    u8 *box = async_shared(w, pc, regs, in ? target : &b->from, lane, tensor_box_room(&c.box.map), BOX_ALIGN, in,
                           &c.left_out);
    struct rows rows = {.w = w, .pc = pc, .c = &c};
    *(in ? &c.to : &c.from) = box;
    if (box) {
        c.shared = cluster_block_of(w, box)->shared;
        if (!tensor_rows(&c.box, check_row, &rows) && !c.left_out)
            return false;
        c.end = rows.hi;
        if (w->hooks && w->hooks->access && !w->hooks->whole && !c.left_out)
            tensor_rows(&c.box, tell_row, &rows);
    } else if (!c.left_out) {
        return false;
    }
    if (!start(w, pc, regs, &c, barrier))
        return false;
    if (hears_whole(w, &c) && blocks != UINT32_MAX)
        tell_whole(w, &c, NULL, box, blocks);
    return true;
}

/* Brings nothing anywhere: there are no caches here. */
static bool look_ahead(struct warp *w, const struct ir_inst *pc, const u8 *regs, unsigned lane)
{
    const struct ir_bulk *b = pc->ptr;
    struct copy c = new_copy(w, pc, lane);
    if (b->is_tensor && !read_box(w, pc, regs, lane, &c.box))
        return false;
    if (!hears_whole(w, &c))
        return true;
    c.bytes = b->is_tensor ? tensor_box_bytes(&c.box.map) : lane32(regs, b->bytes, lane);
    const u64 address = b->is_tensor ? 0 : async_address(regs, &b->from, lane);
    tell_whole(w, &c, (const u8 *)(uintptr_t)address, NULL, 0);
    return true;
}

/* ---- values ---- */

static bool send_values(struct warp *w, const struct ir_inst *pc, u8 *regs, unsigned lane)
{
    const struct ir_bulk *b = pc->ptr;
    struct copy c = new_copy(w, pc, lane);
    c.bytes = (u32)b->nvalues * b->value_bytes;
    for (u32 k = 0; k < b->nvalues; k++)
        memcpy(c.values + k * b->value_bytes, regs + b->values[k] + lane * b->value_bytes, b->value_bytes);
    c.to = async_shared(w, pc, regs, &b->to, lane, c.bytes, c.bytes, true, &c.left_out);
    if (!c.to && !c.left_out)
        return false;
    if (c.to)
        tell_side(w, pc, lane, ACCESS_ST, side_of(w, c.to, true), c.bytes);
    if (!start(w, pc, regs, &c, &b->barrier))
        return false;
    if (hears_whole(w, &c))
        tell_whole(w, &c, NULL, c.to, 0);
    return true;
}

/* ---- a lane ---- */

/* The same offset in the shared memory of the block of this rank. */
static struct ir_address address_in(const struct warp *w, const u8 *regs, const struct ir_address *a, unsigned lane,
                                    u32 rank)
{
    const u64 offset = cluster_address(async_offset(w, regs, a, lane), rank) - w->shared_at;
    return (struct ir_address){.flags = IR_ADDR_CONST, .offset = (i64)offset};
}

static bool run_lane(struct warp *w, const struct ir_inst *pc, u8 *regs, unsigned lane)
{
    const struct ir_bulk *b = pc->ptr;
    bool (*const copy)(struct warp *, const struct ir_inst *, u8 *, unsigned, const struct ir_address *,
                       const struct ir_address *, u32) = b->is_tensor ? copy_box : copy_bytes;
    if (b->kind == BULK_AHEAD)
        return look_ahead(w, pc, regs, lane);
    if (b->kind == BULK_VALUE)
        return send_values(w, pc, regs, lane);
    if (!b->multicast)
        return copy(w, pc, regs, lane, &b->to, &b->barrier, 0);
    const u32 ranks = lane32(regs, b->ranks, lane) & 0xffff;
    for (u32 left = ranks; left; left &= left - 1) {
        const u32 rank = (u32)__builtin_ctz(left);
        const struct ir_address to = address_in(w, regs, &b->to, lane, rank),
                                barrier = address_in(w, regs, &b->barrier, lane, rank);
        if (!copy(w, pc, regs, lane, &to, &barrier, left == ranks ? ranks : UINT32_MAX))
            return false;
    }
    return true;
}

/* A map in local memory is each lane's own. */
static bool same_map(const struct warp *w, u64 address, unsigned lane, unsigned other)
{
    const u64 at = address - w->local_window;
    if (at >= w->local_bytes || w->local_bytes - at < TENSOR_MAP_BYTES)
        return true;
    const u8 *first = w->local + at;
    return !memcmp(first + lane * w->local_bytes, first + other * w->local_bytes, TENSOR_MAP_BYTES);
}

static bool same_copy(const struct warp *w, const struct ir_bulk *b, const u8 *regs, unsigned lane, unsigned other)
{
    const u64 to = async_address(regs, &b->to, lane);
    bool same = to == async_address(regs, &b->to, other) &&
                async_address(regs, &b->from, lane) == async_address(regs, &b->from, other);
    for (u32 k = 0; k < b->rank && b->is_tensor; k++)
        same &= lane32(regs, b->at[k], lane) == lane32(regs, b->at[k], other);
    if (b->is_tensor)
        return same && same_map(w, to, lane, other);
    return same && lane32(regs, b->bytes, lane) == lane32(regs, b->bytes, other) &&
           (!b->is_masked || lane32(regs, b->mask, lane) == lane32(regs, b->mask, other));
}

/* Lanes that bring the same bytes out to the same place make one copy, the first one's, as in the machine code that ptxas makes
 * for sm_90: whole warps store tiles so. Reductions, and copies at which an mbarrier counts bytes, are each lane's. */
static u32 lanes_done(const struct warp *w, const struct ir_inst *pc, const u8 *regs, u32 left, unsigned lane)
{
    const struct ir_bulk *b = pc->ptr;
    u32 done = 1u << lane;
    if (b->kind != BULK_OUT || b->op)
        return done;
    for (u32 m = left & (left - 1); m; m &= m - 1) {
        const unsigned other = (unsigned)__builtin_ctz(m);
        done |= (u32)same_copy(w, b, regs, lane, other) << other;
    }
    return done;
}

static bool fill_lane(struct warp *w, const struct ir_inst *pc, u8 *regs, unsigned lane)
{
    const struct ir_bulk *b = pc->ptr;
    const u64 bytes = ((const u64 *)(const void *)(regs + b->bytes))[lane];
    bool left_out = false;
    u8 *to = async_shared(w, pc, regs, &b->to, lane, bytes, 8, true, &left_out);
    if (to) {
        warp_touch(w, pc, lane, SPACE_SHARED, ACCESS_ST, (u64)(to - w->shared), bytes, true);
        memset(to, 0, bytes);
    }
    return to || left_out;
}

const struct ir_inst *bulk_run(struct warp *w, const struct ir_inst *pc, u8 *regs)
{
    const struct ir_bulk *b = pc->ptr;
    if (w->weak) /* in order after everything the warp did */
        weak_fence(w);
    for (u32 left = w->mask, done; left; left &= ~done) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        done = lanes_done(w, pc, regs, left, lane);
        if (!(b->kind == BULK_FILL ? fill_lane : run_lane)(w, pc, regs, lane))
            return NULL;
    }
    return pc + 1;
}
