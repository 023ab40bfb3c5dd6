/* flow.c - which entry of a variable's list of locations holds at an instruction.
 *
 * A list says for ranges of instructions where the variable is. Compilers for PTX close a range where the next begins *in the
 * text*, whatever comes from elsewhere by a branch: behind a loop that copies `n` to %r9 at its end, and is left in the middle
 * with `n` in %r4, the list goes on with %r9. So the beginning of a range is taken as what it is, the moment from which the
 * variable is there, and the rest follows from the ways that control can take. A register that is copied into another one
 * still has the value, so a variable is known by the set of the list's entries that have it: where ways meet, by those that
 * all of them have. A range may also begin in front of the instruction that writes its register, which has nothing yet. */
#include <dwarf.h>

#include "debug/info/internal.h"

/* A state is a set of entries by number. */
enum { ENTRIES = 63, NONE = 0xff };
static const u64 UNREACHED = ~(u64)0;

struct flow {
    struct debug_info *info;
    const struct ptx_func *f;
    struct flow_entry entries[ENTRIES];
    const struct ptx_var *regs[ENTRIES]; /* of entries that are a register */
    u32 n;
    u8 *list;    /* by instruction: the entry that the list gives, or NONE */
    bool *event; /* something begins or ends there */
    u64 *at;     /* the state in front of the instruction, whatever begins there */
    bool changed;
};

/* ---- the ways of control ---- */

typedef void way_fn(void *ctx, u32 to);

static void each_way(const struct ptx_func *f, u32 i, way_fn *fn, void *ctx)
{
    const struct ptx_inst *inst = &f->insts[i];
    const u8 flow = ptx_op_row(inst->op)->flow;
    for (u32 k = 0; (flow == FLOW_BRANCH || flow == FLOW_TABLE) && k < inst->noperands; k++) {
        const struct ptx_operand *o = &inst->operands[k];
        if (o->kind != PTX_LABEL || !o->label)
            continue;
        if (!o->label->ntargets)
            fn(ctx, o->label->at);
        for (u32 t = 0; t < o->label->ntargets; t++)
            fn(ctx, o->label->targets[t]->at);
    }
    if (inst->guard || (flow != FLOW_BRANCH && flow != FLOW_TABLE && flow != FLOW_END))
        fn(ctx, i + 1);
}

/* ---- registers that are written ---- */

static bool names(const struct ptx_operand *o, const struct ptx_var *reg)
{
    if (o->kind == PTX_REG)
        return o->var == reg;
    for (u32 k = 0; (o->kind == PTX_VEC || o->kind == PTX_PAIR || o->kind == PTX_LIST) && k < o->n; k++)
        if (names(&o->elems[k], reg))
            return true;
    return false;
}

static bool writes(const struct ptx_inst *i, const struct ptx_var *reg)
{
    for (u32 k = 0; k < i->noperands; k++)
        if (i->operands[k].role == PTX_DEST && names(&i->operands[k], reg))
            return true;
    return false;
}

/* ---- the list ---- */

static bool same_entry(const struct flow_entry *a, const struct flow_entry *b)
{
    if (a->nops != b->nops)
        return false;
    for (size_t k = 0; k < a->nops; k++)
        if (a->ops[k].atom != b->ops[k].atom || a->ops[k].number != b->ops[k].number ||
            a->ops[k].number2 != b->ops[k].number2)
            return false;
    return true;
}

static u8 entry_number(struct flow *w, struct flow_entry e)
{
    for (u32 k = 0; k < w->n; k++)
        if (same_entry(&w->entries[k], &e))
            return (u8)k;
    if (w->n == ENTRIES)
        return NONE;
    w->entries[w->n] = e;
    if (e.nops == 1 && e.ops[0].atom == DW_OP_regx)
        w->regs[w->n] = location_register(w->info, w->f, e.ops[0].number);
    return (u8)w->n++;
}

/* The instruction of an address, or the end of the function. */
static u32 inst_of(const struct flow *w, Dwarf_Addr address)
{
    const u64 first = place_address(w->info, (struct debug_place){w->f, 0});
    return address >= first && address - first < w->f->ninsts ? (u32)(address - first) : w->f->ninsts;
}

static void read_list(struct flow *w, Dwarf_Attribute *list)
{
    Dwarf_Addr base, start, end;
    struct flow_entry e;
    ptrdiff_t at = 0;
    memset(w->list, NONE, w->f->ninsts);
    while ((at = dwarf_getlocations(list, at, &base, &start, &end, &e.ops, &e.nops)) > 0) {
        const u32 from = inst_of(w, start), to = inst_of(w, end);
        if (start >= end || from >= to)
            continue;
        memset(w->list + from, entry_number(w, e), to - from);
        w->event[from] = true;
        if (to < w->f->ninsts)
            w->event[to] = true;
    }
}

/* ---- the variable's state ---- */

static u64 begin(const struct flow *w, u32 i, u64 state)
{
    const u8 k = w->list[i];
    if (!w->event[i])
        return state;
    return k == NONE ? 0 : state != UNREACHED && state >> k & 1 ? state : (u64)1 << k;
}

/* Behind an instruction: a copy of what has the value has it, too; what is written otherwise has not, unless the list goes on
 * to say so. */
