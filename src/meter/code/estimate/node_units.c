/* node_units.c - which units run an instruction, as a word: a letter a machine instruction (build_unit has the letters). What
 * there are more than letters is as the last one. */
#include <string.h>

#include "ir/pass.h"
#include "meter/code/estimate/build.h"
#include "meter/sass/expand.h"
#include "model/replay/sm/unit.h"

/* ---- nodes ---- */

/* ptxas keeps instructions of a pipe as far apart as the pipe needs: accesses 4 cycles, products of matrices as long as one takes (6 of sm_90's),
 * the others as their lanes say. */
static u32 pipe_interval(const struct build *b, enum replay_pipe pipe)
{
    enum { ACCESSES = 4 };
    switch (pipe) {
    case PIPE_ALU:
    case PIPE_FMAHEAVY:
    case PIPE_UNIFORM:
        return b->latency.interval[IR_UNIT_INT];
    case PIPE_FMA:
        return b->latency.interval[IR_UNIT_FP32];
    case PIPE_FP16:
        return b->latency.interval[IR_UNIT_FP16];
    case PIPE_FP64:
        return b->latency.interval[IR_UNIT_FP64];
    case PIPE_LSU:
    case PIPE_TEX:
        return ACCESSES;
    default:
        return 1;
    }
}

u32 build_node(struct build *b, enum replay_pipe pipe, u32 latency, bool variable, u32 site)
{
    const struct node n = {.inst = {.op = REPLAY_PLAIN,
                                    .pipe = (u8)pipe,
                                    .stall = 1,
                                    .latency = (u8)(latency < 255 ? latency : 255),
                                    .write_bar = REPLAY_NO_BAR,
                                    .read_bar = REPLAY_NO_BAR,
                                    .copy = (u8)b->copy,
                                    .site = site},
                           .latency = (u16)latency,
                           .variable = variable,
                           .every = (u8)pipe_interval(b, pipe),
                           .width = pipe != PIPE_UNIFORM && pipe != PIPE_BRANCH,
                           .least = 1};
    vec_push(b->mem, &b->g->nodes, n);
    b->alu += pipe == PIPE_ALU ? n.every : 0;
    b->fma += pipe == PIPE_FMA || pipe == PIPE_FMAHEAVY ? n.every : 0;
    const u32 at = b->g->nodes.len - 1;
    build_after(b, b->cut, at);
    if (b->guarded)
        build_use(b, &b->guard, at);
    return at;
}

/* Nothing passes it, in either direction. */
void build_cut(struct build *b, u32 node)
{
    for (u32 k = b->cut == NO_NODE ? 0 : b->cut + 1; k < node; k++)
        graph_edge(b->mem, b->g, k, node, false);
    b->cut = node;
}

/* Predicates take a way of their own: 12 cycles in code of ptxas for compute capability 7, 13 from 8.0 on. */
static u32 predicate_latency(const struct build *b) { return b->gpu->cc_major >= 8 ? 13 : 12; }

/* Cards for graphics have two lanes of it an SM, and wait for it by a scoreboard. */
static bool slow_fp64(const struct build *b) { return b->latency.interval[IR_UNIT_FP64] > 8; }

/* What belongs to no instruction is where lanes meet. */
static u8 control_of(const struct build *b, u32 site)
{
    if (site == REPLAY_NO_SITE)
        return CONTROL_JOIN;
    return ptx_op_rows[b->f->src->insts[site].op].flow == FLOW_END ? CONTROL_EXIT : CONTROL_BRANCH;
}

static void set_predicate(const struct build *b, u32 node)
{
    struct node *n = &b->g->nodes.at[node];
    n->predicate = true;
    n->width = 0;
    n->operand_latency = (u8)(n->latency < 255 ? n->latency : 255);
    if (!n->variable)
        n->latency = (u16)predicate_latency(b);
}

/* What a slow path takes besides its operands: read off ptxas's code for roots and divisions, 7 to 13 registers of floats, 15 to 21 of
 * doubles, some of which are its operands. */
static u8 slow_path_registers(const struct build *b, u32 site)
{
    enum { FLOAT = 7, DOUBLE = 13 };
    return ptx_type_bits(build_type(&b->f->src->insts[site])) == 64 ? DOUBLE : FLOAT;
}

