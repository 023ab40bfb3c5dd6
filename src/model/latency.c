/* latency.c - what the clock has to know of an instruction: the unit that runs it and how many machine instructions it
 * stands for; and the cycles of each unit on a GPU.
 *
 * PTX is not machine code. What ptxas renames or folds away (moves between registers, cvta, ld.param, widening) takes
 * no time here; integers of 64 bits are two instructions; divisions, remainders and rounded roots are sequences whose
 * length is an estimate of ptxas's usual path. Everything runs in the order of the PTX. */
#include "model/latency.h"

static struct ir_cost one(enum ir_unit unit) { return (struct ir_cost){unit, 1, false}; }
static struct ir_cost sequence(enum ir_unit unit, u8 steps) { return (struct ir_cost){unit, steps, true}; }

static enum ir_unit unit_of(enum ptx_type t)
{
    switch (t) {
    case PTX_F64:
        return IR_UNIT_FP64;
    case PTX_F32:
    case PTX_F32X2:
        return IR_UNIT_FP32;
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
        return IR_UNIT_FP16;
    default:
        return IR_UNIT_INT;
    }
}

/* Arithmetic by its type: 64 bits of integer, and pairs of floats, are two instructions. */
static struct ir_cost arithmetic(enum ptx_type t)
{
    enum ir_unit unit = unit_of(t);
    bool pair = ptx_type_bits(t) == 64 && unit != IR_UNIT_FP64;
    return (struct ir_cost){unit, pair ? 2 : 1, false};
}

static struct ir_cost cost_arith(const struct ptx_inst *i)
{
    if (!ptx_dest_count(i))
        return one(IR_UNIT_CONTROL);
    return arithmetic(i->ntypes ? (enum ptx_type)i->types[0] : PTX_B32);
}

/* Comparisons, selections and signs of floats are made where integers are, but for f64. */
static struct ir_cost cost_comparison(const struct ptx_inst *i)
{
    enum ptx_type t = (enum ptx_type)i->types[i->ntypes - 1];
    return unit_of(t) == IR_UNIT_FP64 ? one(IR_UNIT_FP64)
                                      : (struct ir_cost){IR_UNIT_INT, ptx_type_bits(t) == 64 ? 2 : 1, false};
}

static struct ir_cost cost_division(const struct ptx_inst *i)
{
    enum ptx_type t = i->types[0];
    if (t == PTX_F64)
        return sequence(IR_UNIT_FP64, 12);
    if (t == PTX_F32) /* approximate: MUFU.RCP and a product or two */
        return ptx_has(i, MOD_APPROX) || ptx_has(i, MOD_FULL) ? sequence(IR_UNIT_FP32, 7) : sequence(IR_UNIT_FP32, 12);
    return sequence(IR_UNIT_INT, ptx_type_bits(t) == 64 ? 100 : 18);
}

/* rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh */
static struct ir_cost cost_function(const struct ptx_inst *i)
{
    if (i->types[0] == PTX_F64)
        return sequence(IR_UNIT_FP64, 12);
    return ptx_has(i, MOD_APPROX) ? one(IR_UNIT_SFU) : sequence(IR_UNIT_FP32, 12);
}

static struct ir_cost cost_conversion(const struct ptx_inst *i)
{
    enum ptx_type to = i->types[0], from = i->types[i->ntypes - 1];
    bool integers = unit_of(to) == IR_UNIT_INT && unit_of(from) == IR_UNIT_INT;
    if (!integers)
        return one(IR_UNIT_CONVERT);
    u32 wide = ptx_type_bits(to), narrow = ptx_type_bits(from);
    bool widens = wide == 64 && narrow == 32 && !ptx_type_signed(from);
    bool free = wide == narrow || (wide == 32 && narrow == 64) || widens;
    return one(free ? IR_UNIT_NONE : IR_UNIT_INT);
}

static struct ir_cost cost_product(const struct ptx_inst *i)
{
    enum ptx_type t = i->types[0];
    if (unit_of(t) != IR_UNIT_INT)
        return arithmetic(t);
    return (struct ir_cost){IR_UNIT_INT, ptx_type_bits(t) == 64 ? 4 : ptx_has(i, MOD_HI) ? 2 : 1, false};
}

/* A move is renamed, but for one that reads a special register. */
static struct ir_cost cost_move(const struct ptx_inst *i)
{
    return one(i->noperands == 2 && i->operands[1].kind == PTX_SREG ? IR_UNIT_INT : IR_UNIT_NONE);
}

static const struct ptx_operand *base_of(const struct ptx_operand *o) { return o->kind == PTX_ADDR ? &o->elems[0] : o; }

