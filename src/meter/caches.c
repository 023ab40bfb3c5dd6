/* caches.c - launches, SMs and their blocks, and the streams of their warps (caches.h).
 *
 * Memory. A struct caches is made once and serves launch after launch; in between it stands on a shelf. It has an SM
 * for each that a launch ever used, and of an SM's blocks and warps as many streams as it ever held at once. What
 * belongs to a launch is set when the launch first comes to it, so that nothing costs more than what is touched.
 * Streams that have become long are given back after the launch. */
#include "meter/caches.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "meter/access/lines.h"
#include "meter/access/staging.h"
#include "model/cache/l1/cache_l1.h"
#include "model/cache/l1/l1.h"
#include "model/cache/l1/turns.h"

enum {
    LOCAL_LINES = 1 << 12, /* local memory of a warp: lines that are told apart */
    /* What stays for the next launch. */
    KEPT_OF_WARP = 256, /* requests */
    KEPT_OF_SM = 4096,
    KEPT_OF_SMS =
        2 * CACHES_ENOUGH_OF_L2, /* of all together: what a launch has at most, half of the room may be free */
    SPARES = 64,      /* streams of warps that are over, whose memory the next ones take: as many as an SM has warps */
    SHELVED_MOST = 4, /* launches run at the same time in several streams */
};

/* ---- streams ---- */

static void requests_trim(struct requests *s, u64 most)
{
    if (s->cap > most) {
        ls_free(s->at);
        *s = (struct requests){0};
    }
}

struct caches_worker {
    struct caches_here here;
    struct caches *caches;
    struct traffic **sites; /* by number; 0 is for those that have none */
    u8 *how;                /* likewise (caches_add_sites) */
    u32 nsites, room;
    struct traffic rest;
    struct sm *sm; /* where the last access was; NULL: look */
    struct held_block *held;
    struct lines lines; /* of the access that is looked at */
    struct spare {
        u64 *at;
        u64 cap;
    } spare[SPARES]; /* the last used on top: it is in the host's caches */
    u32 nspare;
    bool failed;
};

struct caches {
    struct caches *next; /* on the shelf */
    u64 launch;          /* counts those that it served */
    u64 l1_bytes, memory_base, nblocks;
    struct l2_shape shape;
    struct l2_lines *host; /* [shape.nhost], in room for so many */
    u32 host_room;
    struct l2 *l2;
    struct l2_hot hot;
    u32 together; /* warps that an SM has at once */
    u32 resident, warps, nsms;
    u32 used;                 /* SMs that have a block */
    u64 l1_enough, l2_enough; /* of an SM */
    struct sm **sms;          /* [sms_room]; NULL until the first block */
    u32 sms_room;
    struct caches_worker **workers;
    u32 nworkers;
};

/* ---- the shelf ---- */

static struct {
    pthread_mutex_t lock;
    struct caches *first;
    u32 n;
} shelf = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct caches *from_shelf(void)
{
    pthread_mutex_lock(&shelf.lock);
    struct caches *c = shelf.first;
    if (c) {
        shelf.first = c->next;
        shelf.n--;
    }
    pthread_mutex_unlock(&shelf.lock);
    return c;
}

/* False: it is full. */
static bool to_shelf(struct caches *c)
{
    pthread_mutex_lock(&shelf.lock);
    const bool room = shelf.n < SHELVED_MOST;
    if (room) {
        c->next = shelf.first;
        shelf.first = c;
        shelf.n++;
    }
    pthread_mutex_unlock(&shelf.lock);
    return room;
}

static void sm_free(struct sm *s)
{
    if (!s)
        return;
    for (u32 b = 0; b < s->room; b++) {
        for (u32 w = 0; w < s->held[b].nwarps; w++)
            ls_free(s->held[b].warps[w].at);
        ls_free(s->held[b].warps);
    }
    cache_free(&s->l1);
    ls_free(s->held);
    ls_free(s->turns);
    ls_free(s->turn);
    ls_free(s->l2.kept.at);
    ls_free(s);
}

