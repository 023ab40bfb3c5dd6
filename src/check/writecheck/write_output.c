/* write_output.c - the host copies from an output (writecheck.h): bytes that no thread wrote, and bytes that two
 * threads wrote.
 *
 * Unwritten bytes are a finding if the copy also has bytes that the last launch wrote, unless
 *
 *   - something else produced them: a copy, an earlier launch since the last fill, a fill with zeros, 0xff, 0x7f
 *     or 0x3f (what programs begin with on purpose; other fills are poison);
 *   - the launch used results of atomics (compactions, queues): how much it writes is a matter of data;
 *   - they may be padding of structs of at most 256 bytes, the borders of a stencil's output, a lattice, or are the
 *     ends of rows with a pitch (gaps.h).
 *
 * Memory that existed during an unchecked launch (--kernel-name and other filters) has no findings.
 *
 * Two threads that stored different values to one place are a finding if the copy has that place. Launches in which an
 * atomic gave a result are left out (locks, tickets), and across blocks those with fences or a grid's barrier: how that
 * orders threads is not followed (writecheck.c).
 */
#include "check/writecheck/writecheck.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/core/gaps.h"

enum { STRUCT_MOST = 256, STRUCT_SMALL = 16 };

/* ---- what was written ---- */

/* Programs fill with it to say zero, none, or infinite. */
static bool is_meant(u8 value) { return value == 0 || value == 0xff || value == 0x7f || value == 0x3f; }

/* The bytes of a word that are produced, a bit each. */
static u32 produced(const struct write_plane *p, u64 word)
{
    const u32 m = *write_mark(p, word);
    if (m & MARK_FILLED && is_meant(*(const u8 *)(uintptr_t)word))
        return 0xf;
    return (m | m >> MARK_BEFORE_SHIFT) & 0xf;
}

static bool is_produced(const struct write_plane *p, u64 at) { return produced(p, at & ~(u64)3) >> (at & 3) & 1; }

/* The first byte from `at` on that is (not) produced, or end. */
static u64 find(const struct write_plane *p, u64 at, u64 end, bool want)
{
    const u32 boring = want ? 0 : 0xf;
    while (at < end) {
        if ((at & 3) == 0 && end - at >= 4 && produced(p, at) == boring)
            at += 4;
        else if (is_produced(p, at) == want)
            return at;
        else
            at++;
    }
    return end;
}

static bool any_by(const struct write_plane *p, u64 from, u64 end, u32 tag)
{
    for (u64 word = from & ~(u64)3; word < end; word += 4) {
        const u32 m = *write_mark(p, word);
        if (m >> MARK_TAG_SHIFT == tag && m & MARK_NOW)
            return true;
    }
    return false;
}

/* ---- gaps ---- */

static struct gaps find_gaps(const struct check *c, const struct write_use *u, u64 address, u64 size)
{
    struct gaps g;
    const struct write_plane *p = c->of.writecheck;
    const u64 end = address + size;
    gaps_begin(&g, u->base, address, size, c->allocations, u->serial);
    for (u64 to = address, from; (from = find(p, to, end, false)) < end;) {
        to = find(p, from, end, true);
        gaps_add(&g, from, to);
    }
    return g;
}

/* Structs have an alignment because some member is as wide: not all stores were as small as the gaps, or the structs
 * have 16 bytes and three words were stored one by one. */
static bool is_padding(const struct gaps *g, const struct write_use *u)
{
    const u64 all = g->count > 1 ? STRUCT_MOST : UINT64_MAX;
    return gaps_are_padding(g, g->longest < u->widest ? all : g->count > 1 ? STRUCT_SMALL : 0);
}

/* ---- findings ---- */

static void init(struct finding *f, enum finding_kind kind, const struct write_record *r, const struct host_call *call)
{
    finding_init(f, kind);
    f->launch = r->launch;
    f->at.kernel = r->kernel;
    f->at.does = DOES_WRITE;
    f->has_address = true;
    f->space = SPACE_GLOBAL;
    f->allocation = r->use.serial;
    if (call)
        f->call = *call;
}

