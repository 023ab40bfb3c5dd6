/* findings.c - what the tools of `lockstep check` find in a launch, and where the launch is to stand still for it.
 *
 * A launch is *looked at* before it runs for the debugger. It runs once under the checks, to its end; memory is put back;
 * and if something was found it runs once more, to learn the ticks at which the parties did what they are told of. So all
 * findings are known, with their ticks, when the first instruction runs for the debugger, and stopping at one, from either
 * side, is stopping at a tick. All of these runs are the same run: the checks change nothing of the schedule, and no
 * access is left out.
 *
 * A party's tick is the last one, up to where the finding was made, at which its thread ran the instruction on these bytes. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/agent/internal.h"
#include "exec/module.h"

enum { FOUND_MOST = 256 };

/* ---- what was found ---- */

static void read_party(struct found_party *to, const struct party *p, const struct exec_launch *l)
{
    to->is = true;
    if (!p->has_thread || !p->function || !p->ptx_line || p->launched)
        return;
    const u64 thread = p->thread[0] + (u64)l->block[0] * (p->thread[1] + (u64)l->block[1] * p->thread[2]);
    to->block = p->block[0] + (u64)l->grid[0] * (p->block[1] + (u64)l->grid[1] * p->block[2]);
    to->warp = (u32)(thread / IR_LANES);
    to->lane = (u32)(thread % IR_LANES);
    to->function = p->function;
    to->line = p->ptx_line;
    to->placed = true;
}

static json_t *finding_object(const struct finding *f, u64 number)
{
    char *text = finding_print(f, number);
    json_t *o = text ? json_loads(text, 0, NULL) : NULL;
    ls_free(text);
    json_object_del(o, "id");
    json_object_del(o, "type");
    json_object_set_new(o, "number", json_integer((json_int_t)number));
    return o;
}

static void keep(struct debuggee *run, const struct finding *f)
{
    struct found *x = &run->found[run->nfound];
    *x = (struct found){.tools = (unsigned)finding_info(f->kind)->tool,
                        .launch = f->launch,
                        .when = f->when,
                        .tick = UINT64_MAX,
                        .space = f->space,
                        .address = f->has_address ? f->address : 0,
                        .size = f->has_address ? (u32)f->size : 0};
    x->told = finding_object(f, agent.next_finding + 1);
    if (!x->told)
        return;
    agent.next_finding++;
    read_party(&x->party[0], &f->at, run->grid_launch);
    if (f->has_other)
        read_party(&x->party[1], &f->other, run->grid_launch);
    run->nfound++;
}

u64 agent_clock(void) { return gate_tick() ? gate_tick() - 1 : 0; }

/* A finding of the host's is only told: the program is not in a kernel. */
void agent_found(const struct finding *f)
{
    struct debuggee *run = agent.run;
    if (!agent.on)
        return;
    if (!f->launch || !run || !run->looking || !run->grid_launch) {
        json_t *o = finding_object(f, 0);
        wire_send(agent.wire, o ? json_pack("{s:s, s:o}", "event", "finding", "finding", o) : NULL);
    } else if (run->nfound < FOUND_MOST) {
        keep(run, f);
    }
}

/* ---- looking at a launch ---- */

static bool look_at(void *ctx, const struct gate_place *p)
{
    (void)ctx, (void)p;
    if (agent.on && wire_waiting(agent.wire))
        serve_waiting();
    gate_alarm(UINT64_MAX);
    if (agent.on && wire_waiting(agent.wire))
        gate_alarm(0);
    return agent.on && !agent.interrupted;
}

static void look_at_fault(void *ctx, struct grid *g, const struct exec_fault *f)
{
    struct debuggee *run = ctx;
    (void)g, (void)f;
    run->faults_at = gate_tick() ? gate_tick() - 1 : 0;
}

static void passed_behind(void *ctx, const struct exec_fault *furthest, u64 bytes)
{
    (void)ctx, (void)furthest, (void)bytes;
}

static enum ls_status check_grid(void *ctx, struct exec_launch *l, struct exec_fault *fault)
{
    struct debuggee *run = ctx;
    l->id = id_of(run, l);
    l->hooks = agent.config.checks->begin(l);
    run->strict = l->hooks && l->hooks->fault;
    run->grid_launch = l;
    const enum ls_status s = gate_kernel(l) ? exec_run(l, fault, NULL) : LS_ERR_NOMEM;
    if (l->hooks)
        agent.config.checks->end(s, fault);
    run->grid_launch = NULL;
    l->hooks = NULL;
    return s;
}

