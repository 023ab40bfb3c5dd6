/* keep.h - compiled code as bytes, for the cache on disk: what an entry is named by, and what it has. A hit needs no LLVM.
 * Internal to exec/tier. */
#ifndef LS_EXEC_TIER_KEEP_H
#define LS_EXEC_TIER_KEEP_H

#include "exec/tier/cache.h"
#include "exec/tier/code.h"

/* Names the code that c is to have: by this very build of the engine, all that code is made of (the graph, the records by
 * the names of their bodies, the constants, the block's dimensions), and how it is made. LLVM's version is not in it, for
 * results do not depend on that. False: this build has no name of its own (keep_build), so nothing is kept. */
bool keep_key(const struct tier_code *c, const struct graph *g, struct tier_key *k);

/* The object file and the tables of c as bytes of ls_realloc; NULL: no memory. */
u8 *keep_pack(const struct tier_code *c, const u8 *object, size_t len, size_t *n);
/* The tables, into c->mem, and where the object is in the bytes. False: the bytes are not what keep_pack makes of code for
 * c->f. */
bool keep_unpack(struct tier_code *c, const u8 *bytes, size_t n, const u8 **object, size_t *len);

/* The linker's identification of the file that has this code, in out[most]; how many bytes, 0: it has none. */
u32 keep_build(u8 *out, u32 most);

#endif
