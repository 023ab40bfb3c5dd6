/* nodes.c - PTX instructions to nodes: how many machine instructions each becomes, on which unit, and what they need.
 *
 * How many is what estimate.c says (the weight of a site). What has none is renamed: its result is its operands'. Bodies
 * that are predicated read the guard; of two bodies of a branch neither sees what the other writes. A call and a read of a
 * clock pass nothing, and nothing passes them. */
#include "ir/pass.h"
#include "meter/code/estimate/build.h"
#include "meter/code/estimate/sink.h"
#include "meter/code/estimate/unroll.h"
#include "meter/code/make_code.h"
#include "model/replay/sm/unit.h"

/* ---- what an instruction reads and writes ---- */

struct touching {
    struct build *b;
    struct touched *t;
};

static void touch(void *ctx, const struct ptx_var *reg, bool is_write)
{
    const struct touching *c = ctx;
    if (is_write)
        vec_push(c->b->mem, &c->t->writes, reg->index);
    else
        vec_push(c->b->mem, &c->t->reads, reg->index);
    c->t->predicate |= is_write && reg->type == PTX_PRED;
}

/* It is read as the turn before left it, by something else than a copy: those come behind the loads. */
static bool reads_carried(const struct build *b, const struct node_reg *read, u32 reg)
{
    return read->reg == reg && read->node < b->first && !b->g->nodes.at[read->node].copy;
}

/* In a loop what a load writes in the place of what the turn before left there comes behind what reads that: ptxas gives both one register.
 * Turns that are unrolled have registers of their own. */
static void take_carried(struct build *b, const struct ptx_inst *i, const struct touched *t)
{
    if (!b->g->loop || b->copies > 1 || ptx_op_rows[i->op].memory != PTX_MEM_LOAD)
        return;
    for (u32 k = 0; k < t->writes.len; k++)
        for (u32 n = 0; n < b->g->reads.len && lives_has(b->alive, t->writes.at[k]); n++)
            if (reads_carried(b, &b->g->reads.at[n], t->writes.at[k]))
                build_after(b, b->g->reads.at[n].node, b->first);
}

/* The value of all that it reads. */
static struct value operands_of(struct build *b, const struct touched *t)
{
    struct value all = {0};
    for (u32 k = 0; k < t->reads.len; k++)
        value_merge(b, &all, build_value(b, t->reads.at[k]));
    return all;
}

/* `add r, s, 4`: the same base, that much further. */
static bool is_step(const struct ptx_inst *i)
{
    return (i->op == OP_ADD || i->op == OP_SUB) && i->noperands == 3 && i->operands[1].kind == PTX_REG &&
           i->operands[2].kind == PTX_IMM && !ptx_type_float(build_type(i)) && !i->guard;
}

/* `add r, r, 4` */
static bool is_counter(const struct ptx_inst *i)
{
    return is_step(i) && i->operands[0].kind == PTX_REG && i->operands[0].var == i->operands[1].var;
}

/* The node that is added first now writes a register that a store read. */
static void overwrite(struct build *b, u32 reg)
{
    struct node *store = &b->g->nodes.at[b->store[reg]];
    if (!store->overwritten)
        store->overwritten = 1 + b->first;
    b->store_stamp[reg] = 0;
}

/* The register has a value already, so what a guard lets write it takes no other one. */
static bool is_taken(struct build *b, const struct ptx_inst *i, u32 reg)
{
    if (!i->guard && !b->guarded)
        return false;
    for (u32 k = 0; b->guarded && k < b->changes.len; k++)
        if (b->changes.at[k].reg == reg)
            return true;
    const struct value *old = build_value(b, reg);
    for (u32 k = 0; k < old->n; k++)
        if (!(old->source[k] & LIVE) || lives_has(b->alive, old->source[k] & ~LIVE))
            return true;
    return false;
}

/* It is made 64 bits long, and the lower half is the register that it was. */
static bool is_lengthened(const struct build *b, const struct ptx_inst *i)
{
    return i->op == OP_CVT && i->operands[0].kind == PTX_REG && b->lives->instead[2 * i->operands[0].var->index];
}

