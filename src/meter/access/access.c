/* access.c - what one access costs, and the hook that counts it. What is contiguous or uniform says its cost at once. Any
 * other access is looked up by its shape: the lanes' offsets from the first active one, that one's place within the
 * period after which sectors or banks repeat, and the mask. Loops repeat shapes, so the sets of sectors and banks are
 * seldom computed. A memo never changes a number: the shape determines it (tests run with and without). */
#include "meter/cost.h"

#include <string.h>

#include "base/clones.h"
#include "base/mutate.h"
#include "meter/access/lines.h"
#include "meter/access/plain.h"
#include "meter/access/sectors.h"
#include "meter/access/texels.h"
#include "meter/replay/feed.h"
#include "meter/replay/record.h"
#include "model/replay/stream.h"

enum { MEMO_WAYS = 8, MEMO_BITS = 3 };

struct shape {
    u32 rel[32]; /* offsets from the first active lane; 0 for inactive ones */
    u32 mask;
    u32 phase; /* address of the first active lane modulo the period */
    u8 class, bytes;
};

struct memo {
    struct shape shape[MEMO_WAYS];
    struct cost cost[MEMO_WAYS];
    u32 last;               /* the way of the last one */
    u32 hits, misses, rest; /* rest: accesses to go without looking, since looking did not pay */
};

/* ---- what an access costs ---- */

static struct cost of_banks(struct counter *c, enum bank_op op, const struct exec_access *a, u32 bytes)
{
    const bool atomic = op == BANK_ATOMIC || op == BANK_CAS;
    struct distinct n;
    if (!atomic && sectors_near(a->addr, a->mask, &n)) {
        if (c->plain_shape && bytes == 4 && !(n.low & 3)) {
            const u32 most = banks_words(a->addr, n.first);
            return (struct cost){most, most - 1, bytes * n.elements};
        }
    } else {
        n.elements = atomic ? 0 : sectors_words(a->addr, a->mask, 1); /* bytes of atomics are those of their lanes */
    }
    const struct bank_cost b = banks_cost(c->shape, op, a->addr, a->mask, bytes);
    return (struct cost){b.wavefronts, b.conflicts, bytes * n.elements};
}

/* Accesses are aligned to their size, so two lanes' bytes are the same or apart. What finding lines has compared is not compared again. */
static struct cost of_sectors(const struct counter *c, enum access_class class, const struct exec_access *a, u32 bytes)
{
    const bool device = class == CLASS_GLD || class == CLASS_GST || class == CLASS_GASYNC;
    const struct lines *l = c->caches && device ? caches_lines(c->caches) : NULL;
    const bool known = l && l->compared == a->addr && sectors_aligned(&l->distinct, bytes);
    const struct distinct n = known ? l->distinct : sectors_distinct(a->addr, a->mask, bytes);
    return class == CLASS_CLD ? (struct cost){n.elements, 0, 0} : (struct cost){n.sectors, 0, bytes * n.elements};
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
    default:
        return of_sectors(c, class, a, bytes);
    }
}

/* ---- the memo ---- */

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

/* Whether the lanes stand to each other as in rel. */
CLONES static bool same_places(const u64 *restrict addr, u32 mask, u64 base, const u32 *restrict rel)
{
    u64 off = 0;
    for (u32 i = 0; i < 32; i++)
        off |= ((addr[i] - base) & -(u64)(mask >> i & 1)) ^ (u64)(i64)(i32)rel[i];
    return !off;
}

