/* race_global_host.c - the host's copies and fills against kernels and each other.
 *
 * An operation is compared with the cells of its range, if some launch is in no order with it (of the last ones; else
 * there is nothing to look for), and with the operations before it. It leaves no stamps but stands in a ring: launches
 * that are in no order with one of those compare their accesses with its range. A launch that runs meanwhile is told so
 * first and its cells are read then, and the launch stamps its cells first and looks whether it was told then: so one
 * of the two sees the other. */
#include <string.h>

#include "check/core/stream_order.h"
#include "check/racecheck/race_global.h"

enum { WINDOW = 64 };

static bool unordered(struct check *c, u64 a, u64 b)
{
    return a && b && !order_before(c->order, a, b) && !order_before(c->order, b, a);
}

/* ---- the ring ---- */

/* Under the lock. */
static u32 kept(const struct race_plane *p) { return p->nops < RACE_HOST_OPS ? p->nops : RACE_HOST_OPS; }

static bool find_conflict(struct check *c, u64 op, u64 lo, u64 hi, bool write, struct race_host_op *out)
{
    const struct race_plane *p = c->of.racecheck;
    for (u32 k = 0; k < kept(p); k++) {
        const struct race_host_op *x = &p->ops[k];
        if (x->lo < hi && lo < x->hi && (write || x->write) && unordered(c, x->op, op)) {
            *out = *x;
            return true;
        }
    }
    return false;
}

bool race_host_conflict(struct check *c, u64 op, u64 address, u64 size, bool write, struct race_host_op *out)
{
    pthread_mutex_lock(&c->of.racecheck->lock);
    const bool any = find_conflict(c, op, address, address + size, write, out);
    pthread_mutex_unlock(&c->of.racecheck->lock);
    return any;
}

bool race_host_concerns(struct check *c, u64 op)
{
    const struct race_plane *p = c->of.racecheck;
    bool any = false;
    pthread_mutex_lock(&c->of.racecheck->lock);
    for (u32 k = 0; k < kept(p) && !any; k++)
        any = unordered(c, p->ops[k].op, op);
    pthread_mutex_unlock(&c->of.racecheck->lock);
    return any;
}

/* ---- findings ---- */

bool race_host_waits(const struct host_call *call) { return strstr(call->api, "emcpy") && !strstr(call->api, "Async"); }

static void set_host(struct party *at, struct check *c, u64 op, const struct host_call *call, bool write, char *text,
                     size_t n)
{
    at->does = write ? DOES_WRITE : DOES_READ;
    if (race_op_text(c, op, text, n))
        at->launched = text;
    else if (call && call->api[0])
        at->launched = call->api;
}

static void begin(struct finding *f, struct check *c, u64 address, u64 size, bool write, u64 op,
                  const struct host_call *call, char *text, size_t n)
{
    finding_init(f, call && race_host_waits(call) ? FINDING_HOST_RACE : FINDING_STREAM_RACE);
    f->space = SPACE_GLOBAL;
    f->has_address = true;
    f->address = address;
    f->size = size;
    f->has_other = true;
    if (call)
        f->call = *call;
    set_host(&f->at, c, op, call, write, text, n);
}

static void report_host(struct check *c, u64 address, u64 size, bool write, u64 op, const struct host_call *call,
                        const struct race_host_op *other)
{
    struct finding f;
    char mine[160], theirs[160];
    begin(&f, c, address, size, write, op, call, mine, sizeof mine);
    set_host(&f.other, c, other->op, &other->call, other->write, theirs, sizeof theirs);
    check_report(c, &f);
}

static void split(u64 linear, const u32 dim[3], u32 out[3])
{
    out[0] = (u32)(linear % dim[0]);
    out[1] = (u32)(linear / dim[0] % dim[1]);
    out[2] = (u32)(linear / dim[0] / dim[1]);
}

