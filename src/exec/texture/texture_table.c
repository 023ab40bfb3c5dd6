/* texture_table.c - the table of texture and surface objects.
 *
 * A handle is {serial, place}: places are used again, serials are not. Kernels look objects up while the host makes and
 * destroys others, so an object is read under a sequence lock: its words are atomics, an odd version says that they are
 * being written, and whoever sees the version change reads again (each word is released and acquired, so whoever reads
 * a new word sees the odd version at least). Pages of objects are never given back before the
 * table is. */
#include "exec/texture/texture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/locked.h"

enum { PAGE = 1024, PAGES = 1024, PLACE_BITS = 20, WORDS = (sizeof(struct texture) + 7) / 8 };
_Static_assert(PAGE *PAGES == 1 << PLACE_BITS, "a place fits its bits of a handle");

struct place {
    atomic_uint version;
    u32 next_free;
    _Atomic u64 words[WORDS];
};

struct textures {
    pthread_mutex_t lock;
    _Atomic(struct place *) pages[PAGES];
    u32 used; /* places that were ever used */
    u32 free; /* 1 + the first of the list of free places, 0: none */
    u64 serial;
};

struct textures *textures_make(void)
{
    struct textures *t = ls_calloc(1, sizeof *t);
    if (t)
        pthread_mutex_init(&t->lock, NULL);
    return t;
}

void textures_free(struct textures *t)
{
    if (!t)
        return;
    for (u32 k = 0; k < PAGES; k++)
        ls_free(atomic_load(&t->pages[k]));
    pthread_mutex_destroy(&t->lock);
    ls_free(t);
}

static struct place *place_at(struct textures *t, u32 n)
{
    struct place *page = atomic_load_explicit(&t->pages[n / PAGE], memory_order_acquire);
    return page ? &page[n % PAGE] : NULL;
}

static void write_object(struct place *p, const struct texture *object)
{
    u64 words[WORDS] = {0};
    memcpy(words, object, sizeof *object);
    const unsigned version = atomic_load_explicit(&p->version, memory_order_relaxed);
    atomic_store_explicit(&p->version, version + 1, memory_order_relaxed);
    for (u32 k = 0; k < WORDS; k++)
        atomic_store_explicit(&p->words[k], words[k], memory_order_release);
    atomic_store_explicit(&p->version, version + 2, memory_order_release);
}

static void read_object(struct place *p, struct texture *out)
{
    u64 words[WORDS];
    unsigned before, after;
    do {
        before = atomic_load_explicit(&p->version, memory_order_acquire);
        for (u32 k = 0; k < WORDS; k++)
            words[k] = atomic_load_explicit(&p->words[k], memory_order_acquire);
        after = atomic_load_explicit(&p->version, memory_order_relaxed);
    } while (before != after || before & 1);
    memcpy(out, words, sizeof *out);
}

/* A free place; lock held. */
static enum ls_status take_place(struct textures *t, u32 *n)
{
    LS_LOCKED(&t->lock);
    if (t->free) {
        *n = t->free - 1;
        t->free = place_at(t, *n)->next_free;
        return LS_OK;
    }
    if (t->used == PAGE * PAGES)
        return LS_ERR_LIMIT;
    if (t->used % PAGE == 0) {
        struct place *page = ls_calloc(PAGE, sizeof *page);
        if (!page)
            return LS_ERR_NOMEM;
        atomic_store_explicit(&t->pages[t->used / PAGE], page, memory_order_release);
    }
    *n = t->used++;
    return LS_OK;
}

enum ls_status textures_add(struct textures *t, const struct texture *object, u64 *handle)
{
    u32 n;
    pthread_mutex_lock(&t->lock);
    const enum ls_status s = take_place(t, &n);
    if (s == LS_OK) {
        struct texture copy = *object;
        copy.handle = *handle = ++t->serial << PLACE_BITS | n;
        write_object(place_at(t, n), &copy);
    }
    pthread_mutex_unlock(&t->lock);
    return s;
}

bool textures_find(struct textures *t, u64 handle, struct texture *out)
{
    struct place *p = place_at(t, (u32)(handle & ((1u << PLACE_BITS) - 1)));
    if (!handle || !p)
        return false;
    read_object(p, out);
    return out->handle == handle;
}

bool textures_remove(struct textures *t, u64 handle)
{
    struct texture object;
    const u32 n = (u32)(handle & ((1u << PLACE_BITS) - 1));
    pthread_mutex_lock(&t->lock);
    const bool found = textures_find(t, handle, &object);
    if (found) {
        write_object(place_at(t, n), &(struct texture){0});
        place_at(t, n)->next_free = t->free;
        t->free = n + 1;
    }
    pthread_mutex_unlock(&t->lock);
    return found;
}