/* The cost of the shape that was asked for last, or NULL: it is another one. */
static const struct cost *last_one(const struct counter *c, struct memo *m, enum access_class class,
                                   const struct exec_access *a, u32 bytes)
{
    const struct shape *s = &m->shape[m->last];
    const u64 base = a->addr[__builtin_ctz(a->mask)];
    const bool same = s->mask == MUTANT(57, a->mask, s->mask) && s->class == class && s->bytes == bytes &&
                      s->phase == MUTANT(56, base % period(c, class), s->phase) &&
                      MUTANT(58, same_places(a->addr, a->mask, base, s->rel), true);
    m->hits += same;
    return same ? &m->cost[m->last] : NULL;
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
    const u32 way = m->last = hash(&s);
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

static struct cost cost_of_any(struct counter *c, struct site_count *s, enum access_class class,
                               const struct exec_access *a, u32 bytes)
{
    struct memo *m = c->no_memo ? NULL : s->memo ? s->memo : make_memo(c, s);
    if (!m)
        return compute(c, s, class, a, bytes);
    if (m->rest) {
        m->rest--;
        return compute(c, s, class, a, bytes);
    }
    const struct cost *last = last_one(c, m, class, a, bytes);
    return last ? *last : look_up(c, s, class, a, bytes);
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
    return cost_of_any(c, s, class, &wide, bytes);
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

static inline __attribute__((always_inline)) struct cost at_once(const struct counter *c, enum access_class class,
                                                                 const struct exec_access *a, u32 bytes)
{
    const bool global = class <= CLASS_GRED || class == CLASS_GASYNC;
    if (a->pattern == PATTERN_CONTIGUOUS && global)
        return (struct cost){MUTANT(50, run_sectors(a->addr[0], 32 * bytes), 32 * bytes / SECTOR_BYTES), 0, 32 * bytes};
    if (a->pattern == PATTERN_UNIFORM && ((global && class != CLASS_GRED) || class == CLASS_CLD))
        return (struct cost){global ? run_sectors(a->addr[__builtin_ctz(a->mask)], bytes) : 1, 0, bytes};
    if (!c->plain_shape || (class != CLASS_SLD && class != CLASS_SST) || bytes > 16)
        return (struct cost){0, 0, 0};
    if (a->pattern == PATTERN_CONTIGUOUS && bytes == a->size)
        return contiguous_shared(bytes);
    if (a->pattern == PATTERN_UNIFORM && bytes <= (class == CLASS_SLD ? 8 : 4))
        return (struct cost){1, 0, bytes};
    return (struct cost){0, 0, 0};
}

struct cost cost_at_once(const struct counter *c, enum access_class class, const struct exec_access *a, u32 bytes)
{
    return at_once(c, class, a, bytes);
}

struct cost cost_of(struct counter *c, struct site_count *s, enum access_class class, const struct exec_access *a,
                    u32 bytes)
{
    if (LS_UNLIKELY(s->aligned))
        return cost_of_merged(c, s, class, a, bytes);
    const struct cost cost = at_once(c, class, a, bytes);
    return cost.cost ? cost : cost_of_any(c, s, class, a, bytes);
}

/* ---- any access ---- */

static enum access_class class_of(const struct exec_access *a, const struct site_count *s)
{
    /* Copies are counted by the global side alone; what registers keep is no access. */
    if (LS_UNLIKELY(s->async || s->kept || a->uncounted))
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
    case SPACE_TEX: /* not through the LSU */
        return a->op != ACCESS_LD ? CLASS_SUST : a->func->src->insts[a->site].op == OP_SULD ? CLASS_SULD : CLASS_TEX;
    default:
        return CLASS_NONE;
    }
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

enum traffic_kind traffic_kind_of(enum access_class class, bool past_l1)
{
    static const u8 kinds[] = {
        [CLASS_GLD] = TRAFFIC_LOAD,    [CLASS_GST] = TRAFFIC_STORE,      [CLASS_GATOM] = TRAFFIC_ATOM,
        [CLASS_GRED] = TRAFFIC_RED,    [CLASS_LLD] = TRAFFIC_LOCAL_LOAD, [CLASS_LST] = TRAFFIC_LOCAL_STORE,
        [CLASS_GASYNC] = TRAFFIC_LOAD, [CLASS_SULD] = TRAFFIC_TEXTURE,   [CLASS_SUST] = TRAFFIC_STORE,
        [CLASS_TEX] = TRAFFIC_TEXTURE,
    };
    const enum traffic_kind kind = kinds[class];
    if (past_l1 && (kind == TRAFFIC_LOAD || kind == TRAFFIC_STORE))
        return kind == TRAFFIC_LOAD ? TRAFFIC_LOAD_PAST : TRAFFIC_STORE_PAST;
    return kind;
}

/* What L2 is sent of an atomic that one lane does for all: that lane's, where all name the same word. */
static struct exec_access elected(const struct exec_access *a)
{
    struct exec_access one = *a;
    one.mask &= -one.mask;
    for (u32 m = a->mask; m; m &= m - 1)
        if (a->addr[__builtin_ctz(m)] != a->addr[__builtin_ctz(one.mask)])
            return *a;
    return one;
}

/* The engine goes to these lanes' places when all is counted: by then the host's caches have them. Half of a warp's at a time, as a core of the host
 * has no more than some twenty lines under way. (Inlined always: cache_fetch says why.) */
enum { HALF_THE_LANES = 16 };
static inline __attribute__((always_inline)) void fetch_lanes(const struct exec_access *a, u32 from)
{
    if (a->pattern != PATTERN_GATHER || a->space != SPACE_GLOBAL)
        return;
    if (LS_LIKELY(a->mask == UINT32_MAX)) {
        for (u32 lane = from; lane < from + HALF_THE_LANES; lane++)
            __builtin_prefetch((const void *)(uintptr_t)a->addr[lane]);
        return;
    }
    for (u32 m = a->mask & ((1u << HALF_THE_LANES) - 1) << from; m; m &= m - 1)
        __builtin_prefetch((const void *)(uintptr_t)a->addr[__builtin_ctz(m)]);
}

/* The lines that it asks for. */
static __attribute__((noinline)) u32 to_caches(struct counter *c, const struct func_count *f, enum access_class class,
                                               const struct exec_access *a)
{
    if (class == CLASS_SLD || class == CLASS_SST || class == CLASS_SATOM || class == CLASS_CLD)
        return 0;
    const struct site_count *s = &f->sites[a->site];
    const u32 site = f->first_site ? f->first_site + a->site : 0;
    if (s->settles)
        caches_order(c->caches, a->block, a->warp, site, ORDER_SETTLES);
    fetch_lanes(a, 0);
    const u32 lines = caches_access(c->caches, site, traffic_kind_of(class, s->past_l1), a);
    fetch_lanes(a, HALF_THE_LANES);
    if (s->empties_l1)
        caches_order(c->caches, a->block, a->warp, site, ORDER_EMPTIES);
    return lines;
}

/* A fetch from textures, or an access to a surface. */
static __attribute__((noinline)) void count_texels(struct counter *c, const struct func_count *f,
                                                   enum access_class class, const struct exec_access *a)
{
    struct site_count *s = &f->sites[a->site];
    struct tally *t = tally_of(c, s, class);
    struct lines lines;
    if (!t)
        return;
    const struct texture_access *at = texture_access_of(a->addr);
    const struct texel_cost cost = class == CLASS_TEX    ? texels_cost(&lines, at, a->mask, c->memory_base)
                                   : class == CLASS_SULD ? surface_load_cost(&lines, at, a->mask, c->memory_base)
                                                         : surface_store_cost(&lines, at, a->mask, c->memory_base);
    t->requests += cost.requests;
    t->cost += cost.sectors;
    t->lanes += lanes_of(a->mask);
    if (c->caches)
        caches_texels(c->caches, f->first_site ? f->first_site + a->site : 0, traffic_kind_of(class, false), a, &lines);
    if (c->recorder)
        feed_texels(c, f, class, a, &cost, c->caches ? &lines : NULL);
}

/* ---- accesses like the last one ---- */

/* That of a site among the streams'. */
static inline u32 site_number(const struct func_count *f, u32 site) { return f->first_site ? f->first_site + site : 0; }

/* In the order in which the access has them, so that it is one word of the host's; not with the mask in it, as that was written with another word. */
static inline u32 form_of(const struct exec_access *a)
{
    return (u32)a->pattern << 24 | (u32)a->size << 16 | (u32)a->op << 8 | a->space;
}

static inline u64 first_of(const struct exec_access *a) { return a->addr[__builtin_ctz(a->mask)]; }

/* The bits of an address within what an access' sectors, or banks, repeat after. */
static inline u32 within_of(const struct counter *c, u8 space)
{
    return (space == SPACE_SHARED ? c->shape.bank_bytes : SECTOR_BYTES) - 1;
}

/* Adds those that were like the last one told. */
static void settle_likes(struct site_count *s)
{
    const struct like_count *l = &s->like;
    struct tally *t = &s->first;
    t->requests += l->n;
    t->cost += l->n * l->cost;
    t->conflicts += l->n * l->conflicts;
    t->bytes += l->n * l->bytes;
    t->lanes += l->n * l->lanes;
    s->like.n = 0;
}

void counter_settle(struct counter *c)
{
    for (u32 k = 0; k < c->funcs.len; k++) {
        struct func_count *f = c->funcs.at[k];
        for (u32 site = 0; site < f->func->src->ninsts; site++)
            if (f->sites[site].like.n)
                settle_likes(&f->sites[site]);
    }
}

/* The sectors of an access that is one run of bytes, if it began with a line; 0: it is in more than a line, or lanes may write to parts of its
 * sectors. */
static u8 run_of(const struct counter *c, const struct exec_access *a)
{
    const bool row = a->pattern == PATTERN_CONTIGUOUS;
    const u32 n = run_sectors((u32)first_of(a) & within_of(c, a->space), row ? 32u * a->size : a->size);
    return n <= CACHE_SECTORS && (row || a->op == ACCESS_LD) ? (u8)((1u << n) - 1) : 0;
}

/* The access, which was fed as that item, is one that the next may be like. */
static void remember(const struct counter *c, const struct func_count *f, struct site_count *s, enum access_class class,
                     const struct exec_access *a, struct cost cost, u64 item)
{
    const bool device = class == CLASS_GLD || class == CLASS_GST, shared = class == CLASS_SLD || class == CLASS_SST;
    const bool orders = s->settles || s->empties_l1, polls = class == CLASS_GLD && s->past_l1;
    if (!item || a->pattern == PATTERN_GATHER || c->no_memo || (!device && !shared) || s->class != class ||
        s->aligned || (device && (orders || polls || !item_read_access(item).lines)))
        return;
    settle_likes(s);
    const enum traffic_kind kind = device ? traffic_kind_of(class, s->past_l1) : 0;
    const u32 within = within_of(c, a->space);
    s->like = (struct like_count){.mask = a->mask,
                                  .form = form_of(a),
                                  .phase = (u32)first_of(a) & within,
                                  .within = within,
                                  .cost = cost.cost,
                                  .conflicts = cost.conflicts,
                                  .bytes = cost.bytes,
                                  .lanes = lanes_of(a->mask),
                                  .asks = device,
                                  .turn = !(f->estimate->sites[a->site].how & SITE_WITH_NEXT),
                                  .run = run_of(c, a),
                                  .kind = (u8)kind,
                                  .item = item,
                                  .request = request_make(0, 0, kind, true, site_number(f, a->site)),
                                  .place_item = item_elsewhere(item, 0, device),
                                  .line = item_line(0, 0, kind)};
}

/* Whether the access is of that warp, and there is room for one request and two items. */
static inline bool has_room(const struct warp_here *h, const struct exec_access *a)
{
    return h->block == a->block && h->warp == a->warp && h->asks->len < h->asks->cap &&
           *h->staged < CACHES_STAGED_MOST && h->record->cap - h->record->len >= 2;
}

/* The warp is one that both have. */
static void note_here(struct counter *c, const struct exec_access *a)
{
    const struct caches_here *asks = (const struct caches_here *)c->caches;
    const struct record_here *record = (const struct record_here *)c->recorder;
    const u32 n = asks->nwarps < record->nwarps ? asks->nwarps : record->nwarps;
    if (a->block && a->warp < n && asks->linear == a->block->linear && record->linear == a->block->linear)
        c->here = (struct warp_here){a->block, a->warp, &asks->warps[a->warp], asks->staged, &record->warps[a->warp]};
}

/* What an access of a single line asks for. */
struct line_asked {
    u64 request, item, line;
};

/* Device memory from that byte on, as far as the access like the last one goes. False: that is more than a line, or not known. */
static inline bool line_asked(const struct like_count *l, u64 first, struct line_asked *to)
{
    const u64 number = first / CACHE_LINE;
    const u32 sectors = (u32)l->run << first / CACHE_SECTOR % CACHE_SECTORS;
    *to = (struct line_asked){.request = l->request | request_make(number, sectors, 0, false, 0),
                              .item = l->place_item | item_place(feed_sector(first)),
                              .line = l->line | item_line(number, sectors, 0)};
    return LS_LIKELY(sectors - 1 < (1u << CACHE_SECTORS) - 1);
}

/* An access of device memory like the last one, in other places: to where the warp's others went, or wherever it is to go. */
static __attribute__((noinline)) void ask_like(struct counter *c, const struct like_count *l,
                                               const struct exec_access *a)
{
    struct line_asked asked;
    if (!line_asked(l, first_of(a) - c->memory_base, &asked)) {
        feed_like(c, a, l->item, caches_access(c->caches, request_site(l->request), l->kind, a), l->kind);
        return;
    }
    if (caches_line(c->caches, a, asked.request, l->turn))
        record_line(c->recorder, a->block, a->warp, asked.item, asked.line);
    else
        feed_like(c, a, l->item, 0, l->kind);
    note_here(c, a);
}

/* The same where it is of the warp of the last access. False: it is not, or asks for more than a line. */
static inline bool ask_here(struct counter *c, const struct like_count *l, const struct exec_access *a, u64 first)
{
    const struct warp_here *h = &c->here;
    struct line_asked asked;
    if (LS_UNLIKELY(!line_asked(l, first - c->memory_base, &asked) || !has_room(h, a)))
        return false;
    struct requests *asks = h->asks;
    struct record_warp *record = h->record;
    u64 *items = record->at + record->len;
    ++*h->staged;
    record->len += 2;
    asks->at[asks->len++] = asked.request;
    asks->turns += l->turn;
    items[0] = asked.item;
    items[1] = asked.line;
    return true;
}

/* Like the last one of its site, which has taken note of how it was. */
static inline bool is_like(const struct like_count *l, const struct exec_access *a, u64 first)
{
    return l->mask == a->mask && l->form == form_of(a) && l->phase == ((u32)first & l->within) && !a->uncounted;
}

/* ---- the hook ---- */

static __attribute__((noinline)) void count_access(struct counter *c, const struct exec_access *a)
{
    struct func_count *f = func_of(c, a->func);
    if (LS_UNLIKELY(!f))
        return;
    struct site_count *s = &f->sites[a->site];
    const enum access_class class = class_of(a, s);
    if (LS_UNLIKELY(class == CLASS_NONE))
        return;
    s->bytes = s->width ? s->width : a->size;
    if (f->plain && !s->asked)
        plain_ask(c, s, class, a, &f->plain[a->site]);
    if (LS_UNLIKELY(class >= CLASS_TEX)) {
        count_texels(c, f, class, a);
        return;
    }
    struct exec_access one;
    const struct exec_access *sent = a;
    if (LS_UNLIKELY(s->elected && c->caches && (class == CLASS_GATOM || class == CLASS_GRED))) {
        one = elected(a);
        sent = &one;
    }
    const u32 lines = LS_UNLIKELY(c->caches) ? to_caches(c, f, class, sent) : 0;
    if (LS_UNLIKELY(s->loops && class == CLASS_SATOM)) {
        count_loop(c, f, s, a);
        return;
    }
    struct tally *t = tally_of(c, s, class);
    if (LS_UNLIKELY(!t))
        return;
    const u32 lanes = lanes_of(a->mask);
    t->lanes += lanes;
    const bool distinct = distinct_bytes(class);
    if (!distinct)
        t->bytes += MUTANT(52, lanes, 32) * a->size;
    if (s->follows) { /* the access it was merged into pays */
        if (a->again && f->plain)
            plain_again(c, s, class, a, NULL, &f->plain[a->site]);
        return;
    }
    const u32 bytes = s->bytes;
    const struct cost cost = cost_of(c, s, class, a, bytes);
    if (LS_UNLIKELY(a->again) && f->plain)
        plain_again(c, s, class, a, &cost, &f->plain[a->site]);
    t->requests++;
    t->cost += cost.cost;
    t->conflicts += cost.conflicts;
    if (distinct)
        t->bytes += MUTANT(55, cost.bytes, lanes * a->size);
    const bool gathers = class == CLASS_GLD && a->pattern == PATTERN_GATHER && lines && !s->past_l1;
    if (gathers && s->gather) {
        feed_gather(c, s, a, s->gather, cost.cost, lines);
    } else if (c->recorder) {
        const u64 item = feed_access(c, f, class, sent, cost.cost, lines);
        s->gather = gathers ? item : s->gather;
        remember(c, f, s, class, a, cost, item);
    }
}

void counter_access(void *ctx, const struct exec_access *a)
{
    struct counter *c = ctx;
    const struct func_count *f = c->current;
    struct like_count *l = LS_LIKELY(f && f->func == a->func) ? &f->sites[a->site].like : NULL;
    const u64 first = first_of(a);
    if (!l || !is_like(l, a, first)) {
        count_access(c, a);
        return;
    }
    l->n++;
    if (!l->asks)
        record_item(c->recorder, a->block, a->warp, l->place_item | item_place(feed_sector(first)), 0);
    else if (!ask_here(c, l, a, first))
        ask_like(c, l, a);
}

/* Shared memory of another block: sectors of it, which go through the crossbar. Lanes that mean several blocks are one
 * request. Measured on an H200 (tests/hw/h200/dshared.csv). */
void counter_far_access(void *ctx, const struct exec_access *a, const struct exec_block_info *home)
{
    struct counter *c = ctx;
    struct func_count *f = a->uncounted ? NULL : func_of(c, a->func);
    if (LS_UNLIKELY(!f))
        return;
    (void)home;
    struct site_count *s = &f->sites[a->site];
    const enum access_class class = a->op == ACCESS_LD ? CLASS_DLD : a->op == ACCESS_ST ? CLASS_DST : CLASS_DATOM;
    struct tally *t = tally_of(c, s, class);
    if (LS_UNLIKELY(!t))
        return;
    const struct cost cost = of_sectors(c, class, a, a->size);
    s->bytes = a->size;
    t->requests += MUTANT(74, !a->again, 1);
    t->cost += cost.cost;
    t->bytes += cost.bytes;
    t->lanes += lanes_of(a->mask);
    if (class == CLASS_DATOM) /* passes of the memory that they are done in */
        t->conflicts += a->atom_op == MOD_CAS || a->size == 8 ? 2 : 1;
}
