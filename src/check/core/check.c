/* check.c - the checks of a process: the planes of device memory, what the host does to it, and what is reported.
 *
 * Findings wait in a set and are handed to the reporter outside of all locks: those of a launch when it ends, the host's at
 * once. */
#include "check/core/check.h"

#include <xxhash.h>

#include "base/alloc.h"
#include "check/core/allocations.h"
#include "check/core/finding_set.h"
#include "check/core/stream_order.h"
#include "check/core/tool.h"

/* ---- instruments of the process ---- */

#define EACH(c, i, body)                                                                                               \
    do {                                                                                                               \
        for (unsigned k_ = 0; k_ < check_ninstruments; k_++) {                                                         \
            const struct check_instrument *i = check_instruments[k_];                                                  \
            if (i->tools & (c)->options.tools) {                                                                       \
                body;                                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

static void on_made(void *ctx, const struct mem_block *b)
{
    struct check *c = ctx;
    EACH(c, i, if (i->made) i->made(c, b));
}

static void on_gone(void *ctx, const struct mem_block *b)
{
    struct check *c = ctx;
    EACH(c, i, if (i->gone) i->gone(c, b));
}

static bool create_planes(struct check *c)
{
    bool good = true;
    EACH(c, i, good = good && (!i->create || i->create(c)));
    return good;
}

/* ---- the process ---- */

enum ls_status check_create(const struct check_options *o, struct mem *mem, struct check **out)
{
    struct check *c = ls_calloc(1, sizeof *c);
    if (!c)
        return LS_ERR_NOMEM;
    c->options = *o;
    c->mem = mem;
    mem_extent(mem, &c->mem_base, &c->mem_size);
    pthread_mutex_init(&c->lock, NULL);
    c->found = finding_set_new();
    c->order = order_create();
    c->allocations = allocations_create();
    if (!c->found || !c->order || !c->allocations || !create_planes(c)) {
        check_destroy(c);
        return LS_ERR_NOMEM;
    }
    mem_observe(mem, &(struct mem_observer){.ctx = c, .made = on_made, .gone = on_gone});
    *out = c;
    return LS_OK;
}

void check_destroy(struct check *c)
{
    if (!c)
        return;
    mem_observe(c->mem, NULL);
    EACH(c, i, if (i->destroy) i->destroy(c));
    finding_set_free(c->found);
    order_destroy(c->order);
    allocations_destroy(c->allocations);
    pthread_mutex_destroy(&c->lock);
    ls_free(c);
}

void check_forget(struct check *c)
{
    struct finding_set *fresh = finding_set_new(), *old;
    if (!fresh)
        return;
    check_flush(c);
    pthread_mutex_lock(&c->lock);
    old = c->found;
    c->found = fresh;
    pthread_mutex_unlock(&c->lock);
    finding_set_free(old);
}

unsigned check_tools(const struct check *c) { return c->options.tools; }

struct allocations *check_allocations(const struct check *c) { return c->allocations; }

struct stream_order *check_order(const struct check *c) { return c->order; }

/* ---- findings ---- */

void check_complete(struct check *c, struct finding *f)
{
    if (f->allocation && !f->has_made && !f->has_gone) {
        f->has_made = allocations_made(c->allocations, f->allocation, &f->made);
        f->has_gone = allocations_gone(c->allocations, f->allocation, &f->gone);
    }
}

/* The reporter sees one at a time; entries live as long as the set, and who took one has it to itself. */
void check_flush(struct check *c)
{
    pthread_mutex_lock(&c->lock);
    struct found *e = finding_set_take(c->found);
    while (e) {
        struct found *next = e->next;
        struct finding *f = e->finding;
        const struct finding numbers = {.kind = e->kind, .count = e->again, .threads = e->threads};
        if (f) {
            f->count += e->again;
            f->threads += e->threads;
        }
        e->finding = NULL;
        e->again = e->threads = 0;
        e->waits = false;
        pthread_mutex_unlock(&c->lock);
        if (c->options.report)
            c->options.report(c->options.report_ctx, f ? f : &numbers, e->id, !f);
        ls_free(f);
        pthread_mutex_lock(&c->lock);
        e = next;
    }
    pthread_mutex_unlock(&c->lock);
}

/* The host's findings are one if they say the same of the same call. */
static u64 host_key(const struct finding *f)
{
    XXH64_hash_t h = XXH3_64bits(f->what, sizeof f->what);
    h ^= XXH3_64bits_withSeed(f->call.frames, f->call.nframes * sizeof *f->call.frames, h);
    return f->call.nframes ? h : h ^ f->address;
}

void check_report(struct check *c, const struct finding *given)
{
    struct finding f = *given;
    check_complete(c, &f);
    const u64 key = host_key(&f);
    pthread_mutex_lock(&c->lock);
    struct found *e = finding_set_find(c->found, f.kind, key);
    if (e)
        finding_set_again(c->found, e, f.count, f.threads);
    else
        finding_set_add(c->found, &f, key);
    pthread_mutex_unlock(&c->lock);
    check_flush(c);
}

/* ---- accesses by the host ---- */

void check_host_wrote(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    EACH(c, i, if (i->host_wrote) i->host_wrote(c, address, size, op, call));
}

void check_host_read(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    EACH(c, i, if (i->host_read) i->host_read(c, address, size, op, call));
}

void check_copied(struct check *c, u64 to, u64 from, u64 size, u64 op, const struct host_call *call)
{
    EACH(c, i, if (i->copied) i->copied(c, to, from, size, op, call));
}

void check_filled(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    EACH(c, i, if (i->filled) i->filled(c, address, size, op, call));
}

void check_ordered(struct check *c, u64 base, u64 op, bool freed)
{
    EACH(c, i, if (i->ordered) i->ordered(c, base, op, freed));
}

void check_unseen(struct check *c) { EACH(c, i, if (i->unseen) i->unseen(c)); }
