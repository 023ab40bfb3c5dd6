/* poolcheck.c - memory that is allocated and freed in stream order (cudaMallocAsync, cudaFreeAsync, memory pools), and the
 * operations that use it in no such order.
 *
 *     allocation  ──►  use  ──►  free       each arrow: core/stream_order.h knows that the first is done before the second
 *
 * A use is judged when it is over, against the allocation and, if that is known by then, the free; a free is judged against
 * the uses that are known by then. One lock stands around both, so each pair is judged once, and what is found does not
 * depend on which of the streams was faster.
 *
 * Of uses that are ordered among each other the last stands for all. Uses that the host knows to be over are forgotten,
 * and so are blocks, once there are many. */
#include "check/poolcheck/poolcheck.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "check/core/allocations.h"
#include "check/core/stream_order.h"

enum { MANY = 1024 }; /* blocks: from here on old ones are forgotten */

/* ---- uses ---- */

static const char *copy_text(const char *text)
{
    const size_t n = text ? strlen(text) + 1 : 0;
    char *copy = text ? ls_realloc(NULL, n) : NULL;
    return copy ? memcpy(copy, text, n) : NULL;
}

/* The texts of a party belong to a module, or to the caller. */
static void keep_texts(struct party *p)
{
    const char **texts[] = {&p->kernel, &p->function, &p->launched, &p->file, &p->ptx_file};
    for (u32 k = 0; k < LS_ARRAY_LEN(texts); k++)
        *texts[k] = copy_text(*texts[k]);
}

static void use_free(struct pool_use *u)
{
    const struct party *p = &u->found.at;
    const char *texts[] = {p->kernel, p->function, p->launched, p->file, p->ptx_file};
    for (u32 k = 0; k < LS_ARRAY_LEN(texts); k++)
        ls_free((void *)(uintptr_t)texts[k]);
    ls_free(u);
}

/* The uses that say no more than this one, or nothing more at all. */
static void forget_uses(struct check *c, struct pool_block *b, u64 op)
{
    for (struct pool_use **at = &b->uses; *at;) {
        struct pool_use *u = *at;
        if (!order_before(c->order, u->op, op) && !order_before(c->order, u->op, 0)) {
            at = &u->next;
            continue;
        }
        *at = u->next;
        use_free(u);
    }
}

static bool has_use(const struct pool_block *b, u64 op)
{
    for (const struct pool_use *u = b->uses; u; u = u->next)
        if (u->op == op)
            return true;
    return false;
}

/* Without memory the use is not compared with a free to come. */
static void keep_use(struct check *c, struct pool_block *b, u64 op, const struct finding *use)
{
    struct pool_use *u = ls_realloc(NULL, sizeof *u);
    if (!u)
        return;
    forget_uses(c, b, op);
    *u = (struct pool_use){.next = b->uses, .op = op, .found = *use};
    keep_texts(&u->found.at);
    b->uses = u;
}

/* ---- what is found ---- */

static bool unordered(struct check *c, u64 a, u64 b)
{
    return !order_before(c->order, a, b) && !order_before(c->order, b, a);
}

static void name_op(struct check *c, u64 op, const char *otherwise, char *text, size_t n)
{
    struct host_call call;
    if (!order_describe(c->order, op, text, n, &call))
        snprintf(text, n, "%s", otherwise);
}

/* A finding of a kind from what is known of the use. */
static struct finding finding_of(struct check *c, enum finding_kind kind, const struct pool_block *b, u64 op,
                                 const struct finding *use)
{
    const bool early = kind == FINDING_POOL_BEFORE_ALLOC;
    char mine[160], other[160];
    struct finding f = *use;
    f.kind = kind;
    f.severity = finding_info(kind)->severity;
    f.count = 1;
    f.allocation = b->serial;
    f.has_made = allocations_made(c->allocations, b->serial, &f.made);
    f.has_gone = !early && allocations_gone(c->allocations, b->serial, &f.gone); /* a free to come is no part of it */
    name_op(c, op, "the use", mine, sizeof mine);
    name_op(c, early ? b->made : b->freed, early ? "its allocation" : "its free", other, sizeof other);
    snprintf(f.detail, sizeof f.detail, "Nothing orders %s before %s", early ? other : mine, early ? mine : other);
    return f;
}

