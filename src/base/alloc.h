/* alloc.h - the one hook through which all of Lockstep's own memory comes, so that a test can fail the n-th allocation
 * for every n. Device memory is allocated elsewhere (exec/memory/device_memory.h). */
#ifndef LS_BASE_ALLOC_H
#define LS_BASE_ALLOC_H

#include "base/base.h"

/* realloc semantics: size 0 frees and returns NULL; returns NULL when there is no memory. */
typedef void *(*ls_realloc_fn)(void *ctx, void *p, size_t size);

/* Replaces the hook; NULL restores the C library's realloc. Not thread-safe: call it before threads exist. */
void ls_set_realloc(ls_realloc_fn fn, void *ctx);

void *ls_realloc(void *p, size_t size);
void *ls_calloc(size_t n, size_t size); /* zeroed; NULL on overflow or no memory */
void ls_free(void *p);

#endif
