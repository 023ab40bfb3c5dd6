/* feed.c - see feed.h. */
#include "meter/replay/feed.h"

#include "ir/async.h"
#include "meter/access/banks.h"
#include "meter/access/sectors.h"
#include "meter/replay/record.h"
#include "model/replay/code.h"

void feed_weigh(struct counter *c, struct func_count *f)
{
    const struct ir_func *func = f->func;
    f->weights = arena_array(&c->mem, double, func->nblocks + 1);
    f->fed = f->index >= ITEM_FUNCS ? 0 : func->nblocks < ITEM_BLOCKS ? func->nblocks : ITEM_BLOCKS;
    for (u32 b = 0; b < func->nblocks; b++) {
        const u32 as = f->estimate->counts_as[b];
        for (u32 s = func->blocks[b].first; s < func->blocks[b].end; s++)
            f->weights[as] += f->estimate->sites[s].weight;
    }
}

static bool is_float(u8 type) { return ptx_type_float((enum ptx_type)type); }

static const u8 items[ACCESS_CLASSES] = {
    [CLASS_GLD] = ITEM_LOAD,        [CLASS_GST] = ITEM_STORE,          [CLASS_GATOM] = ITEM_ATOMIC,
    [CLASS_GRED] = ITEM_REDUCTION,  [CLASS_LLD] = ITEM_LOCAL_LOAD,     [CLASS_LST] = ITEM_LOCAL_STORE,
    [CLASS_SLD] = ITEM_SHARED_LOAD, [CLASS_SST] = ITEM_SHARED_STORE,   [CLASS_SATOM] = ITEM_SHARED_ATOMIC,
    [CLASS_CLD] = ITEM_CONSTANT,    [CLASS_GASYNC] = ITEM_COPY,        [CLASS_SULD] = ITEM_TEXTURE,
    [CLASS_TEX] = ITEM_TEXTURE,     [CLASS_SUST] = ITEM_SURFACE_STORE,
};

/* Whether L1 is looked up. */
static bool asks_l1(enum access_class class)
{
    return class == CLASS_GLD || class == CLASS_GST || class == CLASS_LLD || class == CLASS_LST ||
           class == CLASS_GASYNC;
}

/* The operand that is compared is the body's second (exec/ops/atomic.inc). Other threads may write there. */
__attribute__((no_sanitize("thread"))) u32 feed_swaps(const struct exec_access *a)
{
    const u32 width = a->size < 4 ? 4 : a->size; /* of a lane's register */
    const bool good = a->atom_op == MOD_CAS && a->pc && a->regs && a->size <= 8;
    u32 lanes = 0;
    for (u32 m = good ? a->mask : 0; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const volatile u8 *p = (const u8 *)(uintptr_t)a->addr[lane];
        const u8 *with = a->regs + a->pc->b + lane * width;
        bool same = true;
        for (u32 k = 0; same && k < a->size; k++)
            same = p[k] == with[k];
        lanes |= (u32)same << lane;
    }
    return lanes;
}

/* Lanes of one warp that compare with the same word: one of them changes it. */
static void count_swaps(struct counter *c, const struct exec_access *a, u32 lanes)
{
    if (lanes && !c->swaps && !(c->swaps = arena_try_array(&c->mem, u32, SWAP_WORDS)))
        c->failed = true;
    for (u32 left = lanes; left && c->swaps; left &= left - 1) {
        const u64 at = a->addr[__builtin_ctz(left)];
        const u32 earlier = lanes & ~left;
        bool again = false;
        for (u32 m = earlier; m && !again; m &= m - 1)
            again = a->addr[__builtin_ctz(m)] == at;
        if (!again)
            c->swaps[((at - c->memory_base) / 4 * 0x9e3779b97f4a7c15ull) >> (64 - SWAP_BITS)]++;
    }
}

/* L1's data is in banks as shared memory is: measured on an H200 (docs/calibrate.md). Accesses that machine code joins are as
 * wide as all of them. */
