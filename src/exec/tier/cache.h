/* cache.h - compiled code on disk, shared by all processes of a user, so that a kernel is compiled once and not in every
 * run. Nothing here fails: a folder that cannot be had is a cache in which nothing is. */
#ifndef LS_EXEC_TIER_CACHE_H
#define LS_EXEC_TIER_CACHE_H

#include "base/base.h"

struct tier_cache {
    char folder[256]; /* settings_cache; made when the first entry is written */
    u64 limit;        /* bytes; 0: no cache */
};

/* Names an entry: the hash of everything that its bytes depend on. */
struct tier_key {
    u64 words[2];
};

/* Adds n bytes to what the key is of, as a piece of its own: "ab" and "c" are not "a" and "bc". Zeroed: of nothing. */
void tier_key_add(struct tier_key *k, const void *bytes, size_t n);

/* The entry's bytes in memory of ls_realloc. False: there is none; one that is damaged is removed. */
bool tier_cache_get(const struct tier_cache *c, const struct tier_key *k, u8 **bytes, size_t *n);
/* What is then too much goes, those entries first that were read or written longest ago. */
void tier_cache_put(const struct tier_cache *c, const struct tier_key *k, const u8 *bytes, size_t n);

#endif
