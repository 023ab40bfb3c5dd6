/* memcheck_describe_fault.c - a fault of an access in the words of a sanitizer.
 *
 *     Invalid __global__ write of size 4 bytes
 *       Address 0x7f0000001000 is out of bounds
 *       0 bytes after the 64-byte allocation #3 (device) at 0x7f0000000fc0
 *
 * What kind it is follows from where the address lies:
 *
 *     below 4096                                       a null pointer, perhaps with an offset
 *     in another space, or in the generic windows      wrong space
 *     in memory that was freed                         use after free
 *     a write into live memory that may only be read   write to constant memory
 *     in device memory's range, or near an allocation  out of bounds
 *     elsewhere, where the process has memory          a pointer of the host
 *     elsewhere                                        out of bounds
 *
 * An index that leads out of one allocation into the middle of another cannot be told from a correct access by its
 * address. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/memcheck/memcheck.h"
#include "check/memcheck/memcheck_shared.h"

/* Addresses of the null page and what a small index from a null pointer reaches. */
enum { NULL_BYTES = 4096 };
/* An address no farther than this from an allocation was meant for it. */
enum { NEAR_BYTES = 1 << 20 };

static bool is_device_space(u8 space) { return space != SPACE_SHARED && space != SPACE_LOCAL; }

static bool contains(const struct mem_block *b, u64 address) { return address - b->base < b->size; }

/* Whether the process itself has memory at the address. */
static bool is_host_memory(u64 address)
{
    const u64 page = (u64)sysconf(_SC_PAGESIZE);
    unsigned char here;
    return mincore((void *)(uintptr_t)(address & ~(page - 1)), page, &here) == 0;
}

static bool in_windows(struct mem *m, u64 address)
{
    return address - mem_shared_window(m) < MEM_SHARED_WINDOW_BYTES || address - mem_local_window(m) < MEM_WINDOW_BYTES;
}

static bool in_device_range(struct mem *m, u64 address)
{
    u64 base, size;
    mem_extent(m, &base, &size);
    return address - base < size;
}

static enum finding_kind kind_of_free(struct mem *m, u64 address)
{
    struct mem_block b;
    const bool again = mem_nearest(m, address, &b) && b.kind == MEM_HEAP && b.base == address && !b.live;
    return again ? FINDING_DEVICE_DOUBLE_FREE : FINDING_DEVICE_INVALID_FREE;
}

/* A little before an allocation: what is nearest in front of the first one is a window, of which nothing is used there. */
static bool is_just_before(const struct mem_block *b, u64 address)
{
    enum { NEAR = 1 << 16 };
    return address < b->base && b->base - address <= NEAR;
}

static enum finding_kind kind_of_address(struct mem *m, const struct exec_fault *f)
{
    struct mem_block b = {0};
    if (f->address < NULL_BYTES)
        return FINDING_NULL_POINTER;
    if (mem_nearest(m, f->address, &b) && contains(&b, f->address)) {
        if (!b.live)
            return FINDING_USE_AFTER_FREE;
        if (f->write && mem_read_only((enum mem_kind)b.kind))
            return FINDING_READ_ONLY;
        return FINDING_OUT_OF_BOUNDS;
    }
    if (b.size && is_just_before(&b, f->address))
        return FINDING_OUT_OF_BOUNDS;
    if (in_windows(m, f->address))
        return FINDING_WRONG_SPACE;
    if (in_device_range(m, f->address))
        return FINDING_OUT_OF_BOUNDS;
    return is_host_memory(f->address) ? FINDING_HOST_POINTER : FINDING_OUT_OF_BOUNDS;
}

/* An access of shared or local memory by what is an address of another space, or a generic one: nobody converted it. */
static bool is_generic_here(struct mem *m, const struct exec_fault *f)
{
    return !is_device_space(f->space) && (in_windows(m, f->address) || in_device_range(m, f->address));
}

enum finding_kind memcheck_kind_of(struct mem *m, const struct exec_fault *f)
{
    if (f->kind == FAULT_CLUSTER_GONE) /* the engine's text says whether the block or the address is not there */
        return strstr(f->detail, "exited") ? FINDING_CLUSTER_GONE : FINDING_OUT_OF_BOUNDS;
    if (f->kind == FAULT_MISALIGNED)
        return FINDING_MISALIGNED;
    if (f->kind == FAULT_INVALID_SPACE)
        return FINDING_WRONG_SPACE;
    if (memcheck_is_free(f))
        return kind_of_free(m, f->address);
    if (is_device_space(f->space))
        return kind_of_address(m, f);
    return is_generic_here(m, f) ? FINDING_WRONG_SPACE : FINDING_OUT_OF_BOUNDS;
}

/* ---- text ---- */