/* ---- blocks; with the lock ---- */

/* The first block that ends behind the address. */
static u32 index_of(const struct pool_plane *p, u64 address)
{
    u32 lo = 0, hi = p->n;
    while (lo < hi) {
        const u32 mid = (lo + hi) / 2;
        if (p->blocks[mid].hi <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void block_drop(struct pool_plane *p, u32 k)
{
    for (struct pool_use *u = p->blocks[k].uses, *next; u; u = next) {
        next = u->next;
        use_free(u);
    }
    memmove(&p->blocks[k], &p->blocks[k + 1], (--p->n - k) * sizeof *p->blocks);
}

/* There are many: those whose free the host knows to be over. */
static void forget_blocks(struct check *c, struct pool_plane *p)
{
    for (u32 k = p->n; p->n >= MANY && k-- > 0;)
        if (p->blocks[k].freed && order_before(c->order, p->blocks[k].freed, 0))
            block_drop(p, k);
}

static bool make_room(struct pool_plane *p)
{
    if (p->n < p->room)
        return true;
    const u32 room = p->room ? p->room * 2 : 16;
    struct pool_block *more = ls_realloc(p->blocks, room * sizeof *more);
    if (!more)
        return false;
    p->blocks = more;
    p->room = room;
    return true;
}

static void block_made(struct check *c, u64 base, u64 op)
{
    struct pool_plane *p = c->of.poolcheck;
    struct mem_block b;
    if (!mem_nearest(c->mem, base, &b) || b.base != base)
        return;
    pthread_mutex_lock(&p->lock);
    forget_blocks(c, p);
    u32 k = index_of(p, base);
    while (k < p->n && p->blocks[k].lo < base + b.size) /* the addresses were another's */
        block_drop(p, k);
    if (make_room(p)) {
        memmove(&p->blocks[k + 1], &p->blocks[k], (p->n++ - k) * sizeof *p->blocks);
        p->blocks[k] = (struct pool_block){.lo = base, .hi = base + b.size, .serial = b.serial, .made = op};
    }
    pthread_mutex_unlock(&p->lock);
}

/* The uses that the free races with, as findings; the caller frees the list. */
static struct pool_use *block_freed(struct check *c, u64 base, u64 op)
{
    struct pool_plane *p = c->of.poolcheck;
    struct pool_use *raced = NULL;
    pthread_mutex_lock(&p->lock);
    const u32 k = index_of(p, base);
    struct pool_block *b = k < p->n && p->blocks[k].lo == base ? &p->blocks[k] : NULL;
    if (b)
        b->freed = op;
    for (struct pool_use **at = b ? &b->uses : NULL; at && *at;) {
        struct pool_use *u = *at;
        if (!unordered(c, u->op, op)) {
            at = &u->next;
            continue;
        }
        u->found = finding_of(c, FINDING_POOL_AFTER_FREE, b, u->op, &u->found);
        *at = u->next;
        u->next = raced;
        raced = u;
    }
    pthread_mutex_unlock(&p->lock);
    return raced;
}

/* ---- uses and frees, judged ---- */

void poolcheck_use(struct check *c, u64 op, const struct finding *use)
{
    struct pool_plane *p = c->of.poolcheck;
    struct finding early, late;
    bool is_early = false, is_late = false;
    pthread_mutex_lock(&p->lock);
    const u32 k = index_of(p, use->address);
    struct pool_block *b = k < p->n && p->blocks[k].lo < use->address + use->size ? &p->blocks[k] : NULL;
    if (b && !has_use(b, op)) {
        is_early = unordered(c, b->made, op);
        is_late = b->freed && unordered(c, op, b->freed);
        if (is_early)
            early = finding_of(c, FINDING_POOL_BEFORE_ALLOC, b, op, use);
        if (is_late)
            late = finding_of(c, FINDING_POOL_AFTER_FREE, b, op, use);
        keep_use(c, b, op, use);
    }
    pthread_mutex_unlock(&p->lock);
    if (is_early)
        check_report(c, &early);
    if (is_late)
        check_report(c, &late);
}

bool poolcheck_races_free(struct check *c, u64 op, u64 address)
{
    struct pool_plane *p = c->of.poolcheck;
    pthread_mutex_lock(&p->lock);
    const u32 k = index_of(p, address);
    const struct pool_block *b = k < p->n && p->blocks[k].lo <= address ? &p->blocks[k] : NULL;
    const bool races = b && b->freed && unordered(c, op, b->freed);
    pthread_mutex_unlock(&p->lock);
    return races;
}

static void on_ordered(struct check *c, u64 base, u64 op, bool freed)
{
    if (!freed) {
        block_made(c, base, op);
        return;
    }
    for (struct pool_use *u = block_freed(c, base, op), *next; u; u = next) {
        next = u->next;
        check_report(c, &u->found);
        use_free(u);
    }
}

/* By cudaFree, which waits for everything; a block that a stream frees stays known. The table of memory is locked. */
static void on_gone(struct check *c, const struct mem_block *m)
{
    struct pool_plane *p = c->of.poolcheck;
    pthread_mutex_lock(&p->lock);
    const u32 k = index_of(p, m->base);
    if (k < p->n && p->blocks[k].serial == m->serial && !p->blocks[k].freed)
        block_drop(p, k);
    pthread_mutex_unlock(&p->lock);
}

/* ---- copies and fills ---- */

static void host_used(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call,
                      enum party_does does)
{
    char text[160];
    if (!op || !size)
        return;
    struct finding f = {.has_address = true, .space = SPACE_GLOBAL, .address = address, .size = size};
    name_op(c, op, "a copy", text, sizeof text);
    f.at.does = (u8)does;
    f.at.launched = text;
    if (call)
        f.call = *call;
    poolcheck_use(c, op, &f);
}

static void on_host_wrote(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    host_used(c, address, size, op, call, DOES_WRITE);
}

static void on_host_read(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    host_used(c, address, size, op, call, DOES_READ);
}

static void on_copied(struct check *c, u64 to, u64 from, u64 size, u64 op, const struct host_call *call)
{
    host_used(c, from, size, op, call, DOES_READ);
    host_used(c, to, size, op, call, DOES_WRITE);
}

/* ---- the instrument ---- */

static bool create(struct check *c)
{
    struct pool_plane *p = c->of.poolcheck = ls_calloc(1, sizeof *p);
    if (p)
        pthread_mutex_init(&p->lock, NULL);
    return p != NULL;
}

static void destroy(struct check *c)
{
    struct pool_plane *p = c->of.poolcheck;
    if (!p)
        return;
    while (p->n)
        block_drop(p, p->n - 1);
    ls_free(p->blocks);
    pthread_mutex_destroy(&p->lock);
    ls_free(p);
    c->of.poolcheck = NULL;
}

const struct check_instrument instrument_poolcheck = {
    .tools = CHECK_POOLCHECK,
    .create = create,
    .destroy = destroy,
    .gone = on_gone,
    .ordered = on_ordered,
    .host_wrote = on_host_wrote,
    .host_read = on_host_read,
    .copied = on_copied,
    .filled = on_host_wrote,
    .wanted = poolcheck_wanted,
    .launch_end = poolcheck_launch_end,
    .worker_begin = poolcheck_worker_begin,
    .access = poolcheck_access,
    .excuse = poolcheck_excuse,
};