static void destroy(struct caches *c)
{
    for (u32 k = 0; k < c->sms_room; k++)
        sm_free(c->sms[k]);
    ls_free(c->sms);
    l2_free(c->l2);
    ls_free(c->host);
    ls_free(c);
}

void caches_forget(void)
{
    for (struct caches *c; (c = from_shelf()) != NULL;)
        destroy(c);
}

/* A stream that is empty gives away its memory, if that is long. */
static void stream_spare(struct caches_worker *w, struct requests *s)
{
    if (s->cap <= KEPT_OF_WARP || w->nspare == SPARES)
        return;
    w->spare[w->nspare++] = (struct spare){s->at, s->cap};
    *s = (struct requests){0};
}

/* Room for n more. */
static bool stream_room(struct caches_worker *w, struct requests *s, u64 n)
{
    if (LS_LIKELY(s->cap - s->len >= n))
        return true;
    const struct spare *spare = w->nspare ? &w->spare[w->nspare - 1] : NULL;
    if (!spare || spare->cap < s->len + n)
        return requests_grow(s, n);
    if (s->len)
        memcpy(spare->at, s->at, sizeof *s->at * s->len);
    ls_free(s->at);
    s->at = spare->at;
    s->cap = spare->cap;
    w->nspare--;
    return true;
}

/* Long streams were for this launch alone; but what the SMs sent L2, the next one may send, too, and pages that are there need not be made and
 * cleared again. *left: requests that may stay, those that each SM has aside. */
static void sm_trim(struct sm *s, u64 *left)
{
    const u64 cap = s->l2.kept.cap;
    for (u32 b = 0; b < s->room; b++)
        for (u32 w = 0; w < s->held[b].nwarps; w++)
            requests_trim(&s->held[b].warps[w], KEPT_OF_WARP);
    if (cap <= KEPT_OF_SM)
        return;
    if (cap > *left)
        requests_trim(&s->l2.kept, KEPT_OF_SM);
    else
        *left -= cap;
}

static void worker_free(struct caches_worker *w)
{
    if (!w)
        return;
    while (w->nspare)
        ls_free(w->spare[--w->nspare].at);
    ls_free(w->sites);
    ls_free(w->how);
    ls_free(w);
}

void caches_end(struct caches *c)
{
    u64 left = KEPT_OF_SMS;
    for (u32 k = 0; k < c->nsms; k++)
        if (c->sms[k] && c->sms[k]->launch == c->launch)
            sm_trim(c->sms[k], &left);
    for (u32 k = 0; k < c->nworkers; k++)
        worker_free(c->workers[k]);
    ls_free(c->workers);
    c->workers = NULL;
    c->nworkers = 0;
}

void caches_free(struct caches *c)
{
    if (!c)
        return;
    caches_end(c);
    if (!to_shelf(c))
        destroy(c);
}

/* ---- a launch ---- */

static struct caches *take_or_make(void)
{
    struct caches *c = from_shelf();
    if (c || !(c = ls_calloc(1, sizeof *c)))
        return c;
    if ((c->l2 = l2_make()) != NULL)
        return c;
    ls_free(c);
    return NULL;
}

static bool make_sms(struct caches *c, u32 n)
{
    if (n <= c->sms_room)
        return true;
    struct sm **to = ls_realloc(c->sms, sizeof *to * n);
    if (!to)
        return false;
    memset(to + c->sms_room, 0, sizeof *to * (n - c->sms_room));
    c->sms = to;
    c->sms_room = n;
    return true;
}

/* Warps that an SM has at once. */
static u32 warps_together(const struct caches *c, u32 sms)
{
    const u64 blocks = (c->nblocks + sms - 1) / sms;
    return c->warps * (blocks < c->resident ? (u32)blocks : c->resident);
}

