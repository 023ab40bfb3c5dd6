/* host_touch.c - see host_touch.h.
 *
 * A *touch* is a range that an operation read or wrote. Of copies and fills it is exact. Of a launch it is a run of
 * whole pages: the instrument marks the pages that the kernel's accesses fall on, and when the launch ends looks at
 * each of them in the plane of racecheck. Which bytes of it the kernel touched the plane is asked again when the host
 * touches one.
 *
 * A page counts only if (nearly) all of it was touched: in the other bytes the host may do what it wants, also by
 * system calls, which fail on a page that it cannot touch. So what is not found is a host access to a page of which a
 * kernel leaves more than SLACK bytes in one piece alone.
 *
 * A kernel that talks to the host while it runs (volatile accesses or accesses of system scope to such memory, a fence
 * of system scope) leaves no touches: the host may know by other means than streams and events what has been done. Not
 * looked at: registered memory, which has no plane, and texture fetches. What is beyond the bounds here is ordered. */
#include "check/racecheck/host_touch.h"

#include <stdio.h>

#include "base/alloc.h"
#include "check/core/stream_order.h"
#include "check/racecheck/race_global.h"

enum { SLACK = 256, TOUCHES = 4096, BLOCKS = 1024 };

struct host_touch {
    u64 lo, hi, op;
    u64 base, end; /* of the allocation */
    bool wrote, kernel;
};

struct host_touches {
    pthread_mutex_t lock;
    u32 live; /* allocations that the host can reach */
    u32 n;
    struct host_touch list[TOUCHES];
};

static bool reachable(enum mem_kind kind) { return kind == MEM_MANAGED || kind == MEM_PINNED; }

bool host_touch_any(const struct check *c)
{
    return c->of.racecheck_host && __atomic_load_n(&c->of.racecheck_host->live, __ATOMIC_RELAXED);
}

/* ---- the list ---- */

static void add(struct host_touches *t, const struct host_touch *x)
{
    pthread_mutex_lock(&t->lock);
    struct host_touch *last = t->n ? &t->list[t->n - 1] : NULL;
    if (last && last->op == x->op && last->hi == x->lo && last->base == x->base && last->wrote == x->wrote &&
        last->kernel == x->kernel)
        last->hi = x->hi;
    else if (t->n < TOUCHES)
        t->list[t->n++] = *x;
    pthread_mutex_unlock(&t->lock);
}

/* Lock held. Touches of one operation follow each other. */
static void drop_done(struct check *c, struct host_touches *t)
{
    u64 op = 0;
    bool done = true;
    u32 kept = 0;
    for (u32 k = 0; k < t->n; k++) {
        if (t->list[k].op != op)
            done = order_before(c->order, op = t->list[k].op, 0);
        if (!done)
            t->list[kept++] = t->list[k];
    }
    t->n = kept;
}

/* The ends of a range that is the allocation's but for a few bytes go as far as the page. */
static struct host_pages pages_of(const struct host_touch *x)
{
    const u64 mask = HOST_PAGE - 1;
    const u64 lo = x->lo - x->base <= SLACK ? x->lo & ~mask : (x->lo + mask) & ~mask;
    const u64 hi = x->end - x->hi <= SLACK ? (x->hi + mask) & ~mask : x->hi & ~mask;
    return (struct host_pages){lo, hi, x->wrote};
}

u32 host_touch_pages(struct check *c, struct host_pages *out, u32 most)
{
    struct host_touches *t = c->of.racecheck_host;
    u32 n = 0;
    if (!t)
        return 0;
    pthread_mutex_lock(&t->lock);
    drop_done(c, t);
    for (int wrote = 0; wrote < 2; wrote++)
        for (u32 k = 0; k < t->n && n < most; k++) {
            const struct host_pages p = pages_of(&t->list[k]);
            if (p.wrote == (bool)wrote && p.lo < p.hi)
                out[n++] = p;
        }
    pthread_mutex_unlock(&t->lock);
    return n;
}

/* ---- copies and fills ---- */

