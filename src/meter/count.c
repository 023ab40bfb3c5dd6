/* count.c - the hooks, but for accesses (access.c). What a warp does in a basic block costs two additions, which the engine
 * mostly does itself. */
#include "meter/count.h"

#include <string.h>

#include "base/alloc.h"
#include "base/mutate.h"
#include "meter/replay/feed.h"
#include "meter/replay/record.h"

/* ---- contexts ---- */

struct counter *counter_make(const struct gpu *gpu, bool no_memo)
{
    struct counter *c = ls_calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->mem.name = "worker";
    c->gpu = gpu;
    c->shape = (struct bank_shape){gpu->banks, gpu->bank_bytes};
    c->plain_shape = gpu->banks == 32 && gpu->bank_bytes == 4;
    c->no_memo = no_memo;
    c->cc_major = gpu->cc_major;
    c->here.warp = UINT32_MAX;
    return c;
}

void counter_free(struct counter *c)
{
    if (!c)
        return;
    recorder_free(c->recorder);
    arena_free(&c->mem);
    ls_free(c);
}

static void fill_func(struct counter *c, struct func_count *f, const struct ir_func *func)
{
    const u32 n = func->src->ninsts;
    f->func = func;
    f->blocks = arena_array(&c->mem, struct exec_block_count, func->nblocks + 1);
    f->sites = arena_array(&c->mem, struct site_count, n + 1);
    if (c->plain)
        f->plain = arena_array(&c->mem, struct exec_site_count, n + 1);
    f->estimate = estimate_make(&c->mem, func, c->cc_major, c->code);
    for (u32 i = 0; i < n; i++) {
        const struct site_estimate *e = &f->estimate->sites[i];
        f->sites[i].class = CLASS_NONE;
        f->sites[i].width = e->width;
        f->sites[i].follows = e->follows;
        f->sites[i].unused = e->unused;
        f->sites[i].loops = e->loops;
        f->sites[i].async = e->async;
        f->sites[i].kept = e->kept;
        f->sites[i].counts = e->counts;
        f->sites[i].aligned = e->aligned;
        f->sites[i].elected = e->elected;
        f->sites[i].past_l1 = ir_passes_l1(&func->src->insts[i]);
        f->sites[i].empties_l1 = estimate_acquires(&func->src->insts[i]);
        f->sites[i].settles = estimate_releases(&func->src->insts[i]);
    }
    if (c->caches) {
        f->traffic = arena_array(&c->mem, struct traffic, n + 1);
        u8 *how = arena_array(&c->mem, u8, n + 1);
        for (u32 i = 0; i < n; i++)
            how[i] = f->estimate->sites[i].how;
        f->first_site = caches_add_sites(c->caches, f->traffic, how, n);
        pace_weigh(c, f);
    }
    f->index = c->funcs.len;
    if (c->recorder)
        feed_weigh(c, f);
}

struct func_count *counter_switch(struct counter *c, const struct ir_func *func)
{
    for (u32 i = 0; i < c->funcs.len; i++)
        if (c->funcs.at[i]->func == func)
            return c->current = c->funcs.at[i];
    if (c->failed || setjmp(c->mem.oom)) {
        c->failed = true;
        return NULL;
    }
    struct func_count *f = arena_new(&c->mem, struct func_count);
    fill_func(c, f, func);
    vec_push(&c->mem, &c->funcs, f);
    return c->current = f;
}

/* ---- blocks, branches, barriers ---- */

struct exec_counts counter_counts(void *ctx, const struct ir_func *func)
{
    const struct counter *c = ctx;
    const struct func_count *f = c->recorder ? NULL : func_of(ctx, func); /* the model wants to be told of everything */
    return f ? (struct exec_counts){f->blocks, f->plain} : (struct exec_counts){0};
}

static inline void count_entry(struct exec_block_count *n, u32 mask)
{
    n->warps++;
    n->threads += MUTANT(40, lanes_of(mask), 32);
}

