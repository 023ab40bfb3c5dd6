/* travel.c - going to another tick of the launch: memory is put back, the launch runs again, and stops there.
 *
 * To go back to where something held last, two runs are needed: the first goes to where the launch stands now and keeps the
 * last tick before it at which the thing held (travel.record), the second goes to that tick. A launch is the same in every
 * run, so a question that only needs the first run's answer (who wrote this?) ends where it was asked.
 *
 * To look at each instruction, store or stop is slow, and what is looked for is mostly near: so only the last ticks before
 * the target are looked at first, and if nothing held in them, more. */
#include <string.h>

#include "debug/agent/internal.h"

enum { WINDOW = 100000, WINDOW_GROWS = 32 };

u64 position(void)
{
    const struct debuggee *run = agent.run;
    return run->at_end ? run->total : run->has_place ? run->place.tick : gate_tick();
}

/* No step of a block lies before it. */
static u64 block_began(const struct debuggee *run, u64 block)
{
    return block < run->nblock_ticks ? run->block_ticks[block] : 0;
}

/* Where the last ticks before the target begin, of those that may be looked at. */
static u64 window(const struct travel *t, u64 width)
{
    const u64 from = t->target > width ? t->target - width : 0;
    return from > t->least ? from : t->least;
}

const char *travel_begin(struct travel t)
{
    struct debuggee *run = agent.run;
    const char *why = run->no_return ? run->no_return : snapshot_lacks(&agent.snapshot, agent.config.mem);
    if (why)
        return why;
    t.on = true;
    if (t.record == RECORD_STEP || t.record == RECORD_OUT)
        t.least = block_began(run, t.of.block);
    if (travel_looks(&t))
        t.from = window(&t, WINDOW);
    json_incref(t.asked);
    run->travel = t;
    run->back = true;
    return NULL;
}

/* ---- recording ---- */

/* The start of the line that the lanes were in last: of the line they are in at the target, if they were in it already. */
static void record_line(struct travel *t, const struct gate_place *p)
{
    u32 file, line;
    if (!step_line(&t->of, p->func, p->site, &file, &line) ||
        (t->has_line && t->line_func == p->func && t->line_file == file && t->line == line))
        return;
    t->found = t->has_line || t->from <= t->least; /* else it may have begun before */
    t->has_line = true;
    t->line_func = p->func;
    t->line_file = file;
    t->line = line;
    t->hit = (struct hit){.tick = p->tick, .reason = "step"};
}

static void record_step(struct travel *t, const struct gate_place *p)
{
    if (!step_is_its(&t->of, p))
        return;
    const u32 depth = look_depth(p->w);
    if (t->record == RECORD_OUT && depth >= t->of.depth)
        return;
    if (t->record == RECORD_STEP && t->of.over && depth > t->of.depth)
        return;
    if (t->record == RECORD_STEP && t->of.how == STEP_BY_LINE) {
        record_line(t, p);
        return;
    }
    t->found = true;
    t->hit = (struct hit){.tick = p->tick, .reason = t->record == RECORD_OUT ? "finish" : "step"};
}

static void record(struct travel *t, const struct gate_place *p)
{
    struct hit h;
    if (p->tick < t->from)
        return;
    hit_none(&h);
    if (t->record == RECORD_STEP || t->record == RECORD_OUT) {
        record_step(t, p);
    } else if (t->record == RECORD_STOPS && stops_at(p, false, &h)) {
        t->found = true;
        t->hit = h;
    }
}

static void look_at_store(struct debuggee *run)
{
    struct hit h;
    if (!run->stored.on || !watch_after(&run->stored, &h))
        return;
    if (run->travel.record == RECORD_STOPS || run->travel.record == RECORD_WRITE) {
        run->travel.found = true;
        run->travel.hit = h;
    }
}

/* ---- arriving ---- */

/* Nothing held in the last ticks: once more, with more of them. */
static bool widen(struct debuggee *run)
{
    struct travel *t = &run->travel;
    t->from = window(t, (t->target - t->from) * WINDOW_GROWS);
    t->has_line = t->placed = false;
    run->back = true;
    return false;
}

static bool again_to(struct debuggee *run, u64 target, const char *reason)
{
    run->travel.record = RECORD_NOTHING;
    run->travel.target = target;
    run->travel.from = 0;
    run->travel.placed = false;
    run->travel.reason = reason;
    run->back = true;
    return false;
}

static json_t *write_told(const struct travel *t)
{
    json_t *event = stop_event("write", &t->hit);
    json_object_del(event, "event");
    return event;
}

/* Who wrote it last is known now. */
static void answer_write(struct travel *t)
{
    if (!t->asked)
        return;
    if (t->found)
        say_ok(t->asked, json_pack("{s:b, s:o}", "found", 1, "write", write_told(t)));
    else
        say_ok(t->asked, json_pack("{s:b}", "found", 0));
    json_decref(t->asked);
    t->asked = NULL;
}

void travel_done(struct travel *t)
{
    if (t->watched)
        stop_free(t->watched);
    json_decref(t->asked);
    history_free(t->history);
    *t = (struct travel){0};
}

static bool arrive(struct debuggee *run)
{
    struct travel *t = &run->travel;
    const enum record recorded = t->record;
    if (recorded == RECORD_HISTORY) {
        history_done(t->history);
        return again_to(run, t->target, "tick");
    }
    if (!t->found && t->from > t->least)
        return widen(run);
    const bool quiet = t->history || (recorded == RECORD_WRITE && !(t->go && t->found));
    if (t->history)
        history_say(t->history, t->asked);
    if (recorded == RECORD_WRITE)
        answer_write(t);
    if (recorded != RECORD_NOTHING && !quiet)
        return t->found ? again_to(run, t->hit.tick, t->hit.reason) : again_to(run, 0, "begin");
    const struct hit h = t->hit;
    const char *reason = run->at_end && t->reason && strcmp(t->reason, "tick") == 0 ? "end" : t->reason;
    const bool told = !quiet && t->found && strcmp(reason, h.reason) == 0;
    json_t *event = quiet ? NULL : stop_event(reason, told ? &h : NULL);
    if (event && t->lanes)
        json_object_set_new(event, "lanes", word_hex(t->lanes));
    travel_done(t);
    stops_place();
    return stand_still(event);
}

bool travel_at(struct gate_place *p)
{
    struct debuggee *run = agent.run;
    look_at_store(run);
    if (p->tick >= run->travel.target)
        return arrive(run);
    if (!run->travel.placed && travel_looks(&run->travel) && p->tick >= run->travel.from) {
        run->travel.placed = true;
        stops_place();
        p->flags = gate_flags(p);
    }
    record(&run->travel, p);
    return true;
}

bool travel_end(void)
{
    struct debuggee *run = agent.run;
    look_at_store(run);
    return arrive(run);
}
