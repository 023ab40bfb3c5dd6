/* text.c - see text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void put(struct text *t, const char *format, ...)
{
    va_list args;
    for (;;) {
        va_start(args, format);
        const int n = t->at ? vsnprintf(t->at + t->size, t->room - t->size, format, args) : 0;
        va_end(args);
        if (t->at && t->size + (size_t)n < t->room) {
            t->size += (size_t)n;
            return;
        }
        t->room = t->room ? 2 * t->room : 1 << 14;
        if (!(t->at = realloc(t->at, t->room)))
            abort();
    }
}
