/* history.c - what has happened up to where the launch stands, learnt by running it once more to there under hooks of the
 * engine: what each line has cost so far (the meter's counters), and who wrote each byte of a block's shared memory last.
 * Then it is run again to the same tick, and the debugger has its answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/agent/internal.h"
#include "meter/meter.h"

enum { ELEMENTS_MOST = 16384, SHARED_MOST = 1 << 20 /* bytes; more than a block can have */ };

struct writer {
    u64 tick; /* + 1; 0: nobody has written it */
    const struct ir_func *func;
    u32 site;
    u16 warp;
    u8 lane;
};

struct history {
    struct exec_hooks hooks;
    u64 launch; /* the grid that is asked about */
    bool strict, failed, done;
    json_t *answer;
    struct meter *meter; /* costs */
    void *worker;        /* its context */
    double part;         /* of the grid's blocks that have begun: the model takes those that it saw for all */
    /* writers */
    u64 block, address, size, step;
    struct writer *of; /* by byte */
};

/* ---- making one ---- */

static bool refuse(char why[200], const char *text)
{
    snprintf(why, 200, "%s", text);
    return false;
}

struct history *history_costs(const json_t *q, char why[200])
{
    struct history *h = ls_calloc(1, sizeof *h);
    (void)q;
    refuse(why, "no memory");
    if (!h)
        return NULL;
    h->launch = agent.run->grid_launch ? agent.run->grid_launch->id : agent.run->root->id;
    h->answer = json_array();
    h->part = 1;
    if (agent.run->grid_launch) {
        const u32 *grid = agent.run->grid_launch->grid;
        h->part = (double)agent.run->begun / ((double)grid[0] * grid[1] * grid[2]);
    }
    return h;
}

static bool read_range(struct history *h, const json_t *q, char why[200])
{
    if (!word_member(q, "block", 0, UINT64_MAX, &h->block) || !word_member(q, "address", 0, UINT32_MAX, &h->address) ||
        !word_member(q, "size", 0, UINT32_MAX, &h->size) || !word_member(q, "step", 4, 4096, &h->step) || !h->step)
        return refuse(why, "block, address, size and step are numbers");
    if (!h->size || h->size > SHARED_MOST || h->size / h->step > ELEMENTS_MOST)
        return refuse(why, "1 to 16384 elements, of at most a mebibyte");
    h->of = ls_calloc(h->size, sizeof *h->of);
    return h->of || refuse(why, "no memory");
}

struct history *history_writers(const json_t *q, char why[200])
{
    struct history *h = history_costs(q, why);
    if (h && read_range(h, q, why))
        return h;
    history_free(h);
    return NULL;
}

void history_free(struct history *h)
{
    if (!h)
        return;
    json_decref(h->answer);
    ls_free(h->of);
    ls_free(h);
}

/* ---- hooks ---- */

static void *worker_begin(void *h, unsigned worker)
{
    (void)worker;
    return h;
}

static bool excuses_nothing(void *ctx, const struct exec_block_info *b, const struct exec_fault *f)
{
    (void)ctx, (void)b, (void)f;
    return false;
}

static void wrote(struct history *h, const struct exec_access *a, u32 lane)
{
    const u64 from = a->addr[lane];
    for (u64 at = from; at < from + a->size; at++)
        if (at - h->address < h->size)
            h->of[at - h->address] = (struct writer){
                .tick = gate_tick(), .func = a->func, .site = a->site, .warp = (u16)a->warp, .lane = (u8)lane};
}

static void on_access(void *ctx, const struct exec_access *a)
{
    struct history *h = ctx;
    if (a->space != SPACE_SHARED || a->op == ACCESS_LD || a->block->linear != h->block ||
        a->block->launch->id != h->launch)
        return;
    for (u32 m = a->mask; m; m &= m - 1)
        wrote(h, a, (u32)__builtin_ctz(m));
}

static void *meter_worker_begin(void *ctx, unsigned worker)
{
    struct history *h = ctx;
    const struct exec_hooks *of_meter = meter_hooks(h->meter);
    return h->worker = of_meter->worker_begin(of_meter->launch, worker);
}

/* For the meter's model of time, which only knows blocks that have ended. */
static void close_block(void *ctx, const struct exec_block_info *b)
{
    struct history *h = ctx;
    if (h->hooks.block_end)
        h->hooks.block_end(h->worker, b);
}

/* The hooks under which the grid runs now; NULL: its own. */
const struct exec_hooks *history_begin(struct history *h, const struct exec_launch *l, bool strict)
{
    struct meter_options options = METER_OPTIONS_DEFAULT;
    if (!h || h->done)
        return NULL;
    if (h->of) {
        h->hooks = (struct exec_hooks){.launch = h, .worker_begin = worker_begin, .access = on_access};
    } else {
        options.caches = true;
        options.memory_base = mem_count_base(agent.config.mem);
        h->failed |= meter_begin(l, NULL, &options, &h->meter) != LS_OK;
        if (h->failed)
            return NULL;
        h->hooks = *meter_hooks(h->meter);
        h->hooks.launch = h;
        h->hooks.worker_begin = meter_worker_begin;
    }
    h->hooks.fault = strict ? excuses_nothing : NULL;
    return &h->hooks;
}

