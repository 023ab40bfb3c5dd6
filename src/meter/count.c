/* count.c - the hooks. What a warp does in a basic block costs two additions; an access that is contiguous or uniform a
 * few more; any other is looked up by its shape: the lanes' offsets from the first active one, that one's place within
 * the period after which sectors or banks repeat, and the mask. Loops repeat shapes, so the sets of sectors and banks are
 * seldom computed. A memo never changes a number: the shape determines it (tests run with and without). */
#include "meter/count.h"

#include <string.h>

#include "base/alloc.h"
#include "base/mutate.h"
#include "meter/replay/feed.h"
#include "meter/replay/record.h"
#include "meter/sectors.h"

enum { MEMO_WAYS = 8, MEMO_BITS = 3 };

struct shape {
    u32 rel[32]; /* offsets from the first active lane; 0 for inactive ones */
    u32 mask;
    u32 phase; /* address of the first active lane modulo the period */
    u8 class, bytes;
};

struct cost {
    u32 cost, conflicts;
    u32 bytes; /* the distinct ones that active lanes ask for */
};

struct memo {
    struct shape shape[MEMO_WAYS];
    struct cost cost[MEMO_WAYS];
    u32 hits, misses, rest; /* rest: accesses to go without looking, since looking did not pay */
};

/* ---- contexts ---- */

struct counter *counter_make(const struct gpu *gpu, bool no_memo)
{
    struct counter *c = ls_calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->mem.name = "worker";
    c->shape = (struct bank_shape){gpu->banks, gpu->bank_bytes};
    c->plain_shape = gpu->banks == 32 && gpu->bank_bytes == 4;
    c->no_memo = no_memo;
    c->cc_major = gpu->cc_major;
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
    f->blocks = arena_array(&c->mem, struct block_count, func->nblocks + 1);
    f->sites = arena_array(&c->mem, struct site_count, n + 1);
    f->estimate = estimate_make(&c->mem, func, c->cc_major, c->code);
    for (u32 i = 0; i < n; i++) {
        const struct site_estimate *e = &f->estimate->sites[i];
        f->sites[i].class = CLASS_NONE;
        f->sites[i].width = e->width;
        f->sites[i].follows = e->follows;
        f->sites[i].unused = e->unused;
        f->sites[i].loops = e->loops;
        f->sites[i].async = e->async;
        f->sites[i].counts = e->counts;
        f->sites[i].aligned = e->aligned;
        f->sites[i].past_l1 = ir_passes_l1(&func->src->insts[i]);
    }
    if (c->caches) {
        f->traffic = arena_array(&c->mem, struct traffic, n + 1);
        f->first_site = caches_add_sites(c->caches, f->traffic, n);
    }
    f->index = c->funcs.len;
    if (c->recorder)
        feed_weigh(c, f);
}

static __attribute__((noinline)) struct func_count *switch_func(struct counter *c, const struct ir_func *func)
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

/* NULL: no memory. */
static inline struct func_count *func_of(struct counter *c, const struct ir_func *func)
{
    return LS_LIKELY(c->current && c->current->func == func) ? c->current : switch_func(c, func);
}

/* ---- blocks, branches, barriers ---- */

static inline u32 lanes_of(u32 mask) { return mask == UINT32_MAX ? 32 : (u32)__builtin_popcount(mask); }

void counter_enter(void *ctx, const struct ir_func *func, u32 block, u32 mask, u32 warp,
                   const struct exec_block_info *b)
{
    struct counter *c = ctx;
    struct func_count *f = func_of(c, func);
    if (LS_UNLIKELY(!f))
        return;
    if (LS_UNLIKELY(c->recorder))
        feed_enter(c, f, block, mask, warp, b);
    f->blocks[block].warps++;
    f->blocks[block].threads += MUTANT(40, lanes_of(mask), 32);
}

