/* control.c - the owner of the gates: at an instruction that a gate asks about, whether the launch is to stand still. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/agent/internal.h"

/* ---- what is told ---- */

static void tell_place(json_t *to, const struct debuggee *run)
{
    const struct gate_place *p = &run->place;
    if (run->grid_launch) {
        json_object_set_new(to, "launch", json_integer((json_int_t)run->grid_launch->id));
        json_object_set_new(to, "kernel", json_string(run->grid_launch->kernel->name));
    }
    if (!run->has_place || !p->w)
        return;
    const struct exec_block_info *b = look_info(look_block_of(p->w));
    json_object_set_new(to, "block", json_integer((json_int_t)b->linear));
    json_object_set_new(to, "block_id", tell_dim(b->id));
    json_object_set_new(to, "warp", json_integer(look_warp_index(p->w)));
    json_object_set_new(to, "mask", word_hex(look_mask(p->w)));
    if (p->pc)
        json_object_set_new(to, "active", word_hex(active_lanes(p)));
    json_object_set_new(to, "depth", json_integer(look_depth(p->w)));
    tell_site(to, p->func, p->site);
}

static void tell_write(json_t *to, const struct hit *h)
{
    const struct stop *s = h->by.watched[h->which].stop;
    json_t *by =
        json_pack("{s:I, s:I, s:i, s:o, s:o, s:o, s:b}", "tick", (json_int_t)h->tick, "block", (json_int_t)h->by.block,
                  "warp", (int)h->by.warp, "lanes", word_hex(h->by.watched[h->which].lanes), "old",
                  word_bytes(h->by.watched[h->which].before, s->watch.size), "new", word_bytes(h->after, s->watch.size),
                  "lanes_known", h->by.watched[h->which].known);
    tell_site(by, h->by.func, h->by.site);
    json_object_set_new(to, "write", by);
}

static void tell_fault(json_t *to, const struct exec_fault *f)
{
    char *text = exec_fault_text(f);
    json_object_set_new(to, "error", json_string(exec_fault_cuda_name(f->kind)));
    json_object_set_new(to, "thread", tell_dim(f->thread));
    json_object_set_new(to, "address", word_hex(f->address));
    if (text)
        json_object_set_new(to, "text", word_text(text, strlen(text)));
    ls_free(text);
}

json_t *stop_event(const char *reason, const struct hit *h)
{
    const struct debuggee *run = agent.run;
    json_t *out = json_pack("{s:s, s:s}", "event", "stop", "reason", reason);
    if (!run)
        return out;
    json_object_set_new(out, "tick", json_integer((json_int_t)position()));
    tell_place(out, run);
    if (h && h->stop && h->stop->id)
        json_object_set_new(out, "stop", json_integer((json_int_t)h->stop->id));
    if (h && h->has_write)
        tell_write(out, h);
    findings_tell(out, run, position());
    if (h && h->stop && (h->stop->expression || h->stop->kind == STOP_AT_FINDING) && h->lanes)
        json_object_set_new(out, "lanes", word_hex(h->lanes));
    if (h && h->passes)
        json_object_set_new(out, "passes", json_integer((json_int_t)h->passes));
    if (run->fault)
        tell_fault(out, run->fault);
    return out;
}

/* ---- standing still ---- */

static bool stop_here(struct debuggee *run, const char *reason, struct hit *h)
{
    step_end(&run->step);
    run->until = UINT64_MAX;
    agent.interrupted = false;
    json_t *event = stop_event(reason, h);
    if (h && h->stop->temporary)
        stop_delete(h->stop);
    return stand_still(event);
}

/* A watch counts when it is hit. */
static bool watch_hit(struct debuggee *run, struct hit *h)
{
    if (!run->stored.on || !watch_after(&run->stored, h))
        return false;
    h->stop->hits++;
    if (!h->stop->ignore)
        return true;
    h->stop->ignore--;
    return false;
}

static bool ordinary(struct debuggee *run, const struct gate_place *p)
{
    struct hit h;
    const char *reason;
    hit_none(&h);
    if (watch_hit(run, &h) || stops_at(p, true, &h))
        return stop_here(run, h.reason, &h);
    if (agent.interrupted)
        return stop_here(run, "interrupt", NULL);
    if (run->step.on && step_at(&run->step, p, &reason))
        return stop_here(run, reason, NULL);
    if (p->tick >= run->until)
        return stop_here(run, "tick", NULL);
    return true;
}

void control_alarm(void)
{
    const struct debuggee *run = agent.run;
    const struct travel *t = &run->travel;
    u64 at = run->until;
    if (t->on)
        at = !travel_looks(t)                                                    ? t->target
             : !t->placed || t->record == RECORD_STEP || t->record == RECORD_OUT ? t->from
                                                                                 : t->target;
    else if (run->step.on || agent.interrupted)
        at = 0;
    if (run->stored.on || run->entry)
        at = 0;
    if (gate_alarm_now() != at)
        gate_alarm(at);
    if (wire_waiting(agent.wire) && agent.on)
        gate_alarm(0); /* what has come since it was looked at */
}

bool control_at(void *ctx, const struct gate_place *p)
{
    struct debuggee *run = ctx;
    run->place = *p;
    run->has_place = true;
    run->grid = look_grid(p->w);
    if (agent.on && wire_waiting(agent.wire)) {
        serve_waiting();
        run->place.flags = gate_flags(p);
    }
    const bool go = !agent.on || (run->travel.on ? travel_at(&run->place) : ordinary(run, &run->place));
    run->entry = run->stored.on = false;
    if (go && agent.on && gate_flags(p) & FLAG_STORE)
        watch_before(&run->stored, p);
    run->has_place = false;
    control_alarm();
    return go;
}

void control_fault(void *ctx, struct grid *g, const struct exec_fault *f)
{
    struct debuggee *run = ctx;
    if (!agent.on || run->back)
        return;
    run->has_place = gate_last(&run->place);
    run->grid = g;
    if (f->kind == FAULT_DEADLOCK || f->kind == FAULT_TIMEOUT) {
        run->place.pc = NULL; /* nobody runs */
        run->place.tick = gate_tick();
    }
    run->fault = f;
    if (run->travel.on)
        travel_end();
    else
        stop_here(run, "fault", NULL);
    run->fault = NULL;
    run->has_place = false;
}

bool control_end(void)
{
    struct debuggee *run = agent.run;
    bool go = true;
    run->total = gate_tick();
    run->at_end = true;
    run->has_place = false;
    run->grid = NULL;
    if (agent.on && wire_waiting(agent.wire))
        serve_waiting();
    if (agent.on && run->travel.on)
        go = travel_end();
    else if (agent.on && (agent.stop_at_end || run->step.on || agent.interrupted))
        go = stop_here(run, "end", NULL);
    run->at_end = false;
    return go;
}