static int by_line(const void *a, const void *b)
{
    const struct l2_lines *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* The lines of the host's memory, as the streams number them. */
static bool note_host(struct caches *c, const struct caches_input *in)
{
    const u64 mask = (1ull << REQUEST_NUMBER_BITS) - 1;
    if (in->nhost > c->host_room) {
        struct l2_lines *to = ls_realloc(c->host, sizeof *to * in->nhost);
        if (!to)
            return false;
        c->host = to;
        c->host_room = in->nhost;
    }
    for (u32 k = 0; k < in->nhost; k++) {
        const u64 first = (in->host[k].base - in->memory_base) / CACHE_LINE & mask,
                  last = in->host[k].base % CACHE_LINE + in->host[k].size - 1;
        c->host[k] = (struct l2_lines){first, first + last / CACHE_LINE + 1};
    }
    if (in->nhost)
        qsort(c->host, in->nhost, sizeof *c->host, by_line);
    c->shape.host = c->host;
    c->shape.nhost = in->nhost;
    return true;
}

struct caches *caches_make(const struct caches_input *in)
{
    const struct gpu *gpu = in->gpu;
    struct caches *c = in->before ? in->before : take_or_make();
    if (!c)
        return NULL;
    const bool goes_on = in->before && c->memory_base == in->memory_base;
    c->launch++;
    c->l1_bytes = in->l1_bytes;
    c->memory_base = in->memory_base;
    c->nblocks = in->nblocks;
    c->used = in->nblocks < gpu->sms ? (u32)in->nblocks : gpu->sms;
    const u32 halves = gpu->cc_minor == 0 && gpu->cc_major >= 8 && gpu->cc_major <= 10 ? 2 : 1;
    c->shape = (struct l2_shape){
        .bytes = gpu->l2_bytes, .halves = halves, .coalesces = gpu->cc_major >= 9, .goes_on = goes_on};
    c->hot = (struct l2_hot){0};
    c->resident = in->resident ? in->resident : 1;
    c->warps = in->warps ? in->warps : 1;
    c->together = warps_together(c, gpu->sms);
    const u32 used = c->used ? c->used : 1;
    c->l1_enough = (in->enough ? in->enough : CACHES_ENOUGH) / used;
    c->l2_enough = (in->enough ? in->enough : CACHES_ENOUGH_OF_L2) / used;
    c->nsms = 0;
    if (!make_sms(c, gpu->sms) || !note_host(c, in)) {
        caches_free(c);
        return NULL;
    }
    c->nsms = gpu->sms;
    return c;
}

/* ---- SMs ---- */

/* One more place for a block. */
static bool sm_grow(struct sm *s)
{
    struct held_block *held = ls_realloc(s->held, sizeof *held * (s->room + 1));
    if (!held)
        return false;
    s->held = held;
    held[s->room++] = (struct held_block){0};
    return true;
}

/* Streams for n warps, empty, that have come to no barrier. */
static bool held_grow(struct held_block *h, u32 n)
{
    if (n > h->nwarps) {
        struct requests *to = ls_realloc(h->warps, sizeof *to * n);
        if (!to)
            return false;
        memset(to + h->nwarps, 0, sizeof *to * (n - h->nwarps));
        h->warps = to;
        h->nwarps = n;
    }
    for (u32 k = 0; k < n; k++) {
        requests_empty(&h->warps[k]);
        h->warps[k].barriers = h->warps[k].passes = 0;
    }
    return true;
}

/* Empty, for the worker's launch. */
static bool sm_renew(struct caches_worker *w, struct sm *s, u32 number)
{
    const struct caches *c = w->caches;
    struct requests kept = s->l2.kept;
    if (!l1_empty(&s->l1, c->l1_bytes))
        return false;
    kept.len = kept.next = 0;
    s->launch = c->launch;
    s->number = number;
    s->nheld = s->had = 0;
    s->taken = 0;
    s->pace = 0;
    s->stores_queue = true;
    s->staged = 0;
    s->joined = s->met = 0;
    s->nwaiting = 0;
    s->looked = s->spread = s->scattered = s->parts = 0;
    s->budget = c->l1_enough;
    s->l2_enough = c->l2_enough;
    s->staged_in = 1;
    s->goes = true;
    s->one_in_most = sample_most((u64)s->l1.nsets * s->l1.ways);
    s->slices = (struct slices){0};
    s->how = &w->how;
    s->l2 = (struct l2_input){.kept = kept,
                              .budget = c->l2_enough,
                              .one_in = 1,
                              .asked_in = 1,
                              .beside_in = 1,
                              .sm = number,
                              .first = sm_place_first(number, c->used),
                              .place = sm_place_first(number, c->used),
                              .sites = &w->sites};
    return true;
}

/* NULL: no memory, or the GPU has no such SM. Only the worker that owns the SM asks. */
static struct sm *sm_of(struct caches_worker *w, u32 number)
{
    if (number >= w->caches->nsms)
        return NULL;
    struct sm **at = &w->caches->sms[number];
    if (LS_LIKELY(*at && (*at)->launch == w->caches->launch))
        return *at;
    if (w->failed)
        return NULL;
    if (!*at)
        *at = ls_calloc(1, sizeof **at);
    if (*at && sm_renew(w, *at, number))
        return *at;
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
    u8 *how = ls_realloc(w->how, sizeof *how * room);
    if (!how)
        return false;
    w->how = how;
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
        worker_free(w);
        return NULL;
    }
    w->caches = c;
    w->how[w->nsites] = 0;
    w->sites[w->nsites++] = &w->rest;
    return all[c->nworkers++] = w;
}

