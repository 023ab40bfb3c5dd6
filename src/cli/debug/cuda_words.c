/* cuda_words.c - the focus, frames, and what there is on the device: kernels, blocks, warps, lanes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/debug/debug.h"

static const char *plural(u32 n) { return n == 1 ? "" : "s"; }

/* ---- frames ---- */

void word_bt(struct debug_cli *d, const char *rest)
{
    const struct session_frame *frames;
    u32 n;
    (void)rest;
    if (debug_say_host_frames(d))
        return;
    if (!session_frames(d->s, &frames, &n)) {
        debug_failed(d);
        return;
    }
    for (u32 k = 0; k < n; k++)
        debug_say_frame(d, &frames[k], k, true, 0);
}

static void go_to_frame(struct debug_cli *d, i64 number)
{
    if (number < 0)
        debug_wrong(d, "Bottom (innermost) frame selected; you cannot go down.");
    else if (!session_focus_frame(d->s, (u32)number))
        debug_failed(d);
    else
        debug_say_here(d, 0);
}

static i64 count(const char *rest) { return *rest ? strtol(rest, NULL, 0) : 1; }
void word_up(struct debug_cli *d, const char *rest) { go_to_frame(d, session_focus(d->s)->frame + count(rest)); }
void word_down(struct debug_cli *d, const char *rest) { go_to_frame(d, session_focus(d->s)->frame - count(rest)); }
void word_frame(struct debug_cli *d, const char *rest)
{
    go_to_frame(d, *rest ? strtol(rest, NULL, 0) : (i64)session_focus(d->s)->frame);
}

/* ---- the focus ---- */

/* "(1,2,3)", "(1,2)", "1,2", "1"; what is left out is 0. */
static bool read_index(const char **text, u32 out[3])
{
    const char *t = *text;
    bool bracket = *t == '(';
    char *end;
    out[0] = out[1] = out[2] = 0;
    t += bracket;
    for (u32 k = 0; k < 3; k++) {
        out[k] = (u32)strtoul(t, &end, 0);
        if (end == t)
            return false;
        t = end + strspn(end, " ");
        if (*t != ',')
            break;
        t += 1 + strspn(t + 1, " ");
    }
    if (bracket && *t++ != ')')
        return false;
    *text = t + strspn(t, " ");
    return true;
}

struct chosen {
    bool block, thread, warp, lane;
    u32 block_id[3], thread_id[3], warp_id[3], lane_id[3];
};

static bool read_chosen(struct debug_cli *d, const char *rest, struct chosen *c)
{
    while (*rest) {
        const size_t n = strcspn(rest, " (");
        const char *word = rest;
        u32 ignored[3];
        rest += n + strspn(rest + n, " ");
        const bool ok =
            !n                                ? false
            : strncmp(word, "block", n) == 0  ? (c->block = read_index(&rest, c->block_id))
            : strncmp(word, "thread", n) == 0 ? (c->thread = read_index(&rest, c->thread_id))
            : strncmp(word, "warp", n) == 0   ? (c->warp = read_index(&rest, c->warp_id))
            : strncmp(word, "lane", n) == 0   ? (c->lane = read_index(&rest, c->lane_id))
            : strncmp(word, "kernel", n) == 0 || strncmp(word, "grid", n) == 0 || strncmp(word, "device", n) == 0
                ? read_index(&rest, ignored) /* one launch runs at a time */
                : false;
        if (!ok) {
            debug_wrong(d, "\"%.*s\": it is kernel N, block (X,Y,Z), thread (X,Y,Z), warp N or lane N.", (int)n, word);
            return false;
        }
        rest += strspn(rest, " ");
    }
    return true;
}

static bool choose(struct debug_cli *d, const struct chosen *c)
{
    const struct session_focus f = *session_focus(d->s);
    struct session_launch l;
    if (!session_launch(d->s, &l))
        return false;
    if (!c->warp && !c->lane) {
        static const u32 first[3] = {0, 0, 0};
        return session_focus_thread(d->s, c->block ? c->block_id : NULL,
                                    c->thread  ? c->thread_id
                                    : c->block ? first
                                               : NULL);
    }
    const u64 block =
        c->block ? c->block_id[0] + (u64)l.grid[0] * (c->block_id[1] + (u64)l.grid[1] * c->block_id[2]) : f.block;
    return session_focus_warp(d->s, block, c->warp ? c->warp_id[0] : f.warp, c->lane ? c->lane_id[0] : 0);
}

