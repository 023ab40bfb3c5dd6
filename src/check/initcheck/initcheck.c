/* initcheck.c - initcheck's plane of device memory, and what the host does to it.
 *
 * Uninitialised when it is made: memory of cuMemAlloc and its kin, of device-side malloc, and managed memory.
 * Everything else (variables of modules, constants, pinned, registered and mapped memory, what is shared with other
 * processes, our own) counts as initialised; it is marked when somebody first asks, so that it costs nothing before.
 *
 * After a launch that was not checked (--kernel-name and other filters), all memory of that time counts as initialised.
 *
 * The program's own writes of managed memory are not seen here. But each page belongs to one allocation (exec/memory),
 * and a page that the process has not touched was not written: the host's page table tells that. What is in a page that
 * was touched counts as initialised; so within a page nothing is found. Nor is what a copy on the host's own account
 * reads of it.
 *
 * A copy to the host finds what was never written, but for the padding of structs of at most 64 bytes and for the
 * borders of a stencil's output (gaps.h).
 */
#include "check/initcheck/initcheck.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "check/core/gaps.h"

enum { PAGE = 4096, STRUCT_MOST = 64 };

/* ---- bits ---- */

void init_put(u8 *bits, u64 at, u32 n, u32 value)
{
    u8 *byte = bits + (at >> 3);
    u64 mask = (u64)init_ones(n) << (at & 7), want = (u64)value << (at & 7);
    for (; mask; mask >>= 8, want >>= 8, byte++) {
        const u8 m = (u8)mask, v = (u8)want & m;
        if (m == 0xff) {
            __atomic_store_n(byte, v, __ATOMIC_RELAXED);
            continue;
        }
        if (v)
            __atomic_fetch_or(byte, v, __ATOMIC_RELAXED);
        if (v != m)
            __atomic_fetch_and(byte, (u8)(v | ~m), __ATOMIC_RELAXED);
    }
}

void init_set(u8 *bits, u64 at, u64 n)
{
    const u64 end = at + n, first = ls_align_up(at, 8), last = end & ~(u64)7;
    if (first >= last) {
        for (; at < end; at += 8)
            init_put(bits, at, end - at < 8 ? (u32)(end - at) : 8, UINT32_MAX);
        return;
    }
    init_put(bits, at, (u32)(first - at), UINT32_MAX);
    memset(bits + first / 8, 0xff, (last - first) / 8);
    init_put(bits, last, (u32)(end - last), UINT32_MAX);
}

u64 init_find(const u8 *bits, u64 at, u64 end, bool set)
{
    const u64 boring = set ? 0 : UINT64_MAX;
    while (at < end) {
        u64 word;
        if ((at & 7) == 0 && end - at >= 64 && (memcpy(&word, bits + at / 8, sizeof word), word == boring)) {
            at += 64;
            continue;
        }
        const u32 n = end - at < INIT_SPAN ? (u32)(end - at) : INIT_SPAN;
        const u32 found = set ? init_get(bits, at, n) : ~init_get(bits, at, n) & init_ones(n);
        if (found)
            return at + (u64)__builtin_ctz(found);
        at += n;
    }
    return end;
}

/* ---- the plane ---- */

bool init_create(struct check *c)
{
    struct init_plane *p = ls_calloc(1, sizeof *p);
    if (!p)
        return false;
    p->pagemap = -1;
    if (shadow_create(&p->bits, c->mem_base & ~(u64)7, c->mem_size + 64, 8, 1) != LS_OK) {
        ls_free(p);
        return false;
    }
    p->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    c->of.initcheck = p;
    return true;
}

void init_destroy(struct check *c)
{
    if (!c->of.initcheck)
        return;
    if (c->of.initcheck->pagemap >= 0)
        close(c->of.initcheck->pagemap);
    shadow_destroy(&c->of.initcheck->bits);
    ls_free(c->of.initcheck);
    c->of.initcheck = NULL;
}

void init_made(struct check *c, const struct mem_block *b)
{
    __atomic_store_n(&c->of.initcheck->newest, b->serial, __ATOMIC_RELAXED);
}

void init_unseen(struct check *c)
{
    const u64 newest = __atomic_load_n(&c->of.initcheck->newest, __ATOMIC_RELAXED);
    __atomic_store_n(&c->of.initcheck->unseen, newest, __ATOMIC_RELAXED);
}

/* Freed memory goes back to where it was before it was made. */
void init_gone(struct check *c, const struct mem_block *b) { shadow_clear(&c->of.initcheck->bits, b->base, b->size); }

static void mark(struct init_plane *p, u64 address, u64 n)
{
    if (n && shadow_has(&p->bits, address, n))
        init_set(p->bits.cells, address - p->bits.base, n);
}

/* ---- what is uninitialised ---- */

/* Memory whose bytes are known one by one. */
static bool is_tracked(struct check *c, const struct mem_block *b)
{
    if (b->serial <= __atomic_load_n(&c->of.initcheck->unseen, __ATOMIC_RELAXED))
        return false;
    if (b->kind == MEM_MANAGED)
        return !b->name && c->of.initcheck->pagemap >= 0;
    return b->kind == MEM_HEAP || (b->kind == MEM_DEVICE && !mem_is_shared(c->mem, b->base));
}

