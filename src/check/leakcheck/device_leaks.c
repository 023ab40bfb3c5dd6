/* device_leaks.c - the device heap: which malloc of a kernel made what, what is left at the end of the program, and
 * calls that gave NULL.
 *
 * Each allocation is remembered by its address, with the thread and the place of the call; a later one at the same
 * address takes its turn, so the table grows with the addresses in use and not with the calls. What is leaked is what
 * the table of device memory still has as live (device_memory.h): a free needs no event. Places outlive their modules,
 * so their texts are copied. (Double and invalid frees are faults: memcheck.c.) */
#include "check/leakcheck/device_leaks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "check/core/tool.h"

enum { FIRST_BITS = 8 };

/* A call of malloc in a kernel. */
struct site {
    struct site *next;
    const struct ir_func *func; /* compared only: it may be gone */
    u32 inst;
    u64 launch; /* the first; func means the same within one */
    struct party at;
    struct host_call call;
    /* of a count of leaks under way */
    u64 leaks, bytes;
    struct mem_block first;
    u32 block[3], thread[3];
};

struct entry {
    u64 address; /* 0: free */
    struct site *site;
    u32 block[3], thread[3];
};

struct heap_sites {
    pthread_mutex_t lock; /* leaf */
    struct arena mem;
    struct site *sites;
    struct entry *entries;
    u64 n;
    u32 bits;
};

/* ---- the table ---- */

static bool create(struct check *c)
{
    struct heap_sites *h = ls_calloc(1, sizeof *h);
    if (!h)
        return false;
    h->bits = FIRST_BITS;
    h->entries = ls_calloc((size_t)1 << h->bits, sizeof *h->entries);
    h->mem.name = "check";
    pthread_mutex_init(&h->lock, NULL);
    c->of.leakcheck = h;
    return h->entries != NULL;
}

static void destroy(struct check *c)
{
    struct heap_sites *h = c->of.leakcheck;
    if (!h)
        return;
    arena_free(&h->mem);
    ls_free(h->entries);
    pthread_mutex_destroy(&h->lock);
    ls_free(h);
    c->of.leakcheck = NULL;
}

static struct entry *slot(struct entry *entries, u32 bits, u64 address)
{
    const u64 mask = ((u64)1 << bits) - 1;
    u64 at = (address >> 4) * 0x9e3779b97f4a7c15u >> (64 - bits);
    while (entries[at].address && entries[at].address != address)
        at = (at + 1) & mask;
    return &entries[at];
}

/* False: no memory, and the table is full. */
static bool grow(struct heap_sites *h)
{
    const u64 old = (u64)1 << h->bits;
    if (h->n * 2 < old)
        return true;
    struct entry *more = ls_calloc(old * 2, sizeof *more);
    if (!more)
        return h->n + 1 < old;
    for (u64 k = 0; k < old; k++)
        if (h->entries[k].address)
            *slot(more, h->bits + 1, h->entries[k].address) = h->entries[k];
    ls_free(h->entries);
    h->entries = more;
    h->bits++;
    return true;
}

/* ---- sites ---- */

static void keep_texts(struct heap_sites *h, struct party *p)
{
    p->kernel = check_copy_text(&h->mem, p->kernel);
    p->function = check_copy_text(&h->mem, p->function);
    p->file = check_copy_text(&h->mem, p->file);
    p->ptx_file = check_copy_text(&h->mem, p->ptx_file);
    p->launched = NULL;
}

static bool same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* The site of another launch that is the same place. */
static struct site *known(struct heap_sites *h, const struct party *p)
{
    for (struct site *s = h->sites; s; s = s->next)
        if (s->at.ptx_line == p->ptx_line && s->at.line == p->line && same(s->at.function, p->function) &&
            same(s->at.kernel, p->kernel) && same(s->at.ptx_file, p->ptx_file))
            return s;
    return NULL;
}

static struct site *site_of(struct heap_sites *h, const struct check_launch *l, const struct exec_heap *e)
{
    struct party p = {.kernel = l->exec->kernel->name};
    for (struct site *s = h->sites; s; s = s->next)
        if (s->func == e->func && s->inst == e->site && s->launch == l->exec->id)
            return s;
    party_place(&p, e->func, e->site);
    struct site *s = known(h, &p);
    if (!s) {
        if (!(s = check_new(&h->mem, struct site)))
            return NULL;
        keep_texts(h, &p);
        s->at = p;
        s->call = l->call;
        s->next = h->sites;
        h->sites = s;
    }
    s->func = e->func;
    s->inst = e->site;
    s->launch = l->exec->id;
    return s;
}

