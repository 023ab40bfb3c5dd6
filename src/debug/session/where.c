/* where.c - where the launch stands, and the focus: whose values are asked for. */
#include <string.h>

#include "debug/session/internal.h"

const struct session_stop *session_where(const struct session *s) { return s->stop_message ? &s->where : NULL; }
const struct session_focus *session_focus(const struct session *s) { return &s->focus; }

static const json_t *ask_in(struct session *s, const char *cmd, u64 block, u32 warp, u32 lane)
{
    return client_ask_cached(
        s, cmd,
        json_pack("{s:I, s:I, s:I}", "block", (json_int_t)block, "warp", (json_int_t)warp, "lane", (json_int_t)lane));
}

/* ---- the launch ---- */

/* Of a launch event, or an answer. */
void launch_set(struct session *s, const json_t *a)
{
    const struct session_module *m;
    s->module = member_u64(a, "module", 0);
    s->launch = (struct session_launch){.id = member_u64(a, "launch", 0),
                                        .parent = member_u64(a, "parent", 0),
                                        .dynamic_shared = member_u64(a, "dynamic_shared", 0),
                                        .begun = member_u64(a, "blocks_begun", 0),
                                        .ended = member_u64(a, "blocks_ended", 0),
                                        .depth = (u32)member_u64(a, "depth", 0)};
    member_dim(a, "grid_dim", s->launch.grid);
    member_dim(a, "block_dim", s->launch.block);
    const struct ptx_func *f = module_function(s, member_text(a, "kernel"), &m);
    s->launch.kernel = f ? function_name(s, f) : "??";
}

static void read_launch(struct session *s)
{
    const json_t *a = client_ask_cached(s, "launch", NULL);
    s->has_launch = a != NULL;
    if (a)
        launch_set(s, a);
}

bool session_launch(struct session *s, struct session_launch *out)
{
    *out = s->launch;
    return s->has_launch || session_fail(s, "No kernel is being run.");
}

bool session_blocks(struct session *s, const struct session_block **out, u32 *n)
{
    const json_t *list = json_object_get(client_ask_cached(s, "blocks", NULL), "resident");
    struct session_block *all = arena_array(&s->stop_mem, struct session_block, json_array_size(list) + 1);
    *n = (u32)json_array_size(list);
    *out = all;
    for (u32 k = 0; k < *n; k++) {
        const json_t *b = json_array_get(list, k);
        all[k].number = member_u64(b, "block", 0);
        all[k].sm = (u32)member_u64(b, "sm", 0);
        all[k].warps = (u32)member_u64(b, "warps", 0);
        member_dim(b, "block_id", all[k].id);
    }
    return list != NULL;
}

/* ---- warps ---- */

static void read_splits(struct session *s, const json_t *list, struct session_warp *w)
{
    struct session_split *all = arena_array(&s->stop_mem, struct session_split, json_array_size(list) + 1);
    w->nsplits = (u32)json_array_size(list);
    w->splits = all;
    for (u32 k = 0; k < w->nsplits; k++) {
        const json_t *x = json_array_get(list, k);
        all[k].state = member_text(x, "state");
        all[k].mask = (u32)member_u64(x, "mask", 0);
        all[k].at = place_of(s, x);
        all[k].function = function_name(s, all[k].at.func);
        all[k].line = line_of(s, all[k].at);
    }
}

bool session_warps(struct session *s, u64 block, const struct session_warp **out, u32 *n)
{
    const json_t *list =
        json_object_get(client_ask_cached(s, "warps", json_pack("{s:I}", "block", (json_int_t)block)), "warps");
    struct session_warp *all = arena_array(&s->stop_mem, struct session_warp, json_array_size(list) + 1);
    const u32 threads = s->launch.block[0] * s->launch.block[1] * s->launch.block[2];
    *n = (u32)json_array_size(list);
    *out = all;
    for (u32 k = 0; k < *n; k++) {
        const json_t *w = json_array_get(list, k);
        all[k].number = (u32)member_u64(w, "warp", 0);
        const u32 here = threads - all[k].number * 32;
        all[k].threads = here >= 32 ? UINT32_MAX : (1u << here) - 1;
        all[k].exited = (u32)member_u64(w, "exited", 0) & all[k].threads;
        read_splits(s, json_object_get(w, "splits"), &all[k]);
    }
    return list != NULL;
}

