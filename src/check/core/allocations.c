/* allocations.c - a hash table by serial, chained, grown by doubling; freed allocations stand in a queue, and the
 * oldest goes when there are too many. */
#include "check/core/allocations.h"

#include <pthread.h>

#include "base/alloc.h"

struct entry {
    u64 serial;
    struct host_call made;
    struct host_call *gone; /* NULL: it lives */
    struct entry *chain;
    struct entry *younger; /* freed after it */
};

struct allocations {
    pthread_mutex_t lock;
    struct entry **heads;
    u32 bits;
    u64 n;
    struct entry *oldest, **youngest; /* freed */
    u64 freed;
};

struct allocations *allocations_create(void)
{
    struct allocations *a = ls_calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->bits = 8;
    a->heads = ls_calloc((size_t)1 << a->bits, sizeof *a->heads);
    if (!a->heads) {
        ls_free(a);
        return NULL;
    }
    pthread_mutex_init(&a->lock, NULL);
    a->youngest = &a->oldest;
    return a;
}

static void entry_free(struct entry *e)
{
    ls_free(e->gone);
    ls_free(e);
}

void allocations_destroy(struct allocations *a)
{
    if (!a)
        return;
    for (u64 k = 0; k < (u64)1 << a->bits; k++)
        for (struct entry *e = a->heads[k], *next; e; e = next) {
            next = e->chain;
            entry_free(e);
        }
    ls_free(a->heads);
    pthread_mutex_destroy(&a->lock);
    ls_free(a);
}

/* ---- the table; all with the lock ---- */

/* Serials count up, so their low bits spread well. */
static struct entry **place_of(const struct allocations *a, u64 serial)
{
    struct entry **at = &a->heads[serial & (((u64)1 << a->bits) - 1)];
    while (*at && (*at)->serial != serial)
        at = &(*at)->chain;
    return at;
}

static void move_all(struct allocations *a, struct entry **from, u64 n)
{
    for (u64 k = 0; k < n; k++)
        for (struct entry *e = from[k], *next; e; e = next) {
            next = e->chain;
            e->chain = NULL;
            *place_of(a, e->serial) = e;
        }
}

/* Without memory the chains grow instead. */
static void grow(struct allocations *a)
{
    struct entry **wider = ls_calloc((size_t)2 << a->bits, sizeof *wider), **from = a->heads;
    if (!wider)
        return;
    a->heads = wider;
    a->bits++;
    move_all(a, from, (u64)1 << (a->bits - 1));
    ls_free(from);
}

static void forget_oldest(struct allocations *a)
{
    struct entry *e = a->oldest;
    a->oldest = e->younger;
    if (!a->oldest)
        a->youngest = &a->oldest;
    *place_of(a, e->serial) = e->chain;
    a->freed--;
    a->n--;
    entry_free(e);
}

/* ---- what happens ---- */

void allocations_put_made(struct allocations *a, u64 serial, const struct host_call *call)
{
    struct entry *e = ls_calloc(1, sizeof *e);
    if (!e)
        return;
    e->serial = serial;
    e->made = *call;
    pthread_mutex_lock(&a->lock);
    if (a->n >> a->bits)
        grow(a);
    struct entry **at = place_of(a, serial);
    if (*at) {
        (*at)->made = *call;
        ls_free(e);
    } else {
        *at = e;
        a->n++;
    }
    pthread_mutex_unlock(&a->lock);
}

void allocations_put_gone(struct allocations *a, u64 serial, const struct host_call *call)
{
    struct host_call *copy = ls_realloc(NULL, sizeof *copy);
    if (!copy)
        return;
    *copy = *call;
    pthread_mutex_lock(&a->lock);
    struct entry *e = *place_of(a, serial);
    const bool takes = e && !e->gone;
    if (takes) {
        e->gone = copy;
        *a->youngest = e;
        a->youngest = &e->younger;
        if (++a->freed > ALLOCATIONS_FREED)
            forget_oldest(a);
    }
    pthread_mutex_unlock(&a->lock);
    if (!takes)
        ls_free(copy);
}

/* ---- what is known ---- */

bool allocations_made(struct allocations *a, u64 serial, struct host_call *out)
{
    pthread_mutex_lock(&a->lock);
    const struct entry *e = *place_of(a, serial);
    if (e)
        *out = e->made;
    pthread_mutex_unlock(&a->lock);
    return e != NULL;
}

bool allocations_gone(struct allocations *a, u64 serial, struct host_call *out)
{
    pthread_mutex_lock(&a->lock);
    const struct entry *e = *place_of(a, serial);
    const bool known = e && e->gone;
    if (known)
        *out = *e->gone;
    pthread_mutex_unlock(&a->lock);
    return known;
}
