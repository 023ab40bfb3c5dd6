/* poolcheck.h - memory of cudaMallocAsync and who used it: what the files of poolcheck share. Internal. */
#ifndef LS_CHECK_POOLCHECK_H
#define LS_CHECK_POOLCHECK_H

#include "check/core/tool.h"

/* What an operation did first with an allocation. Its texts are its own. */
struct pool_use {
    struct pool_use *next;
    u64 op;
    struct finding found; /* but for its kind: place, call, address */
};

/* An allocation, and the operations at which it begins and ends to be there. */
struct pool_block {
    u64 lo, hi, serial;
    u64 made, freed; /* freed 0: not yet */
    struct pool_use *uses;
};

/* Blocks do not overlap and stand by address. */
struct pool_plane {
    pthread_mutex_t lock;
    struct pool_block *blocks;
    u32 n, room;
};

/* The operation used [address, address + size); `at`, `call`, `launch`: of the finding that this may be. */
void poolcheck_use(struct check *c, u64 op, const struct finding *use);
/* Whether that allocation was freed by an operation that is in no order with op. */
bool poolcheck_races_free(struct check *c, u64 op, u64 address);

extern const struct check_instrument instrument_poolcheck;

/* ---- poolcheck_kernel.c ---- */

bool poolcheck_wanted(struct check_launch *l);
void poolcheck_launch_end(struct check_launch *l, enum ls_status s, const struct exec_fault *fault);
bool poolcheck_worker_begin(struct check_worker *w);
void poolcheck_access(struct check_worker *w, const struct exec_access *a);
bool poolcheck_excuse(struct check_worker *w, const struct exec_block_info *b, const struct exec_fault *f);

#endif
