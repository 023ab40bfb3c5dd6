/* flight.c - see flight.h. A block's list is in the order in which the copies were issued, and that is the order in which
 * those are done that a wait asks for. It is bounded: a copy too many does the oldest one. */
#include "exec/sync/flight.h"

#include <string.h>

#include "exec/ops/combine.h"
#include "exec/sync/async.h"
#include "exec/sync/order.h"

enum { FIRST_ROOM = 8, MOST = 256 };
#define RACY __attribute__((no_sanitize("thread")))

struct flight {
    u32 n, room;
    struct copy *list;
    u32 (*committed)[IR_LANES]; /* groups of each thread, by warp */
};

static struct flight *flight_of(struct block *b)
{
    if (b->flight)
        return b->flight;
    struct arena *mem = &b->worker->mem;
    b->flight = arena_new(mem, struct flight);
    b->flight->committed = arena_alloc(mem, sizeof *b->flight->committed * b->info.warps);
    return b->flight;
}

/* ---- doing a copy ---- */

typedef u64 unit __attribute__((vector_size(FLIGHT_UNIT), aligned(FLIGHT_UNIT), may_alias));

/* Others may read and write meanwhile: a unit of 16 bytes is copied as a whole. */
RACY static void move(u8 *to, const u8 *from, u32 bytes)
{
    u32 k = 0;
    if (!(((uintptr_t)to | (uintptr_t)from) % FLIGHT_UNIT))
        for (; k + FLIGHT_UNIT <= bytes; k += FLIGHT_UNIT)
            *(volatile unit *)(void *)(to + k) = *(const volatile unit *)(const void *)(from + k);
    if (!(((uintptr_t)to | (uintptr_t)from) % 8))
        for (; k + 8 <= bytes; k += 8)
            *(volatile u64_any *)(void *)(to + k) = *(const volatile u64_any *)(const void *)(from + k);
    if (!(((uintptr_t)to | (uintptr_t)from) % 2))
        for (; k + 2 <= bytes; k += 2)
            *(volatile u16_any *)(void *)(to + k) = *(const volatile u16_any *)(const void *)(from + k);
    for (; k < bytes; k++)
        *(volatile u8 *)(to + k) = *(const volatile u8 *)(from + k);
}

/* Bit i of the mask: byte i of each 16 is written. */
static void move_masked(u8 *to, const u8 *from, u32 bytes, u32 mask)
{
    for (u32 k = 0; k < bytes; k++)
        if (mask >> k % FLIGHT_UNIT & 1)
            to[k] = from[k];
}

static enum atomic_op operation(u32 mod)
{
    static const u8 ops[] = {[MOD_ADD - MOD_AND] = A_ADD, [MOD_MIN - MOD_AND] = A_MIN, [MOD_MAX - MOD_AND] = A_MAX,
                             [MOD_INC - MOD_AND] = A_INC, [MOD_DEC - MOD_AND] = A_DEC, [MOD_AND - MOD_AND] = A_AND,
                             [MOD_OR - MOD_AND] = A_OR,   [MOD_XOR - MOD_AND] = A_XOR};
    return (enum atomic_op)ops[mod - MOD_AND];
}

/* Element by element, each an atomic operation. Subnormal sums of f32 in global memory are zeros, but not those of a tensor of f32, as
 * an H200 has it. */
static void reduce(const struct copy *c, u8 *to, const u8 *from, u32 bytes)
{
    const bool keeps = c->what->is_tensor && c->box.map.type == TENSOR_F32;
    const bool flushes = c->what->kind == BULK_OUT && !keeps;
    const u32 size = ptx_type_bits((enum ptx_type)c->type) / 8;
    for (u32 k = 0; k < bytes; k += size) {
        u64 value = 0;
        memcpy(&value, from + k, size);
        update_host(to + k, operation(c->what->op), c->type, size, value, 0, flushes);
    }
}

static void bring(const struct copy *c, u8 *to, const u8 *from, u32 bytes)
{
    if (c->what->op)
        reduce(c, to, from, bytes);
    else if (c->mask != 0xffff)
        move_masked(to, from, bytes, c->mask);
    else
        move(to, from, bytes);
}

static bool row_in(void *ctx, const struct tensor_row *r)
{
    const struct copy *c = ctx;
    _Alignas(FLIGHT_UNIT) u8 row[TENSOR_ROW_MOST];
    tensor_fill_row(&c->box.map, r, row);
    if (r->count)
        move(row + r->first, (const u8 *)(uintptr_t)r->address, r->count);
    tensor_round_row(&c->box.map, r, row);
    tensor_put_row(&c->box.map, r, row, c->shared, (u64)(c->to - c->shared));
    return true;
}

