/* builtin.c - which built-in device functions there are, and how they read what kernels point to.
 *
 * A pointer that a kernel passes is never trusted: every byte is checked as a load of the kernel's would be, and a bad
 * one is the kernel's fault, at the call. */
#include "exec/device/builtin.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/device/device_runtime.h"
#include "exec/device/nvmath.h"
#include "exec/sched.h"
#include "exec/sync/weak.h"

/* ---- reading device memory ---- */

struct place {
    const u8 *host;
    u64 bytes; /* that may be read from there on */
    u64 address;
    u8 space;
    bool read_only;
};

static struct place place_in(const u8 *host, u64 bytes, u64 offset, u8 space)
{
    const bool inside = offset < bytes;
    return (struct place){inside ? host + offset : NULL, inside ? bytes - offset : 0, offset, space, false};
}

static struct place find_place(struct builtin_call *c, unsigned lane, u64 address, bool write)
{
    struct warp *w = c->w;
    u64 lo, hi;
    enum mem_kind kind;
    if (warp_in_shared(w, address)) {
        const u64 offset = address - w->shared_window;
        const u8 *other = offset < CLUSTER_STRIDE ? NULL : cluster_memory(w, offset, 1);
        if (other)
            return place_in(other, w->shared_bytes - offset % CLUSTER_STRIDE, 0, SPACE_SHARED);
        return place_in(w->shared, w->shared_bytes, offset, SPACE_SHARED);
    }
    if (address - w->local_window < MEM_WINDOW_BYTES)
        return place_in(w->local + lane * w->local_bytes, w->local_bytes, address - w->local_window, SPACE_LOCAL);
    if (mem_range(w->mem, address, &lo, &hi, &kind))
        return (struct place){(const u8 *)(uintptr_t)address, hi - address, address, SPACE_GLOBAL, mem_read_only(kind)};
    if (warp_forgive(w, c->pc, lane, address, 1, SPACE_GLOBAL, write, false))
        return (struct place){(const u8 *)(uintptr_t)address, 1, address, SPACE_GLOBAL, false};
    return (struct place){NULL, 0, address, SPACE_GLOBAL, false};
}

/* True when the kernel goes on, without what is there. */
static bool bad_place(struct builtin_call *c, unsigned lane, const struct place *p, bool write)
{
    return warp_excuse(c->w, c->pc, FAULT_ILLEGAL_ADDRESS, lane, p->address, 1, p->space, write, false);
}

static bool bad_read(struct builtin_call *c, unsigned lane, const struct place *p)
{
    return bad_place(c, lane, p, false);
}

bool builtin_read(struct builtin_call *c, unsigned lane, u64 address, void *to, u64 n)
{
    u8 *at = to;
    while (n) {
        const struct place p = find_place(c, lane, address, false);
        const u64 part = n < p.bytes ? n : p.bytes;
        if (!part) {
            memset(at, 0, n);
            return bad_read(c, lane, &p);
        }
        warp_touch(c->w, c->pc, lane, p.space, ACCESS_LD, p.address, part, false);
        memcpy(at, p.host, part);
        at += part;
        address += part;
        n -= part;
    }
    return true;
}

bool builtin_write(struct builtin_call *c, unsigned lane, u64 address, const void *from, u64 n)
{
    const u8 *at = from;
    while (n) {
        const struct place p = find_place(c, lane, address, true);
        const u64 part = n < p.bytes ? n : p.bytes;
        if (!part || p.read_only)
            return bad_place(c, lane, &p, true);
        warp_touch(c->w, c->pc, lane, p.space, ACCESS_ST, p.address, part, false);
        memcpy((u8 *)(uintptr_t)p.host, at, part);
        at += part;
        address += part;
        n -= part;
    }
    return true;
}

