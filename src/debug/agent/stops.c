/* stops.c - where a launch is to stand still: making stops of requests, finding their places in the functions that run, and
 * asking at an instruction whether one holds. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/agent/internal.h"
#include "exec/module.h"

/* ---- from a request ---- */

static const char *const kinds[] = {[STOP_AT_INSTRUCTION] = "instruction",
                                    [STOP_AT_ENTRY] = "entry",
                                    [STOP_AT_WATCH] = "watch",
                                    [STOP_AT_DIVERGENCE] = "divergence",
                                    [STOP_AT_BANKS] = "banks",
                                    [STOP_AT_FINDING] = "finding",
                                    [STOP_AT_CALL] = "call"};

static bool fail(char why[200], const char *text)
{
    snprintf(why, 200, "%s", text);
    return false;
}

static bool read_kind(struct stop *s, const json_t *q, char why[200])
{
    const char *name = json_string_value(json_object_get(q, "kind"));
    for (unsigned k = 0; name && k < LS_ARRAY_LEN(kinds); k++)
        if (strcmp(name, kinds[k]) == 0) {
            s->kind = (enum stop_kind)k;
            return true;
        }
    return fail(why, "kind is instruction, entry, watch, divergence, banks, finding or call");
}

static bool read_watch(struct stop *s, const json_t *q, char why[200])
{
    const char *space_name = json_string_value(json_object_get(q, "space"));
    const char *when = json_string_value(json_object_get(q, "when"));
    enum ptx_space space = SPACE_GLOBAL;
    u64 size;
    if (space_name && !space_named(space_name, &space))
        return fail(why, "there is no space of that name");
    if (space != SPACE_GLOBAL && space != SPACE_SHARED && space != SPACE_LOCAL && space != SPACE_NONE)
        return fail(why, "memory of that space cannot be watched");
    if (!word_u64(json_object_get(q, "address"), &s->watch.address))
        return fail(why, "a watch needs an address");
    if (!word_member(q, "size", 4, WATCH_MOST, &size) || !size)
        return fail(why, "a watch is for 1 to 64 bytes");
    if (when && strcmp(when, "write") != 0 && strcmp(when, "change") != 0)
        return fail(why, "when is write or change");
    s->watch.on_write = when && strcmp(when, "write") == 0;
    s->watch.space = (u8)space;
    s->watch.size = (u32)size;
    if (!word_member(q, "of_block", UINT64_MAX, UINT64_MAX, &s->watch.block) ||
        !word_member(q, "of_thread", UINT64_MAX, 1023, &s->watch.thread))
        return fail(why, "of_block and of_thread are numbers");
    if ((space == SPACE_SHARED || space == SPACE_LOCAL) && s->watch.block == UINT64_MAX)
        return fail(why, "shared and local memory are a block's: of_block says which");
    if (space == SPACE_LOCAL && s->watch.thread == UINT64_MAX)
        return fail(why, "local memory is a thread's: of_thread says which");
    return true;
}

static bool read_filters(struct stop *s, const json_t *q, char why[200])
{
    u64 index;
    const char *function = json_string_value(json_object_get(q, "function"));
    s->expression = json_incref(json_object_get(q, "condition"));
    s->temporary = word_flag(q, "temporary", false);
    s->enabled = word_flag(q, "enabled", true);
    if (s->expression && !json_is_array(s->expression))
        return fail(why, "a condition is a list of steps");
    if (!word_member(q, "ignore", 0, UINT64_MAX, &s->ignore) ||
        !word_member(q, "block", UINT64_MAX, UINT64_MAX, &s->block) ||
        !word_member(q, "warp", UINT64_MAX, UINT64_MAX, &s->warp) ||
        !word_member(q, "index", 0, UINT32_MAX - 1, &index) || !word_member(q, "more", 1, UINT32_MAX, &s->more))
        return fail(why, "ignore, block, warp, index and more are numbers");
    s->index = (u32)index;
    if (function && !(s->function = ls_realloc(NULL, strlen(function) + 1)))
        return fail(why, "no memory");
    if (function)
        memcpy(s->function, function, strlen(function) + 1);
    if (s->kind == STOP_AT_FINDING && !findings_tools(q, &s->tools, why))
        return false;
    if (s->kind == STOP_AT_FINDING && s->tools & ~agent.checks)
        return fail(why, "that tool does not listen: check says which do");
    if (s->kind == STOP_AT_INSTRUCTION && !function)
        return fail(why, "an instruction is in a function");
    return true;
}

