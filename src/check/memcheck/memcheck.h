/* memcheck.h - what a fault of a kernel is as a finding. Internal. */
#ifndef LS_CHECK_MEMCHECK_H
#define LS_CHECK_MEMCHECK_H

#include "check/core/tool.h"

/* The kind of an access that cannot be done, or of a device-side free that is wrong. */
enum finding_kind memcheck_kind_of(struct mem *m, const struct exec_fault *f);
/* Fills the finding of such a fault: what, address, detail, allocation and place. */
void memcheck_describe_fault(struct finding *out, const struct exec_launch *l, const struct exec_fault *f);
/* Counts the fault of a lane at its place; the first one there is reported. */
void memcheck_count(struct check_worker *w, const struct exec_block_info *b, const struct exec_fault *f);

/* A device-side free: the fault has no size. */
static inline bool memcheck_is_free(const struct exec_fault *f) { return f->kind == FAULT_ILLEGAL_ADDRESS && !f->size; }

/* An access that was left out, or could have been. */
static inline bool memcheck_is_access(const struct exec_fault *f)
{
    return f->kind == FAULT_ILLEGAL_ADDRESS || f->kind == FAULT_MISALIGNED || f->kind == FAULT_INVALID_SPACE ||
           f->kind == FAULT_CLUSTER_GONE;
}

/* Who it was and where. */
void memcheck_place(struct party *p, const struct exec_fault *f);
/* Findings of one place are one. */
u64 memcheck_key(const struct exec_fault *f);

#endif