static const char *space_word(u8 space)
{
    switch (space) {
    case SPACE_SHARED:
        return "__shared__";
    case SPACE_LOCAL:
        return "__local__";
    case SPACE_CONST:
        return "__constant__";
    case SPACE_PARAM:
        return "__param__";
    default:
        return "__global__";
    }
}

static void say_what(struct finding *out, const struct exec_fault *f)
{
    if (out->kind == FINDING_DEVICE_DOUBLE_FREE || out->kind == FINDING_DEVICE_INVALID_FREE)
        snprintf(out->what, sizeof out->what, "Malloc/Free error encountered : %s",
                 out->kind == FINDING_DEVICE_DOUBLE_FREE ? "Double free" : "Invalid pointer to free");
    else
        snprintf(out->what, sizeof out->what, "Invalid %s %s of size %" PRIu64 " bytes",
                 f->kind == FAULT_CLUSTER_GONE ? "__remote_shared__" : space_word(f->space),
                 f->atomic  ? "atomic"
                 : f->write ? "write"
                            : "read",
                 f->size);
}

static const char *predicate(enum finding_kind kind)
{
    switch (kind) {
    case FINDING_DEVICE_DOUBLE_FREE:
        return " was freed before";
    case FINDING_DEVICE_INVALID_FREE:
        return " was not returned by malloc";
    case FINDING_CLUSTER_GONE:
        return " is in a block that has exited";
    case FINDING_MISALIGNED:
        return " is misaligned";
    case FINDING_USE_AFTER_FREE:
        return " is in freed memory";
    case FINDING_READ_ONLY:
        return " is in memory that kernels may only read";
    case FINDING_WRONG_SPACE:
        return " is not in this state space";
    case FINDING_HOST_POINTER:
        return " is the host's";
    default:
        return " is out of bounds";
    }
}

/* The variable of shared memory, or what the engine says of the place (mem_describe's text of the nearest allocation,
 * or the size of the block's shared or the thread's local memory). */
static void say_detail(struct finding *out, const struct exec_launch *l, const struct exec_fault *f)
{
    char near[256] = "";
    struct mem *m = l->device->mem;
    const bool elsewhere = is_generic_here(m, f);
    const bool named = f->space == SPACE_SHARED && !elsewhere && f->kind != FAULT_CLUSTER_GONE &&
                       memcheck_shared_describe(l, f->address, f->size, near, sizeof near);
    if (!named && f->detail[0] && !elsewhere)
        snprintf(near, sizeof near, "%.255s", f->detail);
    else if (!named && (is_device_space(f->space) || elsewhere))
        mem_describe(m, f->address, f->size ? f->size : 1, near, sizeof near);
    snprintf(out->detail, sizeof out->detail, "Address 0x%" PRIx64 "%s%s%s", f->address, predicate(out->kind),
             near[0] ? "\n" : "", near);
}

/* The allocation that the access was probably meant for; 0: that is for check_found to say. Memory of the host's that
 * it registered lies outside of device memory's range. */
static u64 nearest(struct mem *m, const struct finding *f)
{
    struct mem_block b;
    if (f->kind != FINDING_OUT_OF_BOUNDS || !is_device_space(f->space) || !mem_nearest(m, f->address, &b))
        return 0;
    return f->address - b.base + NEAR_BYTES < b.size + 2 * NEAR_BYTES ? b.serial : 0;
}

void memcheck_place(struct party *p, const struct exec_fault *f)
{
    p->kernel = f->kernel;
    p->function = f->function;
    p->has_thread = true;
    memcpy(p->block, f->block, sizeof p->block);
    memcpy(p->thread, f->thread, sizeof p->thread);
    if (f->func) {
        party_place(p, f->func, f->site);
        return;
    }
    p->file = f->source_file;
    p->line = f->source_line;
    p->column = f->source_column;
    p->ptx_file = f->ptx_file;
    p->ptx_line = f->ptx_line;
}

/* Without an instruction: the kernel's name and the line. */
u64 memcheck_key(const struct exec_fault *f)
{
    if (f->func)
        return finding_key(f->func, finding_place(f->func, f->site), NULL, 0);
    return finding_key((const struct ir_func *)(const void *)f->kernel, f->ptx_line, NULL, 1);
}

void memcheck_describe_fault(struct finding *out, const struct exec_launch *l, const struct exec_fault *f)
{
    struct mem *m = l->device->mem;
    finding_init(out, memcheck_kind_of(m, f));
    memcheck_place(&out->at, f);
    out->at.does = f->atomic ? DOES_ATOMIC : f->write ? DOES_WRITE : DOES_READ;
    out->space = f->space;
    out->has_address = true;
    out->address = f->address;
    out->size = f->size;
    out->threads = 1;
    say_what(out, f);
    say_detail(out, l, f);
    out->allocation = nearest(m, out);
    snprintf(out->launched_by, sizeof out->launched_by, "%s", f->launched_by);
}
