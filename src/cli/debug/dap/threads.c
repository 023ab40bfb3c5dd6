/* threads.c - warps and lanes as the protocol's threads, calls as its stack frames.
 *
 * A warp's number is 2 + 33 * (32 * block + warp), its lanes' the 32 behind it: the same in all stops. */
#include <string.h>

#include "cli/debug/dap/dap.h"

enum { FIRST_WARP = 2, PER_WARP = 33, WARPS = 32, NO_LANE = 32 };

/* ---- numbers ---- */

static u64 warp_number(u64 block, u32 warp) { return FIRST_WARP + PER_WARP * (WARPS * block + warp); }

u64 thread_number(const struct dap *d, const struct dap_focus *f)
{
    if (!d->in_warp)
        return DAP_LAUNCH_THREAD;
    return warp_number(f->block, f->warp) + (d->lanes_as_threads ? 1 + f->lane : 0);
}

bool dap_look_at(struct dap *d, const struct dap_focus *f, char why[DAP_WHY])
{
    if (!d->in_warp)
        return true;
    if (session_focus_warp(d->session, f->block, f->warp, f->lane) && session_focus_frame(d->session, f->frame))
        return true;
    dap_failed(d, why);
    return false;
}

bool thread_focus(struct dap *d, u64 thread, struct dap_focus *f, char why[DAP_WHY])
{
    if (thread < FIRST_WARP || !d->in_warp)
        return dap_fail(why, "there is no thread %llu", (unsigned long long)thread);
    const u64 n = thread - FIRST_WARP, lane = n % PER_WARP;
    *f = (struct dap_focus){n / PER_WARP / WARPS, n / PER_WARP % WARPS, 0, 0};
    if (lane)
        f->lane = (u32)lane - 1;
    else if (f->block == d->here.block && f->warp == d->here.warp)
        f->lane = d->here.lane;
    else if (!session_focus_warp(d->session, f->block, f->warp, UINT32_MAX))
        return dap_failed(d, why);
    else
        f->lane = session_focus(d->session)->lane;
    return true;
}

bool frame_focus(struct dap *d, u64 frame, struct dap_focus *f, char why[DAP_WHY])
{
    if (!frame || frame > d->frames.len)
        return dap_fail(why, "there is no frame %llu", (unsigned long long)frame);
    *f = d->frames.at[frame - 1];
    return true;
}

bool dap_context(struct dap *d, const struct dap_focus *f, struct debug_context *c, char why[DAP_WHY])
{
    if (!dap_look_at(d, f, why))
        return false;
    if (!session_context(d->session, c))
        return dap_failed(d, why);
    c->mem = d->memory;
    return true;
}

/* ---- threads ---- */

static void add_thread(json_t *list, u64 number, json_t *name)
{
    json_array_append_new(list, json_pack("{s:I, s:o}", "id", (json_int_t)number, "name", name));
}

static const char *warp_state(const struct session_warp *w, u32 live)
{
    if (!live)
        return "has exited";
    return w->nsplits > 1 ? "has parted" : w->nsplits ? w->splits[0].state : "";
}

static void add_warps(json_t *list, const struct session_warp *warps, u32 n, const struct session_launch *l, u64 block)
{
    for (u32 i = 0; i < n; i++) {
        const u32 there = warps[i].threads >= 32 ? UINT32_MAX : (1u << warps[i].threads) - 1;
        const u32 live = there & ~warps[i].exited;
        add_thread(list, warp_number(block, warps[i].number),
                   text_format("block (%u,%u,%u) warp %u 0x%08x %s", (u32)(block % l->grid[0]),
                               (u32)(block / l->grid[0] % l->grid[1]), (u32)(block / l->grid[0] / l->grid[1]),
                               warps[i].number, live, warp_state(&warps[i], live)));
    }
}

static void add_lanes(const struct dap *d, json_t *list, const struct session_warp *w, const struct session_launch *l)
{
    for (u32 lane = 0; lane < 32 && lane < w->threads; lane++) {
        const u32 t = w->number * 32 + lane;
        add_thread(list, warp_number(d->here.block, w->number) + 1 + lane,
                   text_format("thread (%u,%u,%u)%s", t % l->block[0], t / l->block[0] % l->block[1],
                               t / l->block[0] / l->block[1], w->exited >> lane & 1 ? " has exited" : ""));
    }
}