/* Parameters by name are constants or registers; through a pointer they are memory. */
static struct ir_cost cost_load_store(const struct ptx_inst *i)
{
    bool load = ptx_op_rows[i->op].memory == PTX_MEM_LOAD;
    const struct ptx_operand *base = base_of(&i->operands[load ? 1 : 0]);
    if (i->space == SPACE_PARAM && base->kind == PTX_VAR && base->var->space == SPACE_PARAM)
        return one(load ? IR_UNIT_NONE : IR_UNIT_ARGUMENT);
    return one(IR_UNIT_MEMORY);
}

static struct ir_cost cost_fence(const struct ptx_inst *i)
{
    return one(ptx_has(i, MOD_CTA) ? IR_UNIT_CONTROL : IR_UNIT_FENCE);
}

/* What takes the same always. */
#define COST(name, ...)                                                                                                \
    static struct ir_cost cost_##name(const struct ptx_inst *i)                                                        \
    {                                                                                                                  \
        (void)i;                                                                                                       \
        return __VA_ARGS__;                                                                                            \
    }

COST(slot, one(IR_UNIT_CONTROL))
COST(free, one(IR_UNIT_NONE))
COST(two, sequence(IR_UNIT_INT, 2))
COST(twenty, sequence(IR_UNIT_INT, 20))
COST(convert, one(IR_UNIT_CONVERT)) /* a sixteenth of the lanes a clock, as conversions */
COST(memory, one(IR_UNIT_MEMORY))
COST(copy_commit, one(IR_UNIT_COPY_COMMIT))
COST(copy_wait, one(IR_UNIT_COPY_WAIT))
COST(shuffle, one(IR_UNIT_SHUFFLE))
COST(tensor, one(IR_UNIT_TENSOR))
COST(sleep, one(IR_UNIT_SLEEP))

struct ir_cost latency_cost(const struct ptx_inst *i)
{
    static struct ir_cost (*const costs[PTX_NOPS])(const struct ptx_inst *i) = {
        cost_slot,
#define PTX_OP(id, name, forms, class, section, semantics, lowering, flow, memory, result, cost, weight) cost_##cost,
#include "ptx/ops.def"
#undef PTX_OP
    };
    return costs[i->op](i);
}

/* ---- on a GPU ---- */

static u32 known(u32 latency, u32 otherwise) { return latency ? latency : otherwise; }

/* The lanes of a scheduler's share of the SM. */
static u32 interval(const struct gpu *g, u32 results_a_clock)
{
    u32 n = results_a_clock ? g->warp_size * g->sub_partitions / results_a_clock : 1;
    return n ? n : 1;
}

static void set(struct latencies *l, enum ir_unit unit, u32 latency, u32 every)
{
    l->unit[unit] = latency;
    l->interval[unit] = every;
}

struct latencies latencies_of(const struct gpu *g)
{
    enum { LSU_INTERVAL = 2 };                /* the SM takes about one memory instruction every two clocks */
    enum { CONVERSIONS = 16, SHUFFLES = 32 }; /* results a clock an SM: CUDA programming guide, cc 7.0 to 12.0 */
    const u32 tensor = known(g->latency_tensor, 33);
    struct latencies l = {.shared = known(g->latency_shared, 29),
                          .l1 = known(g->latency_l1, 41),
                          .l2 = known(g->latency_l2, 263),
                          .dram = known(g->latency_dram, 479),
                          .mhz = g->boost_mhz};
    for (int k = 0; k < IR_UNIT_COUNT; k++)
        set(&l, (enum ir_unit)k, 1, 1);
    set(&l, IR_UNIT_ARGUMENT, 0, 0);
    set(&l, IR_UNIT_INT, known(g->latency_int, 4), interval(g, g->int_rate));
    set(&l, IR_UNIT_FP32, known(g->latency_fp32, 4), interval(g, g->fp32_rate));
    set(&l, IR_UNIT_FP16, known(g->latency_fp16, 5), interval(g, g->fp32_rate));
    set(&l, IR_UNIT_FP64, known(g->latency_fp64, 8), interval(g, g->fp64_rate));
    set(&l, IR_UNIT_SFU, known(g->latency_sfu, 23), interval(g, g->sfu_rate));
    set(&l, IR_UNIT_CONVERT, known(g->latency_convert, 14), interval(g, CONVERSIONS));
    set(&l, IR_UNIT_SHUFFLE, known(g->latency_shuffle, 23), interval(g, SHUFFLES));
    set(&l, IR_UNIT_TENSOR, tensor, tensor / 4 ? tensor / 4 : 1); /* a guess: four are under way */
    set(&l, IR_UNIT_MEMORY, l.l1, LSU_INTERVAL);
    return l;
}
