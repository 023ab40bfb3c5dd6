/* race_site.h - the instructions that touched memory, numbered, so that a stamp has room for one. Internal.
 *
 * Number 0 is no instruction: it stands for all that a full table has no room for. */
#ifndef LS_CHECK_RACE_SITE_H
#define LS_CHECK_RACE_SITE_H

#include <pthread.h>

#include "check/core/tool.h"

/* Loops over 32 lanes without branches: compiled for several levels of x86-64, and the best is taken at start. Not
 * under the thread sanitizer: what chooses would run before it is there; nor does it look at them (cells of device
 * memory are touched unlocked). */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NO_CLONES
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(NO_CLONES)
#define HOT __attribute__((no_sanitize("thread")))
#elif !defined(__x86_64__)
#define HOT
#else
#define HOT __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif

enum race_flag {
    RACE_READS = 1,
    RACE_WRITES = 2,
    RACE_ATOMIC = 4,
    RACE_VOLATILE = 8,
    RACE_RELAXED = 16, /* relaxed, acquire, release, mmio: strong, like atomics and volatile ones */
    RACE_RELEASE = 32, /* a fence in front of its write */
    RACE_PRODUCT = 64, /* a product of a warpgroup: read some time before it is waited for, by the asynchronous proxy */
    RACE_STRONG = RACE_ATOMIC | RACE_VOLATILE | RACE_RELAXED,
};

struct race_site {
    const struct ir_func *func;
    u32 site, flags; /* enum race_flag, several */
};

enum { RACE_SITE_PART = 256 };

/* The key of a hazard between two instructions: by source line, where it is known, so that what an unrolled loop does
 * is one finding. */
u64 race_key(const struct ir_func *func, u32 site, const struct ir_func *other, u32 other_site);

/* Entries never move or change, so that they are read without the lock: n is raised when an entry is complete. */
struct race_sites {
    pthread_mutex_t lock; /* for adding */
    u32 most, n;
    struct race_site *parts[65536 / RACE_SITE_PART];
};

/* most: at most 65535 */
struct race_sites *race_sites_new(u32 most); /* NULL: no memory */
void race_sites_free(struct race_sites *s);

static inline const struct race_site *race_site_at(const struct race_sites *s, u32 n)
{
    (void)__atomic_load_n(&s->n, __ATOMIC_ACQUIRE); /* another worker may have added it */
    return &s->parts[n / RACE_SITE_PART][n % RACE_SITE_PART];
}

/* One worker's way from an instruction to its number. */
struct race_site_index {
    struct race_sites *sites;
    struct arena *mem;
    struct race_site_func {
        const struct ir_func *func;
        u16 *number; /* by site; 0: not asked yet */
        struct race_site_func *next;
    } *funcs;
};

u32 race_site_slow(struct race_site_index *x, const struct exec_access *a);
/* The number of a's instruction. */
static inline u32 race_site_of(struct race_site_index *x, const struct exec_access *a)
{
    const struct race_site_func *f = x->funcs;
    if (LS_LIKELY(f && f->func == a->func && f->number[a->site]))
        return f->number[a->site];
    return race_site_slow(x, a);
}

#endif