/* The page of managed memory has been touched: by the host, or by kernels. */
static bool is_touched(const struct init_plane *p, u64 address)
{
    u64 entry;
    const off_t at = (off_t)(address / PAGE * sizeof entry);
    if (pread(p->pagemap, &entry, sizeof entry, at) != (ssize_t)sizeof entry)
        return true;
    return entry >> 62; /* present, or swapped out (proc_pid_pagemap(5)) */
}

/* Marks what counts as initialised of [address, address + n), a part of the live allocation b. */
static void mark_known(struct check *c, const struct mem_block *b, u64 address, u64 n)
{
    if (!is_tracked(c, b)) {
        mark(c->of.initcheck, b->base, b->size);
    } else if (b->kind == MEM_MANAGED) {
        const u64 end = b->base + b->size;
        for (u64 page = address & ~(u64)(PAGE - 1); page < address + n; page += PAGE)
            if (is_touched(c->of.initcheck, page))
                mark(c->of.initcheck, page, end - page < PAGE ? end - page : PAGE);
    }
}

static bool block_at(struct check *c, u64 address, struct mem_block *b)
{
    return mem_nearest(c->mem, address, b) && b->live && address - b->base < b->size;
}

u32 init_missing(struct check *c, u64 address, u32 n, struct mem_block *b)
{
    const struct shadow *s = &c->of.initcheck->bits;
    if (!shadow_has(s, address, n) || !block_at(c, address, b))
        return 0;
    mark_known(c, b, address, n);
    return ~init_get(s->cells, address - s->base, n) & init_ones(n);
}

/* ---- what the host does ---- */

void init_host_wrote(struct check *c, u64 address, u64 size) { mark(c->of.initcheck, address, size); }

/* Bit by bit from the end that is safe when the two overlap. */
static void move_bits(u8 *bits, u64 to, u64 from, u64 n)
{
    if (to < from)
        for (u64 done = 0; done < n; done += INIT_SPAN) {
            const u32 part = n - done < INIT_SPAN ? (u32)(n - done) : INIT_SPAN;
            init_put(bits, to + done, part, init_get(bits, from + done, part));
        }
    else
        for (u64 left = n; left;) {
            const u32 part = left < INIT_SPAN ? (u32)left : INIT_SPAN;
            left -= part;
            init_put(bits, to + left, part, init_get(bits, from + left, part));
        }
}

void init_copied(struct check *c, u64 to, u64 from, u64 size)
{
    const struct shadow *s = &c->of.initcheck->bits;
    struct mem_block b;
    if (!size || !shadow_has(s, to, size))
        return;
    if (!shadow_has(s, from, size) || !block_at(c, from, &b)) {
        mark(c->of.initcheck, to, size);
        return;
    }
    if (!init_all(s->cells, from - s->base, size))
        mark_known(c, &b, from, size);
    move_bits(s->cells, to - s->base, from - s->base, size);
}

/* ---- copies to the host ---- */

static struct gaps find_gaps(const struct check *c, const struct mem_block *b, u64 address, u64 size)
{
    struct gaps g;
    const struct shadow *s = &c->of.initcheck->bits;
    const u64 end = address - s->base + size;
    gaps_begin(&g, b->base, address, size, c->allocations, b->serial);
    for (u64 to = address - s->base, from; (from = init_find(s->cells, to, end, false)) < end;) {
        to = init_find(s->cells, from, end, true);
        gaps_add(&g, from + s->base, to + s->base);
    }
    return g;
}

static void report_copy(struct check *c, const struct mem_block *b, u64 address, u64 size, const struct gaps *g,
                        const struct host_call *call)
{
    struct finding f;
    char more[64] = "";
    finding_init(&f, FINDING_UNINIT_COPY);
    f.at.does = DOES_COPY;
    f.has_address = true;
    f.space = SPACE_GLOBAL;
    f.address = g->first;
    f.size = g->bytes;
    f.allocation = b->serial;
    if (call)
        f.call = *call;
    snprintf(f.what, sizeof f.what, "%" PRIu64 " of the %" PRIu64 " bytes copied to the host were never written",
             g->bytes, size);
    if (g->count > 1)
        snprintf(more, sizeof more, ", the first of %" PRIu64 " gaps", g->count);
    snprintf(f.detail, sizeof f.detail,
             "bytes %" PRIu64 "..%" PRIu64 " of the copy%s: from offset %" PRIu64 " in the %" PRIu64
             "-byte allocation #%" PRIu64,
             g->first - address, g->first_end - address - 1, more, g->first - b->base, b->size, b->serial);
    check_report(c, &f);
}

void init_host_read(struct check *c, u64 address, u64 size, const struct host_call *call)
{
    const struct shadow *s = &c->of.initcheck->bits;
    struct mem_block b;
    if (!size || !shadow_has(s, address, size) || init_all(s->cells, address - s->base, size) ||
        !block_at(c, address, &b) || b.base + b.size - address < size)
        return;
    mark_known(c, &b, address, size);
    const struct gaps g = find_gaps(c, &b, address, size);
    if (g.count && !gaps_are_padding(&g, STRUCT_MOST) && !gaps_are_halo(&g) && !gaps_are_lattice(&g))
        report_copy(c, &b, address, size, &g, call);
}
