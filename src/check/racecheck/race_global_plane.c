/* race_global_plane.c - the process's part of racecheck's device memory: cells, serials, and what stays of launches. */
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "check/core/stream_order.h"
#include "check/racecheck/race_global.h"

enum { CHUNKS = 1 << (G_SERIAL_BITS - G_CHUNK_BITS), WINDOW = 64 };
#define RELEASED_BYTES (sizeof(u32) << G_SERIAL_BITS)
#define CHUNK_BYTES (sizeof(struct race_chunk) * CHUNKS)

/* ---- making it ---- */

/* Address space, zero; the host gives pages as they are touched. */
static void *reserve(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

bool race_plane_create(struct check *c)
{
    struct race_plane *p = ls_calloc(1, sizeof *p);
    if (!p)
        return false;
    c->of.racecheck = p;
    pthread_mutex_init(&p->lock, NULL);
    p->mem.name = "race plane";
    p->next_chunk = 1;
    p->chunks = reserve(CHUNK_BYTES);
    p->released = reserve(RELEASED_BYTES);
    p->passed = reserve(RELEASED_BYTES);
    if (p->chunks && p->released && p->passed &&
        shadow_create(&p->cells, c->mem_base, c->mem_size, 4, sizeof(struct race_cell)) == LS_OK)
        return true;
    race_plane_destroy(c);
    return false;
}

void race_plane_destroy(struct check *c)
{
    struct race_plane *p = c->of.racecheck;
    if (!p)
        return;
    for (struct race_kernel *k = p->kernels; k; k = k->next)
        race_sites_free(k->sites);
    shadow_destroy(&p->cells);
    if (p->chunks)
        munmap(p->chunks, CHUNK_BYTES);
    if (p->released)
        munmap(p->released, RELEASED_BYTES);
    if (p->passed)
        munmap(p->passed, RELEASED_BYTES);
    arena_free(&p->mem);
    pthread_mutex_destroy(&p->lock);
    ls_free(p);
    c->of.racecheck = NULL;
}

void race_global_clear(struct check *c, u64 base, u64 size)
{
    if (c->of.racecheck)
        shadow_clear(&c->of.racecheck->cells, base, size);
}

/* Serials are used up: all earlier accesses are forgotten, so they count as ordered. */
static void start_anew(struct race_plane *p)
{
    shadow_clear(&p->cells, p->cells.base, p->cells.size);
    madvise(p->chunks, CHUNK_BYTES, MADV_DONTNEED);
    madvise(p->released, RELEASED_BYTES, MADV_DONTNEED);
    madvise(p->passed, RELEASED_BYTES, MADV_DONTNEED);
    p->next_chunk = 1;
}

/* ---- kernels ---- */

static struct race_kernel *add_kernel(struct race_plane *p, const struct ir_func *func)
{
    struct race_sites *sites = race_sites_new((1u << G_SITE_BITS) - 1);
    if (!sites)
        return NULL;
    struct race_kernel *k = check_new(&p->mem, struct race_kernel);
    if (!k || !(k->name = check_copy_text(&p->mem, func->name))) {
        race_sites_free(sites);
        return NULL;
    }
    k->func = func;
    k->sites = sites;
    k->nplaces = 1;
    k->next = p->kernels;
    return p->kernels = k;
}

static struct race_kernel *find_kernel(struct race_plane *p, const struct ir_func *func)
{
    for (struct race_kernel *k = p->kernels; k; k = k->next)
        if (k->func == func && !strcmp(k->name, func->name))
            return k;
    return add_kernel(p, func);
}

/* False: no memory. */
static bool copy_place(struct race_plane *p, struct race_kernel *k, u32 n)
{
    const struct race_site *e = race_site_at(k->sites, n);
    struct race_place **part = &k->places[n / RACE_SITE_PART];
    struct party at = {0};
    if (!*part && !(*part = check_array(&p->mem, struct race_place, RACE_SITE_PART)))
        return false;
    party_place(&at, e->func, e->site);
    struct race_place *to = &(*part)[n % RACE_SITE_PART];
    *to = (struct race_place){.function = check_copy_text(&p->mem, at.function),
                              .file = check_copy_text(&p->mem, at.file),
                              .ptx_file = check_copy_text(&p->mem, at.ptx_file),
                              .line = at.line,
                              .column = at.column,
                              .ptx_line = at.ptx_line};
    memcpy(to->ptx, at.ptx, sizeof to->ptx);
    return true;
}

/* While the module is there. */
static void copy_places(struct race_plane *p, struct race_kernel *k)
{
    pthread_mutex_lock(&k->sites->lock);
    const u32 n = k->sites->n;
    pthread_mutex_unlock(&k->sites->lock);
    while (k->nplaces < n && copy_place(p, k, k->nplaces))
        k->nplaces++;
}

const struct race_place *race_place_of(const struct race_kernel *k, u32 site)
{
    return site && site < k->nplaces ? &k->places[site / RACE_SITE_PART][site % RACE_SITE_PART] : NULL;
}

bool race_op_text(struct check *c, u64 op, char *text, size_t n)
{
    struct host_call call;
    return order_describe(c->order, op, text, n, &call);
}

/* ---- launches ---- */

static bool op_before(struct check *c, u64 a, u64 b) { return !a || !b || order_before(c->order, a, b); }

/* The first serial that something in no order with x may have: of the last launches, the oldest such one's. */
static u32 find_bound(struct check *c, struct race_launch *x, bool *all)
{
    const struct race_plane *p = c->of.racecheck;
    const struct race_past *last = &p->past[(x->number - 1) % RACE_LAUNCHES];
    u32 bound = x->first;
    *all = true;
    if (x->number == 1 || (last->all && op_before(c, last->op, x->op)))
        return bound;
    for (u32 n = x->number - 1; n && x->number - n <= WINDOW; n--) {
        const struct race_past *o = &p->past[n % RACE_LAUNCHES];
        if (op_before(c, o->op, x->op))
            continue;
        *all = false;
        bound = o->first < bound ? o->first : bound;
    }
    return bound;
}

static bool fill_launch(struct check *c, struct race_launch *x, const struct check_launch *l)
{
    struct race_plane *p = c->of.racecheck;
    const u32 most = CHUNKS / 4 * 3;
    if (p->next_chunk > most && !p->active)
        start_anew(p);
    x->kernel = find_kernel(p, l->exec->kernel);
    if (!x->kernel)
        return false;
    x->number = ++p->nlaunches;
    x->op = l->site.op;
    x->id = l->exec->id;
    x->stream = l->site.stream;
    memcpy(x->grid, l->exec->grid, sizeof x->grid);
    memcpy(x->block, l->exec->block, sizeof x->block);
    x->began = __atomic_load_n(&p->now, __ATOMIC_RELAXED);
    x->began_passes = __atomic_load_n(&p->passes, __ATOMIC_RELAXED);
    x->first = __atomic_load_n(&p->next_chunk, __ATOMIC_RELAXED) << G_CHUNK_BITS;
    struct race_past past = {
        .number = x->number, .first = x->first, .op = x->op, .id = x->id, .stream = x->stream, .kernel = x->kernel};
    memcpy(past.grid, x->grid, sizeof past.grid);
    memcpy(past.block, x->block, sizeof past.block);
    x->bound = find_bound(c, x, &past.all);
    p->past[x->number % RACE_LAUNCHES] = past;
    __atomic_add_fetch(&p->active, 1, __ATOMIC_RELAXED);
    return true;
}

struct race_launch *race_launch_new(struct check *c, struct check_launch *l)
{
    struct race_launch *x = ls_calloc(1, sizeof *x);
    if (!x)
        return NULL;
    pthread_mutex_lock(&c->of.racecheck->lock);
    const bool good = fill_launch(c, x, l);
    if (good) {
        x->next = c->of.racecheck->running;
        c->of.racecheck->running = x;
    }
    pthread_mutex_unlock(&c->of.racecheck->lock);
    if (good) {
        if (race_host_concerns(c, x->op))
            __atomic_store_n(&x->host, true, __ATOMIC_RELAXED);
        return x;
    }
    ls_free(x);
    return NULL;
}

void race_launch_done(struct check *c, struct check_launch *l)
{
    struct race_launch *x = l->of.racecheck;
    if (!x)
        return;
    pthread_mutex_lock(&c->of.racecheck->lock);
    struct race_launch **at = &c->of.racecheck->running;
    while (*at != x)
        at = &(*at)->next;
    *at = x->next;
    copy_places(c->of.racecheck, x->kernel);
    __atomic_sub_fetch(&c->of.racecheck->active, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&c->of.racecheck->lock);
    ls_free(x);
    l->of.racecheck = NULL;
}

bool race_launch_before(struct check *c, struct race_launch *x, u32 number)
{
    signed char *known = &x->before[number % RACE_LAUNCHES];
    if (!*known) {
        pthread_mutex_lock(&c->of.racecheck->lock);
        const struct race_past o = c->of.racecheck->past[number % RACE_LAUNCHES];
        pthread_mutex_unlock(&c->of.racecheck->lock);
        *known = o.number != number || op_before(c, o.op, x->op) ? 1 : -1;
    }
    return *known > 0;
}