/* A node by its letter. */
u32 build_unit(struct build *b, char letter, u32 site)
{
    const struct latencies *l = &b->latency;
    switch (letter) {
    case 'a': /* integers, logic, comparisons */
        return build_node(b, PIPE_ALU, l->unit[IR_UNIT_INT], false, site);
    case 'v': /* sums of integers: VIADD where there is one, which Hopper has beside its products */
        return build_node(b, b->gpu->cc_major == 9 ? PIPE_FMAHEAVY : PIPE_ALU, l->unit[IR_UNIT_INT], false, site);
    case 'h': /* integer products */
        return build_node(b, PIPE_FMAHEAVY, l->unit[IR_UNIT_INT], false, site);
    case 'f':
        return build_node(b, PIPE_FMA, l->unit[IR_UNIT_FP32], false, site);
    case 'H': { /* ptxas takes the tensor cores' pipe of halves for every second one, and waits three cycles longer for it */
        const u32 node = b->mma ? build_node(b, PIPE_FP16_MMA, l->unit[IR_UNIT_FP16] + 3, false, site)
                                : build_node(b, PIPE_FP16, l->unit[IR_UNIT_FP16], false, site);
        b->g->nodes.at[node].inst.interval = (u16)unit_half_cycles(b->gpu);
        b->mma = !b->mma;
        return node;
    }
    case 'd':
        return build_node(b, PIPE_FP64, l->unit[IR_UNIT_FP64], slow_fp64(b), site);
    case 'x': /* special functions */
        return build_node(b, PIPE_XU, unit_latency(b->gpu, UNIT_SFU), true, site);
    case 'c': /* conversions, counts of bits */
        return build_node(b, PIPE_XU, unit_latency(b->gpu, UNIT_CONVERT), true, site);
    case 's': /* special registers */
        return build_node(b, PIPE_ADU, unit_latency(b->gpu, UNIT_SPECIAL), true, site);
    case 'k': /* constants by an instruction of their own */
        return build_node(b, PIPE_ADU, unit_latency(b->gpu, UNIT_CONSTANT), true, site);
    case 'l':
        return build_node(b, PIPE_LSU, unit_latency(b->gpu, UNIT_SHUFFLE), true, site);
    case 'm': { /* lanes' values */
        const u32 node = build_node(b, PIPE_ADU, unit_latency(b->gpu, UNIT_CONSTANT), true, site);
        b->g->nodes.at[node].inst.op = REPLAY_MATCH;
        b->g->nodes.at[node].inst.count = (u16)(ptx_type_bits(b->f->src->insts[site].types[0]) / 32);
        return node;
    }
    case 't': {
        enum { PRODUCT = 16 * 8 * 16 }; /* multiply-adds of most machine instructions */
        const u32 node = build_node(b, PIPE_TENSOR, unit_product_latency(b->gpu), false, site);
        const u32 cycles = unit_product_cycles(b->gpu, PRODUCT, false);
        b->g->nodes.at[node].inst.interval = (u16)cycles;
        b->g->nodes.at[node].every = (u8)cycles;
        return node;
    }
    case 'u':
        return build_node(b, PIPE_UNIFORM, l->unit[IR_UNIT_INT], false, site);
    case 'b': {
        const u32 node = build_node(b, PIPE_BRANCH, 1, false, site);
        b->g->nodes.at[node].least = BRANCH_STALL;
        b->g->nodes.at[node].inst.control = control_of(b, site);
        return node;
    }
    case 'B': /* what says where lanes meet */
        return build_node(b, PIPE_BRANCH, 1, false, site);
    case 'p': /* comparisons whose result is a predicate; q: of doubles */
    case 'q': {
        const u32 node = build_unit(b, letter == 'p' ? 'a' : 'd', site);
        set_predicate(b, node);
        return node;
    }
    case 'j': /* round the call of a slow path, and where both ways meet */
    case 'J': {
        const u32 node = build_unit(b, 'b', site);
        b->g->nodes.at[node].inst.control = letter == 'J' ? CONTROL_JOIN : CONTROL_BRANCH;
        b->g->nodes.at[node].aside = letter == 'J' || site == REPLAY_NO_SITE ? 0 : slow_path_registers(b, site);
        build_cut(b, node);
        return node;
    }
    default:
        return build_node(b, PIPE_NONE, 1, false, site);
    }
}

/* ---- what a PTX instruction becomes ---- */

