/* step.c - running some lanes of one warp for an instruction, a line, or out of a function, while all others go on as the
 * schedule has it. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/agent/internal.h"

bool source_line(const struct ir_func *func, u32 site, u32 *file, u32 *line)
{
    const u32 loc = site < func->src->ninsts ? func->src->insts[site].loc : 0;
    if (!loc || loc > func->mod->nlocs || !func->mod->locs[loc - 1].line)
        return false;
    *file = func->mod->locs[loc - 1].file;
    *line = func->mod->locs[loc - 1].line;
    return true;
}

bool step_line(const struct step *s, const struct ir_func *func, u32 site, u32 *file, u32 *line)
{
    for (u32 k = 0; k < s->nranges; k++)
        if (site >= s->ranges[k].first && site < s->ranges[k].end && strcmp(s->ranges[k].function, func->name) == 0) {
            *file = UINT32_MAX;
            *line = s->ranges[k].line;
            return *line != 0;
        }
    return source_line(func, site, file, line);
}

/* ---- from a request ---- */

static bool read_ranges(struct step *s, const json_t *list, char why[200])
{
    const size_t n = json_array_size(list);
    snprintf(why, 200, "a list of up to 4096 [function, first, end], of lines with a number behind them, is wanted");
    if (!n || n > 4096 || !(s->ranges = ls_calloc(n, sizeof *s->ranges)))
        return false;
    for (size_t k = 0; k < n; k++) {
        const json_t *r = json_array_get(list, k);
        const char *name = json_string_value(json_array_get(r, 0));
        u64 first, end;
        if (!name || !word_u64(json_array_get(r, 1), &first) || !word_u64(json_array_get(r, 2), &end))
            return false;
        s->ranges[k].function = ls_realloc(NULL, strlen(name) + 1);
        if (!s->ranges[k].function)
            return false;
        memcpy(s->ranges[k].function, name, strlen(name) + 1);
        s->ranges[k].first = (u32)first;
        s->ranges[k].end = (u32)end;
        s->ranges[k].line = (u32)json_integer_value(json_array_get(r, 3));
        s->nranges = (u32)k + 1;
    }
    return true;
}

/* Where the lanes are now. */
static bool place_lanes(struct step *s, char why[200])
{
    const struct debuggee *run = agent.run;
    const struct block *b = run->grid ? look_block(run->grid, run->place.w, s->block) : NULL;
    const struct warp *w = b ? look_warp(b, s->warp) : NULL;
    struct look_split splits[LOOK_SPLITS];
    const u32 n = w ? look_splits(w, &run->place, splits) : 0;
    for (u32 k = 0; k < n; k++) {
        if (!(splits[k].mask & s->lanes))
            continue;
        s->func = splits[k].func;
        s->depth = look_frame_depth(splits[k].frame);
        source_line(s->func, splits[k].site, &s->file, &s->line);
        return true;
    }
    snprintf(why, 200, "these lanes are not there: the block is not resident, or they have exited");
    return false;
}

bool step_made(struct step *s, const json_t *q, char why[200])
{
    const struct debuggee *run = agent.run;
    const char *by = json_string_value(json_object_get(q, "by"));
    const bool here = run->has_place && run->place.w;
    u64 warp, lanes, calls;
    *s = (struct step){.how = STEP_BY_INSTRUCTION, .over = word_flag(q, "over", false)};
    if (!here) {
        snprintf(why, 200, "no warp runs here");
        return false;
    }
    snprintf(why, 200, "block, warp, lanes and count are numbers");
    if (!word_member(q, "block", look_info(look_block_of(run->place.w))->linear, UINT64_MAX, &s->block) ||
        !word_member(q, "warp", look_warp_index(run->place.w), 31, &warp) ||
        !word_member(q, "count", 1, UINT64_MAX, &s->count) || !s->count)
        return false;
    s->warp = (u32)warp;
    const bool same =
        s->warp == look_warp_index(run->place.w) && s->block == look_info(look_block_of(run->place.w))->linear;
    if (!word_member(q, "lanes", same ? look_mask(run->place.w) : UINT32_MAX, UINT32_MAX, &lanes) || !lanes)
        return false;
    s->lanes = (u32)lanes;
    if (by && strcmp(by, "line") == 0)
        s->how = STEP_BY_LINE;
    else if (by && strcmp(by, "out") == 0)
        s->how = STEP_OUT;
    else if (by && strcmp(by, "ranges") == 0)
        s->how = STEP_BY_RANGES;
    else if (by && strcmp(by, "instruction") != 0) {
        snprintf(why, 200, "by is instruction, line, ranges or out");
        return false;
    }
    if (!word_member(q, "calls", 1, UINT32_MAX, &calls) || !calls)
        return false;
    s->on = place_lanes(s, why) && (s->how != STEP_BY_RANGES || read_ranges(s, json_object_get(q, "ranges"), why));
    if (s->on && s->how == STEP_BY_LINE && json_object_get(q, "lines"))
        s->on = read_ranges(s, json_object_get(q, "lines"), why);
    if (calls > 1)
        s->depth = calls <= s->depth ? s->depth - (u32)(calls - 1) : 1;
    if (!s->on)
        step_end(s);
    return s->on;
}

void step_end(struct step *s)
{
    for (u32 k = 0; k < s->nranges; k++)
        ls_free(s->ranges[k].function);
    ls_free(s->ranges);
    *s = (struct step){0};
}

/* ---- at an instruction ---- */

bool step_is_its(const struct step *s, const struct gate_place *p)
{
    return look_warp_index(p->w) == s->warp && look_mask(p->w) & s->lanes &&
           look_info(look_block_of(p->w))->linear == s->block;
}

static bool lanes_have_gone(const struct step *s, const struct gate_place *p)
{
    const struct block *b = look_block(look_grid(p->w), p->w, s->block);
    const struct warp *w = b ? look_warp(b, s->warp) : NULL;
    return !w || (look_exited(w) & s->lanes) == s->lanes;
}

static bool line_ends(struct step *s, const struct gate_place *p)
{
    const u32 depth = look_depth(p->w);
    u32 file, line;
    if ((depth > s->depth && s->over) || !source_line(p->func, p->site, &file, &line))
        return false;
    const bool returned = depth < s->depth;
    const bool same = file == s->file && line == s->line && p->func == s->func;
    if (depth <= s->depth)
        s->depth = depth;
    s->func = p->func;
    s->file = file;
    s->line = line;
    return !returned && !same && --s->count == 0; /* the rest of the caller's line belongs to the call */
}

static bool leaves_ranges(const struct step *s, const struct gate_place *p)
{
    if (look_depth(p->w) > s->depth && s->over)
        return false;
    for (u32 k = 0; k < s->nranges; k++)
        if (p->site >= s->ranges[k].first && p->site < s->ranges[k].end &&
            strcmp(s->ranges[k].function, p->func->name) == 0)
            return false;
    return true;
}

bool step_at(struct step *s, const struct gate_place *p, const char **reason)
{
    *reason = "step";
    if (!step_is_its(s, p)) {
        *reason = "exited";
        return lanes_have_gone(s, p);
    }
    switch (s->how) {
    case STEP_BY_INSTRUCTION:
        return !(s->over && look_depth(p->w) > s->depth) && --s->count == 0;
    case STEP_BY_LINE:
        return line_ends(s, p);
    case STEP_BY_RANGES:
        return leaves_ranges(s, p);
    case STEP_OUT:
        *reason = "finish";
        return look_depth(p->w) < s->depth;
    }
    return false;
}