/* ---- calls of the API ---- */

const char *session_host_call(struct session *s, const struct session_host_frame **out, u32 *n)
{
    const char *name = json_string_value(json_object_get(s->stop_message, "call"));
    const json_t *list = json_object_get(s->stop_message, "frames");
    struct session_host_frame *all = arena_array(&s->stop_mem, struct session_host_frame, json_array_size(list) + 1);
    *n = (u32)json_array_size(list);
    *out = all;
    for (u32 k = 0; k < *n; k++)
        all[k] = (struct session_host_frame){member_text(json_array_get(list, k), "module"),
                                             member_u64(json_array_get(list, k), "offset", 0)};
    return name;
}

/* ---- frames ---- */

static bool add_call(struct session *s, const json_t *call, struct session_frame *all, u32 *n)
{
    struct debug_frame inside[DEBUG_FRAMES];
    const struct debug_place at = place_of(s, call);
    const struct session_module *m = module_of(s, at.func);
    const u32 count = m ? debug_frames(m->info, at, inside) : 0;
    for (u32 k = 0; k < count || (k == 0 && !count); k++)
        all[(*n)++] = (struct session_frame){.call = (u32)member_u64(call, "frame", 0),
                                             .inside = k,
                                             .function = count ? inside[k].function : member_text(call, "function"),
                                             .inlined = count && inside[k].inlined,
                                             .line = count ? inside[k].line : (struct debug_line){0},
                                             .at = at,
                                             .lanes = (u32)member_u64(call, "lanes", 0)};
    return m != NULL;
}

bool session_frames_of(struct session *s, u64 block, u32 warp, u32 lane, const struct session_frame **out, u32 *n)
{
    const json_t *a = ask_in(s, "frames", block, warp, lane), *list = json_object_get(a, "frames");
    struct session_frame *all =
        arena_array(&s->stop_mem, struct session_frame, json_array_size(list) * DEBUG_FRAMES + 1);
    *out = all;
    *n = 0;
    for (size_t k = 0; k < json_array_size(list); k++)
        add_call(s, json_array_get(list, k), all, n);
    return list != NULL;
}

bool focus_frames(struct session *s)
{
    if (!s->stop_message || !s->where.in_warp)
        return session_fail(s, s->stop_message ? "No thread is about to run here." : "No kernel is being run.");
    return s->frames || session_frames_of(s, s->focus.block, s->focus.warp, s->focus.lane, &s->frames, &s->nframes);
}

bool session_frames(struct session *s, const struct session_frame **out, u32 *n)
{
    const bool ok = focus_frames(s);
    *out = s->frames;
    *n = ok ? s->nframes : 0;
    return ok;
}

/* ---- the focus ---- */

static void set_thread(struct session *s)
{
    const u32 *dim = s->launch.block;
    const u32 linear = s->focus.warp * 32 + s->focus.lane;
    const u32 *grid = s->launch.grid;
    if (!s->has_launch || !dim[0] || !dim[1] || !grid[0] || !grid[1])
        return;
    s->focus.thread[0] = linear % dim[0];
    s->focus.thread[1] = linear / dim[0] % dim[1];
    s->focus.thread[2] = linear / dim[0] / dim[1];
    s->focus.id[0] = (u32)(s->focus.block % grid[0]);
    s->focus.id[1] = (u32)(s->focus.block / grid[0] % grid[1]);
    s->focus.id[2] = (u32)(s->focus.block / grid[0] / grid[1]);
}

static void focus_on(struct session *s, u64 block, u32 warp, u32 lane)
{
    s->focus.block = block;
    s->focus.warp = warp;
    s->focus.lane = lane;
    s->focus.frame = 0;
    s->frames = NULL;
    set_thread(s);
}

/* What a watch saw. */
static void set_values(struct session *s, const struct breakpoint *b)
{
    const json_t *w = json_object_get(s->stop_message, "write");
    struct debug_context c = {.info = NULL, .target = &s->target, .mem = &s->stop_mem};
    const struct session_module *m = session_module_here(s);
    if (!w || !b || !b->told.type || !m)
        return;
    c.info = m->info;
    s->where.before = bytes_text(&c, b->told.type, member_text(w, "old"));
    s->where.after = bytes_text(&c, b->told.type, member_text(w, "new"));
}