/* The machine registers of an instruction's result, shared by the nodes that give it. */
static void set_widths(struct build *b, const struct ptx_inst *i, const struct touched *t, const struct value *result)
{
    u32 words = 0, nodes = 0;
    for (u32 k = 0; k < t->writes.len; k++) {
        const enum ptx_type type = b->f->src->regs[t->writes.at[k]]->type;
        const bool none = type == PTX_PRED || b->lives->doubles[t->writes.at[k]] || is_taken(b, i, t->writes.at[k]);
        words += none ? 0 : (ptx_type_bits(type) + 31) / 32;
    }
    words = words && is_lengthened(b, i) ? 1 : words;
    for (u32 k = 0; k < result->n; k++)
        nodes += !(result->source[k] & LIVE) && result->source[k] >= b->first;
    for (u32 k = 0; k < result->n; k++)
        if (!(result->source[k] & LIVE) && result->source[k] >= b->first) {
            struct node *n = &b->g->nodes.at[result->source[k]];
            n->width = n->inst.pipe == PIPE_UNIFORM || !result->varies ? 0 : (u8)((words + nodes - 1) / nodes);
        }
}

/* The registers that i writes have that value now; under a guard, or the one from before. A counter keeps its machine
 * register, so a store that reads it has to have done so. */
static void define(struct build *b, const struct ptx_inst *i, const struct touched *t, const struct value *result)
{
    for (u32 k = 0; k < t->writes.len; k++) {
        const u32 reg = t->writes.at[k];
        struct value now = *result;
        if (i->guard || b->guarded)
            value_merge(b, &now, build_value(b, reg));
        if (b->store_stamp[reg] == b->now && is_counter(i) && b->first < b->g->nodes.len)
            overwrite(b, reg);
        if (b->written[reg] != b->now)
            vec_push(b->mem, &b->g->written, reg);
        b->written[reg] = b->now;
        if (b->guarded)
            vec_push(b->mem, &b->changes, ((struct change){b->block, reg, *build_value(b, reg), now}));
        b->stamp[reg] = b->now;
        b->values[reg] = now;
    }
}

/* ---- instructions ---- */

static u32 copies_left(const struct ptx_inst *i)
{
    return i->noperands && i->operands[0].kind == PTX_IMM ? (u32)i->operands[0].bits : 0;
}

/* Products of a warpgroup, their groups and waits: nothing passes them. */
static struct value add_group(struct build *b, u32 site, enum replay_op op, enum replay_pipe pipe,
                              const struct value *needs)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const struct value v = build_order(b, site, op, pipe, needs);
    struct node *n = &b->g->nodes.at[v.source[0]];
    if (op == REPLAY_PRODUCT) {
        n->inst.interval = (u16)unit_group_cycles(i);
        n->inst.wavefronts = (u8)unit_group_wavefronts(i);
    }
    n->inst.count = op == REPLAY_PRODUCT_WAIT ? (u16)copies_left(i) : 0;
    build_cut(b, v.source[0]);
    return v;
}

/* Of an mbarrier or a bulk copy: in order with all else that touches memory. */
static struct value add_async(struct build *b, u32 site, const struct value *needs, bool result)
{
    const struct value v = build_order(b, site, REPLAY_MEMORY, PIPE_LSU, needs);
    struct node *n = &b->g->nodes.at[v.source[0]];
    n->variable = result;
    n->latency = result ? (u16)b->latency.shared : 1;
    return v;
}