struct stop *stop_make(const json_t *q, char why[200])
{
    struct stop *s = ls_calloc(1, sizeof *s);
    fail(why, "no memory");
    if (!s)
        return NULL;
    if (read_kind(s, q, why) && (s->kind != STOP_AT_WATCH || read_watch(s, q, why)) && read_filters(s, q, why))
        return s;
    stop_free(s);
    return NULL;
}

static void forget(struct stop *s)
{
    for (u32 k = 0; k < s->nplaces; k++)
        condition_free(s->places[k].condition);
    s->nplaces = 0;
}

void stop_free(struct stop *s)
{
    forget(s);
    json_decref(s->expression);
    ls_free(s->function);
    ls_free(s);
}

void stop_delete(struct stop *s)
{
    struct debuggee *run = agent.run;
    struct stop **at = &agent.stops;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    if (run)
        run->stored.on = false;
    if (run && run->travel.hit.stop == s)
        run->travel.hit = (struct hit){.tick = run->travel.hit.tick, .reason = run->travel.hit.reason};
    stop_free(s);
    stops_place();
}

json_t *stop_told(const struct stop *s)
{
    json_t *out = json_pack("{s:I, s:s, s:b, s:b, s:I, s:I, s:s*}", "stop", (json_int_t)s->id, "kind", kinds[s->kind],
                            "enabled", s->enabled, "temporary", s->temporary, "hits", (json_int_t)s->hits, "ignore",
                            (json_int_t)s->ignore, "function", s->function);
    if (s->kind == STOP_AT_INSTRUCTION)
        json_object_set_new(out, "index", json_integer(s->index));
    if (s->kind == STOP_AT_WATCH) {
        json_object_set_new(out, "address", word_hex(s->watch.address));
        json_object_set_new(out, "size", json_integer(s->watch.size));
    }
    if (s->expression)
        json_object_set(out, "condition", s->expression);
    return out;
}

bool stops_any(enum stop_kind kind)
{
    for (const struct stop *s = agent.stops; s; s = s->next)
        if (s->enabled && s->kind == kind)
            return true;
    return false;
}

bool stops_concern(const struct exec_launch *l)
{
    for (const struct stop *s = agent.stops; s; s = s->next) {
        if (s->kind == STOP_AT_CALL)
            continue;
        if (s->enabled && (s->kind != STOP_AT_INSTRUCTION || strcmp(s->function, l->kernel->name) == 0))
            return true;
        for (unsigned k = 0; s->enabled && k < l->module->nunits; k++)
            if (ptx_find_func(l->module->units[k], s->function))
                return true;
    }
    return false;
}

/* ---- places ---- */

/* A condition that does not fit the function (it names registers of another) makes the stop one without places there. */
static void place_in(struct stop *s, const struct ir_func *func, u32 site)
{
    char why[200];
    struct condition *c = s->expression ? condition_compile(s->expression, func, why) : NULL;
    if (s->expression && !c)
        wire_send(agent.wire, json_pack("{s:s, s:I, s:s}", "event", "warning", "stop", (json_int_t)s->id, "text", why));
    if ((s->expression && !c) || s->nplaces == PLACES_MOST) {
        condition_free(c);
        return;
    }
    s->places[s->nplaces++] = (struct stop_place){func, site, c};
}

static void place_instruction(struct stop *s, const struct ir_func *func)
{
    u32 site = s->index;
    if (!s->enabled || s->kind != STOP_AT_INSTRUCTION || strcmp(func->name, s->function) != 0)
        return;
    if (gate_flag(func, &site, FLAG_BREAK))
        place_in(s, func, site);
}

