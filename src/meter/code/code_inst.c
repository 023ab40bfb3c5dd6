/* code_inst.c - a machine instruction as the replay runs it (maker.h): its pipe, what it waits for, which registers it reads, and what it does to
 * memory and to where lanes go on. */
#include "meter/code/maker.h"
#include "model/replay/sm/unit.h"

static bool is_texture(const struct ptx_inst *i) { return ptx_op_rows[i->op].class == PTX_CLASS_TEXTURE; }

bool code_is_async(const struct ptx_inst *i)
{
    switch (i->op) {
    case OP_MBARRIER_ARRIVE:
    case OP_MBARRIER_ARRIVE_DROP:
    case OP_MBARRIER_TEST_WAIT:
    case OP_MBARRIER_TRY_WAIT:
    case OP_CP_ASYNC_MBARRIER_ARRIVE:
    case OP_CP_ASYNC_BULK:
    case OP_CP_REDUCE_ASYNC_BULK:
    case OP_CP_ASYNC_BULK_TENSOR:
    case OP_CP_REDUCE_ASYNC_BULK_TENSOR:
        return true;
    default:
        return false;
    }
}

static bool is_plain_access(u8 op) { return op >= SASS_LDG && op <= SASS_ST; }

/* Whether what the PTX instruction does to memory is what the machine instruction does: not a register that was spilled. */
static bool is_access(const struct ptx_inst *i, const struct sass_inst *made)
{
    const u8 memory = ptx_op_rows[i->op].memory;
    if (code_is_async(i))
        return true;
    const bool local = made->op == SASS_LDL || made->op == SASS_STL;
    if (local && i->space != SPACE_LOCAL && i->space != SPACE_NONE)
        return false;
    if (memory == PTX_MEM_ATOMIC && is_plain_access(made->op)) /* in a loop of compare-and-swap */
        return false;
    return is_texture(i) || (memory >= PTX_MEM_LOAD && memory <= PTX_MEM_COPY && i->space != SPACE_PARAM);
}

static bool is_constant_load(const struct ptx_inst *i) { return i->op == OP_LD && i->space == SPACE_CONST; }

/* Where it reads constants is in a register. */
static bool is_indexed(u64 low)
{
    u32 bank, at;
    return !sass_constant_at(low, &bank, &at);
}

static u16 line_of(u64 low)
{
    u32 bank, at;
    return sass_constant_at(low, &bank, &at) ? constant_line(bank, at) : 0;
}

/* What the instruction is, given what it was made of. */
static u8 op_of(const struct sass_row *row, const struct sass_inst *made, const struct ptx_inst *from)
{
    const u8 memory = from ? ptx_op_rows[from->op].memory : PTX_MEM_NONE;
    if (sass_never_runs(made->low))
        return REPLAY_PLAIN;
    if (row->result == UNIT_CONSTANT)
        return from && is_constant_load(from) && is_indexed(made->low) ? REPLAY_MEMORY : REPLAY_PLAIN;
    switch (row->op) {
    case REPLAY_MEMORY:
        return from && is_access(from, made) ? REPLAY_MEMORY : REPLAY_PLAIN;
    case REPLAY_BARRIER:
        return memory == PTX_MEM_BARRIER ? REPLAY_BARRIER : REPLAY_PLAIN;
    case REPLAY_COPY_COMMIT: /* the wait for all copies makes a group of what has none first */
        return memory == PTX_MEM_COMMIT || memory == PTX_MEM_WAIT || memory == PTX_MEM_BULK_COMMIT ? REPLAY_COPY_COMMIT
                                                                                                   : REPLAY_PLAIN;
    case REPLAY_COPY_WAIT:
        return memory == PTX_MEM_WAIT || memory == PTX_MEM_BULK_WAIT ? REPLAY_COPY_WAIT : REPLAY_PLAIN;
    case REPLAY_PRODUCT:
        return from && ptx_op_rows[from->op].class == PTX_CLASS_TENSOR ? REPLAY_PRODUCT : REPLAY_PLAIN;
    case REPLAY_MATCH:
        return from && from->op == OP_MATCH ? REPLAY_MATCH : REPLAY_PLAIN;
    case REPLAY_PRODUCT_WAIT:
        return sass_waits_for_products(made->low) ? REPLAY_PRODUCT_WAIT : REPLAY_PLAIN;
    default:
        return row->op;
    }
}

static u16 tensor_interval(const struct maker *k, const struct sass_row *row, u64 high)
{
    return (u16)unit_product_cycles(k->gpu, sass_matrix_macs(row, high), sass_is_double_product(row));
}

