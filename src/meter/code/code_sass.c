/* code_sass.c - machine code as the replay runs it, from what ptxas made of a function.
 *
 * match.c says which PTX block each machine block belongs to. The machine blocks of one PTX block are made into *runs*: what
 * control falls through from one to the next; a loop's head begins a run, its jump back ends one. Runs that have nothing
 * in common are parts of one sequence (a block that was cut by something's slow path); a run that has again what the one before
 * has is another copy of the block:
 *
 *     loop, unrolled by 4     run 1: 4 copies ──► program for 4 entries in a row
 *     what is left over       run 2: 1 copy   ──► program for 1
 *
 * Sequences of as many copies are alternatives (a tail that was copied): the one in the innermost machine loop is taken, of
 * two equals the first, of more the one of middle length. Where there is none for 1 entry, it is made of that with the fewest copies: what belongs to the first
 * copy, and of what belongs to no copy as many parts.
 *
 * Code for rare cases is left out (meter/sass/rare.c). A function of ptxas's own that is called without a branch around it (a division of 64 bits)
 * stands behind the call, all of it. */
#include <string.h>

#include "meter/code/make_code.h"
#include "meter/sass/match.h"
#include "model/replay/unit.h"

struct maker {
    struct arena *mem;
    const struct gpu *gpu;
    struct match m;
    u8 *heads;         /* by machine block: a loop begins */
    u8 *joins;         /* by machine block: a branch to it leaves out some that are not rare */
    u16 *depth;        /* by machine block: how many machine loops it is in */
    u32 *main_depth;   /* by PTX block: that of its first program */
    u32 *total, *seen; /* by site: its instructions in the sequence, and those so far; two of each (is_streamed) */
    u32 unknown;
};

/* What one run, or several that belong together, are made of. */
struct sequence {
    VEC(u32) blocks; /* machine blocks */
    u32 copies, depth;
    struct match_presence *sites; /* of the PTX block */
};
struct sequences {
    VEC(struct sequence) at;
};

/* ---- PTX blocks ---- */

static bool dominates(const struct ir_func *f, u32 block, u32 other)
{
    while (other != IR_NO_BLOCK && other != block)
        other = f->blocks[other].idom;
    return other == block;
}

static bool post_dominates(const struct ir_func *f, u32 block, u32 other)
{
    while (other != IR_NO_BLOCK && other != block)
        other = f->blocks[other].ipdom;
    return other == block;
}

static bool is_loop_head(const struct ir_func *f, u32 block)
{
    for (u32 b = 0; b < f->nblocks; b++)
        for (u32 s = 0; s < f->blocks[b].nsucc; s++)
            if (f->blocks[b].succs[s] == block && dominates(f, block, b))
                return true;
    return false;
}

/* The first of the blocks that a warp enters as often as `block`, of those that pass the test: up the tree of dominators. */
static u32 first_equal(struct maker *k, u32 block, bool (*passes)(struct maker *k, u32 up, const void *ctx),
                       const void *ctx)
{
    const struct ir_func *f = k->m.f;
    const u32 depth = f->blocks[block].loop_depth;
    u32 first = block;
    for (u32 at = block, up = f->blocks[at].idom; up != IR_NO_BLOCK; at = up, up = f->blocks[at].idom) {
        if (f->blocks[up].loop_depth < depth || (f->blocks[at].loop_depth <= depth && is_loop_head(f, at)))
            break; /* loops that are deeper were made straight code */
        if (f->blocks[up].loop_depth == depth && post_dominates(f, block, up) && passes(k, up, ctx))
            first = up;
    }
    return first;
}

/* ---- machine blocks ---- */

/* A branch from one block to another. */
static void note_branch(struct maker *k, u32 from, u32 to)
{
    for (u32 b = from + 1; b < to; b++)
        k->joins[to] |= !k->m.rare[b];
    for (u32 b = to; b <= from; b++)
        k->depth[b]++;
    k->heads[to] |= to <= from;
}

