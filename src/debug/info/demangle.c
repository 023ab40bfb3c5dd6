/* demangle.c - the names of variables as nvcc writes them into debug information, and those of functions where there is no
 * other: _ZN2ns5countE, _ZL3sum, _ZN2ns4scanEPf (Itanium C++ ABI, 5.1.2). Only plain nested names. */
#include "debug/info/internal.h"

/* <number> <characters>: the length, and s moves behind; 0: it is none. */
static size_t source_name(const char **s, const char **name)
{
    size_t n = 0;
    const char *p = *s;
    for (; *p >= '0' && *p <= '9' && n < 4096; p++)
        n = n * 10 + (size_t)(*p - '0');
    if (n == 0 || p == *s || strnlen(p, n) < n)
        return 0;
    *name = p;
    *s = p + n;
    return n;
}

/* The name behind _Z; *rest is what follows it. */
static const char *parse(struct arena *mem, const char *s, const char **rest)
{
    const char *part, *out = "";
    if (strncmp(s, "_Z", 2) != 0)
        return NULL;
    s += 2;
    const bool nested = *s == 'N';
    s += nested;
    do {
        while (*s == 'L' || *s == 'K' || *s == 'V')
            s++;
        const size_t n = source_name(&s, &part);
        if (!n)
            return NULL;
        const bool anonymous = n > 10 && strncmp(part, "_GLOBAL__N", 10) == 0;
        out = arena_printf(mem, "%s%s%.*s", out, *out ? "::" : "", anonymous ? 21 : (int)n,
                           anonymous ? "(anonymous namespace)" : part);
    } while (nested && *s != 'E' && *s != 'I');
    *rest = s + (nested && *s == 'E');
    return out;
}

const char *demangle_variable(struct arena *mem, const char *name)
{
    const char *rest, *out = parse(mem, name, &rest);
    return out && *rest == 0 ? out : NULL;
}

/* Template arguments and parameters are left out. */
const char *demangle_function(struct arena *mem, const char *name)
{
    const char *rest, *out = parse(mem, name, &rest);
    return out && *rest ? out : NULL;
}
