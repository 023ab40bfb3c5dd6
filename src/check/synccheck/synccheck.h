/* synccheck.h - the state of synccheck: who has arrived where in the barriers of the blocks under way. Internal. */
#ifndef LS_CHECK_SYNCCHECK_H
#define LS_CHECK_SYNCCHECK_H

#include "check/core/tool.h"

enum { SYNCCHECK_WARPS = 32, SYNCCHECK_BARRIERS = 16 };

/* Lanes of a warp at an instruction. */
struct meeting {
    const struct ir_func *func; /* NULL: none */
    u32 site, warp, lanes;
};

/* Lanes that were elsewhere when others of their warp came to an aligned barrier. */
struct absent {
    struct absent *next;
    u32 warp, lanes;
    struct exec_place place;
};

/* One phase of a barrier, from the first arrival to the release. */
struct phase {
    bool open, counted, told; /* told: a finding has been made of it */
    bool mixed;               /* warps have come from different places */
    u32 threads;              /* the count, in whole warps; without one all of the block's */
    struct meeting first;     /* who opened it */
    u32 before;               /* the count of the phase before this one; 0: none, or it had none */
    struct meeting before_first;
    struct meeting of_kind[2];             /* the first sync or arrive; the first reduction */
    struct meeting warps[SYNCCHECK_WARPS]; /* each warp's: its lanes so far, where the first ones came */
    struct absent *absent;
};

/* An mbarrier that mbarrier.inval has ended. */
struct ended {
    u64 at; /* in shared memory */
    struct meeting by;
};

/* A block under way. */
enum { SYNCCHECK_ENDED = 8 };
struct sync_block {
    const struct exec_block_info *block; /* the engine's, as long as it runs */
    u64 linear;
    struct sync_block *next;                  /* in its bucket, or of the free ones */
    u32 never;                                /* lanes of the last warp that never were */
    u32 exited[SYNCCHECK_WARPS];              /* real threads that have */
    struct phase *phases[SYNCCHECK_BARRIERS]; /* made when first used */
    struct meeting mixed[2];                  /* warps that met at barrier 0 from different places, the first time */
    struct ended ended[SYNCCHECK_ENDED];      /* the last mbarriers that were */
    u32 nended;                               /* how many were in all */
};

enum { SYNCCHECK_BUCKETS = 64 };
struct synccheck {
    struct sync_block *buckets[SYNCCHECK_BUCKETS], *free, *last;
    struct absent *free_absent;
};

/* Lanes of the warp that were there when the block began. */
static inline u32 synccheck_real(const struct sync_block *s, u32 warp)
{
    return warp + 1 == s->block->warps ? ~s->never : ~0u;
}

/* ---- synccheck_path.c ---- */

/* The place does nothing but leave the kernel. */
bool synccheck_leaves(const struct exec_place *p);
/* The thread has gone round the barrier at `site`, or past it, to code that those who came to it run too: no early
 * return, and not still on its way. */
bool synccheck_passed(const struct exec_place *p, const struct ir_func *func, u32 site);

/* ---- synccheck_warp.c ---- */

void synccheck_warp(struct check_worker *w, const struct sync_block *s, const struct exec_warp_sync *e);

/* ---- synccheck_mbarrier.c ---- */

void synccheck_order(struct check_worker *w, struct sync_block *s, const struct exec_order *o);

/* ---- synccheck_tell.c ---- */

/* Describes the first lane of m; DOES_WAIT. */
void synccheck_party(struct party *p, const struct exec_block_info *b, const struct meeting *m);
/* A finding at m, with the other one when there is one; true: it is new and in *f, to be completed and handed to
 * check_found with the key. False: it was known and has been counted. */
bool synccheck_new(struct check_worker *w, enum finding_kind kind, const struct exec_block_info *b,
                   const struct meeting *m, const struct meeting *other, struct finding *f, u64 *key);

#endif