/* A unit of 16 bytes that begins in the tensor is stored or reduced as a whole, as far as there is memory. */
static u32 stored(const struct copy *c, const struct tensor_row *r)
{
    const u64 end = r->address + (r->count + TENSOR_UNIT - 1) / TENSOR_UNIT * TENSOR_UNIT;
    if (end > c->end)
        return r->count;
    const u32 n = (u32)(end - r->address);
    return n < r->bytes - r->first ? n : r->bytes - r->first;
}

static bool row_out(void *ctx, const struct tensor_row *r)
{
    const struct copy *c = ctx;
    _Alignas(FLIGHT_UNIT) u8 row[TENSOR_ROW_MOST];
    if (!r->count)
        return true;
    tensor_take_row(&c->box.map, r, row, c->shared, (u64)(c->from - c->shared));
    bring(c, (u8 *)(uintptr_t)r->address, row + r->first, stored(c, r));
    return true;
}

static bool land(struct warp *w, struct copy *c)
{
    if (c->left_out)
        ;
    else if (c->what->is_tensor)
        tensor_rows(&c->box, c->what->kind == BULK_IN ? row_in : row_out, c);
    else
        bring(c, c->to, c->what->kind == BULK_VALUE ? c->values : c->from, c->bytes);
    return !c->barrier || mbarrier_bytes_came(w, c->func, c->pc, c->lane, c->barrier, c->bytes);
}

/* ---- which ones ---- */

struct wanted {
    const u8 *barrier; /* or NULL: groups of these lanes of the warp, but the newest `left` */
    u32 warp, lanes, left;
    bool all;
};

static bool is_wanted(const struct flight *f, const struct copy *c, const struct wanted *x)
{
    if (x->all || x->barrier)
        return x->all || c->barrier == x->barrier;
    const u32 n = f->committed[c->warp][c->lane];
    return c->what->kind == BULK_OUT && c->warp == x->warp && x->lanes >> c->lane & 1 && c->group + x->left <= n;
}

/* Does the wanted ones in their order, and keeps the others in theirs. False after a fault. */
static bool land_wanted(struct warp *w, struct flight *f, const struct wanted *x)
{
    u32 kept = 0;
    bool good = true;
    for (u32 k = 0; k < f->n; k++) {
        struct copy *c = &f->list[k];
        if (good && is_wanted(f, c, x))
            good = land(w, c);
        else if (kept++ != k)
            f->list[kept - 1] = *c;
    }
    f->n = kept;
    return good;
}

bool flight_land_at(struct warp *w, const u8 *barrier)
{
    const struct wanted x = {.barrier = barrier};
    const struct cluster *c = w->block->cluster;
    if (!c)
        return !w->block->flight || land_wanted(w, w->block->flight, &x);
    for (u32 k = 0; k < c->size; k++)
        if (c->blocks[k]->flight && !land_wanted(w, c->blocks[k]->flight, &x))
            return false;
    return true;
}

bool flight_land_all(struct block *b)
{
    const struct wanted x = {.all = true};
    const bool any = b->flight->n != 0;
    land_wanted(&b->warps[0], b->flight, &x);
    return any;
}

/* ---- starting ---- */

static void make_room(struct block *b, struct flight *f)
{
    const u32 room = f->room ? 2 * f->room : FIRST_ROOM;
    struct copy *list = arena_alloc(&b->worker->mem, sizeof *list * room);
    if (f->n)
        memcpy(list, f->list, sizeof *list * f->n);
    f->list = list;
    f->room = room;
}

bool flight_start(struct warp *w, const struct copy *c)
{
    struct flight *f = flight_of(w->block);
    bool good = true;
    if (f->n == MOST) {
        struct copy oldest = f->list[0];
        memmove(f->list, f->list + 1, sizeof *f->list * --f->n);
        good = land(w, &oldest);
    } else if (f->n == f->room) {
        make_room(w->block, f);
    }
    f->list[f->n] = *c;
    f->list[f->n++].group = f->committed[c->warp][c->lane] + 1;
    return good;
}

const struct ir_inst *flight_commit(struct warp *w, const struct ir_inst *pc)
{
    struct flight *f = flight_of(w->block);
    for (u32 left = w->mask; left; left &= left - 1)
        f->committed[w->index][__builtin_ctz(left)]++;
    if (w->hooks)
        warp_order(w, pc);
    return pc + 1;
}

const struct ir_inst *flight_wait(struct warp *w, const struct ir_inst *pc)
{
    struct flight *f = w->block->flight;
    const struct wanted x = {.warp = w->index, .lanes = w->mask, .left = (u32)pc->imm};
    if (f && !land_wanted(w, f, &x))
        return NULL;
    if (w->hooks)
        warp_order(w, pc);
    return pc + 1;
}
