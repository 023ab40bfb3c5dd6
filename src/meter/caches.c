/* caches.c - from accesses to lines, the streams of warps, and the first-level caches (caches.h). */
#include "meter/caches.h"

#include <string.h>

#include "base/alloc.h"

enum {
    L1_WAYS = 16,
    STAGED_MOST = 1 << 17,       /* requests that an SM keeps until its wave is done; then what is there is looked up */
    L2_REQUESTS_MOST = 16 << 20, /* that are kept for L2, of all SMs together */
    MERGE_REQUESTS = 16,         /* of a warp, that wait to be written together */
    LOCAL_LINES = 1 << 12,       /* local memory of a warp: lines that are told apart */
    LINES_MOST = 32 * 8 + 1,     /* of one instruction: local accesses have a line a word */
};
#define LOCAL_FIRST (1ull << 39) /* line numbers of local memory: no device address is so high */

/* ---- streams ---- */

bool requests_push(struct requests *s, u64 request)
{
    if (s->len == s->cap) {
        const u64 cap = s->cap ? s->cap * 2 : 64;
        u64 *to = ls_realloc(s->at, sizeof *to * cap);
        if (!to)
            return false;
        s->at = to;
        s->cap = cap;
    }
    s->at[s->len++] = request;
    return true;
}

/* A block that an SM holds, and what its warps have asked for. */
struct held_block {
    u64 linear;
    bool done;
    struct requests *warps;
};

struct sm {
    u32 number;
    struct cache l1;
    struct held_block *held; /* in launch order */
    u32 nheld, ndone, room;
    u64 staged;
    struct l2_input l2;
};

struct caches_worker {
    struct caches *caches;
    struct traffic **sites; /* by number; 0 is for those that have none */
    u32 nsites, room;
    struct traffic rest;
    bool failed;
};

struct caches {
    u64 l1_bytes, memory_base, nblocks;
    struct l2_shape l2;
    u64 atomic_most;
    u32 resident, warps, nsms;
    u64 budget;      /* of an SM's l2_input */
    struct sm **sms; /* NULL until the first block */
    struct caches_worker **workers;
    u32 nworkers;
};

struct caches *caches_make(const struct caches_input *in)
{
    struct caches *c = ls_calloc(1, sizeof *c);
    const struct gpu *gpu = in->gpu;
    if (!c)
        return NULL;
    const u64 used = in->nblocks < gpu->sms ? in->nblocks : gpu->sms;
    *c = (struct caches){.l1_bytes = in->l1_bytes,
                         .memory_base = in->memory_base,
                         .l2 = {.bytes = gpu->l2_bytes,
                                .halves = gpu->cc_minor == 0 && gpu->cc_major >= 8 && gpu->cc_major <= 10 ? 2 : 1,
                                .coalesces = gpu->cc_major >= 9},
                         .nblocks = in->nblocks,
                         .resident = in->resident ? in->resident : 1,
                         .warps = in->warps ? in->warps : 1,
                         .nsms = gpu->sms,
                         .budget = L2_REQUESTS_MOST / (used ? used : 1)};
    c->sms = ls_calloc(gpu->sms, sizeof *c->sms);
    if (!c->sms) {
        ls_free(c);
        return NULL;
    }
    return c;
}

static void sm_free(const struct caches *c, struct sm *s)
{
    for (u32 b = 0; s && b < s->room; b++) {
        for (u32 w = 0; w < c->warps; w++)
            ls_free(s->held[b].warps[w].at);
        ls_free(s->held[b].warps);
    }
    if (s) {
        cache_free(&s->l1);
        ls_free(s->held);
        ls_free(s->l2.kept.at);
    }
    ls_free(s);
}

void caches_free(struct caches *c)
{
    if (!c)
        return;
    for (u32 k = 0; k < c->nsms; k++)
        sm_free(c, c->sms[k]);
    for (u32 k = 0; k < c->nworkers; k++) {
        ls_free(c->workers[k]->sites);
        ls_free(c->workers[k]);
    }
    ls_free(c->workers);
    ls_free(c->sms);
    ls_free(c);
}

/* One more place for a block. */
static bool sm_grow(const struct caches *c, struct sm *s)
{
    struct held_block *held = ls_realloc(s->held, sizeof *held * (s->room + 1));
    if (!held)
        return false;
    s->held = held;
    held[s->room] = (struct held_block){.warps = ls_calloc(c->warps, sizeof *held->warps)};
    s->room += held[s->room].warps != NULL;
    return s->nheld < s->room;
}