u64 race_describe(struct check *c, u64 stamp, bool wrote, struct party *out, char *text, size_t n)
{
    struct race_plane *p = c->of.racecheck;
    const struct race_chunk chunk = p->chunks[stamp_serial(stamp) >> G_CHUNK_BITS];
    pthread_mutex_lock(&p->lock);
    const struct race_past past = p->past[chunk.launch % RACE_LAUNCHES];
    const struct race_place *at = past.kernel ? race_place_of(past.kernel, stamp_number(stamp)) : NULL;
    pthread_mutex_unlock(&p->lock);
    out->kernel = past.kernel->name;
    out->has_thread = true;
    out->does = wrote ? DOES_WRITE : DOES_READ;
    split(chunk.block, past.grid, out->block);
    split(stamp_thread(stamp), past.block, out->thread);
    if (race_op_text(c, past.op, text, n))
        out->launched = text;
    if (at) {
        out->function = at->function, out->file = at->file, out->ptx_file = at->ptx_file;
        out->line = at->line, out->column = at->column, out->ptx_line = at->ptx_line;
        memcpy(out->ptx, at->ptx, sizeof out->ptx);
    }
    return past.id;
}

/* A cell that a launch touched which is in no order with op. */
static void report_cell(struct check *c, u64 address, bool write, u64 op, const struct host_call *call, u64 stamp,
                        bool wrote)
{
    struct finding f;
    char mine[160], theirs[160];
    begin(&f, c, address, 4, write, op, call, mine, sizeof mine);
    f.launch = race_describe(c, stamp, wrote, &f.other, theirs, sizeof theirs);
    check_report(c, &f);
}

/* ---- the comparison ---- */

struct suspects {
    u32 numbers[WINDOW], n;
    u32 first; /* their first serial */
};

/* The launches of late that are in no order with op. */
static struct suspects find_suspects(struct check *c, u64 op)
{
    const struct race_plane *p = c->of.racecheck;
    struct suspects s = {.first = UINT32_MAX};
    for (u32 n = p->nlaunches; n && p->nlaunches - n < WINDOW; n--) {
        const struct race_past *x = &p->past[n % RACE_LAUNCHES];
        if (!unordered(c, x->op, op))
            continue;
        s.numbers[s.n++] = n;
        s.first = x->first < s.first ? x->first : s.first;
    }
    return s;
}

static bool is_suspect(const struct race_plane *p, const struct suspects *s, u64 stamp)
{
    const u32 launch = p->chunks[stamp_serial(stamp) >> G_CHUNK_BITS].launch;
    for (u32 k = 0; k < s->n; k++)
        if (s->numbers[k] == launch)
            return true;
    return false;
}

__attribute__((no_sanitize("thread"))) static void scan(struct check *c, const struct suspects *s, u64 lo, u64 hi,
                                                        bool write, u64 op, const struct host_call *call)
{
    const struct race_plane *p = c->of.racecheck;
    const u64 least = (u64)s->first << G_SERIAL;
    for (u64 at = lo & ~3ull; at < hi; at += 4) {
        const struct race_cell *cell = shadow_cell(&p->cells, at);
        const u64 wr = cell->wr, rd = write ? cell->rd : 0;
        if (LS_LIKELY(wr < least && rd < least))
            continue;
        if (wr >= least && is_suspect(p, s, wr)) {
            report_cell(c, at, write, op, call, wr, true);
            return;
        }
        if (rd >= least && is_suspect(p, s, rd)) {
            report_cell(c, at, write, op, call, rd, false);
            return;
        }
    }
}

void race_global_host(struct check *c, u64 address, u64 size, bool write, u64 op, const struct host_call *call)
{
    struct race_plane *p = c->of.racecheck;
    struct race_host_op other, mine = {.lo = address, .hi = address + size, .op = op, .write = write};
    if (!p || !op || !size)
        return;
    if (call)
        mine.call = *call;
    pthread_mutex_lock(&p->lock);
    const struct suspects s = find_suspects(c, op);
    for (struct race_launch *x = p->running; x; x = x->next)
        if (unordered(c, x->op, op))
            __atomic_store_n(&x->host, true, __ATOMIC_SEQ_CST);
    const bool conflict = find_conflict(c, op, mine.lo, mine.hi, write, &other);
    p->ops[p->nops++ % RACE_HOST_OPS] = mine;
    pthread_mutex_unlock(&p->lock);
    if (conflict)
        report_host(c, address, size, write, op, call, &other);
    if (s.n && shadow_has(&p->cells, address, size))
        scan(c, &s, address, address + size, write, op, call);
}