static const char *control(const struct ptx_inst *i)
{
    const u8 flow = ptx_op_rows[i->op].flow;
    if (flow == FLOW_BRANCH || flow == FLOW_TABLE || flow == FLOW_END || flow == FLOW_CALL)
        return "b";
    return ptx_op_rows[i->op].memory == PTX_MEM_BARRIER ? "s" : "n";
}

/* A register that is the same in all lanes is an operand of IADD3.X, and none of IMAD.X. */
static bool adds_uniform(struct build *b, const struct ptx_inst *i)
{
    for (u32 k = 1; k < i->noperands; k++)
        if (i->operands[k].kind == PTX_REG && !build_value(b, i->operands[k].var->index)->varies)
            return true;
    return false;
}

/* Sums of two are VIADD or IADD3, whichever pipe has less to do; IADD3 and LEA have three operands. */
static const char *integer(struct build *b, const struct ptx_inst *i, const struct site_estimate *e)
{
    switch (i->op) {
    case OP_MUL:
    case OP_MAD:
    case OP_MADC:
    case OP_MUL24:
    case OP_MAD24:
    case OP_DP4A:
    case OP_DP2A:
        return "h";
    case OP_MOV:
        return i->operands[i->noperands - 1].kind == PTX_SREG ? "s" : "a";
    case OP_DIV: /* of 64 bits: the usual path of a call */
    case OP_REM:
        return "caxchhaaaaha";
    case OP_SHL:
        return i->operands[2].kind == PTX_IMM ? "h" : "a"; /* a product */
    case OP_ADD:
    case OP_SUB:
        if (ptx_type_bits(build_type(i)) == 64)
            return e->product ? "h" : e->fused || adds_uniform(b, i) ? "a" : "ah";
        if (e->selects)
            return b->alu <= b->fma ? "av" : "v";
        return e->fused || b->alu <= b->fma ? "a" : "v";
    default:
        return "a";
    }
}

/* The letters of an instruction's sequence; the last one is as often as there are instructions left. */
static const char *pipes(struct build *b, const struct ptx_inst *i, enum ir_unit unit, const struct site_estimate *e)
{
    if (e->selects && i->op == OP_SELP)
        return "f";
    if (e->copy) /* MOV or IMAD.MOV */
        return b->alu <= b->fma ? "a" : "h";
    switch (unit) {
    case IR_UNIT_INT:
        return integer(b, i, e);
    case IR_UNIT_FP32:
        return "f";
    case IR_UNIT_FP16:
        return "H";
    case IR_UNIT_FP64:
        return i->op == OP_SELP ? "a" : "d";
    case IR_UNIT_SFU:
        return "x";
    case IR_UNIT_CONVERT:
        return "c";
    case IR_UNIT_SHUFFLE:
        return i->op == OP_MATCH ? "m" : "l";
    case IR_UNIT_TENSOR:
        return "t";
    case IR_UNIT_CONTROL:
        return control(i);
    case IR_UNIT_NONE: /* parameters that are loaded */
        return i->op == OP_LD ? "k" : "a";
    default:
        return "a";
    }
}

/* Each instruction of it needs the one before: carries, sequences. */
static bool is_chain(const struct ptx_inst *i, struct ir_cost cost)
{
    const bool wide = ptx_type_bits(build_type(i)) == 64 && !ptx_type_float(build_type(i));
    return cost.chain || i->op == OP_DIV || i->op == OP_REM ||
           (wide && (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_MAD || i->op == OP_SETP));
}

/* Predicates, and products of 64 bits, take longer than their pipe's other results. */
static void set_latency(const struct build *b, u32 node, const struct ptx_inst *i, const struct site_estimate *e,
                        bool predicate)
{
    struct node *n = &b->g->nodes.at[node];
    if (n->variable)
        return;
    if (predicate)
        set_predicate(b, node);
    else if (n->inst.pipe == PIPE_FMAHEAVY &&
             ((e->product && node == b->first) || ptx_has(i, MOD_WIDE) || ptx_has(i, MOD_HI))) {
        const bool wide = e->product || ptx_has(i, MOD_WIDE);
        n->latency += wide;
        n->inst.wide = wide ? REPLAY_WIDE_RESULT : 0;
        n->inst.interval = (u16)unit_wide_cycles(b->gpu);
    }
}

