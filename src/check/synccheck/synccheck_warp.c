/* synccheck_warp.c - the masks of warp-wide operations.
 *
 * CUDA's rule (C++ programming guide, warp functions): a thread that calls is in its own mask, and all threads of the
 * mask that have not exited make the same call with the same mask. So
 *
 *   - a caller that its mask does not name is an error (MASK_OUTSIDE), as for compute-sanitizer;
 *   - a mask may name threads that have exited: they are not waited for, votes and reductions leave them out. But a
 *     shuffle that takes the value of such a thread gets an undefined one: an error (MASK_EXITED), at shuffles only.
 *     That is what an early return in front of a full-mask shuffle does;
 *   - the same of threads that never were, in the last warp of a block whose size is no multiple of 32, is a warning:
 *     libraries take full masks there and drop what they got.
 *
 * Values taken from threads that are there but not in the mask are undefined too; they are left alone, since code with
 * a mask of the active threads often takes them and drops them. A member that never comes is a deadlock or a wait, the
 * engine's matter. */
#include <stdio.h>

#include "check/synccheck/synccheck.h"

static struct meeting here(const struct exec_warp_sync *e, u32 lanes)
{
    return (struct meeting){.func = e->func, .site = e->site, .warp = e->warp, .lanes = lanes};
}

static void outside(struct check_worker *w, const struct exec_warp_sync *e)
{
    const struct meeting m = here(e, e->lanes & ~e->members);
    struct finding f;
    u64 key;
    if (!synccheck_new(w, FINDING_MASK_OUTSIDE, e->block, &m, NULL, &f, &key))
        return;
    snprintf(f.what, sizeof f.what, "Barrier error detected. Invalid arguments");
    snprintf(f.detail, sizeof f.detail, "the mask is 0x%08x, and threads 0x%08x of the warp call with it", e->members,
             e->lanes);
    check_found(w->launch, &f, key);
}

static void reads_nobody(struct check_worker *w, const struct exec_warp_sync *e, u32 gone, bool exited)
{
    const struct meeting m = here(e, e->lanes);
    struct finding f;
    u64 key;
    if (!synccheck_new(w, FINDING_MASK_EXITED, e->block, &m, NULL, &f, &key))
        return;
    f.severity = exited ? SEVERITY_ERROR : SEVERITY_WARNING;
    f.threads = (u32)__builtin_popcount(e->lanes);
    snprintf(f.what, sizeof f.what, "Shuffle from threads that %s", exited ? "have exited" : "never were");
    snprintf(f.detail, sizeof f.detail,
             "the mask is 0x%08x; values are taken of lanes 0x%08x of the warp, which %s: they are undefined",
             e->members, gone, exited ? "have exited" : "the block does not have");
    check_found(w->launch, &f, key);
}

void synccheck_warp(struct check_worker *w, const struct sync_block *s, const struct exec_warp_sync *e)
{
    if (e->lanes & ~e->members)
        outside(w, e);
    const u32 taken = e->reads & e->members & ~e->lanes & e->exited;
    if (!taken)
        return;
    const u32 exited = taken & synccheck_real(s, e->warp);
    reads_nobody(w, e, exited ? exited : taken, exited != 0);
}