/* ---- the parties' ticks ---- */

/* The lane's access is one of the finding's bytes; true also if that cannot be told. */
static bool touches(const struct found *x, const struct gate_place *p, u32 lane)
{
    u64 at, size;
    if (!x->size || !lane_touches(p, lane, (enum ptx_space)x->space, &at, &size))
        return true;
    return at < x->address + x->size && x->address < at + size;
}

static void look_for_party(struct found *x, struct found_party *party, const struct gate_place *p)
{
    if (!party->placed || p->tick > x->when || look_info(look_block_of(p->w))->linear != party->block ||
        look_warp_index(p->w) != party->warp || !(look_mask(p->w) >> party->lane & 1) ||
        p->func->src->insts[p->site].line != party->line || strcmp(p->func->name, party->function) != 0)
        return;
    if (!touches(x, p, party->lane))
        return;
    party->tick = p->tick;
    party->known = true;
}

static bool learn_at(void *ctx, const struct gate_place *p)
{
    struct debuggee *run = ctx;
    const u64 id = run->grid_launch->id;
    for (u32 k = 0; k < run->nfound && p->flags & FLAG_FOUND; k++)
        for (u32 i = 0; i < 2 && run->found[k].launch == id; i++)
            look_for_party(&run->found[k], &run->found[k].party[i], p);
    return look_at(ctx, p);
}

/* It stops at the later of the two, in front of which both have not met yet. */
static void settle(struct found *x)
{
    bool any = false;
    x->tick = 0;
    for (u32 i = 0; i < 2; i++) {
        struct found_party *party = &x->party[i];
        json_t *told = json_object_get(x->told, i ? "other" : "at");
        if (!party->known)
            continue;
        any = true;
        x->tick = party->tick > x->tick ? party->tick : x->tick;
        json_object_set_new(told, "tick", json_integer((json_int_t)party->tick));
    }
    for (u32 i = 0; i < 2; i++)
        if (x->party[i].known && x->party[i].tick == x->tick && !x->lanes)
            x->lanes = 1u << x->party[i].lane;
    x->tick = any ? x->tick : UINT64_MAX;
    if (any)
        json_object_set_new(x->told, "tick", json_integer((json_int_t)x->tick));
}

static bool run_once(struct debuggee *run, const struct exec_launch *l, exec_run_one *one,
                     bool (*at)(void *ctx, const struct gate_place *p))
{
    const struct gate_owner owner = {.ctx = run, .at = at, .fault = look_at_fault};
    struct exec_launch copy = *l;
    struct exec_fault fault = {0};
    copy.print = NULL;
    copy.behind = l->behind ? passed_behind : NULL;
    run->looking = true;
    gate_open(&owner);
    exec_run_tree(&copy, one, run, &fault);
    run->ticks_looked = agent.interrupted ? 0 : gate_tick();
    rewind_all(run);
    gate_close();
    run->looking = false;
    return !agent.interrupted;
}

static bool names_heap(const struct ptx_func *f)
{
    for (u32 k = 0; k < f->ninsts; k++)
        for (u32 o = 0; f->insts[k].op == OP_CALL && o < f->insts[k].noperands; o++) {
            const struct ptx_operand *to = &f->insts[k].operands[o];
            if (to->kind == PTX_FUNC && (!strcmp(to->func->name, "malloc") || !strcmp(to->func->name, "free")))
                return true;
        }
    return false;
}

/* What a kernel takes from the device's heap is not given back when it runs again. */
static bool uses_heap(const struct exec_launch *l)
{
    bool any = names_heap(l->kernel->src);
    for (u32 k = 0; k < l->module->nfuncs && l->kernel->has_calls && !any; k++)
        any = !l->module->funcs[k].src->is_entry && names_heap(l->module->funcs[k].src);
    return any;
}

static void tell_unchecked(const char *why)
{
    char text[300];
    snprintf(text, sizeof text, "This launch is not checked: %s", why);
    wire_send(agent.wire, json_pack("{s:s, s:s}", "event", "warning", "text", text));
}