static void find_branches(struct maker *k)
{
    k->heads = arena_array(k->mem, u8, k->m.blocks.len + 1);
    k->joins = arena_array(k->mem, u8, k->m.blocks.len + 1);
    k->depth = arena_array(k->mem, u16, k->m.blocks.len + 1);
    for (u32 from = 0; from < k->m.blocks.len; from++) {
        const struct sass_inst *last = &k->m.code->insts[k->m.blocks.at[from].end - 1];
        if (last->op == SASS_BRA && last->target >= 0)
            note_branch(k, from, match_block_at(&k->m, last->target));
    }
}

/* The PTX block outside of the owner's loop that most of a machine block's instructions are of. */
static u32 find_outer(const struct maker *k, const struct machine_block *b, u32 *votes)
{
    const struct ir_func *f = k->m.f;
    u32 best = IR_NO_BLOCK;
    for (u32 i = b->first; i < b->end; i++) {
        const u32 site = match_site(&k->m, i);
        const u32 block = site && !k->m.code->insts[i].guarded ? f->block_of_site[site - 1] : IR_NO_BLOCK;
        if (block == IR_NO_BLOCK || f->blocks[block].loop_depth >= f->blocks[b->owner].loop_depth)
            continue;
        votes[block]++;
        if (best == IR_NO_BLOCK || votes[block] > votes[best])
            best = block;
    }
    for (u32 i = b->first; i < b->end; i++)
        if (match_site(&k->m, i) && f->block_of_site[match_site(&k->m, i) - 1] != IR_NO_BLOCK)
            votes[f->block_of_site[match_site(&k->m, i) - 1]] = 0;
    return best;
}

static bool has_evidence(const struct maker *k, const struct machine_block *b)
{
    for (u32 i = b->first; i < b->end; i++)
        if (match_is_own(&k->m, b, i) && match_is_evidence(&k->m, i))
            return true;
    return false;
}

static bool is_evidence(const struct maker *k, u32 inst)
{
    return match_site(&k->m, inst) && match_is_evidence(&k->m, inst);
}

/* Whether the machine block has all instructions of a PTX block that tell where it is. */
static bool is_whole_in(struct maker *k, u32 block, const struct machine_block *m)
{
    const struct ir_block *b = &k->m.f->blocks[block];
    bool all = true;
    for (u32 i = m->first; i < m->end; i++)
        if (is_evidence(k, i))
            k->seen[match_site(&k->m, i) - 1]++;
    for (u32 s = b->first; s < b->end; s++)
        all &= !k->total[s] || k->seen[s];
    for (u32 i = m->first; i < m->end; i++)
        if (is_evidence(k, i))
            k->seen[match_site(&k->m, i) - 1] = 0;
    return all;
}

/* The machine block has a copy of a PTX block that tells. */
static bool has_copy_of(struct maker *k, u32 up, const void *ctx)
{
    bool any = false;
    for (u32 s = k->m.f->blocks[up].first; s < k->m.f->blocks[up].end; s++)
        any |= k->total[s] > 0;
    return any && is_whole_in(k, up, ctx);
}

/* Several copies of the same PTX blocks have the same owner: the first of them. What else belongs to the owner until then and
 * tells nothing goes with them. */
static void agree_on_owners(struct maker *k)
{
    u32 *moved = arena_array(k->mem, u32, k->m.f->nblocks + 1); /* by PTX block: 1 + its code's new owner */
    for (u32 i = 0; i < k->m.code->n; i++)
        if (is_evidence(k, i))
            k->total[match_site(&k->m, i) - 1]++;
    for (u32 b = 0; b < k->m.blocks.len; b++) {
        struct machine_block *m = &k->m.blocks.at[b];
        if (m->owner == IR_NO_BLOCK || !is_whole_in(k, m->owner, m))
            continue;
        const u32 first = first_equal(k, m->owner, has_copy_of, m);
        moved[m->owner] = first + 1;
        m->owner = first;
    }
    for (u32 b = 0; b < k->m.blocks.len; b++) {
        struct machine_block *m = &k->m.blocks.at[b];
        if (m->owner != IR_NO_BLOCK && moved[m->owner] && !has_evidence(k, m))
            m->owner = moved[m->owner] - 1;
    }
    memset(k->total, 0, sizeof *k->total * (k->m.f->src->ninsts + 1));
}

