/* schedules.c - see schedules.h.
 *
 *     before ──first run──► result          its result stays
 *     before ──seed 1─────► result?         the same bytes, or a finding
 *     before ──seed 2─────► ...
 *
 * `before` is a copy of all memory that kernels may write and that is alive. What the first run changed is kept page by
 * page; so memory is put back, and compared, without touching pages that nobody touched. Of a difference the kernel is
 * run twice more, with hooks: who wrote the first byte that differs, in either order, and did it use atomics?
 *
 * The order of float additions by atomics differs by nature, and so do the order of elements whose places come from an
 * atomic counter and which of several exchanges is the last: then the finding is a warning.
 *
 * Not replayed, and said in the log: launches with more memory than LOCKSTEP_SCHEDULES_MEMORY, that allocate or free
 * memory of the device's heap, that read a clock, and those that other work runs beside. Memory of arrays is compared,
 * printed text is dropped. A program whose other threads write pinned or managed memory that a kernel writes too, at
 * the same time, is not for this. */
#include "check/schedules/schedules.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/kernel_name.h"
#include "check/core/host/host.h"

enum { PAGE = 4096 };

bool schedules_on;

/* One allocation and what is known of its contents. */
struct part {
    struct mem_block block;
    u8 *before;    /* block.size bytes, mapped; pages of zeros are not there */
    u8 *after;     /* the same: pages that the first run changed */
    u8 *changed;   /* a bit a page */
    u64 differing; /* bytes, of the replay under way */
    u64 first;     /* offset of the first of them */
};

struct replay {
    const struct exec_launch *launch;
    struct part *parts;
    u64 nparts, bytes, heap; /* heap: a sum that changes when blocks of it come or go */
    bool failed;
    /* the trace of a run: */
    u64 watched; /* the first byte that differs */
    struct party writer;
    u8 writes_by; /* enum ptx_mod, when that was an atomic operation */
    bool wrote, atomics;
};

/* ---- what is kept ---- */

static bool is_kept(const struct mem_block *b)
{
    switch ((enum mem_kind)b->kind) {
    case MEM_DEVICE:
    case MEM_PINNED:
    case MEM_MANAGED:
    case MEM_REGISTERED:
    case MEM_GLOBAL:
    case MEM_HEAP:
    case MEM_MAPPED:
        return true;
    default:
        return false;
    }
}

static void count_part(void *ctx, const struct mem_block *b)
{
    struct replay *r = ctx;
    r->nparts += is_kept(b);
    r->bytes += is_kept(b) ? b->size : 0;
    r->heap += b->kind == MEM_HEAP ? b->serial : 0;
}

static void take_part(void *ctx, const struct mem_block *b)
{
    struct replay *r = ctx;
    if (is_kept(b))
        r->parts[r->nparts++].block = *b;
}

static u64 pages(const struct part *p) { return (p->block.size + PAGE - 1) / PAGE; }

static size_t page_bytes(const struct part *p, u64 page)
{
    const u64 rest = p->block.size - page * PAGE;
    return rest < PAGE ? rest : PAGE;
}

static u8 *memory(const struct part *p, u64 page) { return (u8 *)(uintptr_t)(p->block.base + page * PAGE); }

