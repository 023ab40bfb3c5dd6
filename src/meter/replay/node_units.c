/* node_units.c - which units run an instruction, as a word: a letter a machine instruction (build_unit has the letters). What
 * there are more than letters is as the last one. */
#include "ir/pass.h"
#include "meter/replay/build.h"
#include "model/replay/unit.h"

/* ---- nodes ---- */

/* ptxas keeps instructions of a pipe as far apart as the pipe needs: accesses 4 cycles, the others as their lanes say. */
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
                           .least = 1};
    vec_push(b->mem, &b->g->nodes, n);
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
    case 'H':
        return build_node(b, PIPE_FP16, l->unit[IR_UNIT_FP16], false, site);
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
    case 't': {
        enum { PRODUCT = 16 * 8 * 16 }; /* multiply-adds of most machine instructions */
        const u32 node = build_node(b, PIPE_TENSOR, unit_latency(b->gpu, UNIT_TENSOR), true, site);
        b->g->nodes.at[node].inst.interval = (u16)unit_product_cycles(b->gpu, PRODUCT, false);
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
    default:
        return build_node(b, PIPE_NONE, 1, false, site);
    }
}

/* ---- what a PTX instruction becomes ---- */

static bool is_half(enum ptx_type t) { return t == PTX_F16 || t == PTX_BF16 || t == PTX_F16X2 || t == PTX_BF16X2; }

/* The usual sequences of a division, a reciprocal, a root. */
static const char *division(enum ptx_type t)
{
    return t == PTX_F32             ? "xfffffffa"
           : t == PTX_F64           ? "xdddddddda"
           : ptx_type_bits(t) == 64 ? "caxchhaaaaha"
                                    : "cxacahhahahaa";
}

static const char *conversion(const struct build *b, const struct ptx_inst *i)
{
    const enum ptx_type to = build_type(i), from = (enum ptx_type)i->types[i->ntypes - 1];
    if ((to == PTX_F32 && is_half(from)) || (is_half(to) && from == PTX_F32))
        return "H";
    const bool i2fp = b->gpu->cc_major >= 9 && to == PTX_F32 && !ptx_type_float(from) && ptx_type_bits(from) <= 32;
    return i2fp ? "a" : "c";
}

static const char *control(const struct ptx_inst *i)
{
    const u8 flow = ptx_op_rows[i->op].flow;
    if (flow == FLOW_BRANCH || flow == FLOW_TABLE || flow == FLOW_END || flow == FLOW_CALL)
        return "b";
    return ptx_op_rows[i->op].memory == PTX_MEM_BARRIER ? "s" : "n";
}

static const char *integer(const struct ptx_inst *i)
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
    case OP_DIV:
    case OP_REM:
        return i->noperands > 2 && i->operands[2].kind == PTX_IMM ? "hhaa" : division(build_type(i));
    case OP_SHL:
        return i->operands[2].kind == PTX_IMM ? "h" : "a"; /* a product */
    case OP_ADD:
    case OP_SUB:
        return ptx_type_bits(build_type(i)) == 64 ? "ah" : "v";
    default:
        return "a";
    }
}

/* The letters of an instruction's sequence; the last one is as often as there are instructions left. */
static const char *pipes(const struct build *b, const struct ptx_inst *i, enum ir_unit unit)
{
    const enum ptx_type t = build_type(i);
    switch (unit) {
    case IR_UNIT_INT:
        return integer(i);
    case IR_UNIT_FP32:
        return i->op == OP_DIV ? division(t)
               : i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_FMA || i->op == OP_MAD ? "f"
                                                                                                             : "xf";
    case IR_UNIT_FP16:
        return "H";
    case IR_UNIT_FP64:
        return i->op == OP_DIV || i->op == OP_RCP || i->op == OP_SQRT || i->op == OP_RSQRT ? division(t)
               : i->op == OP_SELP                                                          ? "a"
                                                                                           : "d";
    case IR_UNIT_SFU:
        return "x";
    case IR_UNIT_CONVERT:
        return i->op == OP_CVT ? conversion(b, i) : "c";
    case IR_UNIT_SHUFFLE:
        return "l";
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
static void set_latency(const struct build *b, u32 node, const struct ptx_inst *i, bool predicate)
{
    struct node *n = &b->g->nodes.at[node];
    if (n->variable)
        return;
    n->predicate = predicate;
    if (predicate)
        n->latency = (u16)predicate_latency(b);
    else if (n->inst.pipe == PIPE_FMAHEAVY && ptx_has(i, MOD_WIDE))
        n->latency++;
}

/* A sequence of machine instructions; the value of its last, or of all. */
struct value build_sequence(struct build *b, u32 site, u32 n, const struct value *needs, bool predicate)
{
    const struct ptx_inst *i = &b->f->src->insts[site];
    const struct ir_cost cost = latency_cost(i);
    const char *letters = pipes(b, i, cost.unit);
    const bool chain = is_chain(i, cost);
    struct value result = {.base = b->bases++};
    for (u32 k = 0; k < n; k++) {
        const bool uniform = (*letters == 'a' || *letters == 'v') && !needs->varies && !predicate;
        const char letter = uniform ? 'u' : *letters;
        const u32 node = build_unit(b, letter, site);
        b->g->nodes.at[node].inst.constant = needs->constant && k == 0;
        set_latency(b, node, i, predicate);
        if (k == 0 || !chain)
            build_use(b, needs, node);
        if (k && chain) {
            build_use(b, &result, node);
            result.n = 0;
        }
        value_add(b, &result, node);
        letters += letters[1] != 0;
    }
    return result;
}