/* NULL: no memory. Only the worker that owns the SM asks. */
static struct sm *sm_of(struct caches_worker *w, u32 number)
{
    struct caches *c = w->caches;
    struct sm **at = &c->sms[number];
    if (*at || w->failed)
        return *at;
    *at = ls_calloc(1, sizeof **at);
    if (*at) {
        (*at)->number = number;
        (*at)->l2 = (struct l2_input){
            .budget = c->budget, .one_in = 1, .side = number % 2, .group = number % L2_GROUPS, .sites = &w->sites};
        if (cache_init(&(*at)->l1, c->l1_bytes, L1_WAYS))
            return *at;
        sm_free(c, *at);
        *at = NULL;
    }
    w->failed = true;
    return NULL;
}

/* ---- workers ---- */

static bool sites_grow(struct caches_worker *w, u32 n)
{
    if (n <= w->room)
        return true;
    const u32 room = n * 2;
    struct traffic **to = ls_realloc(w->sites, sizeof *to * room);
    if (!to)
        return false;
    w->sites = to;
    w->room = room;
    return true;
}

struct caches_worker *caches_worker(struct caches *c)
{
    struct caches_worker **all = ls_realloc(c->workers, sizeof *all * (c->nworkers + 1));
    if (!all)
        return NULL;
    c->workers = all;
    struct caches_worker *w = ls_calloc(1, sizeof *w);
    if (!w || !sites_grow(w, 64)) {
        ls_free(w);
        return NULL;
    }
    w->caches = c;
    w->sites[w->nsites++] = &w->rest;
    return all[c->nworkers++] = w;
}

const struct traffic *caches_rest(const struct caches_worker *w)
{
    return &w->rest;
}

u32 caches_add_sites(struct caches_worker *w, struct traffic *rows, u32 n)
{
    if (w->nsites + n > REQUEST_SITES)
        return 0;
    if (!sites_grow(w, w->nsites + n)) {
        w->failed = true;
        return 0;
    }
    const u32 first = w->nsites;
    for (u32 k = 0; k < n; k++)
        w->sites[w->nsites++] = &rows[k];
    return first;
}

/* ---- an instruction's lines ---- */

struct lines {
    u64 number[LINES_MOST];
    u8 sectors[LINES_MOST];
    u32 n;
};

static void add_sector(struct lines *l, u64 address)
{
    const u64 number = address / CACHE_LINE;
    const u8 bit = (u8)(1u << address % CACHE_LINE / CACHE_SECTOR);
    for (u32 k = l->n; k-- > 0;) /* neighbours ask for the same line */
        if (l->number[k] == number) {
            l->sectors[k] |= bit;
            return;
        }
    if (l->n == LINES_MOST)
        return;
    l->number[l->n] = number;
    l->sectors[l->n++] = bit;
}

static void add_bytes(struct lines *l, u64 address, u32 bytes)
{
    const u64 first = address / CACHE_SECTOR, last = (address + bytes - 1) / CACHE_SECTOR;
    for (u64 at = first; at <= last; at++)
        add_sector(l, at * CACHE_SECTOR);
}

/* Word k of lane i of the warp stands at 4 * (32 k + i). */
static void local_lines(struct lines *l, const struct exec_access *a, u64 first)
{
    for (u32 m = a->mask; m; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        for (u64 k = a->addr[lane] / 4; k <= (a->addr[lane] + a->size - 1) / 4; k++)
            add_sector(l, (first + k % LOCAL_LINES) * CACHE_LINE + 4 * lane);
    }
}

/* A run of bytes: its lines in ascending order. */
static void run_lines(struct lines *l, u64 address, u32 bytes)
{
    const u64 first = address / CACHE_SECTOR, last = (address + bytes - 1) / CACHE_SECTOR;
    for (u64 at = first; at <= last;) {
        const u32 from = (u32)(at % CACHE_SECTORS);
        const u64 left = last - at + 1, room = CACHE_SECTORS - from, n = left < room ? left : room;
        l->number[l->n] = at / CACHE_SECTORS;
        l->sectors[l->n++] = (u8)(((1u << n) - 1) << from);
        at += n;
    }
}

/* Lanes of an atomic that want the same element go one after the other (as sectors_red counts): this takes those that
 * are first of the rest, and leaves the others in *mask. */
static void atomic_lines(struct lines *l, const struct exec_access *a, u64 base, u32 *mask)
{
    u32 taken = 0;
    for (u32 m = *mask; m; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        u32 before = taken;
        while (before && a->addr[__builtin_ctz(before)] != a->addr[lane])
            before &= before - 1;
        if (before)
            continue;
        taken |= 1u << lane;
        add_bytes(l, a->addr[lane] - base, a->size);
    }
    *mask &= ~taken;
}

static void device_lines(struct lines *l, const struct exec_access *a, u64 base)
{
    if (a->pattern == PATTERN_CONTIGUOUS) {
        run_lines(l, a->addr[0] - base, 32u * a->size);
    } else if (a->pattern == PATTERN_UNIFORM) {
        run_lines(l, a->addr[__builtin_ctz(a->mask)] - base, a->size);
    } else {
        for (u32 m = a->mask; m; m &= m - 1)
            add_bytes(l, a->addr[__builtin_ctz(m)] - base, a->size);
    }
}