static struct value add_machine(struct build *b, u32 site, u32 weight, const struct value *needs,
                                const struct touched *t)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    if (code_is_async(i))
        return add_async(b, site, needs, t->writes.len > 0);
    if (i->op == OP_WGMMA_MMA_ASYNC || i->op == OP_WGMMA_MMA_ASYNC_SP)
        return add_group(b, site, REPLAY_PRODUCT, PIPE_TENSOR, needs);
    if (i->op == OP_WGMMA_COMMIT_GROUP || i->op == OP_WGMMA_WAIT_GROUP)
        return add_group(b, site, i->op == OP_WGMMA_WAIT_GROUP ? REPLAY_PRODUCT_WAIT : REPLAY_PRODUCT_COMMIT, PIPE_NONE,
                         needs);
    if (ptx_op_rows[i->op].memory == PTX_MEM_BULK_COMMIT)
        return build_order(b, site, REPLAY_COPY_COMMIT, PIPE_LSU, needs);
    if (ptx_op_rows[i->op].memory == PTX_MEM_BULK_WAIT) {
        const struct value v = build_order(b, site, REPLAY_COPY_WAIT, PIPE_LSU, needs);
        b->g->nodes.at[v.source[0]].inst.count = (u16)copies_left(i);
        return v;
    }
    switch (latency_cost(i).unit) {
    case IR_UNIT_MEMORY:
        return build_memory(b, site, weight, needs, t);
    case IR_UNIT_FENCE:
        if (ptx_has(i, MOD_PROXY))
            return build_order(b, site, REPLAY_FENCE, PIPE_LSU, needs);
        return build_fence(b, site, needs, true);
    case IR_UNIT_SLEEP:
        return build_order(b, site, REPLAY_SLEEP, PIPE_NONE, needs);
    case IR_UNIT_COPY_COMMIT:
        return build_order(b, site, REPLAY_COPY_COMMIT, PIPE_LSU, needs);
    case IR_UNIT_COPY_WAIT: {
        const struct value v = build_order(b, site, REPLAY_COPY_WAIT, PIPE_LSU, needs);
        b->g->nodes.at[v.source[0]].inst.count = (u16)copies_left(i);
        return v;
    }
    default:
        if (ptx_op_rows[i->op].memory == PTX_MEM_BARRIER)
            return build_barrier(b, site, needs, t->writes.len > 0);
        if (ptx_op_rows[i->op].memory == PTX_MEM_FENCE) /* of a block: nothing to wait for */
            return build_order(b, site, REPLAY_PLAIN, PIPE_NONE, needs);
        return build_sequence(b, site, weight, needs, t->predicate);
    }
}

/* ---- what takes no instruction ---- */

static void keep_base(struct build *b, const struct ptx_inst *i, struct value *v)
{
    const bool copy = (i->op == OP_MOV || i->op == OP_CVTA) && i->noperands == 2;
    v->known = copy && (i->operands[1].kind == PTX_VAR || i->operands[1].kind == PTX_IMM);
    if (!is_step(i) && !(copy && i->operands[1].kind == PTX_REG))
        return;
    const struct value *from = build_value(b, i->operands[1].var->index);
    const i64 step = copy ? 0 : (i64)i->operands[2].bits;
    v->known = from->known;
    v->base = from->base;
    v->offset = from->offset + (i->op == OP_SUB ? -step : step);
}

/* A parameter is a constant of what uses it, where it is not loaded. */
static bool is_parameter(const struct ptx_inst *i) { return i->op == OP_LD && i->space == SPACE_PARAM; }

/* In all turns of an unrolled loop but the last, counters are constants off from where they were, and nobody asks
 * whether it was the last turn. */
static bool is_unrolled_away(const struct build *b, const struct ptx_inst *i, const struct ptx_inst *branch)
{
    if (b->copy + 1 >= b->copies || b->guarded)
        return false;
    const bool question = i->op == OP_SETP && i->operands[0].kind == PTX_REG && b->question == i->operands[0].var;
    return is_counter(i) || question || (i == branch && branch->guard == b->question);
}

/* Constants are operands of what uses them. */
static bool is_constant(const struct ptx_inst *i)
{
    return i->op == OP_MOV && i->noperands == 2 && i->operands[1].kind == PTX_IMM && !estimate_has_wide_constant(i);
}

static u32 weight_of(const struct build *b, u32 site)
{
    if (is_constant(&b->f->src->insts[site]) && !b->e->sites[site].copy)
        return 0;
    const u32 weight = b->e->sites[site].weight;
    const u32 head = 1 + (b->gpu->cc_major >= 8);
    return site == 0 && b->f->src->is_entry && weight >= head ? weight - head : weight;
}

