/* memcheck_final.c - what ended a kernel is a finding with every tool, because an analysis of half a run must say so.
 *
 * Accesses that memcheck left out until it had enough are its own findings already. */
#include <stdio.h>
#include <string.h>

#include "check/memcheck/memcheck.h"

static const char *const texts[] = {
#define FAULT(name, text, cuda) [FAULT_##name] = text,
#include "exec/faults.def"
#undef FAULT
};

static enum finding_kind kind_of(const struct exec_fault *f)
{
    switch (f->kind) {
    case FAULT_STACK_OVERFLOW:
        return FINDING_STACK_OVERFLOW;
    case FAULT_ASSERT:
        return FINDING_DEVICE_ASSERT;
    case FAULT_TIMEOUT:
        return FINDING_TIMEOUT;
    case FAULT_DEADLOCK:
        return FINDING_DEADLOCK;
    case FAULT_BAD_BARRIER: /* the engine's text says what is bad: the number or the count */
        return strstr(f->detail, "count") ? FINDING_BARRIER_COUNT : FINDING_BARRIER_INVALID;
    case FAULT_PARTIAL_WARP:
        return FINDING_MASK_EXITED;
    case FAULT_MASK:
        return FINDING_MASK_OUTSIDE;
    case FAULT_MBARRIER:
        return FINDING_MBARRIER_INVALID;
    default:
        return FINDING_DEVICE_FAULT;
    }
}

/* The waiting warps of a deadlock stand one behind the other, "; " between: a line each. */
static void copy_lines(char *to, size_t n, const char *from)
{
    size_t at = 0;
    for (; *from && at + 1 < n; from++) {
        const bool ends = from[0] == ';' && from[1] == ' ';
        to[at++] = ends ? '\n' : *from;
        from += ends;
    }
    to[at] = 0;
}

static void describe(struct finding *out, const struct exec_fault *f)
{
    finding_init(out, kind_of(f));
    memcheck_place(&out->at, f);
    out->threads = 1;
    if (out->kind == FINDING_DEVICE_FAULT)
        snprintf(out->what, sizeof out->what, "The kernel was ended by a fault: %s", texts[f->kind]);
    else if (f->kind == FAULT_PARTIAL_WARP)
        snprintf(out->what, sizeof out->what, "%c%s", 'M', texts[f->kind] + 1);
    else if (f->kind == FAULT_MASK)
        snprintf(out->what, sizeof out->what, "Barrier error detected. Invalid arguments");
    if (f->kind == FAULT_DEADLOCK || f->kind == FAULT_MASK)
        out->at.does = DOES_WAIT;
    if (f->kind == FAULT_DEADLOCK) {
        copy_lines(out->detail, sizeof out->detail, f->detail);
    } else if (f->kind == FAULT_TRAP && !f->detail[0]) {
        snprintf(out->detail, sizeof out->detail,
                 "it executed a trap: __trap(), or grid.sync() in a launch that is not cooperative "
                 "(cudaLaunchCooperativeKernel)");
    } else {
        snprintf(out->detail, sizeof out->detail, "%s", f->detail);
    }
    snprintf(out->launched_by, sizeof out->launched_by, "%s", f->launched_by);
}

static bool is_known(struct check_launch *l, const struct exec_fault *f)
{
    return memcheck_is_access(f) && l->check->options.tools & CHECK_MEMCHECK && l->hooks.fault &&
           check_found_again(l, memcheck_kind_of(l->check->mem, f), memcheck_key(f), 0);
}

static void launch_end(struct check_launch *l, enum ls_status s, const struct exec_fault *fault)
{
    struct finding f;
    if ((s != LS_ERR_FAULT && s != LS_ERR_TIMEOUT) || !fault || fault->kind == FAULT_NONE)
        return;
    if (is_known(l, fault))
        return;
    if (memcheck_is_access(fault))
        memcheck_describe_fault(&f, l->exec, fault);
    else
        describe(&f, fault);
    check_found(l, &f, memcheck_key(fault));
}

const struct check_instrument instrument_memcheck_final = {.tools = CHECK_ALL | CHECK_SCHEDULES,
                                                           .launch_end = launch_end};