json_t *request_threads(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    const struct session_warp *warps;
    struct session_launch l;
    json_t *list = json_array();
    u32 n;
    (void)arguments;
    if (!d->stopped || !d->in_warp) {
        add_thread(list, DAP_LAUNCH_THREAD, json_string(d->stopped ? "the kernel" : "the program"));
        return json_pack("{s:o}", "threads", list);
    }
    if (!session_launch(d->session, &l) || !session_warps(d->session, d->here.block, &warps, &n)) {
        json_decref(list);
        return dap_failed(d, why);
    }
    if (!d->lanes_as_threads)
        add_warps(list, warps, n, &l, d->here.block);
    for (u32 i = 0; i < n && d->lanes_as_threads; i++)
        if (warps[i].number == d->here.warp)
            add_lanes(d, list, &warps[i], &l);
    return json_pack("{s:o}", "threads", list);
}

/* ---- frames ---- */

u32 dap_line(const struct dap *d, u32 line) { return line && d->lines_from_0 ? line - 1 : line; }

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

json_t *dap_source(struct dap *d, const char *file)
{
    const char *path = file ? session_source(d->session, file) : NULL;
    return path ? json_pack("{s:o, s:o}", "name", text_of(last_part(path)), "path", text_of(path)) : NULL;
}

json_t *dap_ptx_source(const struct dap *d, struct debug_place at)
{
    const struct session_module *const *modules;
    const u32 n = session_modules(d->session, &modules);
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; at.func && k < modules[i]->ptx->nfuncs; k++)
            if (modules[i]->ptx->funcs[k] == at.func)
                return json_pack("{s:o, s:I, s:s}", "name",
                                 text_format("module %u unit %u.ptx", modules[i]->number, modules[i]->unit),
                                 "sourceReference", (json_int_t)i + 1, "origin", "the PTX that is being run");
    return NULL;
}

static json_t *tell_frame(struct dap *d, const struct session_frame *f, u64 number)
{
    const bool inst = f->at.func && f->at.inst < f->at.func->ninsts;
    json_t *source = f->line.line ? dap_source(d, f->line.file) : NULL;
    u32 line = f->line.line, column = f->line.column;
    if (!source) {
        source = dap_ptx_source(d, f->at);
        line = inst ? f->at.func->insts[f->at.inst].line : 0;
        column = 0;
    }
    json_t *out = json_pack("{s:I, s:o, s:I, s:I}", "id", (json_int_t)number, "name",
                            text_format("%s%s", f->function ? f->function : "??", f->inlined ? " (inlined)" : ""),
                            "line", (json_int_t)dap_line(d, line), "column", (json_int_t)column);
    if (source)
        json_object_set_new(out, "source", source);
    if (inst)
        json_object_set_new(out, "instructionPointerReference", instruction_reference(d, f->at));
    return out;
}

static bool tell_frames(struct dap *d, struct dap_focus f, const struct session_frame *frames, u32 from, u32 to,
                        json_t *list)
{
    for (f.frame = from; f.frame < to; f.frame++) {
        vec_push(d->memory, &d->frames, f);
        json_array_append_new(list, tell_frame(d, &frames[f.frame], d->frames.len));
    }
    return true;
}

json_t *request_stack_trace(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    const struct session_frame *frames;
    struct dap_focus f;
    u64 thread, from, levels;
    u32 n;
    if (!argument_number(arguments, "threadId", 0, INT64_MAX, &thread, why) ||
        !argument_number(arguments, "startFrame", 0, UINT32_MAX, &from, why) ||
        !argument_number(arguments, "levels", 0, UINT32_MAX, &levels, why))
        return NULL;
    if (thread == DAP_LAUNCH_THREAD)
        return json_pack("{s:[], s:i}", "stackFrames", "totalFrames", 0);
    if (!thread_focus(d, thread, &f, why))
        return NULL;
    if (!session_frames_of(d->session, f.block, f.warp, f.lane, &frames, &n))
        return dap_failed(d, why);
    const u32 first = from < n ? (u32)from : n, end = levels && levels < n - first ? first + (u32)levels : n;
    json_t *list = json_array();
    if (tell_frames(d, f, frames, first, end, list))
        return json_pack("{s:o, s:I}", "stackFrames", list, "totalFrames", (json_int_t)n);
    json_decref(list);
    return NULL;
}