static __attribute__((noinline)) void enter(struct counter *c, const struct ir_func *func, u32 block, u32 mask,
                                            u32 warp, const struct exec_block_info *b)
{
    struct func_count *f = func_of(c, func);
    if (LS_UNLIKELY(!f))
        return;
    if (c->recorder)
        feed_enter(c, f, block, mask, warp, b);
    count_entry(&f->blocks[block], mask);
}

void counter_enter(void *ctx, const struct ir_func *func, u32 block, u32 mask, u32 warp,
                   const struct exec_block_info *b)
{
    struct counter *c = ctx;
    struct func_count *f = c->current;
    if (LS_LIKELY(f && f->func == func) && feed_enter_here(c, f, block, mask, warp, b))
        count_entry(&f->blocks[block], mask);
    else
        enter(c, func, block, mask, warp, b);
}

void counter_diverge(void *ctx, const struct ir_func *func, u32 site, u32 mask, u32 taken)
{
    (void)mask, (void)taken;
    struct func_count *f = func_of(ctx, func);
    if (f)
        f->sites[site].divergent += MUTANT(41, 1, 2);
}

void counter_match(void *ctx, const struct ir_func *func, u32 site, u32 values)
{
    struct func_count *f = func_of(ctx, func);
    if (!f)
        return;
    f->sites[site].matches++;
    f->sites[site].match_values += values;
}

void counter_barrier(void *ctx, const struct exec_barrier *b)
{
    struct counter *c = ctx;
    struct func_count *f = func_of(c, b->func);
    if (!f)
        return;
    f->sites[b->site].barriers += MUTANT(42, 1, 0);
    if (c->recorder)
        feed_barrier(c, f, b);
}

void counter_release(void *ctx, const struct exec_block_info *b, u32 id, const u32 *lanes)
{
    const struct counter *c = ctx;
    if (!id)
        caches_barrier(c->caches, b, lanes);
}

void counter_block_begin(void *ctx, const struct exec_block_info *b)
{
    struct counter *c = ctx;
    c->here = (struct warp_here){.warp = UINT32_MAX};
    if (c->keeps_pictures)
        picture_block(ctx, b);
    if (c->caches)
        caches_block_begin(c->caches, b);
    pace_block_begin(c, b);
    if (c->recorder)
        record_block_begin(c->recorder, b);
}

void counter_block_end(void *ctx, const struct exec_block_info *b)
{
    struct counter *c = ctx;
    c->here = (struct warp_here){.warp = UINT32_MAX};
    pace_block_end(c, b);
    if (c->caches)
        caches_block_end(c->caches, b);
    if (c->recorder)
        record_block_end(c->recorder, b);
}

/* ---- what a site counted ---- */

struct tally *tally_other(struct counter *c, struct site_count *s, enum access_class class)
{
    if (s->class == CLASS_NONE) {
        s->class = (u8) class;
        return &s->first;
    }
    if (!s->others && !c->failed)
        s->others = arena_try_array(&c->mem, struct tally, ACCESS_CLASSES);
    c->failed |= !s->others;
    return s->others ? &s->others[class] : NULL;
}

const struct tally *site_tally(const struct site_count *s, enum access_class class)
{
    if (s->class == class)
        return &s->first;
    return s->others && s->others[class].lanes + s->others[class].requests ? &s->others[class] : NULL;
}

/* The events of a class of accesses: what a tally's fields are added to. An event + 1; 0: the class has none. */
struct tally_events {
    u8 requests, cost, lanes, conflicts, bytes;
};
_Static_assert(EVENT_COUNT < 255, "an event + 1 fits a byte");

