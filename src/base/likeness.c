/* likeness.c - see likeness.h. The measure is Dice's coefficient of the names' pairs of letters. */
#include <string.h>
#include <strings.h>

#include "base/likeness.h"

f64 likeness(const char *a, const char *b)
{
    const size_t n = strlen(a), k = strlen(b);
    u32 both = 0;
    bool used[256] = {0};
    for (size_t i = 0; i + 1 < n; i++)
        for (size_t j = 0; j + 1 < k && j < LS_ARRAY_LEN(used); j++)
            if (!used[j] && !strncasecmp(a + i, b + j, 2)) {
                used[j] = true;
                both++;
                break;
            }
    return n + k > 2 ? 2.0 * both / (f64)(n + k - 2) : 0;
}

void likeness_keep(const char **best, const char *text, const char *name)
{
    const f64 least = *best ? likeness(text, *best) : 0.5;
    if (likeness(text, name) > least)
        *best = name;
}
