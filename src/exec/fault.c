/* fault.c - the one place where a device fault becomes text.
 *
 *     out-of-bounds access in kernel 'saxpy'
 *       at saxpy.cu:12 (saxpy.ptx:88)
 *       block (3,0,0), thread (31,0,0)
 *       write of 4 bytes at 0x7f0000001000 in global memory
 *       0 bytes after the 4096-byte allocation #2 (device) at 0x7f0000000000
 *
 * Lines that do not apply are left out: only memory faults have an address, and a place may be unknown. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/kernel_name.h"
#include "exec/exec.h"

static const struct {
    const char *text, *cuda;
} kinds[] = {
#define FAULT(name, text, cuda) [FAULT_##name] = {text, cuda},
#include "exec/faults.def"
#undef FAULT
};

const char *exec_fault_cuda_name(enum exec_fault_kind kind)
{
    return (size_t)kind < LS_ARRAY_LEN(kinds) ? kinds[kind].cuda : "CUDA_ERROR_UNKNOWN";
}

static const char *space_word(u8 space)
{
    switch (space) {
    case SPACE_GLOBAL:
        return "global";
    case SPACE_SHARED:
        return "shared";
    case SPACE_LOCAL:
        return "local";
    case SPACE_CONST:
        return "constant";
    case SPACE_PARAM:
        return "parameter";
    default:
        return "generic";
    }
}

/* Text under construction: snprintf's bargain, which counts what does not fit. */
struct text {
    char *at;
    size_t size, len;
};

static void put(struct text *t, const char *fmt, ...) LS_PRINTF(2, 3);
static void put(struct text *t, const char *fmt, ...)
{
    va_list args;
    const size_t room = t->size > t->len ? t->size - t->len : 0;
    va_start(args, fmt);
    const int n = vsnprintf(room ? t->at + t->len : NULL, room, fmt, args);
    va_end(args);
    t->len += n > 0 ? (size_t)n : 0;
}

static void put_place(struct text *t, const struct exec_fault *f)
{
    const char *ptx = f->ptx_file ? f->ptx_file : "PTX";
    if (f->source_line)
        put(t, "  at %s:%" PRIu32, f->source_file ? f->source_file : "?", f->source_line);
    if (f->ptx_line && f->source_line)
        put(t, " (%s:%" PRIu32 ")", ptx, f->ptx_line);
    else if (f->ptx_line)
        put(t, "  at %s:%" PRIu32, ptx, f->ptx_line);
    if (f->source_line || f->ptx_line)
        put(t, "\n");
}

static bool has_address(enum exec_fault_kind kind)
{
    return kind == FAULT_ILLEGAL_ADDRESS || kind == FAULT_MISALIGNED || kind == FAULT_INVALID_SPACE ||
           kind == FAULT_CLUSTER_GONE;
}

/* "a\nb" as lines of their own. */
static void put_detail(struct text *t, const char *detail)
{
    while (*detail) {
        const size_t n = strcspn(detail, "\n");
        put(t, "  %.*s\n", (int)n, detail);
        detail += n + (detail[n] != 0);
    }
}

static void write_fault(struct text *t, const struct exec_fault *f)
{
    const bool inner = f->function && f->kernel && strcmp(f->function, f->kernel) != 0;
    const char *what = (size_t)f->kind < LS_ARRAY_LEN(kinds) ? kinds[f->kind].text : "unknown fault";
    char name[KERNEL_SHORT];
    put(t, "%s in kernel '%s'", what, kernel_name_short(f->kernel ? f->kernel : "?", name));
    if (inner)
        put(t, ", function '%s'", kernel_name_short(f->function, name));
    put(t, "\n");
    put_place(t, f);
    put(t, "  block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", f->block[0],
        f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2]);
    if (has_address(f->kind) && !f->size && f->write) /* device_heap.c */
        put(t, "  free of 0x%" PRIx64 "\n", f->address);
    else if (has_address(f->kind))
        put(t, "  %s of %" PRIu64 " %s at 0x%" PRIx64 " in %s memory\n",
            f->atomic  ? "atomic"
            : f->write ? "write"
                       : "read",
            f->size, f->size == 1 ? "byte" : "bytes", f->address, space_word(f->space));
    put_detail(t, f->detail);
    put_detail(t, f->launched_by);
}

char *exec_fault_text(const struct exec_fault *f)
{
    struct text t = {0};
    write_fault(&t, f);
    t.size = t.len + 1;
    t.len = 0;
    t.at = ls_realloc(NULL, t.size);
    if (t.at)
        write_fault(&t, f);
    return t.at;
}
