/* arena.c - chunks that double from 4 KiB to 1 MiB; what is larger gets a chunk of its own behind the current one, so
 * that the current one's rest stays in use. Memory is zeroed as it is handed out, which touches each line just before
 * its owner does. Large requests are not touched: of the stacks of a block's threads only a small part is ever used. */
#include "base/arena.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum { CHUNK_MIN = 4096, CHUNK_MAX = 1 << 20, ALIGN = 16 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* with this header */
};

/* The header, padded so that the memory behind it is aligned. */
#define HEADER ls_align_up(sizeof(struct arena_chunk), ALIGN)

void arena_out_of_memory(struct arena *a)
{
    static const jmp_buf unset;
    while (a->under)
        a = a->under;
    LS_BUG_ON(memcmp(&a->oom, &unset, sizeof(unset)) == 0); /* nobody called setjmp(a->oom) */
    longjmp(a->oom, 1);
}

static struct arena_chunk *chunk_new(size_t payload, bool zeroed)
{
    size_t size;
    if (__builtin_add_overflow(payload, HEADER, &size))
        return NULL;
    struct arena_chunk *c = zeroed ? ls_calloc(1, size) : ls_realloc(NULL, size);
    if (c)
        c->size = size;
    return c;
}

/* Room for `need` bytes: a new current chunk, or a private one for large requests, which is zeroed. NULL: no memory. */
static u8 *grow(struct arena *a, size_t need, bool *zeroed)
{
    size_t last = a->chunks ? a->chunks->size : CHUNK_MIN / 2;
    size_t next = last < CHUNK_MAX / 2 ? last * 2 : CHUNK_MAX;
    if (next < CHUNK_MIN)
        next = CHUNK_MIN;
    *zeroed = need > next / 4;
    if (*zeroed) {
        struct arena_chunk *c = chunk_new(need, true);
        if (!c)
            return NULL;
        if (a->chunks) {
            c->next = a->chunks->next;
            a->chunks->next = c;
        } else {
            c->next = NULL;
            a->chunks = c;
        }
        return (u8 *)c + HEADER;
    }
    struct arena_chunk *c = chunk_new(next - HEADER, false);
    if (!c)
        return NULL;
    c->next = a->chunks;
    a->chunks = c;
    u8 *p = (u8 *)c + HEADER;
    a->at = p + need;
    a->end = (u8 *)c + c->size;
    return p;
}

void *arena_try_aligned(struct arena *a, size_t size, size_t align)
{
    LS_BUG_ON(align == 0 || (align & (align - 1)));
    if (align < ALIGN)
        align = ALIGN;
    if (size > SIZE_MAX - 2 * align)
        return NULL;
    bool zeroed = false;
    u8 *p = (u8 *)ls_align_up((uintptr_t)a->at, align);
    if (LS_LIKELY(a->at && p <= a->end && size <= (size_t)(a->end - p)))
        a->at = p + size;
    else
        p = (u8 *)ls_align_up((uintptr_t)grow(a, size + (align - ALIGN), &zeroed), align);
    if (!p)
        return NULL;
    a->total += size;
    return zeroed ? p : memset(p, 0, size);
}

void *arena_try(struct arena *a, size_t size) { return arena_try_aligned(a, size, ALIGN); }

void *arena_alloc_aligned(struct arena *a, size_t size, size_t align)
{
    void *p = arena_try_aligned(a, size, align);
    if (LS_UNLIKELY(!p))
        arena_out_of_memory(a);
    return p;
}

void *arena_alloc(struct arena *a, size_t size) { return arena_alloc_aligned(a, size, ALIGN); }

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *to = arena_alloc(a, n + 1);
    if (n)
        memcpy(to, s, n);
    return to;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    LS_BUG_ON(!fmt);
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    LS_BUG_ON(n < 0);
    char *to = arena_alloc(a, (size_t)n + 1);
    vsnprintf(to, (size_t)n + 1, fmt, again);
    va_end(again);
    return to;
}

void arena_free(struct arena *a)
{
    for (struct arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        ls_free(c);
    }
    a->chunks = NULL;
    a->at = a->end = NULL;
    a->total = 0;
}