static bool may_write(const struct ptx_inst *i)
{
    static const char *const harmless[] = {"ld",  "mov",  "add", "sub", "mul", "mad",
                                           "fma", "setp", "bra", "cvt", "cvta"};
    const struct ptx_op_row *row = ptx_op_row((enum ptx_op)i->op);
    if (row->memory == PTX_MEM_STORE || row->memory == PTX_MEM_ATOMIC || row->memory == PTX_MEM_MATRIX_STORE ||
        row->memory == PTX_MEM_COPY || row->flow == FLOW_CALL)
        return true;
    for (unsigned k = 0; k < LS_ARRAY_LEN(harmless); k++)
        if (strcmp(row->name, harmless[k]) == 0)
            return false;
    return strncmp(row->name, "cp", 2) == 0 || strncmp(row->name, "st", 2) == 0 || strncmp(row->name, "red", 3) == 0 ||
           strncmp(row->name, "sust", 4) == 0 || strncmp(row->name, "sured", 5) == 0;
}

static bool is_shared(const struct ptx_inst *i)
{
    const u8 memory = ptx_op_row((enum ptx_op)i->op)->memory;
    return i->space == SPACE_SHARED && (memory == PTX_MEM_LOAD || memory == PTX_MEM_STORE || memory == PTX_MEM_ATOMIC);
}

/* Sites that some kinds of stops ask about, wherever they are. */
static void flag_kind(const struct ir_func *func, u32 flag)
{
    for (u32 site = 0; site < func->src->ninsts; site++) {
        const struct ptx_inst *i = &func->src->insts[site];
        const u8 flow = ptx_op_row((enum ptx_op)i->op)->flow;
        const bool wanted = flag == FLAG_STORE    ? may_write(i)
                            : flag == FLAG_BRANCH ? (flow == FLOW_BRANCH && i->guard) || flow == FLOW_TABLE
                                                  : is_shared(i);
        u32 at = site;
        if (wanted)
            gate_flag(func, &at, flag);
    }
}

static void place_all(void *ctx, const struct ir_func *func)
{
    const struct debuggee *run = ctx;
    if (run->travel.on && !run->travel.placed)
        return;
    for (struct stop *s = agent.stops; s; s = s->next)
        place_instruction(s, func);
    if (stops_any(STOP_AT_WATCH) || run->travel.record == RECORD_WRITE)
        flag_kind(func, FLAG_STORE);
    if (stops_any(STOP_AT_DIVERGENCE))
        flag_kind(func, FLAG_BRANCH);
    if (stops_any(STOP_AT_BANKS))
        flag_kind(func, FLAG_SHARED);
    findings_place(run, func);
}

void stops_forget(void)
{
    for (struct stop *s = agent.stops; s; s = s->next)
        forget(s);
}

void stops_place(void)
{
    if (!agent.run)
        return;
    gate_unflag(UINT32_MAX);
    stops_forget();
    gate_each(place_all, agent.run);
}

/* ---- does one hold? ---- */

static bool filters_pass(const struct stop *s, const struct gate_place *p)
{
    const struct exec_block_info *b = look_info(look_block_of(p->w));
    return s->enabled && (s->block == UINT64_MAX || s->block == b->linear) &&
           (s->warp == UINT64_MAX || s->warp == look_warp_index(p->w)) &&
           (!s->function || s->kind == STOP_AT_INSTRUCTION || strcmp(s->function, p->func->name) == 0);
}

/* In *lanes those in which it holds: all if there is none. */
static bool condition_passes(const struct condition *c, const struct gate_place *p, u32 *lanes)
{
    const struct condition_place at = {agent.config.mem, p->w, look_frame_of(p->w)};
    *lanes = c ? condition_holds(c, &at, look_mask(p->w)) : look_mask(p->w);
    return *lanes != 0;
}

