/* alloc.c - the realloc hook. */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static ls_realloc_fn hook;
static void *hook_ctx;

void ls_set_realloc(ls_realloc_fn fn, void *ctx)
{
    hook = fn;
    hook_ctx = ctx;
}

void *ls_realloc(void *p, size_t size)
{
    if (hook)
        return hook(hook_ctx, p, size);
    if (size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, size);
}

void *ls_calloc(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return NULL;
    if (!hook)
        return calloc(n ? n : 1, size ? size : 1); /* untouched pages cost nothing */
    if (bytes == 0)
        bytes = 1; /* a valid pointer, as from calloc; size 0 would free */
    void *p = ls_realloc(NULL, bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

void ls_free(void *p)
{
    if (p)
        ls_realloc(p, 0);
}
