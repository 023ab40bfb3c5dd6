/* likeness.h - the known name that is nearest to a misspelt one. */
#ifndef LS_BASE_LIKENESS_H
#define LS_BASE_LIKENESS_H

#include "base/base.h"

/* Pairs of letters that both names have, of all their pairs: 1 for the same name, 0 for nothing in common. */
f64 likeness(const char *a, const char *b);

/* Called for each name that there is: *best becomes `name` when it is more like `text` than *best. It starts as NULL and
 * stays so when no name shares half of its pairs. */
void likeness_keep(const char **best, const char *text, const char *name);

#endif