/* The stack pointer and the descriptor of global memory, at a kernel's start. */
static void add_head(struct build *b)
{
    for (u32 k = 0; k < 1u + (b->gpu->cc_major >= 8); k++)
        build_unit(b, 'u', 0);
}

static bool reads_clock(const struct ptx_inst *i)
{
    const struct ptx_operand *o = i->op == OP_MOV && i->noperands == 2 ? &i->operands[1] : NULL;
    return o && o->kind == PTX_SREG && ptx_sreg_rows[o->sreg].scope == SREG_SCOPE_MOVING;
}

static bool ends_kernel(const struct build *b, const struct ptx_inst *i)
{
    return ptx_op_rows[i->op].flow == FLOW_END && (i->op != OP_RET || b->f->src->is_entry) && !i->guard && !b->guarded;
}

/* ---- addresses in the turns of an unrolled loop ---- */

/* `add a, base, at` of which only addresses are made in its block. */
static bool is_address(const struct build *b, const struct ptx_inst *i, u32 site)
{
    const struct ir_block *k = &b->f->blocks[b->f->block_of_site[site]];
    if (i->op != OP_ADD || i->guard || i->noperands != 3 || i->operands[0].kind != PTX_REG ||
        i->operands[1].kind != PTX_REG || i->operands[2].kind != PTX_REG || ptx_type_float(build_type(i)))
        return false;
    for (u32 s = k->first; s < k->end; s++)
        for (u32 n = 1; n < b->f->src->insts[s].noperands; n++) {
            const struct ptx_operand *o = &b->f->src->insts[s].operands[n];
            if (o->kind == PTX_REG && o->var == i->operands[0].var)
                return false;
        }
    return true;
}

/* Of such an address: where both parts are constants off from what they were in an earlier turn, so is the sum, and the accesses have it in them: true. */
static bool is_further_on(struct build *b, const struct ptx_inst *i, u32 site, struct value *result)
{
    enum { MOST = 1 << 23 };
    struct turn_address *t = &b->turns[site];
    i64 by = 0;
    bool same = t->turn == b->now;
    for (u32 k = 0; k < 2; k++) {
        const struct value *v = build_value(b, i->operands[1 + k].var->index);
        same &= t->base[k] == v->base;
        by += v->offset - t->offset[k];
    }
    if (!same || by >= MOST || by <= -MOST)
        return false;
    *result = t->result;
    result->offset += by;
    return true;
}

static void keep_turn(struct build *b, const struct ptx_inst *i, u32 site, const struct value *result)
{
    struct turn_address *t = &b->turns[site];
    *t = (struct turn_address){.turn = b->now, .result = *result};
    for (u32 k = 0; k < 2; k++) {
        const struct value *v = build_value(b, i->operands[1 + k].var->index);
        t->base[k] = v->base;
        t->offset[k] = v->offset;
    }
}

/* What names a shared variable needs its address, which is made in front of a loop. True: it is that address, and nothing else. */
static bool names_address(struct build *b, const struct ptx_inst *i, u32 site, struct value *needs)
{
    const bool itself = i->op == OP_MOV;
    if (itself || estimate_shared_place(b->f, site) == b->f->block_of_site[site]) {
        const struct value address = build_shared_address(b, site, estimate_shared_variable(i));
        value_merge(b, needs, &address);
    }
    return itself;
}

/* A base that has no register from in front of the loop on is loaded once for all of its readers, but in each body that is predicated anew: those were blocks
 * of their own when it was decided. */