void word_cuda(struct debug_cli *d, const char *rest)
{
    struct chosen c = {0};
    /* `cuda block thread` asks */
    if (*rest && strpbrk(rest, "0123456789")) {
        if (!read_chosen(d, rest, &c))
            return;
        if (!choose(d, &c)) {
            debug_failed(d);
            return;
        }
        debug_say_focus(d);
        debug_say_here(d, 0);
        return;
    }
    debug_say_focus(d);
}

/* ---- thread apply all bt: by place ---- */

struct place_group {
    const char *text;
    u32 threads, warps;
    u64 block; /* an example */
    u32 warp, lane;
};

static const char *calls_text(struct debug_cli *d, u64 block, u32 warp, u32 lane)
{
    const struct session_frame *frames;
    const char *text = "";
    u32 n;
    if (!session_frames_of(d->s, block, warp, lane, &frames, &n))
        return "";
    for (u32 k = 0; k < n; k++)
        text = arena_printf(session_memory(d->s), "%s%s#%-3u%s", text, *text ? "\n" : "", k,
                            debug_place_text(d, frames[k].function, &frames[k].line));
    return text;
}

typedef void split_fn(struct debug_cli *d, void *ctx, const struct session_block *b, const struct session_warp *w,
                      const struct session_split *s);

static bool each_split(struct debug_cli *d, split_fn *fn, void *ctx)
{
    const struct session_block *blocks;
    const struct session_warp *warps;
    u32 n, nwarps;
    if (!session_where(d->s) || !session_blocks(d->s, &blocks, &n)) {
        debug_wrong(d, "No kernel is being run.");
        return false;
    }
    for (u32 b = 0; b < n; b++) {
        if (!session_warps(d->s, blocks[b].number, &warps, &nwarps))
            continue;
        for (u32 w = 0; w < nwarps; w++)
            for (u32 k = 0; k < warps[w].nsplits; k++)
                fn(d, ctx, &blocks[b], &warps[w], &warps[w].splits[k]);
    }
    return true;
}

enum { GROUPS = 256 };
struct groups {
    struct place_group at[GROUPS];
    u32 n;
};

static void add_to_group(struct groups *g, const char *text, const struct session_block *b,
                         const struct session_warp *w, const struct session_split *s)
{
    u32 k = 0;
    while (k < g->n && strcmp(g->at[k].text, text) != 0)
        k++;
    if (k == GROUPS || !s->mask)
        return;
    if (k == g->n)
        g->at[g->n++] = (struct place_group){
            .text = text, .block = b->number, .warp = w->number, .lane = (u32)__builtin_ctz(s->mask)};
    g->at[k].threads += (u32)__builtin_popcount(s->mask & w->threads);
    g->at[k].warps++;
}

static void group_calls(struct debug_cli *d, void *ctx, const struct session_block *b, const struct session_warp *w,
                        const struct session_split *s)
{
    if (s->mask)
        add_to_group(ctx, calls_text(d, b->number, w->number, (u32)__builtin_ctz(s->mask)), b, w, s);
}

static void say_group(struct debug_cli *d, const struct place_group *g)
{
    debug_tell(d,
               json_pack("{s:{s:s, s:i, s:i, s:I, s:i, s:i}}", "threads", "calls", g->text, "threads", (int)g->threads,
                         "warps", (int)g->warps, "block", (json_int_t)g->block, "warp", (int)g->warp, "lane",
                         (int)g->lane),
               "%u thread%s of %u warp%s, such as block %llu, warp %u, lane %u:\n%s", g->threads, plural(g->threads),
               g->warps, plural(g->warps), (unsigned long long)g->block, g->warp, g->lane, g->text);
}

void word_thread(struct debug_cli *d, const char *rest)
{
    struct chosen c = {0};
    if (strcmp(rest, "apply all bt") == 0 || strcmp(rest, "apply all backtrace") == 0) {
        struct groups *g = arena_new(session_memory(d->s), struct groups);
        if (each_split(d, group_calls, g))
            for (u32 k = 0; k < g->n; k++)
                say_group(d, &g->at[k]);
    } else if (!*rest) {
        debug_say_focus(d);
    } else if ((c.thread = read_index(&rest, c.thread_id)) && !*rest && choose(d, &c)) {
        debug_say_focus(d);
        debug_say_here(d, 0);
    } else if (!c.thread || *rest) {
        debug_wrong(d, "thread (X,Y,Z), or thread apply all bt.");
    } else {
        debug_failed(d);
    }
}

/* ---- info cuda ---- */