static void remember(struct heap_sites *h, const struct check_launch *l, const struct exec_heap *e)
{
    struct party who;
    struct site *s = grow(h) ? site_of(h, l, e) : NULL;
    if (!s)
        return; /* its leak will have no place */
    struct entry *at = slot(h->entries, h->bits, e->address);
    h->n += !at->address;
    party_thread(&who, e->block, e->warp, e->lane);
    at->address = e->address;
    at->site = s;
    memcpy(at->block, who.block, sizeof at->block);
    memcpy(at->thread, who.thread, sizeof at->thread);
}

/* ---- events ---- */

static void exhausted(struct check_worker *w, const struct exec_heap *e)
{
    struct finding f;
    const u64 key = finding_key(e->func, e->site, NULL, 0);
    finding_init(&f, FINDING_HEAP_EXHAUSTED);
    party_thread(&f.at, e->block, e->warp, e->lane);
    party_place(&f.at, e->func, e->site);
    f.size = e->size;
    f.threads = 1;
    snprintf(f.detail, sizeof f.detail, "malloc of %" PRIu64 " bytes failed; the device heap has %" PRIu64 " bytes",
             e->size, w->launch->exec->device->heap_bytes);
    check_found(w->launch, &f, key);
}

static void on_heap(struct check_worker *w, const struct exec_heap *e)
{
    struct check *c = check_of(w);
    if (!e->address && e->size && c->options.tools & CHECK_MEMCHECK)
        exhausted(w, e);
    if (!e->address)
        return;
    pthread_mutex_lock(&c->of.leakcheck->lock);
    remember(c->of.leakcheck, w->launch, e);
    pthread_mutex_unlock(&c->of.leakcheck->lock);
}

const struct check_instrument instrument_leakcheck = {
    .tools = CHECK_MEMCHECK | CHECK_LEAKCHECK, .create = create, .destroy = destroy, .heap = on_heap};

/* ---- leaks ---- */

/* Live allocations, copied: the table of memory is locked while it is walked. */
struct live {
    struct mem_block *blocks;
    u64 n, room;
};

static void collect(void *ctx, const struct mem_block *b)
{
    struct live *l = ctx;
    if (b->kind != MEM_HEAP)
        return;
    if (l->n == l->room) {
        struct mem_block *more = ls_realloc(l->blocks, (l->room * 2 + 64) * sizeof *more);
        if (!more)
            return;
        l->blocks = more;
        l->room = l->room * 2 + 64;
    }
    l->blocks[l->n++] = *b;
}

static void report(struct check *c, const struct site *s)
{
    struct finding f;
    finding_init(&f, FINDING_HEAP_LEAK);
    f.at = s->at;
    if (s->at.kernel) {
        f.at.has_thread = true;
        memcpy(f.at.block, s->block, sizeof f.at.block);
        memcpy(f.at.thread, s->thread, sizeof f.at.thread);
    }
    f.launch = s->launch;
    f.call = s->call;
    f.has_address = true;
    f.space = SPACE_GLOBAL;
    f.address = s->first.base;
    f.size = s->first.size;
    f.allocation = s->first.serial;
    f.count = s->leaks;
    snprintf(f.what, sizeof f.what, "Leaked %" PRIu64 " bytes at 0x%" PRIx64 " on the device heap", s->first.size,
             s->first.base);
    if (s->leaks > 1)
        snprintf(f.detail, sizeof f.detail,
                 "the first of %" PRIu64 " allocations of this malloc, %" PRIu64 " bytes in all", s->leaks, s->bytes);
    check_report(c, &f);
}

static void count_leak(struct site *s, const struct mem_block *b, const struct entry *e)
{
    if (!s->leaks) {
        s->first = *b;
        if (e) {
            memcpy(s->block, e->block, sizeof s->block);
            memcpy(s->thread, e->thread, sizeof s->thread);
        }
    }
    s->leaks++;
    s->bytes += b->size;
}

void leakcheck_heap_leaks(struct check *c)
{
    struct heap_sites *h = c->of.leakcheck;
    struct live live = {0};
    struct site unknown = {0};
    if (!h)
        return;
    mem_each(c->mem, collect, &live);
    pthread_mutex_lock(&h->lock);
    for (struct site *s = h->sites; s; s = s->next)
        s->leaks = s->bytes = 0;
    for (u64 k = 0; k < live.n; k++) {
        const struct entry *e = slot(h->entries, h->bits, live.blocks[k].base);
        count_leak(e->address ? e->site : &unknown, &live.blocks[k], e->address ? e : NULL);
    }
    pthread_mutex_unlock(&h->lock);
    for (const struct site *s = h->sites; s; s = s->next)
        if (s->leaks)
            report(c, s);
    if (unknown.leaks)
        report(c, &unknown);
    ls_free(live.blocks);
}