void counter_diverge(void *ctx, const struct ir_func *func, u32 site, u32 mask, u32 taken)
{
    (void)mask, (void)taken;
    struct func_count *f = func_of(ctx, func);
    if (f)
        f->sites[site].divergent += MUTANT(41, 1, 2);
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

void counter_block_begin(void *ctx, const struct exec_block_info *b)
{
    struct counter *c = ctx;
    if (c->keeps_pictures)
        picture_block(ctx, b);
    if (c->caches)
        caches_block_begin(c->caches, b);
    if (c->recorder)
        record_block_begin(c->recorder, b);
}

void counter_block_end(void *ctx, const struct exec_block_info *b)
{
    struct counter *c = ctx;
    if (c->caches)
        caches_block_end(c->caches, b);
    if (c->recorder)
        record_block_end(c->recorder, b);
}

/* ---- what an access costs ---- */

static enum access_class class_of(const struct exec_access *a, const struct site_count *s)
{
    if (LS_UNLIKELY(s->async || a->uncounted)) /* copies are counted by the global side alone */
        return a->space == SPACE_GLOBAL && !a->uncounted ? CLASS_GASYNC : CLASS_NONE;
    switch (a->space) {
    case SPACE_GLOBAL:
        if (a->op == ACCESS_ATOM || a->op == ACCESS_RED)
            return MUTANT(43, s->unused, false) ? CLASS_GRED : CLASS_GATOM;
        return a->op == ACCESS_LD ? CLASS_GLD : CLASS_GST;
    case SPACE_LOCAL:
        return a->op == ACCESS_LD ? CLASS_LLD : CLASS_LST;
    case SPACE_SHARED:
        return a->op == ACCESS_LD ? CLASS_SLD : a->op == ACCESS_ST ? CLASS_SST : CLASS_SATOM;
    case SPACE_CONST:
        return a->op == ACCESS_LD ? CLASS_CLD : CLASS_NONE;
    case SPACE_TEX: /* not through the LSU; what sectors a fetch costs depends on a layout that only NVIDIA knows */
        return a->op == ACCESS_ST ? CLASS_SUST : a->func->src->insts[a->site].op == OP_SULD ? CLASS_SULD : CLASS_TEX;
    default:
        return CLASS_NONE;
    }
}

static struct cost of_banks(struct counter *c, enum bank_op op, const struct exec_access *a, u32 bytes)
{
    const struct bank_cost b = banks_cost(c->shape, op, a->addr, a->mask, bytes);
    return (struct cost){b.wavefronts, b.conflicts, bytes * sectors_words(a->addr, a->mask, 1)};
}

static struct cost compute(struct counter *c, const struct site_count *s, enum access_class class,
                           const struct exec_access *a, u32 bytes)
{
    switch (class) {
    case CLASS_SLD:
        return of_banks(c, BANK_LOAD, a, bytes);
    case CLASS_SST:
        return of_banks(c, BANK_STORE, a, bytes);
    case CLASS_SATOM:
        if (s->counts) { /* lanes of one word go together, as in a load; but what is not one pass is a conflict */
            struct cost sum = of_banks(c, BANK_LOAD, a, bytes);
            sum.conflicts = sum.cost - 1;
            return sum;
        }
        return of_banks(c, a->atom_op == MOD_CAS ? BANK_CAS : BANK_ATOMIC, a, bytes);
    case CLASS_GRED:
        return (struct cost){sectors_red(a->addr, a->mask, bytes), 0, 0};
    case CLASS_LLD:
    case CLASS_LST:
        return (struct cost){sectors_local(a->addr, a->mask, bytes), 0, 0};
    case CLASS_CLD:
        return (struct cost){sectors_words(a->addr, a->mask, bytes), 0, 0};
    default:
        /* accesses are aligned to their size, so two lanes' bytes are the same or apart */
        return (struct cost){sectors_count(a->addr, a->mask, bytes), 0, bytes * sectors_words(a->addr, a->mask, bytes)};
    }
}

/* ---- the memo ---- */

#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

/* Fills rel; false when a lane is 2 GiB or more away from the first. */
CLONES static bool relative(const u64 *restrict addr, u32 mask, u64 base, u32 *restrict rel)
{
    u64 far = 0;
    for (u32 i = 0; i < 32; i++) {
        const u64 d = (addr[i] - base) & -(u64)(mask >> i & 1);
        rel[i] = (u32)d;
        far |= d + 0x80000000u;
    }
    return !(far >> 32);
}

static u32 hash(const struct shape *s)
{
    u32 h = s->mask ^ s->phase * 0x85ebca6b;
    h = (h ^ s->rel[1]) * 0x9e3779b1;
    h = (h ^ s->rel[13]) * 0x9e3779b1;
    h = (h ^ s->rel[31] ^ s->class) * 0x9e3779b1;
    return h >> (32 - MEMO_BITS);
}

/* Sectors repeat every 32 bytes. A shift by whole words only turns the banks round, so their costs repeat every word. */
static u32 period(const struct counter *c, enum access_class class)
{
    const bool shared = class == CLASS_SLD || class == CLASS_SST || class == CLASS_SATOM;
    return shared ? MUTANT(44, c->shape.bank_bytes, 1) : MUTANT(45, SECTOR_BYTES, 4);
}

/* After many misses looking is given up for a while: random addresses do not repeat. */
static void judge(struct memo *m)
{
    if (m->hits + m->misses < 256)
        return;
    if (m->hits * 8 < m->misses)
        m->rest = 4096;
    m->hits = m->misses = 0;
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
    return a->mask == MUTANT(46, b->mask, a->mask) && a->phase == MUTANT(47, b->phase, a->phase) &&
           a->class == b->class && a->bytes == b->bytes && !memcmp(a->rel, b->rel, MUTANT(48, sizeof a->rel, 64));
}

static struct cost look_up(struct counter *c, const struct site_count *site, enum access_class class,
                           const struct exec_access *a, u32 bytes)
{
    struct memo *m = site->memo;
    struct shape s;
    const u64 base = a->addr[__builtin_ctz(a->mask)];
    if (!relative(a->addr, a->mask, base, s.rel))
        return compute(c, site, class, a, bytes);
    s.mask = a->mask;
    s.phase = (u32)(base % period(c, class));
    s.class = (u8) class;
    s.bytes = (u8)bytes;
    const u32 way = hash(&s);
    if (same_shape(&m->shape[way], &s)) {
        m->hits++;
        return m->cost[way];
    }
    m->misses++;
    judge(m);
    m->shape[way] = s;
    return m->cost[way] = compute(c, site, class, a, bytes);
}

static __attribute__((noinline)) struct memo *make_memo(struct counter *c, struct site_count *s)
{
    s->memo = c->failed ? NULL : arena_try_new(&c->mem, struct memo); /* mask 0 matches no access */
    c->failed |= !s->memo;
    return s->memo;
}

static struct cost cost_of(struct counter *c, struct site_count *s, enum access_class class,
                           const struct exec_access *a, u32 bytes)
{
    struct memo *m = c->no_memo ? NULL : s->memo ? s->memo : make_memo(c, s);
    if (!m)
        return compute(c, s, class, a, bytes);
    if (m->rest) {
        m->rest--;
        return compute(c, s, class, a, bytes);
    }
    return look_up(c, s, class, a, bytes);
}

/* The wide access that an access is a part of, any part: it begins at a multiple of its width. */
static struct cost cost_of_merged(struct counter *c, struct site_count *s, enum access_class class,
                                  const struct exec_access *a, u32 bytes)
{
    u64 addr[32];
    struct exec_access wide = *a;
    for (u32 i = 0; i < 32; i++)
        addr[i] = a->addr[i] & ~(u64)(bytes - 1);
    wide.addr = addr;
    return cost_of(c, s, class, &wide, bytes);
}

/* ---- short cuts ---- */

/* Sectors of one run of bytes. */
static inline u32 run_sectors(u64 at, u32 bytes)
{
    return (u32)((at % SECTOR_BYTES + bytes + SECTOR_BYTES - 1) / SECTOR_BYTES);
}

/* Full warp, neighbouring elements: every word is touched once, so each phase is one wavefront. */
static inline struct cost contiguous_shared(u32 bytes)
{
    return (struct cost){MUTANT(49, bytes <= 4 ? 1 : bytes / 4, 1), 0, 32 * bytes};
}

/* True and the cost when the pattern is regular enough to say it at once. */
static inline bool short_cut(const struct counter *c, enum access_class class, const struct exec_access *a, u32 bytes,
                             struct cost *out)
{
    *out = (struct cost){0, 0, 0};
    const bool global = class <= CLASS_GRED || class == CLASS_GASYNC;
    if (a->pattern == PATTERN_CONTIGUOUS && global) {
        out->cost = MUTANT(50, run_sectors(a->addr[0], 32 * bytes), 32 * bytes / SECTOR_BYTES);
        out->bytes = 32 * bytes;
        return true;
    }
    if (a->pattern == PATTERN_UNIFORM && ((global && class != CLASS_GRED) || class == CLASS_CLD)) {
        out->cost = global ? run_sectors(a->addr[__builtin_ctz(a->mask)], bytes) : 1;
        out->bytes = bytes;
        return true;
    }
    if (!c->plain_shape || (class != CLASS_SLD && class != CLASS_SST) || bytes > 16)
        return false;
    if (a->pattern == PATTERN_CONTIGUOUS && bytes == a->size) {
        *out = contiguous_shared(bytes);
        return true;
    }
    if (a->pattern == PATTERN_UNIFORM && bytes <= (class == CLASS_SLD ? 8 : 4)) {
        out->cost = 1;
        out->bytes = bytes;
        return true;
    }
    return false;
}

/* ---- the hook ---- */

static __attribute__((noinline)) struct tally *other_tally(struct counter *c, struct site_count *s,
                                                           enum access_class class)
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

static inline struct tally *tally_of(struct counter *c, struct site_count *s, enum access_class class)
{
    return LS_LIKELY(s->class == class) ? &s->first : other_tally(c, s, class);
}

/* A shared atomic that machine code does as load, operation, compare-and-swap, until every lane has won. */
static void count_loop(struct counter *c, const struct func_count *f, struct site_count *s, const struct exec_access *a)
{
    struct tally *atom = tally_of(c, s, CLASS_SATOM), *load = tally_of(c, s, CLASS_SLD);
    if (!atom || !load)
        return;
    const struct bank_loop l = banks_loop(c->shape, a->addr, a->mask, a->size);
    atom->requests += MUTANT(51, l.turns, 1);
    atom->cost += l.cas_wavefronts;
    atom->lanes += lanes_of(a->mask);
    load->requests += l.turns;
    load->cost += l.load_wavefronts;
    load->conflicts += l.load_conflicts;
    if (c->recorder)
        feed_access(c, f, CLASS_SATOM, a, l.cas_wavefronts + l.load_wavefronts, l.turns);
}

/* A texture instruction asks once for each four neighbouring lanes. Measured on an H200 with whole warps: 8 requests an
 * instruction (tests/hw/h200/ladders.csv, texture/). */
static u32 quads_of(u32 mask)
{
    const u32 any = mask | mask >> 1 | mask >> 2 | mask >> 3;
    return (u32)__builtin_popcount(any & 0x11111111u);
}

/* Whether the hardware counts a byte that several lanes ask for once. */
static inline bool distinct_bytes(enum access_class class)
{
    return class == CLASS_GLD || class == CLASS_GST || class == CLASS_SLD || class == CLASS_SST ||
           class == CLASS_GASYNC;
}

enum traffic_kind traffic_kind_of(enum access_class class, bool past_l1)
{
    static const u8 kinds[] = {
        [CLASS_GLD] = TRAFFIC_LOAD,    [CLASS_GST] = TRAFFIC_STORE,      [CLASS_GATOM] = TRAFFIC_ATOM,
        [CLASS_GRED] = TRAFFIC_RED,    [CLASS_LLD] = TRAFFIC_LOCAL_LOAD, [CLASS_LST] = TRAFFIC_LOCAL_STORE,
        [CLASS_GASYNC] = TRAFFIC_LOAD, [CLASS_TEX] = TRAFFIC_TEXTURE,    [CLASS_SULD] = TRAFFIC_TEXTURE,
        [CLASS_SUST] = TRAFFIC_STORE,
    };
    const enum traffic_kind kind = kinds[class];
    if (past_l1 && (kind == TRAFFIC_LOAD || kind == TRAFFIC_STORE))
        return kind == TRAFFIC_LOAD ? TRAFFIC_LOAD_PAST : TRAFFIC_STORE_PAST;
    return kind;
}

/* The lines that it asks for. */
static __attribute__((noinline)) u32 to_caches(struct counter *c, const struct func_count *f, enum access_class class,
                                               const struct exec_access *a)
{
    if (class == CLASS_SLD || class == CLASS_SST || class == CLASS_SATOM || class == CLASS_CLD)
        return 0;
    return caches_access(c->caches, f->first_site ? f->first_site + a->site : 0,
                         traffic_kind_of(class, f->sites[a->site].past_l1), a);
}

void counter_access(void *ctx, const struct exec_access *a)
{
    struct counter *c = ctx;
    struct func_count *f = func_of(c, a->func);
    if (LS_UNLIKELY(!f))
        return;
    struct site_count *s = &f->sites[a->site];
    const enum access_class class = class_of(a, s);
    if (LS_UNLIKELY(class == CLASS_NONE))
        return;
    s->bytes = s->width ? s->width : a->size;
    const u32 lines = LS_UNLIKELY(c->caches) ? to_caches(c, f, class, a) : 0;
    if (LS_UNLIKELY(s->loops && class == CLASS_SATOM)) {
        count_loop(c, f, s, a);
        return;
    }
    struct tally *t = tally_of(c, s, class);
    if (LS_UNLIKELY(!t))
        return;
    const u32 lanes = lanes_of(a->mask);
    t->lanes += lanes;
    if (LS_UNLIKELY(class >= CLASS_TEX)) {
        const u32 requests = class == CLASS_TEX ? quads_of(a->mask) : 1;
        t->requests += requests;
        if (c->recorder)
            feed_access(c, f, class, a, requests, lines);
        return;
    }
    const bool distinct = distinct_bytes(class);
    if (!distinct)
        t->bytes += MUTANT(52, lanes, 32) * a->size;
    if (s->follows)
        return; /* the access it was merged into pays */
    const u32 bytes = s->bytes;
    struct cost cost;
    if (LS_UNLIKELY(s->aligned))
        cost = cost_of_merged(c, s, class, a, bytes);
    else if (!short_cut(c, class, a, bytes, &cost))
        cost = cost_of(c, s, class, a, bytes);
    t->requests++;
    t->cost += cost.cost;
    t->conflicts += cost.conflicts;
    if (distinct)
        t->bytes += MUTANT(55, cost.bytes, lanes * a->size);
    if (c->recorder)
        feed_access(c, f, class, a, cost.cost, lines);
}

/* ---- events of a site ---- */

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
    [CLASS_CLD] = {.requests = TALLIED(cld_requests), .cost = TALLIED(cld_words)},
    [CLASS_TEX] = {.requests = TALLIED(tex_requests)},
    [CLASS_SULD] = {.requests = TALLIED(suld_requests)},
    [CLASS_SUST] = {.requests = TALLIED(sust_requests)},
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
}