const struct traffic *caches_rest(const struct caches_worker *w) { return &w->rest; }

u32 caches_add_sites(struct caches_worker *w, struct traffic *rows, const u8 *how, u32 n)
{
    if (w->nsites + n > REQUEST_SITES)
        return 0;
    if (!sites_grow(w, w->nsites + n)) {
        w->failed = true;
        return 0;
    }
    const u32 first = w->nsites;
    for (u32 k = 0; k < n; k++) {
        w->how[w->nsites] = how ? how[k] : 0;
        w->sites[w->nsites++] = &rows[k];
    }
    return first;
}

/* ---- blocks ---- */

/* Of the blocks in the first slots. */
static void look_up_staged(struct caches_worker *w, struct sm *s, u32 slots)
{
    w->failed |= !sm_run(s, w->caches->warps, slots);
    for (u32 b = 0; b < s->nheld && s->held[b].slot < slots; b++)
        for (u32 k = 0; k < w->caches->warps; k++)
            stream_spare(w, &s->held[b].warps[k]);
}

/* Removes the first n blocks; the memory of their streams is used by the next ones. */
static void sm_release(struct sm *s, u32 n)
{
    for (u32 b = n; b < s->nheld; b++) {
        const struct held_block swap = s->held[b - n];
        s->held[b - n] = s->held[b];
        s->held[b] = swap;
    }
    s->nheld -= n;
    s->had += n;
}

static bool make_turns(struct sm *s, u32 n)
{
    if (n <= s->turns_room)
        return true;
    struct requests **to = ls_realloc(s->turns, sizeof *to * n);
    if (!to)
        return false;
    s->turns = to;
    struct turn *turn = ls_realloc(s->turn, sizeof *turn * n);
    if (!turn)
        return false;
    s->turn = turn;
    s->turns_room = n;
    return true;
}

/* Blocks may move. */
static void forget_here(struct caches_worker *w)
{
    w->sm = NULL;
    w->here.nwarps = 0;
}

void caches_block_begin(struct caches_worker *w, const struct exec_block_info *b)
{
    struct sm *s = sm_of(w, b->sm);
    const u32 warps = w->caches->warps;
    forget_here(w);
    if (!s)
        return;
    if ((s->nheld == s->room && !sm_grow(s)) || !held_grow(&s->held[s->nheld], warps) ||
        !make_turns(s, (s->nheld + 1) * warps)) {
        w->failed = true;
        return;
    }
    struct held_block *h = &s->held[s->nheld++];
    for (; h > s->held && h[-1].slot > b->slot; h--) {
        const struct held_block swap = h[-1];
        h[-1] = *h;
        *h = swap;
    }
    h->linear = b->linear;
    h->slot = b->slot;
    h->done = false;
}

