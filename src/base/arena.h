/* arena.h - memory by lifetime. An arena is named for what it outlives (`mod`, `launch`, `tmp`); a pointer may point
 * into an older arena, never into a younger one, so an early return leaks nothing.
 *
 * arena_alloc never returns NULL: when memory runs out it longjmps to the recovery point that the entry function set,
 *
 *     struct arena a = ARENA("tmp");
 *     if (setjmp(a.oom)) { arena_free(&a); return LS_ERR_NOMEM; }
 *
 * which is the only place where a parser or a lowering pass must think of it. An arena with no recovery point set is
 * a bug. Not thread-safe. */
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
    size_t total; /* bytes handed out */
    jmp_buf oom;
};

#define ARENA(lifetime) {.name = (lifetime)}

void *arena_alloc(struct arena *a, size_t size); /* 16-byte aligned, zeroed */
void *arena_alloc_aligned(struct arena *a, size_t size, size_t align);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) LS_PRINTF(2, 3);
void arena_free(struct arena *a); /* frees everything; the arena is empty and usable again */

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

#endif