static void cuda_launch(struct debug_cli *d, const char *rest)
{
    struct session_launch l;
    (void)rest;
    if (!session_where(d->s) || !session_launch(d->s, &l)) {
        debug_wrong(d, "No kernel is being run.");
        return;
    }
    debug_tell(
        d,
        json_pack("{s:{s:I, s:s, s:[i,i,i], s:[i,i,i], s:I, s:I, s:I}}", "launch", "id", (json_int_t)l.id, "kernel",
                  l.kernel, "grid", (int)l.grid[0], (int)l.grid[1], (int)l.grid[2], "block", (int)l.block[0],
                  (int)l.block[1], (int)l.block[2], "parent", (json_int_t)l.parent, "begun", (json_int_t)l.begun,
                  "ended", (json_int_t)l.ended),
        "launch %llu: %s, grid (%u,%u,%u), blocks (%u,%u,%u), %llu B of dynamic shared memory, parent %llu, %llu "
        "blocks begun, %llu ended",
        (unsigned long long)l.id, l.kernel, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2],
        (unsigned long long)l.dynamic_shared, (unsigned long long)l.parent, (unsigned long long)l.begun,
        (unsigned long long)l.ended);
}

static void cuda_blocks(struct debug_cli *d, const char *rest)
{
    const struct session_block *b;
    u32 n;
    (void)rest;
    if (!session_where(d->s) || !session_blocks(d->s, &b, &n)) {
        debug_wrong(d, "No kernel is being run.");
        return;
    }
    for (u32 k = 0; k < n; k++)
        debug_tell(d,
                   json_pack("{s:{s:I, s:[i,i,i], s:i, s:i}}", "block", "number", (json_int_t)b[k].number, "block",
                             (int)b[k].id[0], (int)b[k].id[1], (int)b[k].id[2], "sm", (int)b[k].sm, "warps",
                             (int)b[k].warps),
                   "%c block (%u,%u,%u), SM %u, %u warp%s", b[k].number == session_focus(d->s)->block ? '*' : ' ',
                   b[k].id[0], b[k].id[1], b[k].id[2], b[k].sm, b[k].warps, plural(b[k].warps));
}

static void say_split(struct debug_cli *d, void *ctx, const struct session_block *b, const struct session_warp *w,
                      const struct session_split *s)
{
    const struct session_focus *f = session_focus(d->s);
    (void)ctx;
    debug_tell(d,
               json_pack("{s:{s:I, s:i, s:I, s:I, s:s, s:s}}", "warp", "block", (json_int_t)b->number, "warp",
                         (int)w->number, "lanes", (json_int_t)s->mask, "exited", (json_int_t)w->exited, "state",
                         s->state, "place", debug_place_text(d, s->function, &s->line)),
               "%c block (%u,%u,%u) warp %2u  lanes 0x%08x  %-7s  %s",
               b->number == f->block && w->number == f->warp && s->mask >> f->lane & 1 ? '*' : ' ', b->id[0], b->id[1],
               b->id[2], w->number, s->mask, s->state, debug_place_text(d, s->function, &s->line));
}

static void cuda_warps(struct debug_cli *d, const char *rest)
{
    (void)rest;
    each_split(d, say_split, NULL);
}

static void group_place(struct debug_cli *d, void *ctx, const struct session_block *b, const struct session_warp *w,
                        const struct session_split *s)
{
    add_to_group(ctx, debug_place_text(d, s->function, &s->line), b, w, s);
}

static void cuda_threads(struct debug_cli *d, const char *rest)
{
    struct groups *g = arena_new(session_memory(d->s), struct groups);
    (void)rest;
    if (each_split(d, group_place, g))
        for (u32 k = 0; k < g->n; k++)
            debug_tell(d,
                       json_pack("{s:{s:s, s:i, s:i}}", "threads", "place", g->at[k].text, "threads",
                                 (int)g->at[k].threads, "warps", (int)g->at[k].warps),
                       "%6u thread%-1s of %4u warp%-1s  %s", g->at[k].threads, plural(g->at[k].threads), g->at[k].warps,
                       plural(g->at[k].warps), g->at[k].text);
}

static const struct session_warp *warp_here(struct debug_cli *d)
{
    const struct session_focus *f = session_focus(d->s);
    const struct session_warp *warps;
    u32 n;
    if (session_where(d->s) && session_warps(d->s, f->block, &warps, &n))
        for (u32 k = 0; k < n; k++)
            if (warps[k].number == f->warp)
                return &warps[k];
    debug_wrong(d, "No kernel is being run.");
    return NULL;
}

/* s: what it does, or NULL: it has exited. */
static void say_lane(struct debug_cli *d, u32 lane, const struct session_split *s)
{
    const char *state = s ? s->state : "exited", *place = s ? debug_place_text(d, s->function, &s->line) : "";
    debug_tell(d, json_pack("{s:{s:i, s:s, s:s}}", "lane", "lane", (int)lane, "state", state, "place", place),
               "%c lane %2u  %-7s  %s", lane == session_focus(d->s)->lane ? '*' : ' ', lane, state, place);
}