static void add_range(struct check *c, u64 address, u64 size, bool wrote, u64 op)
{
    u64 lo, hi;
    enum mem_kind kind;
    if (!op || !size || !host_touch_any(c) || !mem_range(c->mem, address, &lo, &hi, &kind) || !reachable(kind))
        return;
    const u64 end = size < hi - address ? address + size : hi;
    add(c->of.racecheck_host, &(struct host_touch){address, end, op, lo, hi, wrote, false});
}

static void on_host_wrote(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    (void)call;
    add_range(c, address, size, true, op);
}

static void on_host_read(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    (void)call;
    add_range(c, address, size, false, op);
}

static void on_copied(struct check *c, u64 to, u64 from, u64 size, u64 op, const struct host_call *call)
{
    on_host_read(c, from, size, op, call);
    on_host_wrote(c, to, size, op, call);
}

/* ---- launches ---- */

/* An allocation, and for each of its pages whether the kernel touched it. */
struct host_block {
    u64 base, size;
    u8 *touched;
};

struct host_launch {
    u32 n;
    struct host_block *blocks; /* by address */
    bool talks;
};

struct host_worker {
    const struct host_block *last;
    const struct ir_func *func; /* the last instruction that was asked */
    u32 site;
    bool talks;
};

static bool on_wanted(struct check_launch *l) { return l->site.op && host_touch_any(l->check); }

static void collect(void *ctx, const struct mem_block *b)
{
    struct host_launch *h = ctx;
    if (reachable(b->kind) && h->n < BLOCKS)
        h->blocks[h->n++] = (struct host_block){.base = b->base, .size = b->size};
}

static u64 first_page(const struct host_block *b) { return b->base / HOST_PAGE; }

static u64 count_pages(const struct host_block *b) { return (b->base + b->size - 1) / HOST_PAGE - first_page(b) + 1; }

static bool on_launch_begin(struct check_launch *l)
{
    struct host_launch *h = arena_new(&l->mem, struct host_launch);
    h->blocks = arena_array(&l->mem, struct host_block, BLOCKS);
    mem_each(l->check->mem, collect, h);
    for (u32 k = 0; k < h->n; k++)
        h->blocks[k].touched = arena_array(&l->mem, u8, count_pages(&h->blocks[k]));
    l->of.racecheck_host = h;
    return true;
}

static bool on_worker_begin(struct check_worker *w)
{
    w->of.racecheck_host = arena_new(&w->mem, struct host_worker);
    return true;
}