/* Of kinds that have no places of their own the expression is compiled where it is first asked for. */
static bool expression_passes(struct stop *s, const struct gate_place *p, u32 *lanes)
{
    if (!s->expression)
        return condition_passes(NULL, p, lanes);
    for (u32 k = 0; k < s->nplaces; k++)
        if (s->places[k].func == p->func)
            return condition_passes(s->places[k].condition, p, lanes);
    if (s->nplaces == PLACES_MOST)
        return false;
    place_in(s, p->func, 0);
    return s->nplaces && s->places[s->nplaces - 1].func == p->func &&
           condition_passes(s->places[s->nplaces - 1].condition, p, lanes);
}

bool stop_passes(struct stop *s, const struct gate_place *p)
{
    u32 lanes;
    return filters_pass(s, p) && expression_passes(s, p, &lanes);
}

static bool instruction_holds(const struct stop *s, const struct gate_place *p, u32 *lanes)
{
    for (u32 k = 0; k < s->nplaces; k++)
        if (s->places[k].func == p->func && s->places[k].site == p->site)
            return condition_passes(s->places[k].condition, p, lanes);
    return false;
}

static bool register_is_zero_somewhere(const void *at, u32 mask, bool neg, u32 *taken)
{
    u32 lanes;
    memcpy(&lanes, at, sizeof lanes);
    *taken = (neg ? ~lanes : lanes) & mask;
    return *taken != mask;
}

/* Lanes of the warp are about to part. */
static bool diverges(const struct gate_place *p)
{
    const struct ptx_inst *i = &p->func->src->insts[p->site];
    const u32 mask = look_mask(p->w);
    u32 bytes, taken;
    if (i->guard) {
        const void *at = look_register(look_frame_of(p->w), i->guard->index, &bytes);
        return register_is_zero_somewhere(at, mask, i->guard_neg, &taken) && taken;
    }
    if (!i->noperands || i->operands[0].kind != PTX_REG)
        return false;
    const u32 *index = look_register(look_frame_of(p->w), i->operands[0].var->index, &bytes);
    for (u32 m = mask; bytes == 4 && m; m &= m - 1)
        if (index[__builtin_ctz(m)] != index[__builtin_ctz(mask)])
            return true;
    return false;
}

static bool holds(struct stop *s, const struct gate_place *p, struct hit *h)
{
    if (!filters_pass(s, p))
        return false;
    switch (s->kind) {
    case STOP_AT_INSTRUCTION:
        return p->flags & FLAG_BREAK && instruction_holds(s, p, &h->lanes);
    case STOP_AT_ENTRY:
        return agent.run->entry && expression_passes(s, p, &h->lanes);
    case STOP_AT_DIVERGENCE:
        return p->flags & FLAG_BRANCH && diverges(p) && expression_passes(s, p, &h->lanes);
    case STOP_AT_BANKS:
        h->passes = p->flags & FLAG_SHARED ? bank_passes(p) : 0;
        return h->passes > s->more && expression_passes(s, p, &h->lanes);
    case STOP_AT_FINDING:
        return p->flags & FLAG_FOUND && findings_hold(agent.run, p->tick, s->tools, &h->lanes) &&
               expression_passes(s, p, &(u32){0});
    case STOP_AT_WATCH:
    case STOP_AT_CALL:
        return false;
    }
    return false;
}

bool stops_at(const struct gate_place *p, bool count, struct hit *h)
{
    static const char *const reasons[] = {
        [STOP_AT_INSTRUCTION] = "breakpoint", [STOP_AT_ENTRY] = "entry", [STOP_AT_WATCH] = "watch",
        [STOP_AT_DIVERGENCE] = "divergence",  [STOP_AT_BANKS] = "banks", [STOP_AT_FINDING] = "finding"};
    for (struct stop *s = agent.stops; s; s = s->next) {
        if (!holds(s, p, h))
            continue;
        s->hits += count;
        if (count && s->ignore) {
            s->ignore--;
            continue;
        }
        h->stop = s;
        h->reason = reasons[s->kind];
        h->tick = p->tick;
        return true;
    }
    return false;
}