/* ---- L1 ---- */

static inline u32 bits(u32 sectors)
{
    return (u32)__builtin_popcount(sectors);
}

static void to_l2(struct caches_worker *w, struct sm *s, u64 request, u32 sectors)
{
    const u64 all = 15ull << 40;
    if (!sectors)
        return;
    if (!l2_input_push(&s->l2, (request & ~all) | (u64)sectors << 40))
        w->failed = true;
}

/* The sectors that are there; those that are not are from now on. */
static u32 l1_take(struct sm *s, u64 number, u32 sectors)
{
    struct cache_line *l = cache_find(&s->l1, number), gone;
    const u32 there = l ? l->valid & sectors : 0;
    if (!l)
        l = cache_put(&s->l1, number, &gone);
    if (l)
        l->valid |= (u8)sectors;
    return there;
}

/* Counts hits, and misses behind them; the sectors that are missing. */
static u32 l1_count(struct sm *s, u64 request, struct traffic *t, enum event_id hits)
{
    const u32 sectors = request_sectors(request), there = l1_take(s, request_number(request), sectors);
    t->n[hits - TRAFFIC_FIRST] += bits(there);
    t->n[hits - TRAFFIC_FIRST + 1] += bits(sectors & ~there);
    return sectors & ~there;
}

/* The same for what is not taken in; what was there leaves when it is to be read past L1. */
static void l1_pass(struct sm *s, u64 request, struct traffic *t, enum event_id hits)
{
    const u32 sectors = request_sectors(request);
    struct cache_line *l = cache_find(&s->l1, request_number(request));
    const bool load = request_kind(request) == TRAFFIC_LOAD_PAST;
    const u32 there = l && !load ? l->valid & sectors : 0;
    t->n[hits - TRAFFIC_FIRST] += bits(there);
    t->n[hits - TRAFFIC_FIRST + 1] += bits(sectors & ~there);
    if (l && load)
        l->valid &= (u8)~sectors;
}

static void l1_load(struct caches_worker *w, struct sm *s, u64 request, struct traffic *t, enum event_id hits)
{
    to_l2(w, s, request, l1_count(s, request, t, hits));
}

static void l1_look_up(struct caches_worker *w, struct sm *s, u64 request)
{
    struct traffic *t = w->sites[request_site(request)];
    const u32 sectors = request_sectors(request), n = bits(sectors);
    t->n[EVENT_l1_lines - TRAFFIC_FIRST]++;
    switch (request_kind(request)) {
    case TRAFFIC_LOAD:
        l1_load(w, s, request, t, EVENT_l1_gld_hits);
        return;
    case TRAFFIC_LOCAL_LOAD:
    case TRAFFIC_TEXTURE:
        l1_load(w, s, request, t, EVENT_l1_other_hits);
        return;
    case TRAFFIC_LOCAL_STORE:
        l1_count(s, request, t, EVENT_l1_other_hits);
        break;
    case TRAFFIC_LOAD_PAST:
        l1_pass(s, request, t, EVENT_l1_gld_hits);
        break;
    case TRAFFIC_STORE_PAST:
        l1_pass(s, request, t, EVENT_l1_gst_hits);
        break;
    case TRAFFIC_STORE_MERGED:
        l1_count(s, request, t, EVENT_l1_gst_hits);
        return;
    case TRAFFIC_STORE:
        l1_count(s, request, t, EVENT_l1_gst_hits);
        break;
    case TRAFFIC_ATOM:
    case TRAFFIC_RED:
        t->n[EVENT_l1_other_misses - TRAFFIC_FIRST] += n;
        break;
    }
    to_l2(w, s, request, sectors);
}

/* One instruction of the stream; false: it is at its end. */
static bool l1_step(struct caches_worker *w, struct sm *s, struct requests *r)
{
    while (r->next < r->len) {
        const u64 request = r->at[r->next++];
        l1_look_up(w, s, request);
        if (request_last(request))
            break;
    }
    return r->next < r->len;
}

/* All that is staged, the warps in turn. */
static void sm_run(struct caches_worker *w, struct sm *s)
{
    const struct caches *c = w->caches;
    for (bool more = true; more;) {
        more = false;
        for (u32 b = 0; b < s->nheld; b++)
            for (u32 k = 0; k < c->warps; k++)
                more |= l1_step(w, s, &s->held[b].warps[k]);
    }
    for (u32 b = 0; b < s->nheld; b++)
        for (u32 k = 0; k < c->warps; k++)
            s->held[b].warps[k].len = s->held[b].warps[k].next = 0;
    s->staged = 0;
}

/* ---- blocks ---- */

