/* interval.c - classes of launches, and the factors of interval.def. */
#include "model/interval.h"

#define SHORT_NS 5000.0
#define LONG_NS 50000.0
#define BUSY_PCT 50.0 /* from here on a resource is what limits the launch */

static const struct {
    double low, high;
    u32 launches;
} factors[INTERVAL_CODES][INTERVAL_SIZES][INTERVAL_LIMITS] = {
#define INTERVAL(code, size, limit, low, high, launches)                                                               \
    [INTERVAL_##code][INTERVAL_##size][INTERVAL_##limit] = {low, high, launches},
#define INTERVAL_RATIO(code, limits, factor, pairs)
#include "model/interval.def"
#undef INTERVAL
#undef INTERVAL_RATIO
};

static const struct {
    double factor;
    u32 pairs;
} of_ratio[INTERVAL_CODES][2] = {
#define SAME 0
#define OTHER 1
#define INTERVAL(code, size, limit, low, high, launches)
#define INTERVAL_RATIO(code, limits, factor, pairs) [INTERVAL_##code][limits] = {factor, pairs},
#include "model/interval.def"
#undef INTERVAL
#undef INTERVAL_RATIO
#undef SAME
#undef OTHER
};

static double larger(double a, double b) { return a > b ? a : b; }

struct interval_signs interval_signs_of(const struct model_time *t, enum interval_code code)
{
    const double share = t->cycles > 0 ? 100 / t->cycles : 0;
    return (struct interval_signs){.ns = t->ns,
                                   .memory_pct =
                                       larger(larger(t->dram_pct, t->l2_pct), share * t->active * t->l1_pct / 100),
                                   .sm_pct = t->sm_pct,
                                   .atomics_pct = share * t->atomics,
                                   .code = code};
}

enum interval_size interval_size(const struct interval_signs *s)
{
    return s->ns < SHORT_NS ? INTERVAL_SHORT : s->ns < LONG_NS ? INTERVAL_MIDDLE : INTERVAL_LONG;
}

enum interval_limit interval_limit(const struct interval_signs *s)
{
    const double most = larger(s->atomics_pct, larger(s->memory_pct, s->sm_pct));
    return !(most >= BUSY_PCT)      ? INTERVAL_LATENCY
           : s->atomics_pct >= most ? INTERVAL_ATOMICS
           : s->memory_pct >= most  ? INTERVAL_MEMORY
                                    : INTERVAL_COMPUTE;
}

const char *interval_code_name(enum interval_code code)
{
    static const char *const names[INTERVAL_CODES] = {"MACHINE", "ESTIMATED"};
    return (u32)code < INTERVAL_CODES ? names[code] : "?";
}

const char *interval_size_name(enum interval_size size)
{
    static const char *const names[INTERVAL_SIZES] = {"SHORT", "MIDDLE", "LONG"};
    return (u32)size < INTERVAL_SIZES ? names[size] : "?";
}

const char *interval_limit_name(enum interval_limit limit)
{
    static const char *const names[INTERVAL_LIMITS] = {"MEMORY", "COMPUTE", "ATOMICS", "LATENCY"};
    return (u32)limit < INTERVAL_LIMITS ? names[limit] : "?";
}

struct time_interval time_interval_of(const struct interval_signs *s)
{
    const u32 size = interval_size(s), limit = interval_limit(s);
    return (struct time_interval){s->ns * factors[s->code][size][limit].low, s->ns * factors[s->code][size][limit].high,
                                  factors[s->code][size][limit].launches};
}

struct ratio_interval ratio_interval_of(double ratio, bool same_limit, enum interval_code code)
{
    const u32 k = same_limit ? 0 : 1;
    return (struct ratio_interval){ratio / of_ratio[code][k].factor, ratio * of_ratio[code][k].factor,
                                   of_ratio[code][k].pairs};
}