/* The owner of the machine block in front, if control falls from it into this one and it is not in a deeper loop. */
static u32 find_before(const struct maker *k, u32 block)
{
    const struct machine_block *b = &k->m.blocks.at[block], *before = block ? b - 1 : NULL;
    const bool outer = before && before->owner != IR_NO_BLOCK && match_falls_through(&k->m, before) &&
                       k->m.f->blocks[before->owner].loop_depth <= k->m.f->blocks[b->owner].loop_depth;
    return outer ? before->owner : b->owner;
}

/* By PTX block: it is in a machine loop as deep as its own; others were made straight code. */
static u8 *find_looped(const struct maker *k)
{
    u8 *looped = arena_array(k->mem, u8, k->m.f->nblocks + 1);
    for (u32 n = 0; n < k->m.blocks.len; n++) {
        const u32 owner = k->m.blocks.at[n].owner;
        if (owner != IR_NO_BLOCK && k->depth[n] >= k->m.f->blocks[owner].loop_depth)
            looped[owner] = 1;
    }
    return looped;
}

/* What stands in front of a loop and asks whether there is a first turn is of the block in front of the loop; so is what asks between the parts of an
 * unrolled loop, once each time that the loop is come to. */
static void give_checks_back(struct maker *k)
{
    u32 *votes = arena_array(k->mem, u32, k->m.f->nblocks + 1);
    const u8 *looped = find_looped(k);
    for (u32 n = 0; n < k->m.blocks.len; n++) {
        struct machine_block *b = &k->m.blocks.at[n];
        if (b->owner == IR_NO_BLOCK || k->depth[n] >= k->m.f->blocks[b->owner].loop_depth || has_evidence(k, b))
            continue;
        const u32 outer = find_outer(k, b, votes);
        const u32 before = outer != IR_NO_BLOCK ? outer : find_before(k, n);
        const u32 front = k->m.f->blocks[b->owner].idom;
        const bool between = before == b->owner && looped[before] && front != IR_NO_BLOCK &&
                             k->m.f->blocks[front].loop_depth < k->m.f->blocks[before].loop_depth;
        b->owner = between ? front : before;
    }
}

static bool jumps_back(const struct maker *k, u32 block)
{
    const struct machine_block *b = &k->m.blocks.at[block];
    const struct sass_inst *last = &k->m.code->insts[b->end - 1];
    return last->op == SASS_BRA && last->target >= 0 && last->target <= (i32)b->first;
}

/* ---- sequences ---- */

static void add_block(struct maker *k, struct sequence *s, u32 block)
{
    const struct machine_block *b = &k->m.blocks.at[block];
    vec_push(k->mem, &s->blocks, block);
    s->depth = k->depth[block] > s->depth ? k->depth[block] : s->depth;
    for (u32 i = b->first; i < b->end; i++)
        match_count(&k->m, b, i, s->sites);
}

/* Whether an instruction of the run that tells where its block is is in the sequence already. */
static bool has_again(const struct sequence *s, const struct sequence *run, u32 nsites)
{
    for (u32 site = 0; site < nsites; site++)
        if ((s->sites[site].anchor && run->sites[site].anchor) || (s->sites[site].branch && run->sites[site].branch))
            return true;
    return false;
}

static u32 sites_of(const struct maker *k, u32 ptx_block)
{
    return k->m.f->blocks[ptx_block].end - k->m.f->blocks[ptx_block].first;
}