static u64 execute(const struct flow *w, u32 i, u64 state)
{
    const struct ptx_inst *inst = &w->f->insts[i];
    const struct ptx_var *from =
        inst->op == OP_MOV && inst->operands[1].kind == PTX_REG && !inst->guard ? inst->operands[1].var : NULL;
    bool copied = false;
    u64 out = state;
    for (u32 k = 0; k < w->n; k++)
        copied |= from && w->regs[k] == from && state >> k & 1;
    for (u32 k = 0; k < w->n; k++) {
        if (!w->regs[k] || !writes(inst, w->regs[k]))
            continue;
        if (copied)
            out |= (u64)1 << k;
        else if (w->list[i] != k)
            out &= ~((u64)1 << k);
    }
    return out;
}

struct way {
    struct flow *flow;
    u64 state;
};

static void arrive(void *ctx, u32 to)
{
    const struct way *way = ctx;
    struct flow *w = way->flow;
    if (to >= w->f->ninsts || (w->at[to] & way->state) == w->at[to])
        return;
    w->at[to] &= way->state;
    w->changed = true;
}

static void follow(struct flow *w)
{
    for (u32 i = 0; i < w->f->ninsts; i++)
        w->at[i] = UNREACHED;
    w->at[0] = 0;
    do {
        w->changed = false;
        for (u32 i = 0; i < w->f->ninsts; i++) {
            struct way way = {w, 0};
            if (w->at[i] == UNREACHED)
                continue;
            way.state = execute(w, i, begin(w, i, w->at[i]));
            each_way(w->f, i, arrive, &way);
        }
    } while (w->changed);
}

/* ---- registers that are not written yet ---- */

struct reach {
    bool *seen;
    u32 *todo, n, ninsts;
};

static void reach_on(void *ctx, u32 to)
{
    struct reach *r = ctx;
    if (to >= r->ninsts || r->seen[to])
        return;
    r->seen[to] = true;
    r->todo[r->n++] = to;
}

/* Room for a walk over any function, which is asked for often. */
static struct reach reach_room(struct debug_info *info, const struct ptx_func *f)
{
    if (info->walk_room < f->ninsts) {
        info->walk_seen = arena_array(&info->mem, bool, f->ninsts);
        info->walk_todo = arena_array(&info->mem, u32, f->ninsts);
        info->walk_room = f->ninsts;
    }
    memset(info->walk_seen, 0, f->ninsts * sizeof *info->walk_seen);
    return (struct reach){info->walk_seen, info->walk_todo, 0, f->ninsts};
}

/* Whether a way leads to the instruction on which nothing has written the register. */
static bool unwritten(struct debug_info *info, struct debug_place at, const struct ptx_var *reg)
{
    struct reach r = reach_room(info, at.func);
    reach_on(&r, 0);
    while (r.n && !r.seen[at.inst]) {
        const u32 i = r.todo[--r.n];
        if (!writes(&at.func->insts[i], reg))
            each_way(at.func, i, reach_on, &r);
    }
    return r.seen[at.inst];
}

void flow_check_registers(struct debug_info *info, struct debug_place at, struct debug_piece *pieces, u32 n)
{
    for (u32 k = 0; k < n; k++)
        if (pieces[k].kind != DEBUG_LOST && pieces[k].reg && unwritten(info, at, pieces[k].reg))
            pieces[k] = (struct debug_piece){.kind = DEBUG_LOST, .size = pieces[k].size};
}

/* ---- what is asked ---- */

static const struct flow_list *flow_of(struct debug_info *info, u64 die, struct debug_place at, Dwarf_Attribute *list)
{
    for (u32 k = 0; k < info->flows.len; k++)
        if (info->flows.at[k].die == die && info->flows.at[k].func == at.func)
            return &info->flows.at[k];
    const u32 n = at.func->ninsts;
    struct flow *w = arena_new(&info->mem, struct flow);
    *w = (struct flow){.info = info,
                       .f = at.func,
                       .list = arena_array(&info->mem, u8, n),
                       .event = arena_array(&info->mem, bool, n),
                       .at = arena_array(&info->mem, u64, n)};
    read_list(w, list);
    follow(w);
    for (u32 i = 0; i < n; i++)
        if (w->at[i] == UNREACHED)
            w->at[i] = w->list[i] == NONE ? 0 : (u64)1 << w->list[i];
        else
            w->at[i] = begin(w, i, w->at[i]);
    const struct flow_list made = {die, at.func, w->at, w->list, w->entries};
    vec_push(&info->mem, &info->flows, made);
    return &info->flows.at[info->flows.len - 1];
}

size_t flow_entry(struct debug_info *info, u64 die, struct debug_place at, Dwarf_Attribute *list, Dwarf_Op **ops)
{
    const struct flow_list *w = flow_of(info, die, at, list);
    const u64 state = w->at[at.inst];
    if (w->list[at.inst] == NONE || state == 0)
        return 0;
    const u32 k = state >> w->list[at.inst] & 1 ? w->list[at.inst] : (u32)__builtin_ctzll(state);
    *ops = w->entries[k].ops;
    return w->entries[k].nops;
}
