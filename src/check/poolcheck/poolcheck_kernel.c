/* poolcheck_kernel.c - which stream-ordered memory a kernel uses, and where first.
 *
 * A launch that begins while there is no such memory runs without this, in fast code. Else it looks at each access to global
 * memory; for each block of memory and worker it keeps the access of the first block of threads that it saw there, so the
 * place that is told does not depend on which worker was faster. */
#include "check/poolcheck/poolcheck.h"

#include "check/core/stream_order.h"
#include "check/memcheck/memcheck.h"

struct pool_touch {
    bool any;
    u64 block; /* of threads, its linear number */
    struct party who;
    u64 address, size;
};

struct pool_launch {
    u32 n;
    struct pool_range {
        u64 lo, hi;
    } ranges[]; /* by address */
};

struct pool_worker {
    u32 last; /* the range of the last access */
    struct pool_touch touches[];
};

/* A launch behind a block's free faults if it goes there, and memcheck says so. */
static bool concerns(struct check_launch *l, const struct pool_block *b)
{
    return !b->freed || !order_before(l->check->order, b->freed, l->site.op);
}

bool poolcheck_wanted(struct check_launch *l)
{
    struct pool_plane *p = l->check->of.poolcheck;
    u32 n = 0;
    pthread_mutex_lock(&p->lock);
    struct pool_launch *x = p->n ? check_alloc(&l->mem, sizeof *x + p->n * sizeof *x->ranges) : NULL;
    for (u32 k = 0; x && k < p->n; k++)
        if (concerns(l, &p->blocks[k]))
            x->ranges[n++] = (struct pool_range){p->blocks[k].lo, p->blocks[k].hi};
    pthread_mutex_unlock(&p->lock);
    if (x)
        x->n = n;
    l->of.poolcheck = x;
    return n && l->site.op;
}

bool poolcheck_worker_begin(struct check_worker *w)
{
    struct pool_worker *x = arena_alloc(&w->mem, sizeof *x + w->launch->of.poolcheck->n * sizeof *x->touches);
    w->of.poolcheck = x;
    return true;
}

/* ---- accesses ---- */

/* The number of the range that the address is in; UINT32_MAX: none. */
static u32 range_of(const struct pool_launch *x, u64 address)
{
    u32 lo = 0, hi = x->n;
    while (lo < hi) {
        const u32 mid = (lo + hi) / 2;
        if (x->ranges[mid].hi <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < x->n && x->ranges[lo].lo <= address ? lo : UINT32_MAX;
}

/* Whether that block's access is wanted: the first one of the first block of threads. */
static bool is_new(const struct pool_touch *t, u64 block) { return !t->any || block < t->block; }

static void touch(struct check_worker *w, u32 range, const struct exec_access *a, u32 lane)
{
    struct pool_touch *t = &w->of.poolcheck->touches[range];
    if (!is_new(t, a->block ? a->block->linear : 0))
        return;
    *t = (struct pool_touch){
        .any = true, .block = a->block ? a->block->linear : 0, .address = a->addr[lane], .size = a->size};
    party_place(&t->who, a->func, a->site);
    if (a->block)
        party_thread(&t->who, a->block, a->warp, lane);
    t->who.does = a->op == ACCESS_LD ? DOES_READ : a->op == ACCESS_ST ? DOES_WRITE : DOES_ATOMIC;
}

void poolcheck_access(struct check_worker *w, const struct exec_access *a)
{
    const struct pool_launch *x = w->launch->of.poolcheck;
    if (a->space != SPACE_GLOBAL)
        return;
    for (u32 m = a->mask; m; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        const struct pool_range *last = &x->ranges[w->of.poolcheck->last];
        if (a->addr[lane] - last->lo >= last->hi - last->lo) {
            const u32 k = range_of(x, a->addr[lane]);
            if (k == UINT32_MAX)
                continue;
            w->of.poolcheck->last = k;
        }
        touch(w, w->of.poolcheck->last, a, lane);
    }
}

/* The stream that frees it was faster. On a GPU that is a matter of luck, so the kernel goes on as if it had not
 * been. */
bool poolcheck_excuse(struct check_worker *w, const struct exec_block_info *b, const struct exec_fault *f)
{
    const struct pool_launch *x = w->launch->of.poolcheck;
    const u32 k = f->kind == FAULT_ILLEGAL_ADDRESS && f->size ? range_of(x, f->address) : UINT32_MAX;
    if (k == UINT32_MAX || !poolcheck_races_free(check_of(w), w->launch->site.op, f->address))
        return false;
    struct pool_touch *t = &w->of.poolcheck->touches[k];
    if (is_new(t, b->linear)) {
        *t = (struct pool_touch){.any = true, .block = b->linear, .address = f->address, .size = f->size};
        memcheck_place(&t->who, f);
        t->who.does = f->atomic ? DOES_ATOMIC : f->write ? DOES_WRITE : DOES_READ;
    }
    return true;
}

/* ---- the launch is over ---- */

/* The touch of the first block over all workers. NULL: no thread touched it. */
static const struct pool_touch *first_touch(const struct check_launch *l, u32 range)
{
    const struct pool_touch *first = NULL;
    for (const struct check_worker *w = l->workers; w; w = w->next) {
        const struct pool_touch *t = w->of.poolcheck ? &w->of.poolcheck->touches[range] : NULL;
        if (t && t->any && (!first || t->block < first->block))
            first = t;
    }
    return first;
}

void poolcheck_launch_end(struct check_launch *l, enum ls_status s, const struct exec_fault *fault)
{
    const struct pool_launch *x = l->of.poolcheck;
    (void)s, (void)fault;
    for (u32 k = 0; k < x->n; k++) {
        const struct pool_touch *t = first_touch(l, k);
        if (!t)
            continue;
        struct finding f = {.launch = l->exec->id,
                            .at = t->who,
                            .call = l->call,
                            .has_address = true,
                            .space = SPACE_GLOBAL,
                            .address = t->address,
                            .size = t->size};
        if (!f.at.kernel)
            f.at.kernel = l->exec->kernel->name;
        poolcheck_use(l->check, l->site.op, &f);
    }
}