static struct sequence new_sequence(struct maker *k, u32 ptx_block)
{
    return (struct sequence){.sites = arena_array(k->mem, struct match_presence, sites_of(k, ptx_block) + 1)};
}

static void put_run(struct maker *k, struct sequences *out, const struct sequence *run, u32 ptx_block)
{
    if (!out->at.len || has_again(&out->at.at[out->at.len - 1], run, sites_of(k, ptx_block))) {
        vec_push(k->mem, &out->at, *run);
        return;
    }
    for (u32 b = 0; b < run->blocks.len; b++)
        add_block(k, &out->at.at[out->at.len - 1], run->blocks.at[b]);
}

/* Outside of loops nothing is unrolled. */
static u32 copies_of(const struct maker *k, u32 ptx_block, const struct sequence *s)
{
    const u32 said = k->m.f->blocks[ptx_block].loop_depth ? match_said(&k->m, ptx_block, s->sites) : 1;
    return said ? said : 1;
}

static struct sequences find_sequences(struct maker *k, u32 ptx_block)
{
    struct sequences out = {0};
    struct sequence run = new_sequence(k, ptx_block);
    u32 before = UINT32_MAX; /* the machine block in front, but for rare ones */
    bool joined = false;     /* what the run has may have been jumped over */
    for (u32 b = 0; b < k->m.blocks.len; b++) {
        if (k->m.rare[b])
            continue;
        const bool ours = k->m.blocks.at[b].owner == ptx_block;
        const bool on =
            before != UINT32_MAX && match_falls_through(&k->m, &k->m.blocks.at[before]) && !jumps_back(k, before);
        struct sequence block = new_sequence(k, ptx_block);
        if (ours)
            add_block(k, &block, b);
        joined |= run.blocks.len && k->joins[b];
        const bool cut = joined && has_again(&run, &block, sites_of(k, ptx_block));
        if (run.blocks.len && (!ours || !on || k->heads[b] || cut)) {
            put_run(k, &out, &run, ptx_block);
            run = new_sequence(k, ptx_block);
            joined = false;
        }
        if (ours)
            add_block(k, &run, b);
        before = b;
    }
    if (run.blocks.len)
        put_run(k, &out, &run, ptx_block);
    for (u32 s = 0; s < out.at.len; s++)
        out.at.at[s].copies = copies_of(k, ptx_block, &out.at.at[s]);
    return out;
}

/* ---- instructions ---- */

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

