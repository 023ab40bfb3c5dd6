/* bodies.c - finds op bodies by name. The entries of each level lie in a linker section (lanes.h, OP); two hash tables
 * a level (fast and traced) are built at the first look-up and never change, so look-ups take no lock.
 *
 * Invariant: a name occurs once in a section; a second one is a bug of ours and stops the program at start. */
#include "exec/bodies/bodies.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/exec.h"

/* The linker defines __start_ and __stop_ symbols for a section whose name is a C identifier; weak, because a level
 * that is not built for this architecture has none. */
#define SECTION(name)                                                                                                  \
    extern const struct body __start_##name[] __attribute__((weak, visibility("hidden")));                             \
    extern const struct body __stop_##name[] __attribute__((weak, visibility("hidden")));
SECTION(ls_bodies_portable)
SECTION(ls_bodies_v3)
SECTION(ls_bodies_v4)
SECTION(ls_bodies_traced_portable)
SECTION(ls_bodies_traced_v3)
SECTION(ls_bodies_traced_v4)
SECTION(ls_bodies_weak)
SECTION(ls_bodies_weak_traced)

struct table {
    const struct body *first, *end;
    const struct body **slots; /* open addressing; capacity is mask + 1 */
    u32 mask;
};

static struct table tables[ISA_COUNT][IR_NMODES];
static struct table weak[IR_NMODES];
static enum exec_isa chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static u32 hash(const char *s)
{
    u32 h = 2166136261u; /* FNV-1a */
    while (*s)
        h = (h ^ (u8)*s++) * 16777619u;
    return h;
}

static const struct body **slot_of(const struct table *t, const char *name)
{
    for (u32 k = hash(name);; k++) {
        const struct body **slot = &t->slots[k & t->mask];
        if (!*slot || strcmp((*slot)->name, name) == 0)
            return slot;
    }
}

static void build(struct table *t, const struct body *first, const struct body *end)
{
    u32 cap = 64;
    while (cap < 2 * (u32)(end - first))
        cap *= 2;
    t->first = first;
    t->end = end;
    t->mask = cap - 1;
    t->slots = ls_calloc(cap, sizeof *t->slots);
    if (!t->slots)
        return; /* look-ups then fall back to a linear search */
    for (const struct body *b = first; b < end; b++) {
        const struct body **slot = slot_of(t, b->name);
        LS_BUG_ON(*slot != NULL);
        *slot = b;
    }
}

static ir_body find(const struct table *t, const char *name)
{
    if (t->slots) {
        const struct body *b = *slot_of(t, name);
        return b ? b->run : NULL;
    }
    for (const struct body *b = t->first; b < t->end; b++)
        if (strcmp(b->name, name) == 0)
            return b->run;
    return NULL;
}

bool bodies_has_isa(enum exec_isa isa)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (isa == ISA_V4)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && bodies_has_isa(ISA_V3);
    if (isa == ISA_V3)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt");
#endif
    return isa == ISA_PORTABLE;
}

static enum exec_isa choose(void)
{
    for (int k = ISA_COUNT - 1; k > 0; k--)
        if (bodies_has_isa((enum exec_isa)k) && tables[k][IR_FAST].first < tables[k][IR_FAST].end)
            return (enum exec_isa)k;
    return ISA_PORTABLE;
}

static void start(void)
{
#define BUILD(isa, level)                                                                                              \
    build(&tables[isa][IR_FAST], __start_ls_bodies_##level, __stop_ls_bodies_##level);                                 \
    build(&tables[isa][IR_TRACED], __start_ls_bodies_traced_##level, __stop_ls_bodies_traced_##level)
    BUILD(ISA_PORTABLE, portable);
    BUILD(ISA_V3, v3);
    BUILD(ISA_V4, v4);
    build(&weak[IR_FAST], __start_ls_bodies_weak, __stop_ls_bodies_weak);
    build(&weak[IR_TRACED], __start_ls_bodies_weak_traced, __stop_ls_bodies_weak_traced);
    chosen = choose();
}

ir_body bodies_find_isa(enum exec_isa isa, const char *name, enum ir_mode mode)
{
    pthread_once(&once, start);
    ir_body run = mode == IR_TRACED ? find(&tables[isa][IR_TRACED], name) : NULL;
    return run ? run : find(&tables[isa][IR_FAST], name);
}

enum exec_isa bodies_isa(void)
{
    pthread_once(&once, start);
    return chosen;
}

ir_body bodies_find(const char *name, enum ir_mode mode) { return bodies_find_isa(bodies_isa(), name, mode); }

ir_body bodies_find_weak(enum exec_isa isa, const char *name, enum ir_mode mode)
{
    pthread_once(&once, start);
    ir_body run = find(&weak[mode], name);
    return run ? run : bodies_find_isa(isa, name, mode);
}

const char *bodies_name_of(enum exec_isa isa, ir_body run)
{
    pthread_once(&once, start);
    for (u32 mode = 0; mode < IR_NMODES; mode++)
        for (const struct body *b = tables[isa][mode].first; b < tables[isa][mode].end; b++)
            if (b->run == run)
                return b->name;
    return NULL;
}

const char *bodies_name(unsigned n)
{
    const struct table *t = &tables[bodies_isa()][IR_FAST];
    return n < (size_t)(t->end - t->first) ? t->first[n].name : NULL;
}

const char *exec_level(void)
{
    static const char *const names[ISA_COUNT] = {"portable", "x86-64-v3", "x86-64-v4"};
    return names[bodies_isa()];
}