static void cuda_lanes(struct debug_cli *d, const char *rest)
{
    const struct session_warp *w = warp_here(d);
    (void)rest;
    for (u32 k = 0; w && k < 32; k++) {
        const struct session_split *s = NULL;
        for (u32 i = 0; i < w->nsplits; i++)
            s = w->splits[i].mask >> k & 1 ? &w->splits[i] : s;
        if (w->threads >> k & 1)
            say_lane(d, k, s);
    }
}

static void cuda_devices(struct debug_cli *d, const char *rest)
{
    const json_t *device = json_object_get(session_hello(d->s), "device");
    (void)rest;
    char *text = device ? json_dumps(device, JSON_COMPACT) : NULL;
    if (text)
        debug_tell(d, json_pack("{s:O}", "device", device), "%s", text);
    else
        debug_wrong(d, "The program is not being run.");
    free(text); /* jansson's */
}

const struct debug_row debug_info_cuda_rows[] = {{"kernels", cuda_launch, "", ""},  {"launch", cuda_launch, "", ""},
                                                 {"blocks", cuda_blocks, "", ""},   {"warps", cuda_warps, "", ""},
                                                 {"threads", cuda_threads, "", ""}, {"lanes", cuda_lanes, "", ""},
                                                 {"devices", cuda_devices, "", ""}};
const u32 debug_ninfo_cuda = LS_ARRAY_LEN(debug_info_cuda_rows);

void word_info_cuda(struct debug_cli *d, const char *rest)
{
    if (!*rest) {
        debug_say(d, "info cuda kernels, launch, blocks, warps, threads, lanes or devices");
        return;
    }
    const struct debug_row *row = debug_find(d, debug_info_cuda_rows, debug_ninfo_cuda, "info cuda ", &rest);
    if (row)
        row->take(d, rest);
}

/* The warp as 32 columns: * runs, . exited, a letter for each place where lanes wait, - there is no thread. */
void word_info_warp(struct debug_cli *d, const char *rest)
{
    const struct session_warp *w = warp_here(d);
    char columns[33];
    (void)rest;
    if (!w)
        return;
    if (d->json) {
        cuda_lanes(d, "");
        return;
    }
    for (u32 k = 0; k < 32; k++)
        columns[k] = !(w->threads >> k & 1) ? '-' : '.';
    columns[32] = '\0';
    for (u32 i = 0; i < w->nsplits; i++)
        for (u32 k = 0; k < 32; k++)
            if (w->splits[i].mask >> k & 1)
                columns[k] = strcmp(w->splits[i].state, "runs") == 0 ? '*' : (char)('a' + i % 26);
    debug_say(d, "lane   0       8       16      24");
    debug_say(d, "       %s", columns);
    for (u32 i = 0; i < w->nsplits; i++) {
        const struct session_split *s = &w->splits[i];
        const bool runs = strcmp(s->state, "runs") == 0;
        debug_say(d, "  %c    0x%08x  %-7s  %s", runs ? '*' : (char)('a' + i % 26), s->mask, s->state,
                  debug_place_text(d, s->function, &s->line));
    }
    if (w->exited)
        debug_say(d, "  .    0x%08x  exited", w->exited);
}

void word_info_program(struct debug_cli *d, const char *rest)
{
    const struct session_stop *w = session_where(d->s);
    (void)rest;
    if (w && strcmp(w->reason, "call") == 0)
        debug_tell(d,
                   json_pack("{s:{s:s, s:s, s:i}}", "program", "state", "stopped", "reason", w->reason, "pid",
                             (int)session_pid(d->s)),
                   "Process %d stands still in code of the host; `gdb -p %d` in another terminal shows it.",
                   (int)session_pid(d->s), (int)session_pid(d->s));
    else if (w)
        debug_tell(d,
                   json_pack("{s:{s:s, s:s, s:I, s:I}}", "program", "state", "stopped", "reason", w->reason, "tick",
                             (json_int_t)w->tick, "launch", (json_int_t)w->launch),
                   "Process %d stands still: %s, tick %llu of launch %llu.", (int)session_pid(d->s), w->reason,
                   (unsigned long long)w->tick, (unsigned long long)w->launch);
    else if (session_state(d->s) != SESSION_NONE)
        debug_tell(d, json_pack("{s:{s:s}}", "program", "state", "running"), "Process %d runs.",
                   (int)session_pid(d->s));
    else
        debug_tell(d, json_pack("{s:{s:s}}", "program", "state", "none"),
                   "The program being debugged is not being run.");
}