/* The length of the string at address, at most max; false after a fault. */
static bool string_length(struct builtin_call *c, unsigned lane, u64 address, u64 max, u64 *len)
{
    *len = 0;
    while (*len < max) {
        const struct place p = find_place(c, lane, address + *len, false);
        const u64 part = max - *len < p.bytes ? max - *len : p.bytes;
        const u8 *end = part ? memchr(p.host, 0, part) : NULL;
        if (!part)
            return bad_read(c, lane, &p);
        *len += end ? (u64)(end - p.host) : part;
        if (end)
            break;
    }
    return true;
}

char *builtin_string(struct builtin_call *c, unsigned lane, u64 address, u64 max)
{
    u64 len;
    if (!string_length(c, lane, address, max, &len))
        return NULL;
    char *s = ls_realloc(NULL, len + 1);
    if (!s) {
        warp_fault(c->w, c->pc, FAULT_NOMEM, lane, 0, 0, 0, false, false);
        return NULL;
    }
    /* Another thread may change the string meanwhile: no trust in its NUL. */
    if (!builtin_read(c, lane, address, s, len)) {
        ls_free(s);
        return NULL;
    }
    s[len] = 0;
    return s;
}

/* ---- __assertfail(const char *message, const char *file, u32 line, const char *function, size_t charsize) ---- */

enum { ASSERT_FILE = 8, ASSERT_LINE = 16, ASSERT_FUNCTION = 24, ASSERT_TEXT_BYTES = 1024 };

static u64 argument(const struct builtin_call *c, unsigned lane, u32 at)
{
    u64 v;
    memcpy(&v, c->args + (size_t)lane * c->arg_stride + at, sizeof v);
    return v;
}

static bool assert_fail(struct builtin_call *c)
{
    const unsigned lane = (unsigned)__builtin_ctz(c->mask);
    struct exec_fault f = {.kind = FAULT_ASSERT};
    char *text[3] = {0};
    const u32 at[3] = {0, ASSERT_FILE, ASSERT_FUNCTION};
    bool ok = true;
    for (int k = 0; k < 3 && ok; k++)
        ok = (text[k] = builtin_string(c, lane, argument(c, lane, at[k]), ASSERT_TEXT_BYTES)) != NULL;
    if (ok) {
        fault_place(c->w, c->pc, lane, &f);
        /* the line that CUDA prints, word for word: scripts look for it */
        snprintf(f.detail, sizeof f.detail, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
                 text[1], (u32)argument(c, lane, ASSERT_LINE), text[2], f.block[0], f.block[1], f.block[2], f.thread[0],
                 f.thread[1], f.thread[2], text[0]);
        grid_fault(c->w->block->grid, &f);
        c->w->stop = STOP_FAULT;
    }
    for (int k = 0; k < 3; k++)
        ls_free(text[k]);
    return false;
}

/* ---- the table ---- */

static const struct {
    const char *name;
    bool (*run)(struct builtin_call *c);
} builtins[] = {
    {"vprintf", builtin_vprintf},
    {"malloc", builtin_malloc},
    {"free", builtin_free},
    {"__assertfail", assert_fail},
};
/* Ids: the table's own, the device runtime's from DEVICE_RUNTIME, then the mathematics. */
enum { BUILTINS = LS_ARRAY_LEN(builtins), DEVICE_RUNTIME = BUILTINS, MATHEMATICS = DEVICE_RUNTIME + 256 };

int builtin_find(const char *name)
{
    for (int id = 0; id < BUILTINS; id++)
        if (strcmp(builtins[id].name, name) == 0)
            return id;
    int id = device_runtime_find(name);
    if (id >= 0)
        return DEVICE_RUNTIME + id;
    id = nvmath_find(name);
    return id < 0 ? -1 : MATHEMATICS + id;
}

bool builtin_run(int id, struct builtin_call *c)
{
    LS_BUG_ON(id < 0);
    if (c->w->weak && id < MATHEMATICS)
        weak_fence(c->w); /* they read memory themselves, and the heap hands it from thread to thread */
    if (id < BUILTINS)
        return builtins[id].run(c);
    return id < MATHEMATICS ? device_runtime_run(id - DEVICE_RUNTIME, c) : nvmath_run(id - MATHEMATICS, c);
}
