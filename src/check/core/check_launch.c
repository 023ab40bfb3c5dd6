/* check_launch.c - one launch under the checks: its hooks, made of the instruments that the wanted tools need, and what they find.
 *
 * An event goes to each instrument that wants it, in the order of tools.def. An instrument that no wanted tool needs
 * costs nothing, and the engine makes no events that no instrument wants. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "check/core/finding_set.h"
#include "check/core/tool.h"
#include "check/memcheck/memcheck_shared.h"

const struct check_instrument *const check_instruments[] = {
#define INSTRUMENT(name, ...) &instrument_##name,
#include "check/tools.def"
};
const unsigned check_ninstruments = LS_ARRAY_LEN(check_instruments);

/* ---- hooks ---- */

#define FORWARD(name, ...)                                                                                             \
    do {                                                                                                               \
        struct check_worker *w_ = ctx;                                                                                 \
        const struct check_launch *l_ = w_->launch;                                                                    \
        for (unsigned k_ = 0; k_ < l_->nactive; k_++)                                                                  \
            if (l_->active[k_]->name)                                                                                  \
                l_->active[k_]->name(w_, __VA_ARGS__);                                                                 \
    } while (0)

static void on_block_begin(void *ctx, const struct exec_block_info *b) { FORWARD(block_begin, b); }
static void on_block_end(void *ctx, const struct exec_block_info *b) { FORWARD(block_end, b); }
static void on_access(void *ctx, const struct exec_access *a) { FORWARD(access, a); }
static void on_barrier(void *ctx, const struct exec_barrier *b) { FORWARD(barrier, b); }
static void on_warp_sync(void *ctx, const struct exec_warp_sync *s) { FORWARD(warp_sync, s); }
static void on_order(void *ctx, const struct exec_order *o) { FORWARD(order, o); }
static void on_far_access(void *ctx, const struct exec_access *a, const struct exec_block_info *home)
{
    FORWARD(far_access, a, home);
}
static void on_far_order(void *ctx, const struct exec_order *o, const struct exec_block_info *home)
{
    FORWARD(far_order, o, home);
}
static void on_heap(void *ctx, const struct exec_heap *h) { FORWARD(heap, h); }

static void on_enter(void *ctx, const struct ir_func *func, u32 block, u32 mask, u32 warp,
                     const struct exec_block_info *b)
{
    FORWARD(enter, func, block, mask, warp, b);
}

static void on_release(void *ctx, const struct exec_block_info *b, u32 id, const u32 *lanes)
{
    FORWARD(release, b, id, lanes);
}

static void on_exit_lanes(void *ctx, const struct exec_block_info *b, u32 warp, u32 mask)
{
    FORWARD(exit, b, warp, mask);
}

static bool on_fault(void *ctx, const struct exec_block_info *b, const struct exec_fault *f)
{
    struct check_worker *w = ctx;
    const struct check_launch *l = w->launch;
    const bool may_go_on = !l->check->options.faults_end;
    bool go_on = false;
    for (unsigned k = 0; k < l->nactive; k++)
        if (may_go_on && l->active[k]->excuse && l->active[k]->excuse(w, b, f))
            return true;
    for (unsigned k = 0; k < l->nactive; k++)
        go_on |= l->active[k]->fault && l->active[k]->fault(w, b, f);
    if (go_on && w->first == FAULT_NONE)
        w->first = f->kind;
    return go_on && may_go_on;
}

void *check_alloc_aligned(struct arena *mem, size_t size, size_t align) { return arena_try_aligned(mem, size, align); }

void *check_alloc(struct arena *mem, size_t size) { return check_alloc_aligned(mem, size, 16); }