static void load_base(struct build *b, u32 site, struct value *needs)
{
    const struct ptx_var *base = b->gpu->cc_major >= 9 ? lives_base(b->lives, b->f, b->e, site) : NULL;
    const u32 body = b->guarded ? b->block : IR_NO_BLOCK;
    u32 k = 0;
    if (!base || !b->lives->parameter[base->index] || b->lives->width[base->index])
        return;
    while (k < b->loaded.len && (b->loaded.at[k].reg != base || b->loaded.at[k].body != body))
        k++;
    if (k == b->loaded.len) {
        const u32 node = build_unit(b, 'k', REPLAY_NO_SITE);
        b->g->nodes.at[node].width = 2;
        vec_push(b->mem, &b->loaded, ((struct loaded_base){base, body, node}));
    }
    value_add(b, needs, b->loaded.at[k].node);
}

static void add_inst(struct build *b, u32 site, const struct ptx_inst *branch)
{
    enum { CALLED = 16 }; /* registers that a function need not restore, and where it returns to */
    const struct ptx_inst *i = &b->f->src->insts[site];
    struct touched t = {0};
    ir_each_reg(i, touch, &(struct touching){b, &t});
    struct value needs = operands_of(b, &t);
    struct value result = needs;
    needs.varies |= lives_is_of_lane(i) || i->guard;
    const bool bank = build_is_constant(b, i), in_turns = b->copies > 1 && is_address(b, i, site);
    const u32 weight = is_unrolled_away(b, i, branch) || bank ? 0 : weight_of(b, site);
    if (weight && !b->e->sites[site].follows)
        load_base(b, site, &needs);
    b->first = b->g->nodes.len;
    result.base = b->bases++;
    result.offset = 0;
    if (b->e->sites[site].address && names_address(b, i, site, &needs))
        result = needs;
    else if (in_turns && is_further_on(b, i, site, &result))
        needs.varies = result.varies;
    else if (b->merged[site].leader && !bank)
        result = build_result(b, build_part(b, site, &needs));
    else if (weight && !b->e->sites[site].follows)
        result = add_machine(b, site, weight, &needs, &t);
    else if (bank) {
        result = build_constant(b, site, &needs);
        needs.varies |= result.varies;
    } else if (is_parameter(i))
        result.constant = b->f->src->is_entry;
    else if (b->e->sites[site].half_of) /* IMAD.WIDE has made it */
        result = *build_value(b, b->f->src->insts[b->e->sites[site].half_of - 1].operands[0].var->index);
    else if (t.predicate && (i->op == OP_AND || i->op == OP_OR))
        build_chain_comparisons(b, &result);
    build_take_predicates(b, site);
    result.varies = needs.varies;
    if (is_lengthened(b, i))
        value_merge(b, &result, &needs);
    keep_base(b, i, &result);
    if (in_turns && b->g->nodes.len > b->first)
        keep_turn(b, i, site, &result);
    if (b->first < b->g->nodes.len)
        take_carried(b, i, &t);
    set_widths(b, i, &t, &result);
    build_fold_predicates(b, &t, &result);
    define(b, i, &t, &result);
    const u8 flow = ptx_op_rows[i->op].flow;
    const bool leaves = flow == FLOW_BRANCH || flow == FLOW_TABLE || flow == FLOW_END || flow == FLOW_CALL;
    if (b->g->nodes.len == b->first || (!leaves && !reads_clock(i)))
        return;
    if (ends_kernel(b, i))
        b->g->nodes.at[b->g->nodes.len - 1].inst.op = REPLAY_EXIT;
    if (flow == FLOW_CALL) {
        b->g->nodes.at[b->g->nodes.len - 1].calls = true;
        b->g->nodes.at[b->g->nodes.len - 1].aside = CALLED;
    }
    build_cut(b, b->g->nodes.len - 1);
}

/* ---- groups ---- */

/* The last instruction of a block, when it branches. */
static const struct ptx_inst *branch_of(const struct build *b, u32 block)
{
    const struct ir_block *k = &b->f->blocks[block];
    const struct ptx_inst *last = k->end > k->first ? &b->f->src->insts[k->end - 1] : NULL;
    return last && last->op == OP_BRA ? last : NULL;
}