static u32 wavefronts_of(const struct counter *c, const struct site_count *s, enum access_class class,
                         const struct exec_access *a)
{
    const u32 bytes = s->bytes > a->size ? s->bytes : a->size;
    if (class == CLASS_LLD || class == CLASS_LST || a->pattern == PATTERN_UNIFORM)
        return bytes <= 4 || a->pattern == PATTERN_UNIFORM ? 1 : bytes / 4;
    if (a->pattern == PATTERN_CONTIGUOUS && bytes == a->size)
        return bytes <= 4 ? 1 : bytes / 4;
    if (c->plain_shape && bytes == 4 && a->size == 4) { /* of whole words, the most that are in one bank */
        const struct lines *l = caches_lines(c->caches);
        struct distinct n = l->distinct;
        if ((l->compared == a->addr || sectors_near(a->addr, a->mask, &n)) && sectors_aligned(&n, 4))
            return banks_words(a->addr, n.first);
    }
    u64 at[32];
    for (u32 m = a->mask; m; m &= m - 1)
        at[__builtin_ctz(m)] = a->addr[__builtin_ctz(m)] & ~(u64)(bytes - 1);
    return banks_cost(c->shape, BANK_LOAD, at, a->mask, bytes).wavefronts;
}

/* The lines of its bank that a load of constants wants, and how many they are. */
static u32 constant_lines(const struct exec_access *a, u64 base, u32 *n)
{
    u64 seen[CONSTANT_BANK_LINES / 64] = {0};
    u32 first = CONSTANT_BANK_LINES, last = 0;
    *n = 0;
    for (u32 lanes = a->mask; lanes; lanes &= lanes - 1) {
        const u32 line = (u32)((a->addr[__builtin_ctz(lanes)] - base) / CONSTANT_LINE) % CONSTANT_BANK_LINES;
        *n += !(seen[line / 64] >> line % 64 & 1);
        seen[line / 64] |= 1ull << line % 64;
        first = line < first ? line : first;
        last = line > last ? line : last;
        if (a->pattern == PATTERN_UNIFORM)
            break;
    }
    return item_constant_lines(first, last);
}

/* As struct item_access has it. Whose lanes all write half of their sectors mostly writes the other half next, and L1 joins them. */
static bool is_slow(const struct func_count *f, enum access_class class, const struct exec_access *a, u32 sectors)
{
    const struct site_count *s = &f->sites[a->site];
    const u32 bytes = (s->bytes > a->size ? s->bytes : a->size) * (u32)__builtin_popcount(a->mask);
    if (class == CLASS_GST || class == CLASS_LST)
        return bytes < sectors * SECTOR_BYTES && (a->mask != UINT32_MAX || 2 * bytes != sectors * SECTOR_BYTES);
    return is_float(a->type);
}

u64 feed_access(struct counter *c, const struct func_count *f, enum access_class class, const struct exec_access *a,
                u32 passes, u32 lines)
{
    if (f->index >= ITEM_FUNCS || a->site >= ITEM_SITES)
        return 0;
    const bool device = a->space == SPACE_GLOBAL || a->space == SPACE_CONST;
    const u64 first = a->addr[__builtin_ctz(a->mask)] - (device ? c->memory_base : 0);
    const bool past = f->sites[a->site].past_l1, atomic = class == CLASS_GATOM || class == CLASS_GRED;
    const u32 swaps = class == CLASS_GATOM ? feed_swaps(a) : 0;
    const bool fails = class == CLASS_GATOM && a->atom_op == MOD_CAS && !swaps, polls = class == CLASS_GLD && past;
    const u32 sector = class == CLASS_CLD ? constant_lines(a, c->memory_base, &lines) : feed_sector(first);
    count_swaps(c, a, swaps);
    const bool l1 = lines && asks_l1(class);
    const u16 wavefronts = l1 ? (u16)wavefronts_of(c, &f->sites[a->site], class, a) : 0;
    const u64 item =
        item_access((struct item_access){.class = polls   ? ITEM_LOAD_PAST
                                                  : swaps ? ITEM_SWAP
                                                          : items[class],
                                         .slow = is_slow(f, class, a, passes),
                                         .sector = sector,
                                         .passes = (u16)(atomic ? sectors_red(a->addr, a->mask, a->size) : passes),
                                         .lines = (u16)(atomic ? lines_red(a->addr, a->mask, a->size) : lines),
                                         .wavefronts = wavefronts,
                                         .site = a->site});
    if (polls || fails)
        record_poll(c->recorder, a->block, a->warp, item);
    else
        record_access(c->recorder, a->block, a->warp, item, l1 ? caches_lines(c->caches) : NULL,
                      l1 ? traffic_kind_of(class, past) : 0);
    return item;
}