/* ---- sequences ---- */

/* A division of integers of 64 bits. Of three of its instructions one does not need the one before: ptxas's code of some 70 takes 180 cycles. */
static bool is_long_division(const struct ptx_inst *i)
{
    return (i->op == OP_DIV || i->op == OP_REM) && ptx_type_bits(build_type(i)) == 64 && !ptx_type_float(build_type(i));
}

/* Where a way of its own begins, and what it goes back to. */
struct way {
    struct value main, now;
};

static void turn(struct way *w, char bracket, const struct value *needs)
{
    if (bracket == ')' || bracket == ']') {
        w->now = w->main;
        return;
    }
    w->main = w->now;
    w->now = bracket == '(' ? *needs : w->now;
}

static void keep_reciprocal(struct build *b, u32 site, u32 node)
{
    if (!b->e->sites[site].reciprocal && expand_division(&b->f->src->insts[site]))
        vec_push(b->mem, &b->reciprocals, ((struct reciprocal){site, node}));
}

/* What the site's division needs besides its operands, if that is made in the same group. */
static void take_reciprocal(struct build *b, u32 site, struct value *needs)
{
    for (u32 k = 0; k < b->reciprocals.len; k++)
        if (b->reciprocals.at[k].site + 1 == b->e->sites[site].reciprocal)
            value_add(b, needs, b->reciprocals.at[k].node);
}

/* What ptxas puts in the place of one instruction (expand.h). */
static struct value build_expansion(struct build *b, u32 site, const char *sequence, const struct value *needs)
{
    const bool uniform = !needs->varies && strspn(sequence, "av") == strlen(sequence);
    struct way w = {.now = *needs};
    u32 made = 0;
    for (const char *p = sequence; *p; p++) {
        if (strchr("()[]", *p)) {
            turn(&w, *p, needs);
            continue;
        }
        const u32 node = build_unit(b, uniform ? 'u' : *p, site);
        b->g->nodes.at[node].inst.constant = needs->constant && p == sequence;
        if (++made == EXPAND_RECIPROCAL)
            keep_reciprocal(b, site, node);
        if (*p == 'B' || *p == 'J')
            continue;
        build_use(b, &w.now, node);
        if (*p != 'j')
            w.now = build_result(b, node);
    }
    return w.now;
}

/* The machine instructions of one; the value of the last, or of all. */
struct value build_sequence(struct build *b, u32 site, u32 n, const struct value *needs, bool predicate)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    struct value all = *needs;
    if (i->op != OP_MOV && estimate_has_wide_constant(i)) {
        n -= 2;
        value_add(b, &all, build_unit(b, 'u', site));
        value_add(b, &all, build_unit(b, 'u', site));
        needs = &all;
    }
    const char *sequence = b->e->sites[site].reciprocal ? expand_division(i) : expand_inst(i, b->gpu->cc_major);
    if (b->e->sites[site].reciprocal)
        take_reciprocal(b, site, &all);
    if (sequence)
        return build_expansion(b, site, sequence, &all);
    const struct ir_cost cost = latency_cost(i);
    const struct site_estimate *e = &b->e->sites[site];
    const char *letters = pipes(b, i, cost.unit, e);
    const bool chain = is_chain(i, cost);
    const u32 beside = is_long_division(i) ? 3 : n;
    struct value result = {.base = b->bases++}, before = {.n = 0};
    for (u32 k = 0; k < n; k++) {
        const bool uniform = (*letters == 'a' || *letters == 'v') && !needs->varies && !predicate && !e->copy;
        const char letter = uniform ? 'u' : *letters;
        const u32 node = build_unit(b, letter, site);
        b->g->nodes.at[node].inst.constant = needs->constant && k == 0;
        b->g->nodes.at[node].fused = e->fused && !e->product;
        b->g->nodes.at[node].copy = e->copy;
        set_latency(b, node, i, e, predicate && k + 1 == n);
        if (k == 0 || !chain)
            build_use(b, needs, node);
        if (k && chain) {
            const bool alone = k > beside && k % beside == 0 && k + 1 < n;
            build_use(b, alone ? &before : &result, node);
            if (k + 1 == n && beside < n)
                build_use(b, &before, node);
            before = result;
            result.n = 0;
        }
        value_add(b, &result, node);
        letters += letters[1] != 0;
    }
    return result;
}
