/* intern.h - one copy of every name of a module, so that names compare by pointer. */
#ifndef LS_BASE_INTERN_H
#define LS_BASE_INTERN_H

#include "base/arena.h"
#include "base/base.h"

struct intern {
    struct arena *mem; /* where the strings and the table live */
    struct intern_entry *table;
    u32 len, cap;
};

/* The NUL-terminated copy of s[0..n); the same pointer for the same bytes. */
const char *intern(struct intern *t, const char *s, size_t n);
const char *intern_try(struct intern *t, const char *s, size_t n); /* the same; NULL: no memory */

/* A word beside each interned string, NULL at first, for the table's user. */
void **intern_slot(const char *interned);

#endif