/* ---- costs ---- */

static u64 sum(const u64 *n, const enum event_id *events, u32 count)
{
    u64 all = 0;
    for (u32 k = 0; k < count; k++)
        all += n[events[k]];
    return all;
}

static json_t *tell_line(const struct meter_line *l, double part)
{
    static const enum event_id sectors[] = {EVENT_gld_sectors,   EVENT_gst_sectors,  EVENT_gasync_sectors,
                                            EVENT_gatom_sectors, EVENT_gred_sectors, EVENT_lld_sectors,
                                            EVENT_lst_sectors};
    static const enum event_id wavefronts[] = {EVENT_sld_wavefronts, EVENT_sst_wavefronts, EVENT_satom_wavefronts};
    json_t *o =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "ptx_line", (json_int_t)l->ptx_line, "instructions",
                  (json_int_t)l->n[EVENT_ptx_inst], "threads", (json_int_t)l->n[EVENT_ptx_thread_inst], "machine",
                  (json_int_t)l->n[EVENT_inst], "sectors", (json_int_t)sum(l->n, sectors, LS_ARRAY_LEN(sectors)),
                  "wavefronts", (json_int_t)sum(l->n, wavefronts, LS_ARRAY_LEN(wavefronts)), "cycles",
                  (json_int_t)((double)stall_cycles(l->n) * part + 0.5));
    json_object_set_new(o, "function", json_string(l->function));
    if (l->file && l->line) {
        json_object_set_new(o, "file", word_text(l->file, strlen(l->file)));
        json_object_set_new(o, "line", json_integer(l->line));
    }
    return o;
}

static void tell_costs(struct history *h)
{
    struct meter_report *r = meter_end(h->meter);
    struct arena mem = ARENA("costs");
    u32 n;
    h->meter = NULL;
    h->failed |= !r;
    if (!r || setjmp(mem.oom)) {
        h->failed = true;
    } else {
        const struct meter_line *lines = meter_source_lines(r, &mem, &n);
        for (u32 k = 0; k < n; k++)
            json_array_append_new(h->answer, tell_line(&lines[k], r->id == h->launch ? h->part : 1));
    }
    arena_free(&mem);
    meter_report_free(r);
}

void history_end(struct history *h)
{
    if (h && h->meter)
        tell_costs(h);
}

/* ---- writers ---- */

static const struct writer *last_of(const struct history *h, u64 from)
{
    const struct writer *last = &h->of[from];
    for (u64 k = from; k < from + h->step && k < h->size; k++)
        last = h->of[k].tick > last->tick ? &h->of[k] : last;
    return last;
}

static u32 place_number(json_t *places, const struct writer *w)
{
    const u32 n = (u32)json_array_size(places);
    for (u32 k = 0; k < n; k++) {
        const json_t *p = json_array_get(places, k);
        if (json_integer_value(json_object_get(p, "index")) == w->site &&
            strcmp(json_string_value(json_object_get(p, "function")), w->func->name) == 0)
            return k;
    }
    json_t *p = json_object();
    tell_site(p, w->func, w->site);
    json_array_append_new(places, p);
    return n;
}

static json_t *tell_writers(const struct history *h)
{
    json_t *places = json_array(), *elements = json_array();
    for (u64 at = 0; at + h->step <= h->size; at += h->step) {
        const struct writer *w = last_of(h, at);
        json_array_append_new(elements, w->tick ? json_pack("[I, i, i, i]", (json_int_t)w->tick - 1, (int)w->warp,
                                                            (int)w->lane, (int)place_number(places, w))
                                                : json_null());
    }
    return json_pack("{s:o, s:o}", "places", places, "elements", elements);
}

void history_say(struct history *h, const json_t *asked)
{
    if (h->failed)
        say_error(asked, "no memory");
    else if (h->of)
        say_ok(asked, tell_writers(h));
    else
        say_ok(asked, json_pack("{s:O}", "lines", h->answer));
}

void history_done(struct history *h)
{
    const struct debuggee *run = agent.run;
    if (h->meter && run->grid && run->has_place)
        look_blocks(run->grid, run->place.w, close_block, h);
    h->done = true;
}

/* ---- what a kernel has of shared memory ---- */

bool inspect_shared(const json_t *q, json_t *out, char why[200])
{
    const struct exec_launch *l = agent.run->grid_launch;
    json_t *list = json_array();
    (void)q;
    json_object_set_new(out, "variables", list);
    if (!l)
        return refuse(why, "no grid runs here");
    for (u32 k = 0; k < l->kernel->nshared_vars; k++) {
        const struct ir_shared_var *v = &l->kernel->shared_vars[k];
        json_array_append_new(list,
                              json_pack("{s:s, s:I, s:I, s:b}", "name", v->name, "address", (json_int_t)v->at, "size",
                                        (json_int_t)(v->size ? v->size : l->dynamic_shared), "dynamic", v->size == 0));
    }
    return true;
}