/* "(the last 24 elements of 4 bytes)", if the gap is of whole elements. */
static void say_elements(const struct write_use *u, u64 from, u64 to, u64 end, char *out, size_t n)
{
    const u64 bytes = to - from, each = u->widest ? u->widest : 1;
    out[0] = 0;
    if (bytes % each || (from - u->base) % each || each == 1)
        return;
    if (bytes == each)
        snprintf(out, n, " (%s element of %" PRIu64 " bytes)", to == end ? "the last" : "an", each);
    else
        snprintf(out, n, " (%s%" PRIu64 " elements of %" PRIu64 " bytes)", to == end ? "the last " : "", bytes / each,
                 each);
}

static void report_unwritten(struct check *c, const struct write_record *r, u64 address, u64 size, const struct gaps *g,
                             const struct host_call *call)
{
    const struct write_use *u = &r->use;
    struct finding f;
    char elements[64], more[64] = "";
    init(&f, FINDING_UNWRITTEN, r, call);
    f.address = g->first;
    f.size = g->bytes;
    say_elements(u, g->first, g->first_end, address + size, elements, sizeof elements);
    if (g->count > 1)
        snprintf(more, sizeof more, ", and %" PRIu64 " more gap%s", g->count - 1, g->count > 2 ? "s" : "");
    snprintf(f.what, sizeof f.what, "%" PRIu64 " of the %" PRIu64 " bytes copied to the host were written by no thread",
             g->bytes, size);
    snprintf(f.detail, sizeof f.detail,
             "bytes %" PRIu64 "..%" PRIu64 "%s%s of the %" PRIu64 "-byte allocation #%" PRIu64
             "; the kernel wrote others of it",
             g->first - u->base, g->first_end - u->base - 1, elements, more, u->size, u->serial);
    check_report(c, &f);
}

static void report_twice(struct check *c, const struct write_record *r, const struct host_call *call)
{
    const struct write_clash *x = &r->use.clash;
    struct finding f;
    char more[64] = "";
    init(&f, FINDING_WRITTEN_TWICE, r, call);
    f.at = x->at;
    f.other = x->other;
    f.has_other = true;
    f.address = x->address;
    f.size = x->bytes;
    f.count = x->count;
    if (x->count > 1)
        snprintf(more, sizeof more, ", and %" PRIu64 " more such store%s", x->count - 1, x->count > 2 ? "s" : "");
    snprintf(f.what, sizeof f.what, "Output written by two threads with different values");
    snprintf(f.detail, sizeof f.detail, "bytes %" PRIu64 "..%" PRIu64 "%s of the %" PRIu64 "-byte allocation #%" PRIu64,
             x->address - r->use.base, x->address - r->use.base + x->bytes - 1, more, r->use.size, r->use.serial);
    check_report(c, &f);
}

/* ---- a copy to the host ---- */

/* What to report of this copy; each is said once a launch. */
static void judge(struct check *c, struct write_record *r, u64 address, u64 size, struct gaps *g, bool *twice)
{
    const struct write_clash *x = &r->use.clash;
    *twice = !r->said_twice && x->count && x->address - address < size;
    r->said_twice |= *twice;
    if (r->said_unwritten || r->data_dependent || !any_by(c->of.writecheck, address, address + size, r->tag))
        return;
    *g = find_gaps(c, &r->use, address, size);
    if (is_padding(g, &r->use) || gaps_are_halo(g) || gaps_are_lattice(g))
        g->count = 0;
    r->said_unwritten |= g->count != 0;
}

void write_host_read(struct check *c, u64 address, u64 size, const struct host_call *call)
{
    struct write_plane *p = c->of.writecheck;
    struct write_record now = {0};
    struct mem_block b;
    struct gaps g = {0};
    bool twice = false;
    if (!size || !shadow_has(&p->marks, address, size) || !mem_nearest(c->mem, address, &b) || !b.live ||
        address - b.base >= b.size || b.size - (address - b.base) < size)
        return;
    pthread_mutex_lock(&p->lock);
    struct write_record *r = write_find(p, b.serial);
    if (r && r->use.touched == TOUCH_STORE && b.serial > p->unseen) {
        judge(c, r, address, size, &g, &twice);
        now = *r;
    }
    pthread_mutex_unlock(&p->lock);
    if (twice)
        report_twice(c, &now, call);
    if (g.count)
        report_unwritten(c, &now, address, size, &g, call);
}