/* The lane of the thread whose fault it is; 32: the message has none. */
static u32 thread_lane(const struct session *s, const json_t *message)
{
    u32 thread[3];
    if (!json_object_get(message, "thread"))
        return 32;
    member_dim(message, "thread", thread);
    const u32 *dim = s->launch.block;
    return (thread[0] + dim[0] * (thread[1] + dim[1] * thread[2])) % 32;
}

void where_set(struct session *s, json_t *message)
{
    const struct session_focus before = s->focus;
    const u64 launch = s->where.launch;
    forget_stop(s);
    s->stop_message = json_incref(message);
    s->state = SESSION_STOPPED;
    const struct breakpoint *b = breakpoint_of_stop(s, member_u64(message, "stop", 0));
    s->where = (struct session_stop){.reason = member_text(message, "reason"),
                                     .breakpoint = b ? b->told.number : 0,
                                     .tick = member_u64(message, "tick", 0),
                                     .launch = member_u64(message, "launch", s->launch.id),
                                     .in_warp = json_object_get(message, "warp") != NULL,
                                     .block = member_u64(message, "block", 0),
                                     .warp = (u32)member_u64(message, "warp", 0),
                                     .mask = (u32)member_u64(message, "mask", 0),
                                     .active = (u32)member_u64(message, "active", 0),
                                     .message = message};
    read_launch(s);
    s->where.kernel = s->launch.kernel ? s->launch.kernel : "";
    s->where.at = place_of(s, message);
    set_values(s, b);
    if (!s->where.in_warp)
        return;
    /* The lane stays, if it is one of those that stand here; else one that the stop is about. */
    u32 lanes = s->where.mask & (u32)member_u64(message, "lanes", s->where.mask);
    const json_t *write = json_object_get(message, "write");
    if (write && json_is_true(json_object_get(write, "lanes_known")) &&
        member_u64(write, "block", 0) == s->where.block && member_u64(write, "warp", 0) == s->where.warp)
        lanes &= (u32)member_u64(write, "lanes", 0);
    lanes = lanes ? lanes : s->where.mask;
    const bool same = launch == s->where.launch && before.block == s->where.block && before.warp == s->where.warp;
    const u32 first = lanes ? (u32)__builtin_ctz(lanes) : 0;
    const u32 fault = thread_lane(s, message);
    const bool stays = (same || !launch) && lanes >> before.lane & 1;
    focus_on(s, s->where.block, s->where.warp, fault < 32 ? fault : stays ? before.lane : first);
}

bool session_focus_warp(struct session *s, u64 block, u32 warp, u32 lane)
{
    const struct session_frame *frames;
    u32 n;
    if (!s->stop_message || !s->has_launch)
        return session_fail(s, "No kernel is being run.");
    if (lane > 31)
        return session_fail(s, "A lane is 0 to 31.");
    if (!session_frames_of(s, block, warp, lane, &frames, &n))
        return false;
    focus_on(s, block, warp, lane);
    s->where.in_warp = true;
    return true;
}

bool session_focus_thread(struct session *s, const u32 block[3], const u32 thread[3])
{
    const u32 *b = block ? block : s->focus.id, *t = thread ? thread : s->focus.thread;
    const u32 *grid = s->launch.grid, *dim = s->launch.block;
    if (!s->stop_message || !s->has_launch)
        return session_fail(s, "No kernel is being run.");
    for (u32 k = 0; k < 3; k++)
        if (b[k] >= grid[k] || t[k] >= dim[k])
            return session_fail(s, "There is no %s (%u,%u,%u): the launch has grid (%u,%u,%u) and blocks (%u,%u,%u).",
                                b[k] >= grid[k] ? "block" : "thread", b[k] >= grid[k] ? b[0] : t[0],
                                b[k] >= grid[k] ? b[1] : t[1], b[k] >= grid[k] ? b[2] : t[2], grid[0], grid[1], grid[2],
                                dim[0], dim[1], dim[2]);
    const u32 linear = t[0] + dim[0] * (t[1] + dim[1] * t[2]);
    return session_focus_warp(s, b[0] + (u64)grid[0] * (b[1] + (u64)grid[1] * b[2]), linear / 32, linear % 32);
}

bool session_focus_frame(struct session *s, u32 frame)
{
    if (!focus_frames(s))
        return false;
    if (frame >= s->nframes)
        return session_fail(s, "No frame at level %u.", frame);
    s->focus.frame = frame;
    return true;
}