static u8 *map(u64 size)
{
    u8 *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static bool keep(struct part *p)
{
    p->before = map(p->block.size);
    p->after = map(p->block.size);
    p->changed = ls_calloc(1, pages(p) / 8 + 1);
    if (!p->before || !p->after || !p->changed)
        return false;
    for (u64 k = 0; k < pages(p); k++)
        if (memcmp(p->before + k * PAGE, memory(p, k), page_bytes(p, k)) != 0)
            memcpy(p->before + k * PAGE, memory(p, k), page_bytes(p, k));
    return true;
}

/* False: no memory. mem_each holds a lock, so it only lists. */
static bool keep_all(struct replay *r)
{
    const u64 n = r->nparts;
    r->parts = ls_calloc(n + 1, sizeof *r->parts);
    r->nparts = 0;
    if (!r->parts)
        return false;
    mem_each(drv.mem, take_part, r);
    for (u64 i = 0; i < r->nparts; i++)
        if (!keep(&r->parts[i]))
            return false;
    return true;
}

static void drop_all(struct replay *r)
{
    for (u64 i = 0; r->parts && i < r->nparts; i++) {
        struct part *p = &r->parts[i];
        if (p->before)
            munmap(p->before, p->block.size);
        if (p->after)
            munmap(p->after, p->block.size);
        ls_free(p->changed);
    }
    ls_free(r->parts);
}

/* The first run's result. */
static void keep_result(struct part *p)
{
    for (u64 k = 0; k < pages(p); k++)
        if (memcmp(p->before + k * PAGE, memory(p, k), page_bytes(p, k)) != 0) {
            memcpy(p->after + k * PAGE, memory(p, k), page_bytes(p, k));
            p->changed[k / 8] |= (u8)(1u << k % 8);
        }
}

static const u8 *result_page(const struct part *p, u64 page)
{
    return (p->changed[page / 8] >> page % 8 & 1 ? p->after : p->before) + page * PAGE;
}

static void put_back(const struct replay *r, bool result)
{
    for (u64 i = 0; i < r->nparts; i++) {
        const struct part *p = &r->parts[i];
        for (u64 k = 0; k < pages(p); k++) {
            const u8 *want = result ? result_page(p, k) : p->before + k * PAGE;
            if (memcmp(memory(p, k), want, page_bytes(p, k)) != 0)
                memcpy(memory(p, k), want, page_bytes(p, k));
        }
    }
}

static void compare(struct part *p)
{
    p->differing = 0;
    for (u64 k = 0; k < pages(p); k++) {
        const u8 *want = result_page(p, k), *have = memory(p, k);
        const size_t n = page_bytes(p, k);
        if (memcmp(want, have, n) == 0)
            continue;
        for (size_t i = 0; i < n; i++)
            if (want[i] != have[i] && !p->differing++)
                p->first = k * PAGE + i;
    }
}

/* ---- running again ---- */

static enum ls_status run_again(void *hooks, struct exec_launch *l, struct exec_fault *fault)
{
    l->hooks = hooks;
    return exec_run(l, fault, NULL);
}

static enum ls_status again(struct replay *r, u64 seed, const struct exec_hooks *hooks, struct exec_fault *fault)
{
    struct exec_launch l = *r->launch;
    l.seed = seed;
    l.workers = 1;
    l.print = NULL;
    put_back(r, false);
    return exec_run_tree(&l, run_again, (void *)(uintptr_t)hooks, fault);
}

static void *trace_begin(void *launch, unsigned worker)
{
    (void)worker;
    return launch;
}

static void trace_access(void *ctx, const struct exec_access *a)
{
    struct replay *r = ctx;
    const bool atomic = a->op == ACCESS_ATOM || a->op == ACCESS_RED;
    if (a->op == ACCESS_LD || (a->space != SPACE_GLOBAL && a->space != SPACE_SHARED))
        return;
    r->atomics |= atomic;
    if (a->space != SPACE_GLOBAL)
        return;
    for (u32 rest = a->mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        if (r->watched - a->addr[lane] >= a->size)
            continue;
        r->wrote = true;
        r->writes_by = a->atom_op;
        r->writer = (struct party){.does = atomic ? DOES_ATOMIC : DOES_WRITE};
        party_place(&r->writer, a->func, a->site);
        if (a->block)
            party_thread(&r->writer, a->block, a->warp, lane);
        r->writer.value_bytes = (u8)exec_access_value(a, lane, r->writer.value);
    }
}

/* Who writes the watched byte last under this seed. */
static bool trace(struct replay *r, u64 seed, struct party *writer)
{
    struct exec_fault fault = {0};
    const struct exec_hooks hooks = {.launch = r, .worker_begin = trace_begin, .access = trace_access};
    r->wrote = false;
    again(r, seed, &hooks, &fault);
    if (r->wrote)
        *writer = r->writer;
    return r->wrote;
}

/* ---- is it by nature? ---- */

static bool near_f32(const u8 *x, const u8 *y)
{
    float a, b;
    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    const float most = fmaxf(fabsf(a), fabsf(b)); /* a small integer looks like a denormal float */
    return most >= FLT_MIN && fabsf(a - b) <= 1e-3f * most;
}

static bool near_f64(const u8 *x, const u8 *y)
{
    double a, b;
    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    const double most = fmax(fabs(a), fabs(b));
    return most >= DBL_MIN && fabs(a - b) <= 1e-6 * most;
}

/* All elements of `size` bytes that differ are floats that differ little. */
static bool all_near(const struct part *p, size_t size, bool (*near)(const u8 *, const u8 *))
{
    for (u64 k = 0; k < pages(p); k++) {
        const u8 *want = result_page(p, k), *have = memory(p, k);
        for (size_t i = 0; i + size <= page_bytes(p, k); i += size)
            if (memcmp(want + i, have + i, size) != 0 && !near(want + i, have + i))
                return false;
    }
    return p->block.size % size == 0;
}

static u64 hash(const u8 *word)
{
    u32 x;
    memcpy(&x, word, sizeof x);
    u64 z = x + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u; /* splitmix64 */
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The words that differ are the same words in another order: sums of their hashes agree. */
static bool is_permuted(const struct part *p)
{
    u64 n = 0, sum = 0;
    for (u64 k = 0; k < pages(p); k++) {
        const u8 *want = result_page(p, k), *have = memory(p, k);
        for (size_t i = 0; i + 4 <= page_bytes(p, k); i += 4)
            if (memcmp(want + i, have + i, 4) != 0) {
                sum += hash(want + i) - hash(have + i);
                n++;
            }
    }
    return n > 1 && sum == 0;
}

struct nature {
    bool floats, permuted;
};

/* Before memory is put back; of atomics nothing is known yet. */
static struct nature nature_of(const struct part *p)
{
    return (struct nature){.floats = all_near(p, 4, near_f32) || all_near(p, 8, near_f64), .permuted = is_permuted(p)};
}

/* ---- what is reported ---- */

LS_PRINTF(2, 3) static void add(struct finding *f, const char *fmt, ...)
{
    const size_t used = strlen(f->detail);
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->detail + used, sizeof f->detail - used, fmt, args);
    va_end(args);
}

static void add_seed(struct finding *f, u64 seed)
{
    add(f, "\n--schedule seed=%" PRIu64 "%s runs it in this order", seed,
        drv.exec[0].weak_memory ? " --memory weak" : "");
}

/* The word around the first byte that differs: its address and both values. */
static void add_values(struct finding *f, const struct part *p, u64 seed)
{
    const u64 at = p->first & ~(u64)3, size = p->block.size - at < 4 ? p->block.size - at : 4;
    u32 first = 0, other = 0;
    float as_first, as_other;
    memcpy(&first, result_page(p, at / PAGE) + at % PAGE, size);
    memcpy(&other, (const void *)(uintptr_t)(p->block.base + at), size);
    memcpy(&as_first, &first, sizeof first);
    memcpy(&as_other, &other, sizeof other);
    add(f, "\nthere the first run left 0x%08x (%d, %g), the order of seed %" PRIu64 " 0x%08x (%d, %g)", first,
        (i32)first, (double)as_first, seed, other, (i32)other, (double)as_other);
    f->has_address = true;
    f->space = SPACE_GLOBAL;
    f->address = p->block.base + at;
    f->size = size;
    f->allocation = p->block.serial;
}

static void begin_finding(struct finding *f, const struct replay *r, const struct host_call *call)
{
    finding_init(f, FINDING_SCHEDULE_DIFFERS);
    f->launch = r->launch->id;
    f->at.kernel = r->launch->kernel->name;
    if (call)
        f->call = *call;
    char name[100];
    snprintf(f->what, sizeof f->what, "Result of %s depends on the order in which its threads run",
             kernel_name(r->launch->kernel->name, KERNEL_FUNCTION, name, sizeof name));
}

static void add_others(struct finding *f, const struct replay *r, const struct part *of)
{
    u64 n = 0;
    for (u64 i = 0; i < r->nparts; i++)
        n += &r->parts[i] != of && r->parts[i].differing;
    if (n)
        add(f, "\n%" PRIu64 " more allocation%s differ%s", n, n == 1 ? "" : "s", n == 1 ? "s" : "");
}

static void report_difference(struct replay *r, const struct part *p, u64 seed, const struct host_call *call)
{
    struct finding f;
    char place[300];
    const struct nature nature = nature_of(p);
    begin_finding(&f, r, call);
    mem_describe(drv.mem, p->block.base + p->first, 1, place, sizeof place);
    add(&f, "%" PRIu64 " byte%s differ%s, the first is %s", p->differing, p->differing == 1 ? "" : "s",
        p->differing == 1 ? "s" : "", place);
    add_values(&f, p, seed);
    add_others(&f, r, p);
    r->watched = p->block.base + p->first;
    if (trace(r, seed, &f.at))
        f.has_other = trace(r, drv.settings.seed, &f.other);
    const bool last_wins = f.has_other && f.at.does == DOES_ATOMIC && f.other.does == DOES_ATOMIC &&
                           (r->writes_by == MOD_EXCH || r->writes_by == MOD_CAS);
    if (nature.floats && r->atomics) {
        f.severity = SEVERITY_WARNING;
        add(&f, "\nthe kernel adds floats by atomics or locks: the order of such additions differs by nature");
    } else if (nature.permuted && r->atomics) {
        f.severity = SEVERITY_WARNING;
        add(&f, "\nthe same values stand in another order, as when their places come from an atomic counter");
    } else if (last_wins) {
        f.severity = SEVERITY_WARNING;
        add(&f, "\nthreads exchange it or compare and swap it: which of them is the last differs by nature");
    }
    add_seed(&f, seed);
    check_report(checked, &f);
}

static void report_fault(const struct replay *r, const struct exec_fault *fault, u64 seed, const struct host_call *call)
{
    struct finding f;
    begin_finding(&f, r, call);
    char *text = exec_fault_text(fault);
    if (fault->func)
        party_place(&f.at, fault->func, fault->site);
    memcpy(f.at.block, fault->block, sizeof f.at.block);
    memcpy(f.at.thread, fault->thread, sizeof f.at.thread);
    f.at.has_thread = true;
    add(&f, "the first run ended well, the order of seed %" PRIu64 " ends in a fault:\n%.900s", seed, text ? text : "");
    for (size_t n = strlen(f.detail); n && f.detail[n - 1] == '\n'; n--)
        f.detail[n - 1] = 0;
    add_seed(&f, seed);
    ls_free(text);
    check_report(checked, &f);
}

/* The allocation to be reported: one that does not differ by nature, if there is one. */
static const struct part *worst(struct replay *r)
{
    const struct part *found = NULL;
    for (u64 i = 0; i < r->nparts; i++) {
        struct part *p = &r->parts[i];
        compare(p);
        if (!p->differing)
            continue;
        const struct nature n = nature_of(p);
        if (!n.floats && !n.permuted)
            return p;
        if (!found)
            found = p;
    }
    return found;
}

/* True: there is nothing more to be found. */
static bool one_schedule(struct replay *r, u64 seed, const struct host_call *call)
{
    struct exec_fault fault = {0};
    const enum ls_status s = again(r, seed, NULL, &fault);
    if (atomic_load(&drv.exiting))
        return true;
    if (s == LS_ERR_FAULT || s == LS_ERR_TIMEOUT) {
        report_fault(r, &fault, seed, call);
        return true;
    }
    if (s != LS_OK) {
        drv_log("%s is not replayed any more: %s", r->launch->kernel->name, ls_status_text(s));
        return true;
    }
    const struct part *p = worst(r);
    if (p)
        report_difference(r, p, seed, call);
    return p != NULL;
}

/* ---- a launch ---- */

/* Why it cannot be replayed; NULL: it can. Said once for each reason. */
static void refuse(const struct exec_launch *l, unsigned reason, const char *why)
{
    static atomic_uint said;
    if (!(atomic_fetch_or(&said, 1u << reason) & 1u << reason))
        drv_log("LOCKSTEP_SCHEDULES: %s is not replayed: %s (others like it are not mentioned)", l->kernel->name, why);
}

static bool can_keep(struct replay *r, bool alone)
{
    char why[160];
    mem_each(drv.mem, count_part, r);
    if (!alone) {
        refuse(r->launch, 0, "other work runs at the same time");
    } else if (r->launch->kernel->code[IR_TIMED].insts) {
        refuse(r->launch, 1, "it may read a clock");
    } else if (r->bytes > drv.settings.schedules_memory) {
        snprintf(why, sizeof why, "%" PRIu64 " bytes are allocated, LOCKSTEP_SCHEDULES_MEMORY is %" PRIu64, r->bytes,
                 drv.settings.schedules_memory);
        refuse(r->launch, 2, why);
    } else if (!keep_all(r)) {
        refuse(r->launch, 3, "there is no memory for a copy of the device's");
    } else {
        return true;
    }
    return false;
}

/* Whether the run left the device's heap as it was: what it allocates has another address the next time. */
static bool heap_is_same(const struct replay *r)
{
    struct replay now = {0};
    mem_each(drv.mem, count_part, &now);
    if (now.heap == r->heap && now.nparts == r->nparts)
        return true;
    refuse(r->launch, 4, "it allocates or frees memory of the device");
    return false;
}

enum ls_status schedules_launch(struct driver_launch *x, const struct exec_launch *l, exec_run_one *one, void *ctx,
                                struct exec_fault *fault)
{
    struct replay r = {.launch = l};
    const bool kept = can_keep(&r, x->alone);
    const enum ls_status s = exec_run_tree(l, one, ctx, fault);
    if (kept && s == LS_OK && x->told && !x->left_out && heap_is_same(&r)) {
        for (u64 i = 0; i < r.nparts; i++)
            keep_result(&r.parts[i]);
        bool over = false;
        for (u64 seed = 1; seed <= drv.settings.schedules && !over; seed++)
            over = one_schedule(&r, seed, x->op->note);
        put_back(&r, true);
    }
    drop_all(&r);
    return s;
}