static struct held_block *held_of(struct sm *s, u64 linear)
{
    for (u32 k = s->nheld; k-- > 0;)
        if (s->held[k].linear == linear)
            return &s->held[k];
    return NULL;
}

/* How many of the blocks are there that the SM holds at once, of the first that are left. */
static u32 wave_of(const struct caches *c, const struct sm *s)
{
    return s->nheld < c->resident ? s->nheld : c->resident;
}

/* The slots that these are in, and those before. */
static u32 wave_slots(const struct caches *c, const struct sm *s) { return s->held[wave_of(c, s) - 1].slot + 1; }

/* Whether the SM has all blocks that it will ever have: without clusters a block's number says which SM has it. */
static bool is_last_wave(const struct caches *c, const struct sm *s, const struct exec_block_info *b)
{
    const u64 all = (c->nblocks - s->number + c->nsms - 1) / c->nsms;
    return b->cluster_size <= 1 && b->linear % c->nsms == s->number && s->had + s->nheld == all;
}

/* Whether all of them are there, and done. The last ones would be looked up by caches_finish, too, but now the streams are in the host's caches,
 * and their memory is there for the next SM. */
static bool is_wave_done(const struct caches *c, const struct sm *s, const struct exec_block_info *b)
{
    const u32 n = wave_of(c, s);
    bool done = n && (n == c->resident ? wave_slots(c, s) == s->had + n : is_last_wave(c, s, b));
    for (u32 k = 0; k < n && done; k++)
        done = s->held[k].done;
    return done;
}

/* They leave the SM, whose next ones are elsewhere. False: no memory. */
static bool end_wave(const struct caches *c, struct sm *s)
{
    sm_release(s, wave_of(c, s));
    for (u32 b = 0; b < s->nheld; b++)
        for (u32 k = 0; k < c->warps; k++)
            s->staged += s->held[b].warps[k].len;
    return l2_input_other_blocks(&s->l2);
}

void caches_pace(struct caches_worker *w, const struct exec_block_info *b, u64 cycles)
{
    struct sm *s = sm_of(w, b->sm);
    struct held_block *h = s ? held_of(s, b->linear) : NULL;
    if (h)
        sm_set_pace(s, h, w->caches->warps, w->caches->together, cycles);
}

void caches_block_end(struct caches_worker *w, const struct exec_block_info *b)
{
    struct sm *s = sm_of(w, b->sm);
    struct held_block *h = s ? held_of(s, b->linear) : NULL;
    forget_here(w);
    if (!h)
        return;
    h->done = true;
    while (is_wave_done(w->caches, s, b)) {
        look_up_staged(w, s, wave_slots(w->caches, s));
        w->failed |= !end_wave(w->caches, s);
    }
}

/* ---- accesses ---- */

static void stage(struct caches_worker *w, struct sm *s, struct requests *to, u32 site, enum traffic_kind kind,
                  const struct lines *l)
{
    w->failed |= !stream_room(w, to, l->n) || !staging_put(s, to, site, kind, l);
}

/* Where the block is; false: nowhere. */
static bool find_held(struct caches_worker *w, const struct exec_block_info *b)
{
    if (LS_LIKELY(w->sm && b && w->held->linear == b->linear))
        return true;
    struct sm *s = b ? sm_of(w, b->sm) : NULL;
    w->held = s ? held_of(s, b->linear) : NULL;
    w->sm = w->held ? s : NULL;
    w->here = (struct caches_here){0};
    if (w->held)
        w->here = (struct caches_here){b->linear, w->caches->warps, w->held->warps, &s->staged};
    return w->held;
}

