/* arena.h - memory by lifetime. An arena is named for what it outlives (`mod`, `launch`, `tmp`); a pointer may point
 * into an older arena, never into a younger one, so an early return leaks nothing.
 *
 * Memory that runs out is told in one of two ways.
 *
 * arena_alloc and what is built on it (arena_new, arena_printf, vec_push, intern) never return NULL: they longjmp to the
 * arena's recovery point, so that a parser or a lowering pass need not think of it. Only an entry function sets one, a
 * function of a module's header that returns a status or NULL, and once for all arenas that it uses:
 *
 *     struct arena mem = ARENA("mod"), tmp = ARENA_UNDER("tmp", &mem);
 *     if (setjmp(mem.oom)) { arena_free(&tmp); arena_free(&mem); return LS_ERR_NOMEM; }
 *
 * arena_try and what is built on it return NULL. They are for what runs without such an entry above it: a hook that the
 * engine calls, a function that adds one thing to what lives on.
 *
 * An arena_alloc with no recovery point is a bug. Not thread-safe. */
#ifndef LS_BASE_ARENA_H
#define LS_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>

#include "base/base.h"

struct arena_chunk;

struct arena {
    const char *name;
    struct arena_chunk *chunks;
    u8 *at, *end;
    size_t total;        /* bytes handed out */
    jmp_buf oom;         /* the recovery point */
    struct arena *under; /* whose recovery point it uses; NULL: its own */
};

#define ARENA(lifetime) {.name = (lifetime)}
#define ARENA_UNDER(lifetime, other) {.name = (lifetime), .under = (other)}

void *arena_alloc(struct arena *a, size_t size); /* 16-byte aligned, zeroed */
void *arena_alloc_aligned(struct arena *a, size_t size, size_t align);
void *arena_try(struct arena *a, size_t size); /* the same; NULL: no memory */
void *arena_try_aligned(struct arena *a, size_t size, size_t align);
_Noreturn void arena_out_of_memory(struct arena *a); /* to the recovery point */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) LS_PRINTF(2, 3);
void arena_free(struct arena *a); /* frees everything; the arena is empty and usable again */

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))
#define arena_try_new(a, type) ((type *)arena_try((a), sizeof(type)))
#define arena_try_array(a, type, n) ((type *)arena_try((a), sizeof(type) * (size_t)(n)))

#endif