/* By way of bodies of the same branch. */
static bool leads_to(const struct build *b, u32 from, u32 to)
{
    const struct ir_block *k = &b->f->blocks[from];
    const u32 head = b->e->counts_as[from];
    for (u32 n = 0; n < k->nsucc; n++)
        if (k->succs[n] == to ||
            (k->succs[n] != head && b->e->counts_as[k->succs[n]] == head && leads_to(b, k->succs[n], to)))
            return true;
    return false;
}

/* Of two bodies of a branch a warp's lane runs one: what the first one writes the second one does not see. */
static void hide_changes(struct build *b, u32 n, u32 block)
{
    while (n-- > 0) {
        const struct change *c = &b->changes.at[n];
        if (!leads_to(b, c->block, block))
            b->values[c->reg] = c->before;
    }
}

static void show_changes(struct build *b, u32 n, u32 block)
{
    for (u32 k = 0; k < n; k++) {
        const struct change *c = &b->changes.at[k];
        if (!leads_to(b, c->block, block))
            value_merge(b, &b->values[c->reg], &c->behind);
    }
}

/* What keeps lanes together belongs to no PTX instruction. */
static void add_meeting(struct build *b, u32 block)
{
    if (b->meets[block])
        build_cut(b, build_unit(b, 'b', REPLAY_NO_SITE));
}

static void add_partings(struct build *b, u32 block)
{
    for (u32 k = 0; k < b->partings[block]; k++)
        build_unit(b, 'B', REPLAY_NO_SITE);
}

/* Around a loop of which several turns are one program ptxas asks whether so many are left: in front of it, behind four turns, behind two. All
 * of it stands with what leads there, as machine code has it, and belongs to no PTX instruction. */
static void add_questions(struct build *b)
{
    struct value now = {0};
    for (const char *p = "pbBvapbpJvBpbJ"; *p; p++) {
        const u32 node = build_unit(b, *p, REPLAY_NO_SITE);
        if (*p == 'B')
            continue;
        build_use(b, &now, node);
        if (*p == 'b') {
            b->g->nodes.at[node].inst.control = CONTROL_BRANCH;
            build_cut(b, node);
        }
        now = build_result(b, node);
    }
}

/* What has come here from blocks before. */
static void add_sunk(struct build *b, u32 block)
{
    for (u32 site = 0; b->sinks && site < b->f->blocks[block].first; site++)
        if (b->place[site] == block)
            add_inst(b, site, NULL);
}

/* What comes out of the loops behind it. */
static void add_raised(struct build *b, u32 block)
{
    for (u32 site = b->f->blocks[block].end; b->sinks && site < b->f->src->ninsts; site++)
        if (b->place[site] == block)
            add_inst(b, site, NULL);
}

static void add_insts(struct build *b, u32 block)
{
    const struct ir_block *k = &b->f->blocks[block];
    add_sunk(b, block);
    for (u32 site = k->first; site < k->end; site++) {
        const bool last = site + 1 == k->end;
        if (last && branch_of(b, block))
            add_raised(b, block);
        if (last && !b->guarded)
            add_partings(b, block);
        if (b->place[site] == block)
            add_inst(b, site, branch_of(b, block));
    }
    if (!branch_of(b, block))
        add_raised(b, block);
}

static void add_block(struct build *b, u32 block)
{
    const u32 others = b->changes.len;
    const struct ptx_inst *branch = branch_of(b, block);
    b->block = block;
    b->guarded = b->e->counts_as[block] != block;
    if (b->guarded) {
        hide_changes(b, others, block);
        add_insts(b, block);
        show_changes(b, others, block);
        b->guarded = false;
        if (branch && branch->guard)
            build_narrow_guard(b, build_value(b, branch->guard->index));
        return;
    }
    b->changes.len = 0;
    add_insts(b, block);
    if (branch && branch->guard)
        b->guard = *build_value(b, branch->guard->index);
}

/* In a loop that is unrolled wholly counters are constants. */
static void know_counters(struct build *b, u32 block)
{
    for (u32 s = b->f->blocks[block].first; s < b->f->blocks[block].end; s++) {
        const struct ptx_inst *i = &b->f->src->insts[s];
        if (!is_counter(i) || !unroll_knows(b->f, block, i->operands[0].var))
            continue;
        build_value(b, i->operands[0].var->index);
        b->values[i->operands[0].var->index].known = true;
    }
}

