/* said.c - see said.h. */
#include "cli/said.h"

#include <inttypes.h>
#include <stdio.h>

struct settings said;

/* Of names that nobody knows the driver tells. */
static void tell(void *ctx, bool bad, const char *text)
{
    (void)ctx;
    if (bad)
        fprintf(stderr, "lockstep: %s\n", text);
}

bool said_read(void) { return settings_read(&said, tell, NULL); }

bool said_set(struct settings *s, enum setting n, const char *text)
{
    char why[SETTING_WHY];
    const bool good = !text || settings_set(s, n, text, why);
    if (!good)
        tell(NULL, true, why);
    return good;
}

bool said_count(struct settings *s, enum setting n, u64 count, char digits[24])
{
    snprintf(digits, 24, "%" PRIu64, count);
    return said_set(s, n, count ? digits : NULL);
}

bool said_export(const struct settings *s)
{
    const bool good = settings_export(s);
    if (!good)
        tell(NULL, true, "out of memory");
    return good;
}