#define TALLIED(x) (EVENT_##x + 1)
static const struct tally_events tally_events[ACCESS_CLASSES] = {
    [CLASS_GLD] = {TALLIED(gld_requests), TALLIED(gld_sectors), .bytes = TALLIED(gld_bytes)},
    [CLASS_GST] = {TALLIED(gst_requests), TALLIED(gst_sectors), .bytes = TALLIED(gst_bytes)},
    [CLASS_GASYNC] = {TALLIED(gasync_requests), TALLIED(gasync_sectors), .bytes = TALLIED(gasync_bytes)},
    [CLASS_GATOM] = {TALLIED(gatom_requests), TALLIED(gatom_sectors), .lanes = TALLIED(gatom_lanes)},
    [CLASS_GRED] = {TALLIED(gred_requests), TALLIED(gred_sectors), .lanes = TALLIED(gred_lanes)},
    [CLASS_LLD] = {TALLIED(lld_requests), TALLIED(lld_sectors), .bytes = TALLIED(lld_bytes)},
    [CLASS_LST] = {TALLIED(lst_requests), TALLIED(lst_sectors), .bytes = TALLIED(lst_bytes)},
    [CLASS_SLD] = {TALLIED(sld_requests), TALLIED(sld_wavefronts), .conflicts = TALLIED(sld_conflicts),
                   .bytes = TALLIED(sld_bytes)},
    [CLASS_SST] = {TALLIED(sst_requests), TALLIED(sst_wavefronts), .conflicts = TALLIED(sst_conflicts),
                   .bytes = TALLIED(sst_bytes)},
    [CLASS_SATOM] = {TALLIED(satom_requests), TALLIED(satom_wavefronts), .lanes = TALLIED(satom_lanes),
                     .conflicts = TALLIED(satom_conflicts)},
    [CLASS_DLD] = {TALLIED(dld_requests), TALLIED(dld_sectors), .bytes = TALLIED(dld_bytes)},
    [CLASS_DST] = {TALLIED(dst_requests), TALLIED(dst_sectors), .bytes = TALLIED(dst_bytes)},
    [CLASS_DATOM] = {TALLIED(datom_requests), TALLIED(datom_sectors), .conflicts = TALLIED(satom_wavefronts)},
    [CLASS_CLD] = {.requests = TALLIED(cld_requests), .cost = TALLIED(cld_words)},
    [CLASS_TEX] = {.requests = TALLIED(tex_requests), .cost = TALLIED(tex_sectors)},
    [CLASS_SULD] = {.requests = TALLIED(suld_requests), .cost = TALLIED(suld_sectors)},
    [CLASS_SUST] = {.requests = TALLIED(sust_requests), .cost = TALLIED(sust_sectors)},
};

static void add_event(u64 n[EVENT_COUNT], u8 tallied, u64 by)
{
    if (tallied)
        n[tallied - 1] += by;
}

static void add_tally(u64 n[EVENT_COUNT], enum access_class class, const struct tally *t)
{
    const struct tally_events *e = &tally_events[class];
    add_event(n, e->requests, t->requests);
    add_event(n, e->cost, t->cost);
    add_event(n, e->lanes, t->lanes);
    add_event(n, e->conflicts, t->conflicts);
    add_event(n, e->bytes, t->bytes);
}

_Static_assert(EVENT_memory_16b == EVENT_memory_8b + 1 && EVENT_memory_32b == EVENT_memory_8b + 2 &&
                   EVENT_memory_64b == EVENT_memory_8b + 3 && EVENT_memory_128b == EVENT_memory_8b + 4,
               "widths in their order in events.def");

/* Instructions by the width of what a lane accesses: 1, 2, 4, 8, 16 bytes. Constants and textures go elsewhere. */
static void add_width(u64 n[EVENT_COUNT], const struct site_count *s, u64 requests)
{
    const u32 width = (u32)__builtin_ctz(s->bytes | 32);
    if (width < 5)
        n[EVENT_memory_8b + MUTANT(73, width, 2)] += requests;
}

void site_events(const struct site_count *s, u64 n[EVENT_COUNT])
{
    for (u32 class = 0; s->class != CLASS_NONE && class < ACCESS_CLASSES; class ++) {
        const struct tally *t = site_tally(s, class);
        if (!t)
            continue;
        add_tally(n, class, t);
        if (class < CLASS_TEX && class != CLASS_CLD)
            add_width(n, s, t->requests);
    }
    n[EVENT_divergent] += s->divergent;
    n[EVENT_barriers] += s->barriers;
    n[EVENT_matches] += s->matches;
    n[EVENT_match_values] += s->match_values;
}