static void finish(struct build *b)
{
    for (u32 k = 0; k < b->g->written.len; k++) {
        const u32 reg = b->g->written.at[k];
        const struct value *v = &b->values[reg];
        for (u32 s = 0; s < v->n; s++)
            if (v->source[s] & LIVE)
                vec_push(b->mem, &b->g->passed, ((struct reg_reg){reg, v->source[s] & ~LIVE}));
            else
                vec_push(b->mem, &b->g->writes, ((struct node_reg){v->source[s], reg}));
    }
}

/* What the turn before has left, and the next one does not begin with, is not what lanes have that a guard keeps out. */
static void forget_temporaries(struct build *b)
{
    for (u32 k = 0; k < b->g->written.len; k++)
        if (!lives_has(b->alive, b->g->written.at[k]))
            b->stamp[b->g->written.at[k]] = 0;
}

struct graph *build_graph(struct build *b, const u32 *blocks, u32 n, u32 copies)
{
    b->g = arena_new(b->mem, struct graph);
    b->alive = lives_into(b->lives, n ? blocks[0] : 0);
    b->g->loop = n && b->f->blocks[blocks[0]].loop_depth > 0;
    b->now++;
    b->ntracked = 0;
    b->addresses.len = 0;
    b->loaded.len = 0;
    b->reciprocals.len = 0;
    b->fence = b->cut = NO_NODE;
    b->guard = (struct value){0};
    b->copies = copies;
    b->question = n && branch_of(b, blocks[n - 1]) ? branch_of(b, blocks[n - 1])->guard : NULL;
    b->alu = b->fma = 0;
    if (n && b->f->src->is_entry && b->f->blocks[blocks[0]].first == 0)
        add_head(b);
    if (n)
        add_meeting(b, blocks[0]);
    if (copies > 1)
        know_counters(b, blocks[0]);
    for (b->copy = 0; b->copy < copies; b->copy++) {
        if (n > 1)
            forget_temporaries(b);
        for (u32 k = 0; k < n; k++)
            add_block(b, blocks[k]);
    }
    for (u32 k = 0; k < n; k++)
        if (b->asked[blocks[k]])
            add_questions(b);
    finish(b);
    return b->g;
}

void build_set_meetings(struct build *b, const u32 *partings, const bool *meets)
{
    b->partings = partings;
    b->meets = meets;
}

void build_set_questions(struct build *b, const bool *asked) { b->asked = asked; }

struct build *build_make(struct arena *mem, const struct gpu *gpu, const struct ir_func *f, const struct estimate *e,
                         const struct lives *lives)
{
    const u32 nregs = f->src->nregs, nsites = f->src->ninsts;
    struct build *b = arena_new(mem, struct build);
    *b = (struct build){
        .mem = mem, .gpu = gpu, .f = f, .e = e, .lives = lives, .latency = latencies_of(gpu), .bases = nregs};
    b->place = sink_parameters(mem, f, e);
    for (u32 s = 0; s < nsites; s++)
        b->sinks |= b->place[s] != f->block_of_site[s];
    b->merged = arena_array(mem, struct merged, nsites + 1);
    b->turns = arena_array(mem, struct turn_address, nsites + 1);
    b->constants = arena_array(mem, u8, nsites + 1);
    b->values = arena_array(mem, struct value, nregs + 1);
    b->stamp = arena_array(mem, u32, nregs + 1);
    b->written = arena_array(mem, u32, nregs + 1);
    b->store = arena_array(mem, u32, nregs + 1);
    b->store_stamp = arena_array(mem, u32, nregs + 1);
    for (u32 s = 0; s < nsites; s++)
        if (e->sites[s].width && !e->sites[s].follows && (f->src->insts[s].op == OP_LD || f->src->insts[s].op == OP_ST))
            build_find_parts(b, s);
    return b;
}