/* Of COPY_WAIT, PRODUCT and PRODUCT_WAIT; words of a lane. */
static u16 count_of(u8 op, const struct sass_inst *made)
{
    return op == REPLAY_COPY_WAIT      ? (u16)sass_copy_groups(made->low)
           : op == REPLAY_PRODUCT      ? sass_closes_products(made->high)
           : op == REPLAY_PRODUCT_WAIT ? (u16)sass_product_groups(made->high)
                                       : (u16)(made->bytes / 4);
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

static struct replay_inst make_inst(struct maker *k, const struct machine_block *b, u32 at)
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
        .count = count_of(op, made),
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

/* ---- programs ---- */

static bool is_streamed(const struct replay_inst *i) { return i->op == REPLAY_MEMORY || i->op == REPLAY_BARRIER; }

/* Those of another function's lines are that function's. A NOP in the middle is what a synchronisation of a warp became that
 * never comes apart. */
static bool is_ours(const struct maker *k, const struct machine_block *b, u32 inst)
{
    const struct sass_inst *i = &k->m.code->insts[inst];
    const bool never = i->op == SASS_NOP && i->target >= 0;
    return !never && (!i->line || match_site_for(&k->m, b, inst));
}

/* A place to count the instructions of a site: accesses apart from the rest. */
static u32 counter_of(const struct replay_inst *i) { return 2 * i->site + is_streamed(i); }

static void set_copies(struct maker *k, struct replay_inst *insts, u32 n, u32 copies)
{
    for (u32 i = 0; i < n; i++)
        if (insts[i].site != REPLAY_NO_SITE)
            k->total[counter_of(&insts[i])]++;
    for (u32 i = 0; i < n; i++)
        if (insts[i].site != REPLAY_NO_SITE) {
            const u32 at = counter_of(&insts[i]);
            insts[i].copy = (u8)((u64)k->seen[at]++ * copies / k->total[at]);
        }
    for (u32 i = 0; i < n; i++)
        if (insts[i].site != REPLAY_NO_SITE)
            k->total[counter_of(&insts[i])] = k->seen[counter_of(&insts[i])] = 0;
}

/* Instructions as they are collected. */
struct list {
    VEC(struct replay_inst) at;
};

/* What a hidden call at `call` runs: of no line of the function, so it is the call's. */
static void add_callee(struct maker *k, struct list *l, const struct machine_block *b, u32 call)
{
    const struct match_callee callee = match_callee(&k->m, call);
    for (u32 i = callee.first; i < callee.end; i++) {
        struct replay_inst x = make_inst(k, b, i);
        x.site = match_site(&k->m, call) ? match_site(&k->m, call) - 1 : REPLAY_NO_SITE;
        vec_push(k->mem, &l->at, x);
    }
}

static struct replay_program make_program(struct maker *k, const struct sequence *s)
{
    struct list l = {0};
    for (u32 b = 0; b < s->blocks.len; b++) {
        const struct machine_block *at = &k->m.blocks.at[s->blocks.at[b]];
        for (u32 i = at->first; i < at->end; i++) {
            if (!is_ours(k, at, i))
                continue;
            vec_push(k->mem, &l.at, make_inst(k, at, i));
            if (match_is_hidden_call(&k->m, i))
                add_callee(k, &l, at, i);
        }
    }
    set_copies(k, l.at.at, l.at.len, s->copies);
    return (struct replay_program){.insts = l.at.at, .n = l.at.len, .copies = s->copies};
}

/* Counts the instructions of each site anew, or forgets them. */
static void count_totals(struct maker *k, const struct replay_program *p, u32 step)
{
    for (u32 i = 0; i < p->n; i++)
        if (p->insts[i].site != REPLAY_NO_SITE)
            k->total[counter_of(&p->insts[i])] += step;
}

/* An instruction that each copy has. */
static bool is_of_a_copy(const struct maker *k, const struct replay_program *p, const struct replay_inst *i)
{
    return is_streamed(i) || (i->site != REPLAY_NO_SITE && k->total[counter_of(i)] >= p->copies);
}

/* For one entry, of a program for several. What is of no copy (a loop's counter and jump) is left in every so many times. */
static struct replay_program divide(struct maker *k, const struct replay_program *p)
{
    struct replay_inst *insts = arena_array(k->mem, struct replay_inst, p->n + 1);
    u32 n = 0, shared = 0;
    count_totals(k, p, 1);
    for (u32 i = 0; i < p->n; i++) {
        const bool stays = is_of_a_copy(k, p, &p->insts[i]) ? p->insts[i].copy == 0 : shared++ % p->copies == 0;
        if (stays || (i + 1 == p->n && p->insts[i].op != REPLAY_EXIT)) {
            insts[n] = p->insts[i];
            insts[n++].copy = 0;
        }
    }
    count_totals(k, p, UINT32_MAX);
    return (struct replay_program){.insts = insts, .n = n, .copies = 1};
}

static u32 length_of(const struct maker *k, const struct sequence *s)
{
    u32 n = 0;
    for (u32 b = 0; b < s->blocks.len; b++)
        n += k->m.blocks.at[s->blocks.at[b]].end - k->m.blocks.at[s->blocks.at[b]].first;
    return n;
}

/* How many of those that are as good have fewer instructions, or as many and stand before it. */
static u32 place_by_length(const struct maker *k, const struct sequences *all, const struct sequence *x)
{
    u32 n = 0;
    for (const struct sequence *y = all->at.at; y < all->at.at + all->at.len; y++)
        if (y->copies == x->copies && y->depth == x->depth)
            n += length_of(k, y) < length_of(k, x) || (length_of(k, y) == length_of(k, x) && y < x);
    return n;
}

/* The best sequence of fewer copies than `below`, of the most that there are, in the innermost machine loop. Of two equals the first one; of more, as of a
 * loop that was made straight code, the one of middle length: the first has what stood in front of the loop, too. */
static const struct sequence *next_best(const struct maker *k, const struct sequences *all, u32 below)
{
    const struct sequence *best = NULL;
    u32 equals = 0;
    for (const struct sequence *x = all->at.at; x < all->at.at + all->at.len; x++) {
        const bool equal = best && x->copies == best->copies && x->depth == best->depth;
        const bool better = x->copies < below && (!best || x->copies > best->copies ||
                                                  (x->copies == best->copies && x->depth > best->depth));
        equals = better ? 1 : equals + equal;
        best = better ? x : best;
    }
    for (const struct sequence *x = all->at.at; equals > 2 && x < all->at.at + all->at.len; x++)
        if (x->copies == best->copies && x->depth == best->depth && place_by_length(k, all, x) == equals / 2)
            return x;
    return best;
}

static struct replay_block make_block(struct maker *k, u32 ptx_block)
{
    const struct sequences all = find_sequences(k, ptx_block);
    struct replay_program *programs = arena_array(k->mem, struct replay_program, all.at.len + 2);
    const struct sequence *s;
    u32 n = 0;
    for (u32 below = UINT32_MAX; (s = next_best(k, &all, below)); below = s->copies) {
        k->main_depth[ptx_block] = n ? k->main_depth[ptx_block] : s->depth;
        programs[n++] = make_program(k, s);
    }
    if (n && programs[n - 1].copies > 1) {
        programs[n] = divide(k, &programs[n - 1]);
        n++;
    }
    return (struct replay_block){.programs = programs, .n = n};
}

/* ---- where programs stand ---- */

/* Whether between `from` and `to` there is no block with a program. */
static bool is_clear(const struct ir_func *f, const struct replay_block *blocks, u32 from, u32 to, u8 *seen)
{
    for (u32 s = 0; s < f->blocks[from].nsucc; s++) {
        const u32 next = f->blocks[from].succs[s];
        if (next == to || seen[next])
            continue;
        seen[next] = 1;
        if (blocks[next].n || !is_clear(f, blocks, next, to, seen))
            return false;
    }
    return true;
}

static bool has_insts_of(const struct replay_program *p, const struct ir_block *b)
{
    for (u32 i = 0; i < p->n; i++)
        if (p->insts[i].site >= b->first && p->insts[i].site < b->end)
            return true;
    return false;
}

struct place {
    const struct replay_block *blocks;
    u32 block;
};

static bool is_front(struct maker *k, u32 up, const void *ctx)
{
    const struct place *p = ctx;
    return !p->blocks[up].n && has_insts_of(&p->blocks[p->block].programs[0], &k->m.f->blocks[up]) &&
           is_clear(k->m.f, p->blocks, up, p->block, arena_array(k->mem, u8, k->m.f->nblocks));
}

/* It shows that the code of its PTX block is here: an access or a computation. */
static bool is_telling(const struct replay_inst *i)
{
    return i->site != REPLAY_NO_SITE && (is_streamed(i) || i->pipe == PIPE_FMA || i->pipe == PIPE_FP64 ||
                                         i->pipe == PIPE_FP16 || i->pipe == PIPE_FP16_MMA || i->pipe == PIPE_TENSOR);
}

/* All of a block's own instructions that tell are marked. */
static bool is_marked(const struct maker *k, const struct replay_program *p, u32 block)
{
    for (u32 i = 0; i < p->n; i++)
        if (is_telling(&p->insts[i]) && k->m.f->block_of_site[p->insts[i].site] == block && !k->seen[p->insts[i].site])
            return false;
    return true;
}

/* Whether `block`, whose code is also in the first program of `owner` (marked), runs mostly there: in the unrolled loop, not
 * in what remains; in the loop, not in a turn that was taken out of it. */
static bool runs_there(const struct maker *k, const struct replay_block *blocks, u32 block, u32 owner)
{
    const struct ir_block *b = k->m.f->blocks;
    return block != owner && blocks[block].n && b[block].loop_depth >= b[owner].loop_depth &&
           blocks[owner].programs[0].copies >= blocks[block].programs[0].copies &&
           (blocks[owner].programs[0].copies > blocks[block].programs[0].copies ||
            k->main_depth[owner] > k->main_depth[block]) &&
           is_marked(k, &blocks[block].programs[0], block);
}

static void mark(struct maker *k, const struct replay_program *p, u32 with)
{
    for (u32 i = 0; i < p->n; i++)
        if (is_telling(&p->insts[i]))
            k->seen[p->insts[i].site] = with;
}

/* A block has its code in one place only: the others' copies of it would run it twice. */
static void take_in(struct maker *k, struct replay_block *blocks, u32 owner)
{
    const struct replay_program *p = &blocks[owner].programs[0];
    bool taken = false;
    mark(k, p, 1);
    for (u32 i = 0; i < p->n; i++) {
        const u32 block = is_telling(&p->insts[i]) ? k->m.f->block_of_site[p->insts[i].site] : IR_NO_BLOCK;
        if (block == IR_NO_BLOCK || !runs_there(k, blocks, block, owner))
            continue;
        blocks[block] = (struct replay_block){0};
        taken = true;
    }
    mark(k, p, 0);
    if (!taken || p->copies == 1)
        return;
    struct replay_program *programs = arena_array(k->mem, struct replay_program, 2);
    programs[0] = *p;
    programs[1] = divide(k, p);
    blocks[owner] = (struct replay_block){.programs = programs, .n = 2};
}

/* Where a machine block is made of several PTX blocks, the one that owns it need not be the first that a warp enters. */
static void move_to_first(struct maker *k, struct replay_block *blocks)
{
    for (u32 b = 0; b < k->m.f->nblocks; b++) {
        const u32 first = blocks[b].n ? first_equal(k, b, is_front, &(struct place){blocks, b}) : b;
        if (first == b)
            continue;
        blocks[first] = blocks[b];
        blocks[b] = (struct replay_block){0};
    }
}

struct replay_code *code_from_sass(struct arena *mem, const struct gpu *gpu, const struct ir_func *f,
                                   const struct sass_func *code)
{
    struct maker k = {.mem = mem, .gpu = gpu};
    if (!match_make(mem, f, code, &k.m))
        return NULL;
    find_branches(&k);
    k.main_depth = arena_array(mem, u32, f->nblocks + 1);
    k.total = arena_array(mem, u32, 2 * f->src->ninsts + 2);
    k.seen = arena_array(mem, u32, 2 * f->src->ninsts + 2);
    agree_on_owners(&k);
    give_checks_back(&k);
    struct replay_code *out = arena_new(mem, struct replay_code);
    *out = (struct replay_code){.nblocks = f->nblocks, .ninsts = code->n, .machine = true};
    out->blocks = arena_array(mem, struct replay_block, f->nblocks + 1);
    for (u32 b = 0; b < f->nblocks; b++)
        out->blocks[b] = make_block(&k, b);
    for (u32 b = 0; b < f->nblocks; b++)
        if (out->blocks[b].n)
            take_in(&k, out->blocks, b);
    move_to_first(&k, out->blocks);
    code_find_moved(mem, f, out);
    out->unknown = k.unknown;
    return out;
}
