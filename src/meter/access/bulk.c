/* bulk.c - bulk copies: what the hook counts and asks of the caches. They go round the load-store unit and
 * L1; each row of a box is on its own, and so is each 128 bytes of shared memory. The rules are an H200's
 * (tests/hw/h200/async-counters.csv). */
#include "meter/access/sectors.h"
#include "meter/count.h"
#include "meter/replay/feed.h"

#include "ir/async.h"

enum { PIECE = 16, LINE = 128, LANES = 32 }; /* rows begin and end at multiples of 16 bytes, but for a tensor's edge */

/* A copy while its rows are gone through. */
struct walk {
    struct counter *c;
    const struct exec_bulk *b;
    struct func_count *f;
    u64 sectors, lines; /* of global memory */
    u64 asked;          /* lines of which the caches were asked */
    u64 at[LANES];
    u32 n;
    enum traffic_kind kind;
};

static u64 touched(u64 at, u64 bytes, u64 unit) { return (at + bytes - 1) / unit - at / unit + 1; }

/* ---- the caches ---- */

static void ask_caches(struct walk *k)
{
    const struct exec_access a = {.func = k->b->func,
                                  .site = k->b->site,
                                  .mask = k->n == LANES ? UINT32_MAX : (1u << k->n) - 1,
                                  .space = SPACE_GLOBAL,
                                  .size = PIECE,
                                  .pattern = PATTERN_GATHER,
                                  .warp = k->b->warp,
                                  .block = k->b->block,
                                  .addr = k->at};
    if (k->n)
        k->asked += caches_access(k->c->caches, k->f->first_site ? k->f->first_site + k->b->site : 0, k->kind, &a);
    k->n = 0;
}

static void add_piece(void *ctx, u64 address, u32 bytes)
{
    struct walk *k = ctx;
    k->sectors += touched(address, bytes, SECTOR_BYTES);
    k->lines += touched(address, bytes, LINE);
    for (u64 at = address / PIECE * PIECE; k->c->caches && at < address + bytes; at += PIECE) {
        k->at[k->n++] = at;
        if (k->n == LANES)
            ask_caches(k);
    }
}

static enum traffic_kind kind_of(const struct ir_bulk *what)
{
    return what->kind != BULK_OUT ? TRAFFIC_BULK_LOAD : what->op ? TRAFFIC_BULK_RED : TRAFFIC_BULK_STORE;
}

/* ---- the hook ---- */

static struct bulk_tally *tally_at(struct counter *c, struct site_count *s)
{
    if (!s->bulk && !c->failed)
        s->bulk = arena_try_new(&c->mem, struct bulk_tally);
    c->failed |= !s->bulk;
    return s->bulk;
}

static u64 shared_sectors(const struct exec_bulk *b) { return touched(b->shared, b->bytes, SECTOR_BYTES); }

static bool is_of_global(const struct exec_bulk *b)
{
    return b->what->kind == BULK_IN || b->what->kind == BULK_OUT || b->what->kind == BULK_AHEAD;
}

/* st.async, red.async: a warp's lanes are one request, which asks for each sector once. */
static void count_sent(struct sent_sectors *s, struct bulk_tally *t, const struct exec_bulk *b)
{
    const u64 at = (u64)b->blocks << 32 | b->shared / SECTOR_BYTES;
    if (b->first) {
        s->n = 0;
        t->inst++;
    }
    for (u32 k = 0; k < s->n; k++)
        if (s->at[k] == at)
            return;
    s->at[s->n++] = at;
    t->sectors++;
}

void counter_bulk(void *ctx, const struct exec_bulk *b)
{
    struct counter *c = ctx;
    struct func_count *f = func_of(c, b->func);
    struct bulk_tally *t = f ? tally_at(c, &f->sites[b->site]) : NULL;
    if (!t)
        return;
    if (b->what->kind == BULK_VALUE) {
        count_sent(&c->sent, t, b);
        return;
    }
    const u32 blocks = lanes_of(b->blocks);
    struct walk k = {.c = c, .b = b, .f = f, .kind = kind_of(b->what)};
    if (is_of_global(b))
        b->rows(b, add_piece, &k);
    else
        k.sectors = shared_sectors(b);
    ask_caches(&k);
    if (c->recorder)
        feed_bulk(c, f, b, k.sectors);
    t->inst++;
    t->sectors += k.sectors * blocks;
    t->bytes += (u64)b->bytes * blocks;
    if (b->what->multicast) {
        t->many_sectors += k.sectors * blocks;
        t->many_lines += k.lines;
    }
}

void counter_order(void *ctx, const struct exec_order *o)
{
    struct counter *c = ctx;
    struct func_count *f = c->recorder ? func_of(c, o->func) : NULL;
    if (c->caches && o->op == EXEC_FENCE && o->scope != EXEC_SCOPE_BLOCK)
        caches_order(c->caches, o->block, o->warp, f && f->first_site ? f->first_site + o->site : 0,
                     ORDER_EMPTIES | ORDER_SETTLES);
    if (f)
        feed_order(c, f, o);
}

/* ---- events ---- */

void bulk_events(const struct bulk_tally *t, const struct ptx_inst *i, u64 n[EVENT_COUNT])
{
    const bool out = ptx_has(i, MOD_BULK_GROUP), in = ptx_has(i, MOD_GLOBAL) && !out;
    const bool reduces = i->op == OP_CP_REDUCE_ASYNC_BULK || i->op == OP_CP_REDUCE_ASYNC_BULK_TENSOR;
    if (i->op == OP_ST_ASYNC || i->op == OP_RED_ASYNC) {
        n[i->op == OP_ST_ASYNC ? EVENT_send_requests : EVENT_send_red_requests] += t->inst;
        n[i->op == OP_ST_ASYNC ? EVENT_send_sectors : EVENT_send_red_sectors] += t->sectors;
    } else if (i->op == OP_CP_ASYNC_BULK_PREFETCH || i->op == OP_CP_ASYNC_BULK_PREFETCH_TENSOR) {
        n[EVENT_bulk_ahead_inst] += t->inst;
        n[EVENT_bulk_ahead_sectors] += t->sectors;
    } else if (in) {
        n[EVENT_bulk_ld_inst] += t->inst;
        n[EVENT_bulk_ld_sectors] += t->sectors;
        n[EVENT_bulk_ld_many_sectors] += t->many_sectors;
        n[EVENT_bulk_ld_many_lines] += t->many_lines;
        n[EVENT_bulk_ld_bytes] += t->bytes;
    } else if (out) {
        n[reduces ? EVENT_bulk_red_inst : EVENT_bulk_st_inst] += t->inst;
        n[reduces ? EVENT_bulk_red_sectors : EVENT_bulk_st_sectors] += t->sectors;
        n[EVENT_bulk_st_bytes] += t->bytes;
    } else {
        n[EVENT_bulk_far_inst] += t->inst;
        n[EVENT_bulk_far_sectors] += t->sectors;
    }
}