static const struct host_block *find_block(const struct host_launch *h, u64 address)
{
    u32 lo = 0, hi = h->n;
    while (lo < hi) {
        const u32 mid = (lo + hi) / 2;
        if (h->blocks[mid].base <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct host_block *b = lo ? &h->blocks[lo - 1] : NULL;
    return b && address - b->base < b->size ? b : NULL;
}

/* Whether the bytes are in one of the blocks; their pages are marked. */
static bool mark(const struct host_launch *h, struct host_worker *x, u64 address, u32 size)
{
    const struct host_block *b = x->last;
    if (!b || address - b->base >= b->size)
        b = find_block(h, address);
    if (!b)
        return false;
    x->last = b;
    const u64 last = address + size - 1 - b->base < b->size ? address + size - 1 : address;
    __atomic_store_n(&b->touched[address / HOST_PAGE - first_page(b)], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&b->touched[last / HOST_PAGE - first_page(b)], 1, __ATOMIC_RELAXED);
    return true;
}

static bool talks(struct host_worker *x, const struct exec_access *a)
{
    if (x->func != a->func || x->site != a->site) {
        const struct ptx_inst *i = &a->func->src->insts[a->site];
        x->func = a->func;
        x->site = a->site;
        x->talks = !a->uncounted && (ptx_has(i, MOD_VOLATILE) || ptx_has(i, MOD_SYS) || ptx_has(i, MOD_MMIO));
    }
    return x->talks;
}

static void tell_talks(struct check_worker *w)
{
    struct host_launch *h = w->launch->of.racecheck_host;
    __atomic_store_n(&h->talks, true, __ATOMIC_RELAXED);
}

static void on_access(struct check_worker *w, const struct exec_access *a)
{
    const struct host_launch *h = w->launch->of.racecheck_host;
    bool any = false;
    if (a->space != SPACE_GLOBAL)
        return;
    for (u32 mask = a->mask; mask; mask &= mask - 1)
        any |= mark(h, w->of.racecheck_host, a->addr[__builtin_ctz(mask)], a->size);
    if (any && talks(w->of.racecheck_host, a))
        tell_talks(w);
}

static void on_order(struct check_worker *w, const struct exec_order *o)
{
    if (o->op == EXEC_FENCE && o->scope == EXEC_SCOPE_SYSTEM)
        tell_talks(w);
}

/* ---- what a launch leaves ---- */

static bool is_of(const struct race_plane *p, const struct race_launch *x, u64 stamp)
{
    return stamp >= (u64)x->first << G_SERIAL && p->chunks[stamp_serial(stamp) >> G_CHUNK_BITS].launch == x->number;
}

enum page_state { PAGE_OPEN, PAGE_READ, PAGE_WRITTEN };

/* All of the page that is the block's, but for pieces of at most SLACK bytes, was written, or written or read. */
__attribute__((no_sanitize("thread"))) static enum page_state
state_of(const struct race_plane *p, const struct race_launch *x, const struct host_block *b, u64 page)
{
    const u64 lo = page > b->base ? page : b->base, end = b->base + b->size;
    const u64 hi = page + HOST_PAGE < end ? page + HOST_PAGE : end;
    u64 unwritten = 0, untouched = 0, most_unwritten = 0, written = 0, touched = 0;
    for (u64 at = lo & ~3ull; at < hi; at += 4) {
        const struct race_cell *cell = shadow_cell(&p->cells, at);
        const bool wrote = is_of(p, x, cell->wr), did = wrote || is_of(p, x, cell->rd);
        unwritten = wrote ? 0 : unwritten + 4;
        untouched = did ? 0 : untouched + 4;
        if (untouched > SLACK)
            return PAGE_OPEN;
        most_unwritten = unwritten > most_unwritten ? unwritten : most_unwritten;
        written += wrote;
        touched += did;
    }
    if (written && most_unwritten <= SLACK)
        return PAGE_WRITTEN;
    return touched ? PAGE_READ : PAGE_OPEN;
}

static void add_block(struct check_launch *l, const struct host_block *b)
{
    const struct race_launch *x = l->of.racecheck;
    const u64 n = count_pages(b);
    for (u64 k = 0; k < n; k++) {
        const u64 page = (first_page(b) + k) * HOST_PAGE;
        const enum page_state s = b->touched[k] ? state_of(l->check->of.racecheck, x, b, page) : PAGE_OPEN;
        if (s != PAGE_OPEN)
            add(l->check->of.racecheck_host, &(struct host_touch){page, page + HOST_PAGE, l->site.op, b->base,
                                                                  b->base + b->size, s == PAGE_WRITTEN, true});
    }
}

static void on_launch_end(struct check_launch *l, enum ls_status status, const struct exec_fault *fault)
{
    const struct host_launch *h = l->of.racecheck_host;
    (void)status, (void)fault;
    if (!l->of.racecheck || h->talks || l->failed)
        return;
    for (u32 k = 0; k < h->n; k++)
        add_block(l, &h->blocks[k]);
}

/* ---- accesses of the host ---- */

/* The stamp of the operation's launch on the byte, if that and the host's access conflict; 0: none. */
static u64 conflict(struct check *c, const struct host_touch *t, u64 address, bool write, bool *wrote)
{
    struct race_plane *p = c->of.racecheck;
    const struct race_cell cell = *(const struct race_cell *)shadow_cell(&p->cells, address);
    const u64 bit = 1ull << (G_BYTES + address % 4);
    for (int k = 0; k < 1 + write; k++) {
        const u64 stamp = k ? cell.rd : cell.wr;
        if (!(stamp & bit))
            continue;
        const u32 number = p->chunks[stamp_serial(stamp) >> G_CHUNK_BITS].launch;
        pthread_mutex_lock(&p->lock);
        const struct race_past *past = &p->past[number % RACE_LAUNCHES];
        const bool same = number && past->number == number && past->op == t->op;
        pthread_mutex_unlock(&p->lock);
        *wrote = k == 0;
        if (same)
            return stamp;
    }
    return 0;
}

/* Describes the other side of the race, if it is one. */
static bool describe(struct check *c, const struct host_touch *t, u64 address, bool write, struct finding *f,
                     char *text, size_t n)
{
    struct host_call call;
    bool wrote = t->wrote;
    if (t->kernel) {
        const u64 stamp = conflict(c, t, address, write, &wrote);
        if (stamp)
            f->launch = race_describe(c, stamp, wrote, &f->other, text, n);
        return stamp != 0;
    }
    f->other.does = wrote ? DOES_WRITE : DOES_READ;
    f->other.launched = order_describe(c->order, t->op, text, n, &call) ? text : "a copy";
    return wrote || write;
}

/* The k-th touch of the byte that the host has not waited for; false: there are no more. */
static bool find(struct check *c, u64 address, u32 *k, struct host_touch *out)
{
    struct host_touches *t = c->of.racecheck_host;
    bool found = false;
    pthread_mutex_lock(&t->lock);
    drop_done(c, t);
    for (; *k < t->n && !found; ++*k) {
        *out = t->list[*k];
        found = address - out->lo < out->hi - out->lo;
    }
    pthread_mutex_unlock(&t->lock);
    return found;
}

static void set_memory(struct check *c, struct finding *f, u64 address)
{
    struct mem_block b;
    f->space = SPACE_GLOBAL;
    f->has_address = true;
    f->address = address;
    if (!mem_nearest(c->mem, address, &b) || address - b.base >= b.size)
        return;
    f->allocation = b.serial;
    snprintf(f->detail, sizeof f->detail, "%llu bytes into the %llu bytes of %s%s%s",
             (unsigned long long)(address - b.base), (unsigned long long)b.size,
             b.kind == MEM_MANAGED ? "managed memory" : "pinned memory of the host", b.name ? " of " : "",
             b.name ? b.name : "");
}

bool host_touch_report(struct check *c, u64 address, bool write, const struct host_call *from)
{
    struct finding f;
    struct host_touch t;
    char text[160];
    for (u32 k = 0; find(c, address, &k, &t);) {
        finding_init(&f, FINDING_HOST_RACE);
        if (!describe(c, &t, address, write, &f, text, sizeof text))
            continue;
        f.has_other = true;
        f.at.does = write ? DOES_WRITE : DOES_READ;
        f.at.launched = "the host itself";
        f.call = *from;
        set_memory(c, &f, address);
        check_report(c, &f);
        return true;
    }
    return false;
}

/* ---- the process's ---- */

static bool on_create(struct check *c)
{
    c->of.racecheck_host = ls_calloc(1, sizeof *c->of.racecheck_host);
    if (c->of.racecheck_host)
        pthread_mutex_init(&c->of.racecheck_host->lock, NULL);
    return c->of.racecheck_host != NULL;
}

static void on_destroy(struct check *c)
{
    if (c->of.racecheck_host)
        pthread_mutex_destroy(&c->of.racecheck_host->lock);
    ls_free(c->of.racecheck_host);
    c->of.racecheck_host = NULL;
}

static void on_made(struct check *c, const struct mem_block *b)
{
    if (reachable(b->kind))
        __atomic_fetch_add(&c->of.racecheck_host->live, 1, __ATOMIC_RELAXED);
}

static void on_gone(struct check *c, const struct mem_block *b)
{
    struct host_touches *t = c->of.racecheck_host;
    u32 kept = 0;
    if (!reachable(b->kind))
        return;
    __atomic_fetch_sub(&t->live, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&t->lock);
    for (u32 k = 0; k < t->n; k++)
        if (t->list[k].hi <= b->base || t->list[k].lo >= b->base + b->size)
            t->list[kept++] = t->list[k];
    t->n = kept;
    pthread_mutex_unlock(&t->lock);
}

const struct check_instrument instrument_racecheck_host = {
    .tools = CHECK_RACECHECK,
    .create = on_create,
    .destroy = on_destroy,
    .made = on_made,
    .gone = on_gone,
    .host_wrote = on_host_wrote,
    .host_read = on_host_read,
    .copied = on_copied,
    .filled = on_host_wrote,
    .wanted = on_wanted,
    .launch_begin = on_launch_begin,
    .launch_end = on_launch_end,
    .worker_begin = on_worker_begin,
    .access = on_access,
    .order = on_order,
};