const char *check_copy_text(struct arena *mem, const char *text)
{
    char *copy = text ? check_alloc(mem, strlen(text) + 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}

bool check_grow(struct arena *mem, void **at, u32 *cap, u32 len, size_t size)
{
    const u32 more = *cap ? *cap * 2 : 8;
    void *to = check_alloc(mem, size * more);
    if (to && len)
        memcpy(to, *at, size * len);
    *at = to ? to : *at;
    *cap = to ? more : *cap;
    return to != NULL;
}

static bool begin_worker(struct check_worker *w)
{
    const struct check_launch *l = w->launch;
    if (setjmp(w->mem.oom))
        return false;
    for (unsigned k = 0; k < l->nactive; k++)
        if (l->active[k]->worker_begin && !l->active[k]->worker_begin(w))
            return false;
    return true;
}

/* A worker whose state cannot be made ends the process's checks, not the program: there is nothing to count in. */
static void *on_worker_begin(void *launch, unsigned index)
{
    struct check_launch *l = launch;
    struct check_worker *w = ls_calloc(1, sizeof *w);
    LS_BUG_ON(!w);
    w->launch = l;
    w->index = index;
    w->mem.name = "launch";
    w->next = l->workers;
    l->workers = w;
    l->failed |= !begin_worker(w);
    return w;
}

/* A hook of the engine is set if an instrument wants its events. */
static void make_hooks(struct check_launch *l)
{
    struct exec_hooks *h = &l->hooks;
    *h = (struct exec_hooks){.launch = l, .worker_begin = on_worker_begin};
    for (unsigned k = 0; k < l->nactive; k++) {
        const struct check_instrument *i = l->active[k];
        h->block_begin = i->block_begin ? on_block_begin : h->block_begin;
        h->block_end = i->block_end ? on_block_end : h->block_end;
        h->enter = i->enter ? on_enter : h->enter;
        h->access = i->access ? on_access : h->access;
        h->far_access = i->far_access ? on_far_access : h->far_access;
        h->far_order = i->far_order ? on_far_order : h->far_order;
        h->barrier = i->barrier ? on_barrier : h->barrier;
        h->release = i->release ? on_release : h->release;
        h->warp_sync = i->warp_sync ? on_warp_sync : h->warp_sync;
        h->order = i->order ? on_order : h->order;
        h->exit = i->exit ? on_exit_lanes : h->exit;
        h->heap = i->heap ? on_heap : h->heap;
        h->fault = i->fault || i->excuse ? on_fault : h->fault;
    }
}

/* ---- a launch ---- */

static void choose(struct check_launch *l)
{
    l->active = arena_array(&l->mem, const struct check_instrument *, check_ninstruments);
    for (unsigned k = 0; k < check_ninstruments; k++)
        if (check_instruments[k]->tools & l->check->options.tools &&
            (!check_instruments[k]->wanted || check_instruments[k]->wanted(l)))
            l->active[l->nactive++] = check_instruments[k];
}

static bool begin(struct check_launch *l)
{
    if (setjmp(l->mem.oom))
        return false;
    choose(l);
    for (unsigned k = 0; k < l->nactive; k++)
        if (l->active[k]->launch_begin && !l->active[k]->launch_begin(l))
            return false;
    make_hooks(l);
    return true;
}

static void free_launch(struct check_launch *l)
{
    for (struct check_worker *w = l->workers, *next; w; w = next) {
        next = w->next;
        arena_free(&w->mem);
        ls_free(w);
    }
    arena_free(&l->mem);
    ls_free(l);
}

enum ls_status check_launch_begin(struct check *c, const struct exec_launch *l, const struct check_site *site,
                                  struct check_launch **out)
{
    struct check_launch *x = ls_calloc(1, sizeof *x);
    if (!x)
        return LS_ERR_NOMEM;
    x->check = c;
    x->exec = l;
    x->site = *site;
    x->mem.name = "launch";
    if (site->call)
        x->call = *site->call;
    x->site.call = &x->call;
    if (begin(x)) {
        *out = x;
        return LS_OK;
    }
    free_launch(x);
    return LS_ERR_NOMEM;
}

const struct exec_hooks *check_launch_hooks(struct check_launch *l) { return &l->hooks; }

enum exec_fault_kind check_launch_first(const struct check_launch *l)
{
    for (const struct check_worker *w = l->workers; w; w = w->next)
        if (w->first != FAULT_NONE)
            return w->first;
    return FAULT_NONE;
}

void check_launch_end(struct check_launch *l, enum ls_status s, const struct exec_fault *fault, u64 *bad)
{
    *bad = 0;
    for (unsigned k = 0; k < l->nactive; k++)
        if (l->active[k]->launch_end)
            l->active[k]->launch_end(l, s, fault);
    for (const struct check_worker *w = l->workers; w; w = w->next)
        *bad += w->left_out;
    check_flush(l->check);
    free_launch(l);
}

/* ---- what is found ---- */

u64 finding_key(const struct ir_func *func, u32 site, const struct ir_func *other, u32 other_site)
{
    const u64 words[4] = {(u64)(uintptr_t)func, site, (u64)(uintptr_t)other, other_site};
    return XXH3_64bits(words, sizeof words);
}

bool check_found_again(struct check_launch *l, enum finding_kind kind, u64 key, u64 times)
{
    struct check *c = l->check;
    pthread_mutex_lock(&c->lock);
    struct found *e = finding_set_find(c->found, kind, key);
    if (e)
        finding_set_again(c->found, e, times, 0);
    pthread_mutex_unlock(&c->lock);
    return e != NULL;
}

/* The allocation that an address of device memory is in or near; 0: it is no such address. */
static u64 allocation_at(const struct check *c, u64 address)
{
    struct mem_block b;
    const u64 far = 1ull << 32; /* as mem_describe has it */
    const bool found = mem_nearest(c->mem, address, &b), inside = found && address - b.base < b.size;
    const bool near = found && address - c->mem_base < c->mem_size && address - b.base + far < b.size + 2 * far;
    return inside || near ? b.serial : 0;
}

/* Which variable of shared memory it is, in front of the other details; memcheck says so itself. */
static void say_shared(const struct check_launch *l, struct finding *f)
{
    char where[256], rest[sizeof f->detail];
    if (f->space != SPACE_SHARED || !f->has_address || finding_info(f->kind)->tool == CHECK_MEMCHECK ||
        !memcheck_shared_describe(l->exec, f->address, f->size, where, sizeof where))
        return;
    memcpy(rest, f->detail, sizeof rest);
    snprintf(f->detail, sizeof f->detail, "%s%s%.700s", where, rest[0] ? "\n" : "", rest);
}

static void complete(struct check_launch *l, struct finding *f)
{
    f->launch = l->exec->id;
    f->when = l->check->options.clock ? l->check->options.clock() : 0;
    if (!f->at.kernel)
        f->at.kernel = l->exec->kernel->name;
    if (!f->call.nframes)
        f->call = l->call;
    if (!f->allocation && f->has_address && (f->space == SPACE_GLOBAL || f->space == SPACE_NONE))
        f->allocation = allocation_at(l->check, f->address);
    say_shared(l, f);
    check_complete(l->check, f);
}

void check_found(struct check_launch *l, struct finding *f, u64 key)
{
    struct check *c = l->check;
    pthread_mutex_lock(&c->lock);
    struct found *e = finding_set_find(c->found, f->kind, key);
    if (e)
        finding_set_again(c->found, e, f->count, f->threads);
    pthread_mutex_unlock(&c->lock);
    if (e)
        return;
    complete(l, f);
    pthread_mutex_lock(&c->lock);
    e = finding_set_find(c->found, f->kind, key); /* another worker's, meanwhile */
    if (e)
        finding_set_again(c->found, e, f->count, f->threads);
    else
        finding_set_add(c->found, f, key);
    pthread_mutex_unlock(&c->lock);
}