/* The blocks that are done leave; the memory of their streams stays for the next ones. */
static void sm_release(struct sm *s)
{
    u32 kept = 0;
    for (u32 b = 0; b < s->nheld; b++) {
        if (s->held[b].done)
            continue;
        const struct held_block swap = s->held[kept];
        s->held[kept++] = s->held[b];
        s->held[b] = swap;
    }
    s->nheld = kept;
    s->ndone = 0;
}

void caches_block_begin(struct caches_worker *w, const struct exec_block_info *b)
{
    struct sm *s = sm_of(w, b->sm);
    if (!s)
        return;
    if (s->nheld == s->room && !sm_grow(w->caches, s)) {
        w->failed = true;
        return;
    }
    struct held_block *h = &s->held[s->nheld++];
    h->linear = b->linear;
    h->done = false;
}

static struct held_block *held_of(struct sm *s, u64 linear)
{
    for (u32 k = s->nheld; k-- > 0;)
        if (s->held[k].linear == linear)
            return &s->held[k];
    return NULL;
}

void caches_block_end(struct caches_worker *w, const struct exec_block_info *b)
{
    struct sm *s = sm_of(w, b->sm);
    struct held_block *h = s ? held_of(s, b->linear) : NULL;
    if (!h)
        return;
    h->done = true;
    s->ndone++;
    const bool last = b->linear + w->caches->nsms >= w->caches->nblocks;
    if (s->ndone >= w->caches->resident || (last && s->ndone == s->nheld)) {
        sm_run(w, s);
        sm_release(s);
    }
}

/* ---- accesses ---- */

/* Whether the warp's last instructions were stores, and one of them to all of these sectors. */
static bool merges(const struct requests *r, u64 number, u32 sectors)
{
    for (u64 k = r->len; k-- > r->next && r->len - k <= MERGE_REQUESTS;) {
        const enum traffic_kind kind = request_kind(r->at[k]);
        if (kind != TRAFFIC_STORE && kind != TRAFFIC_STORE_MERGED)
            return false;
        if (request_number(r->at[k]) == number && kind == TRAFFIC_STORE && !(sectors & ~request_sectors(r->at[k])))
            return true;
    }
    return false;
}

static void stage(struct caches_worker *w, struct sm *s, struct requests *to, u32 site, enum traffic_kind kind,
                  const struct lines *l)
{
    for (u32 k = 0; k < l->n; k++) {
        const bool merged = kind == TRAFFIC_STORE && merges(to, l->number[k], l->sectors[k]);
        const enum traffic_kind as = merged ? TRAFFIC_STORE_MERGED : kind;
        if (!requests_push(to, request_make(l->number[k], l->sectors[k], as, k + 1 == l->n, site)))
            w->failed = true;
    }
    s->staged += l->n;
}

void caches_access(struct caches_worker *w, u32 site, enum traffic_kind kind, const struct exec_access *a)
{
    struct sm *s = a->block && a->block->sm < w->caches->nsms ? sm_of(w, a->block->sm) : NULL;
    struct held_block *h = s ? held_of(s, a->block->linear) : NULL;
    if (!h || a->warp >= w->caches->warps)
        return;
    struct lines l;
    u32 left = kind == TRAFFIC_ATOM || kind == TRAFFIC_RED ? a->mask : 0;
    do {
        l.n = 0;
        if (left) {
            atomic_lines(&l, a, w->caches->memory_base, &left);
        } else if (a->space == SPACE_LOCAL) {
            const u64 warp = ((u64)s->number * w->caches->resident + (u64)(h - s->held)) * w->caches->warps + a->warp;
            local_lines(&l, a, LOCAL_FIRST + warp * LOCAL_LINES);
        } else {
            device_lines(&l, a, w->caches->memory_base);
        }
        stage(w, s, &h->warps[a->warp], site, kind, &l);
    } while (left);
    if (s->staged > STAGED_MOST)
        sm_run(w, s);
}

/* ---- the end ---- */

u64 caches_atomic_most(const struct caches *c)
{
    return c->atomic_most;
}

bool caches_finish(struct caches *c)
{
    bool good = true;
    struct l2_input **inputs = ls_calloc(c->nsms, sizeof *inputs);
    u32 n = 0;
    if (!inputs)
        return false;
    for (u32 k = 0; k < c->nsms; k++) {
        struct sm *s = c->sms[k];
        if (!s)
            continue;
        for (u32 o = 0; o < c->nworkers && s->staged; o++) /* a launch that was stopped leaves blocks under way */
            if (&c->workers[o]->sites == s->l2.sites)
                sm_run(c->workers[o], s);
        inputs[n++] = &s->l2;
    }
    for (u32 k = 0; k < c->nworkers; k++)
        good &= !c->workers[k]->failed;
    good = good && l2_run(&c->l2, inputs, n, &c->atomic_most);
    ls_free(inputs);
    return good;
}