void feed_gather(struct counter *c, const struct site_count *s, const struct exec_access *a, u64 item, u32 passes,
                 u32 lines)
{
    const u64 first = a->addr[__builtin_ctz(a->mask)] - c->memory_base;
    const u64 other = item_access_again(item, passes, lines, wavefronts_of(c, s, CLASS_GLD, a), feed_sector(first));
    record_access(c->recorder, a->block, a->warp, other, caches_lines(c->caches), TRAFFIC_LOAD);
}

void feed_like(struct counter *c, const struct exec_access *a, u64 item, u32 lines, enum traffic_kind kind)
{
    const u64 first = a->addr[__builtin_ctz(a->mask)] - (a->space == SPACE_GLOBAL ? c->memory_base : 0);
    const u64 there = item_elsewhere(item, feed_sector(first), lines);
    if (lines)
        record_access(c->recorder, a->block, a->warp, there, caches_lines(c->caches), kind);
    else
        record_item(c->recorder, a->block, a->warp, there, 0);
}

void feed_texels(struct counter *c, const struct func_count *f, enum access_class class, const struct exec_access *a,
                 const struct texel_cost *cost, const struct lines *l)
{
    if (f->index >= ITEM_FUNCS || a->site >= ITEM_SITES)
        return;
    const bool in_part = (u32)__builtin_popcount(a->mask) * a->size < cost->different * SECTOR_BYTES;
    const u64 item = item_access((struct item_access){.class = items[class],
                                                      .slow = class == CLASS_SUST && in_part,
                                                      .sector = cost->delay,
                                                      .passes = (u16)cost->different,
                                                      .lines = l ? (u16)cost->lines : 0,
                                                      .wavefronts = (u16)cost->cycles,
                                                      .site = a->site});
    record_access(c->recorder, a->block, a->warp, item, l, traffic_kind_of(class, false));
}

void feed_barrier(struct counter *c, const struct func_count *f, const struct exec_barrier *b)
{
    if (f->index < ITEM_FUNCS && b->site < ITEM_SITES && b->id < 16)
        record_item(c->recorder, b->block, b->warp,
                    item_barrier(b->site, b->id, b->threads / 32, b->op != EXEC_BARRIER_ARRIVE), 0);
}

/* ---- what goes on while warps run ---- */

void feed_bulk(struct counter *c, const struct func_count *f, const struct exec_bulk *b, u64 sectors)
{
    const bool in = b->what->kind == BULK_IN, own = b->blocks >> b->block->rank & 1;
    if (f->index >= ITEM_FUNCS || b->site >= ITEM_SITES || (!in && b->what->kind != BULK_OUT))
        return;
    const struct item_async a = {.what = in ? ASYNC_LOAD : ASYNC_STORE, .site = b->site, .n = (u32)sectors};
    record_async(c->recorder, b->block, b->warp, a, in && own ? b->barrier : UINT64_MAX);
}

void feed_order(struct counter *c, const struct func_count *f, const struct exec_order *o)
{
    const bool arrives = (o->op == EXEC_MBARRIER_ARRIVE && !o->bulk) || o->op == EXEC_MBARRIER_COPIES;
    if (f->index >= ITEM_FUNCS || o->site >= ITEM_SITES || !o->mask)
        return;
    if (o->op == EXEC_SLEEP)
        record_item(c->recorder, o->block, o->warp, item_sleep(o->site, o->value), 0);
    if (!arrives && o->op != EXEC_MBARRIER_WAIT)
        return;
    const struct item_async a = {.what = arrives ? ASYNC_ARRIVE : ASYNC_WAIT, .site = o->site};
    if (!arrives)
        record_unspin(c->recorder, o->block, o->warp, f->index, f->weights);
    record_async(c->recorder, o->block, o->warp, a, o->addr[__builtin_ctz(o->mask)]);
}