/* Of COPY_WAIT, PRODUCT and PRODUCT_WAIT; else words of a lane. */
static u16 count_of(u8 op, const struct sass_row *row, const struct sass_inst *made, const struct ptx_inst *from)
{
    switch (op) {
    case REPLAY_COPY_WAIT:
        return (u16)sass_copy_groups(made->low);
    case REPLAY_PRODUCT:
        return sass_closes_products(made->high);
    case REPLAY_PRODUCT_WAIT:
        return (u16)sass_product_groups(made->high);
    case REPLAY_MATCH:
        return (u16)(ptx_type_bits(from->types[0]) / 32);
    default:
        return (u16)((row->result == UNIT_CONSTANT ? sass_width(made->high) : made->bytes) / 4);
    }
}

/* 0: its pipe's own. Products of 64 bits, and their high halves, are half as fast as others. */
static u16 interval_of(const struct maker *k, const struct sass_row *row, const struct sass_inst *made)
{
    enum { WIDE = 0x025, HIGH = 0x027 };
    if (row->pipe == PIPE_FP16 || row->pipe == PIPE_FP16_MMA)
        return (u16)unit_half_cycles(k->gpu);
    if (row->pipe == PIPE_TENSOR)
        return tensor_interval(k, row, made->high);
    return (row->code == WIDE || row->code == HIGH) && row->pipe == PIPE_FMAHEAVY ? (u16)unit_wide_cycles(k->gpu) : 0;
}

static u8 bar_of(u8 bar) { return bar < REPLAY_BARS ? bar : (u8)REPLAY_NO_BAR; }

static bool is_computation(u8 pipe) { return pipe >= PIPE_FMA && pipe <= PIPE_TENSOR; }

static bool is_atomic(const struct ptx_inst *i) { return i && (i->op == OP_ATOM || i->op == OP_RED); }

static u8 latency_of(const struct maker *k, const struct sass_row *row, const struct sass_inst *made, u8 op,
                     const struct sass_control *c)
{
    if (op == REPLAY_BARRIER)
        return sass_reads_number(made->low) ? REPLAY_NUMBER_READ : 0;
    return op == REPLAY_PLAIN && c->write_bar != SASS_NO_BAR ? (u8)unit_latency(k->gpu, row->result) : 0;
}

static u8 spill_of(const struct sass_inst *made)
{
    return made->op == SASS_LDL ? SPILL_LOAD : made->op == SASS_STL ? SPILL_STORE : SPILL_NONE;
}

static u8 control_of(u32 code)
{
    switch (code) {
    case 0x141: /* BSYNC */
        return CONTROL_JOIN;
    case 0x142:
        return CONTROL_BREAK;
    case 0x143: /* CALL */
    case 0x144:
    case 0x147: /* BRA */
    case 0x149: /* BRX */
    case 0x14a: /* JMP */
    case 0x14c: /* JMX */
        return CONTROL_BRANCH;
    case 0x150:
        return CONTROL_RETURN;
    case 0x14d:
        return CONTROL_EXIT;
    default:
        return CONTROL_NONE;
    }
}

struct replay_inst maker_inst(struct maker *k, const struct machine_block *b, u32 at)
{
    static const struct sass_row unknown = {.pipe = PIPE_ALU, .op = REPLAY_PLAIN};
    const struct sass_inst *made = &k->m.code->insts[at];
    const struct sass_row *known = sass_row_of(made->low, k->gpu->cc_major), *row = known ? known : &unknown;
    const struct sass_control c = sass_control_of(made->high);
    const u32 site = match_site_for(&k->m, b, at);
    const struct ptx_inst *from = site ? &k->m.f->src->insts[site - 1] : NULL;
    const u8 op = op_of(row, made, from);
    const struct sass_reads reads = sass_reads_of(row, made->low, made->high);
    const bool constant = op != REPLAY_MEMORY && (row->result == UNIT_CONSTANT ||
                                                  (is_computation(row->pipe) && sass_reads_constant(made->low)));
    k->unknown += !known;
    return (struct replay_inst){
        .op = op,
        .pipe = row->pipe,
        .stall = c.stall ? c.stall : 1,
        .latency = latency_of(k, row, made, op, &c),
        .write_bar = bar_of(c.write_bar),
        .read_bar = bar_of(c.read_bar),
        .wait = c.wait,
        .interval = op == REPLAY_PRODUCT ? (u16)unit_group_cycles(from) : interval_of(k, row, made),
        .count = count_of(op, row, made, from),
        .wavefronts = op == REPLAY_PRODUCT ? (u8)unit_group_wavefronts(from) : 0,
        .regs = {reads.regs[0], reads.regs[1], reads.regs[2]},
        .wide = reads.wide,
        .reuse = reads.reuse,
        .control = control_of(row->code),
        .spill = op == REPLAY_PLAIN ? spill_of(made) : SPILL_NONE,
        .elected = op == REPLAY_MEMORY && is_atomic(from) && match_is_elected(&k->m, at),
        .constant = constant,
        .constant_line = constant ? line_of(made->low) : 0,
        .empties_l1 = sass_empties_l1(made->low),
        .site = site ? site - 1 : REPLAY_NO_SITE,
        .at = at,
    };
}