void findings_look(struct debuggee *run, const struct exec_launch *l)
{
    const char *why = run->no_return ? run->no_return : uses_heap(l) ? "it uses the device's heap" : NULL;
    run->faults_at = UINT64_MAX;
    if (!agent.checks)
        return;
    if (why) {
        tell_unchecked(why);
        return;
    }
    run->found = ls_calloc(FOUND_MOST, sizeof *run->found);
    if (!run->found)
        return;
    const bool whole = run_once(run, l, check_grid, look_at);
    if (whole && run->nfound)
        run_once(run, l, run_grid, learn_at);
    for (u32 k = 0; k < run->nfound; k++)
        settle(&run->found[k]);
}

void findings_drop(struct debuggee *run)
{
    for (u32 k = 0; k < run->nfound; k++)
        json_decref(run->found[k].told);
    ls_free(run->found);
}

/* ---- at a stop ---- */

/* Sites of parties are flagged. */
void findings_place(const struct debuggee *run, const struct ir_func *func)
{
    for (u32 k = 0; k < run->nfound; k++)
        for (u32 i = 0; i < 2; i++) {
            const struct found_party *party = &run->found[k].party[i];
            if (!party->placed || strcmp(party->function, func->name) != 0)
                continue;
            for (u32 site = 0; site < func->src->ninsts; site++) {
                u32 at = site;
                if (func->src->insts[site].line == party->line)
                    gate_flag(func, &at, FLAG_FOUND);
            }
        }
}

/* A fault stops by itself. */
bool findings_hold(const struct debuggee *run, u64 tick, unsigned tools, u32 *lanes)
{
    bool any = false;
    *lanes = 0;
    for (u32 k = 0; k < run->nfound; k++)
        if (run->found[k].tick == tick && run->found[k].tools & tools && tick != run->faults_at) {
            any = true;
            *lanes = *lanes ? *lanes : run->found[k].lanes;
        }
    return any;
}

void findings_tell(json_t *to, const struct debuggee *run, u64 tick)
{
    json_t *list = json_array();
    for (u32 k = 0; k < run->nfound; k++)
        if (run->found[k].tick == tick)
            json_array_append(list, run->found[k].told);
    if (json_array_size(list))
        json_object_set(to, "findings", list);
    json_decref(list);
}

bool inspect_findings(const json_t *q, json_t *out, char why[200])
{
    const struct debuggee *run = agent.run;
    json_t *list = json_array();
    (void)q;
    if (!agent.checks) {
        snprintf(why, 200, "no tool of `lockstep check` listens: break finding, and run it again");
        json_decref(list);
        return false;
    }
    for (u32 k = 0; k < run->nfound; k++)
        json_array_append(list, run->found[k].told);
    json_object_set_new(out, "findings", list);
    return true;
}

/* ---- the tools ---- */

static bool read_tools(const char *list, unsigned *tools)
{
    char name[64];
    unsigned one;
    *tools = 0;
    for (const char *at = list; *at;) {
        const size_t n = strcspn(at, ", ");
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), at);
        if (n && !check_tool_by_name(name, &one))
            return false;
        *tools |= n ? one : 0;
        at += n + (at[n] != 0);
    }
    return *tools != 0;
}

bool findings_tools(const json_t *q, unsigned *tools, char why[200])
{
    const json_t *named = json_object_get(q, "tools");
    *tools = CHECK_MEMCHECK | CHECK_RACECHECK | CHECK_INITCHECK | CHECK_SYNCCHECK;
    if (!named || (json_is_string(named) && read_tools(json_string_value(named), tools)))
        return true;
    snprintf(why, 200, "there is no such tool: memcheck, racecheck, initcheck, synccheck, ... of `lockstep check`");
    return false;
}

/* The checks see all that the program allocates and does, so they begin where CUDA does. */
bool inspect_check(const json_t *q, json_t *out, char why[200])
{
    unsigned tools;
    (void)out;
    if (!findings_tools(q, &tools, why))
        return false;
    if (!(tools & ~agent.checks))
        return true;
    const char *wrong = !agent.config.checks ? "there are no checks here"
                        : !agent.starting    ? "the checks listen from where CUDA starts: run the program again"
                                             : NULL;
    if (wrong) {
        snprintf(why, 200, "%s", wrong);
        return false;
    }
    agent.checks |= tools;
    return true;
}