u32 caches_access(struct caches_worker *w, u32 site, enum traffic_kind kind, const struct exec_access *a)
{
    const struct caches *c = w->caches;
    struct lines *l = &w->lines;
    if (a->warp >= c->warps || !find_held(w, a->block))
        return 0;
    u32 lines = 0;
    struct sm *s = w->sm;
    struct requests *to = &w->held->warps[a->warp];
    u32 left = kind == TRAFFIC_ATOM || kind == TRAFFIC_RED ? a->mask : 0;
    do {
        if (left) {
            lines_of_atomic(l, a, c->memory_base, &left);
        } else if (a->space == SPACE_LOCAL) {
            const u64 warp = ((u64)s->number * c->resident + a->block->slot % c->resident) * c->warps + a->warp;
            lines_of_local(l, a, REQUEST_LOCAL + warp * LOCAL_LINES, LOCAL_LINES);
        } else {
            lines_of_device(l, a, c->memory_base);
        }
        stage(w, s, to, site, kind == TRAFFIC_STORE ? staging_store_kind(a, l) : kind, l);
        lines += l->n;
    } while (left);
    if (s->staged > CACHES_STAGED_MOST)
        look_up_staged(w, s, UINT32_MAX);
    return lines;
}

bool caches_line_anywhere(struct caches_worker *w, const struct exec_access *a, u64 request, bool turn)
{
    if (a->warp >= w->caches->warps || !find_held(w, a->block))
        return false;
    struct sm *s = w->sm;
    struct requests *to = &w->held->warps[a->warp];
    w->failed |= !stream_room(w, to, 1);
    if (w->failed)
        return true;
    to->at[to->len++] = request;
    to->turns += turn;
    if (++s->staged > CACHES_STAGED_MOST)
        look_up_staged(w, s, UINT32_MAX);
    return true;
}

void caches_texels(struct caches_worker *w, u32 site, enum traffic_kind kind, const struct exec_access *a,
                   const struct lines *l)
{
    if (a->warp >= w->caches->warps || !find_held(w, a->block))
        return;
    stage(w, w->sm, &w->held->warps[a->warp], site, kind == TRAFFIC_STORE ? staging_store_kind(a, l) : kind, l);
    if (w->sm->staged > CACHES_STAGED_MOST)
        look_up_staged(w, w->sm, UINT32_MAX);
}

void caches_order(struct caches_worker *w, const struct exec_block_info *b, u32 warp, u32 site, u32 order)
{
    if (warp >= w->caches->warps || !find_held(w, b))
        return;
    struct requests *to = &w->held->warps[warp];
    w->failed |= !staging_order(w->sm, to, site, order);
}

void caches_barrier(struct caches_worker *w, const struct exec_block_info *b, const u32 *lanes)
{
    const u32 warps = !find_held(w, b) ? 0 : b->warps < w->caches->warps ? b->warps : w->caches->warps;
    for (u32 k = 0; k < warps; k++)
        w->failed |= lanes[k] && !staging_barrier(w->sm, &w->held->warps[k]);
}

const struct lines *caches_lines(const struct caches_worker *w) { return &w->lines; }

/* ---- the end ---- */

u32 caches_halves(const struct caches *c) { return c->shape.halves; }

const struct l2_hot *caches_hot(const struct caches *c) { return &c->hot; }

bool caches_finish(struct caches *c)
{
    bool good = true;
    struct l2_input **inputs = ls_calloc(c->nsms, sizeof *inputs);
    u32 n = 0;
    if (!inputs)
        return false;
    double turns = 0, cycles = 0;
    for (u32 k = 0; k < c->nsms; k++) {
        struct sm *s = c->sms[k];
        if (!s || s->launch != c->launch)
            continue;
        while (s->nheld) { /* the last ones; a launch that was stopped leaves some under way */
            good &= sm_run(s, c->warps, wave_slots(c, s));
            good &= end_wave(c, s);
        }
        sm_settle_all(s, (*s->l2.sites)[0]);
        inputs[n++] = &s->l2;
        const struct sm_turns of_sm = sm_turns_to_l2(s, c->together);
        turns += of_sm.n;
        cycles += of_sm.n * of_sm.cycles;
    }
    c->shape.turn = turns > 0 ? cycles / turns : 0;
    for (u32 k = 0; k < c->nworkers; k++)
        good &= !c->workers[k]->failed;
    good = good && l2_run(c->l2, &c->shape, inputs, n, &c->hot);
    ls_free(inputs);
    return good;
}
