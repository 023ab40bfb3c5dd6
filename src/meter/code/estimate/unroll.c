/* unroll.c - which loops ptxas is expected to unroll: what its machine code shows of PTX by nvcc and clang.
 *
 * A loop of one block whose last question is about a counter: `add i, i, 4; setp.lt p, i, n; @p bra`. The step is a constant
 * and the end does not change in the loop. Not unrolled: loops under `.pragma "nounroll"`; with atomics, textures, fences,
 * calls (also of the slow path of a division), or what warps do together, but for barriers, shuffles, votes and products of registers (mma); long ones (is_small); and those with
 * stores whose end says that there are few turns. It is four turns at a time, then two, then one. A loop whose start and end are both
 * constants is unrolled wholly, unless that makes it too long for what it saves, whatever is in it. docs/model.md says how often that is right. */
#include "meter/code/estimate/unroll.h"

#include <stdlib.h>
#include <string.h>

#include "ir/pass.h"
#include "meter/sass/expand.h"

enum { TURNS = 4, FEW_TURNS = 16, SHORT = 8, TURNS_MOST = 255 }; /* of those: replay_inst.copy */

static const struct ptx_inst *at(const struct ir_func *f, u32 site) { return &f->src->insts[site]; }

static bool is_register(const struct ptx_operand *o) { return o->kind == PTX_REG; }

/* `add i, i, constant` */
static bool steps(const struct ptx_inst *i, const struct ptx_var *counter)
{
    return (i->op == OP_ADD || i->op == OP_SUB) && i->noperands == 3 && !i->guard && is_register(&i->operands[0]) &&
           i->operands[0].var == counter && is_register(&i->operands[1]) && i->operands[1].var == counter &&
           i->operands[2].kind == PTX_IMM && !ptx_type_float((enum ptx_type)i->types[0]);
}

struct writes {
    const struct ptx_var *reg;
    u32 n;
};

static void note_write(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct writes *w = ctx;
    w->n += is_write && reg == w->reg;
}

static u32 writes_in(const struct ir_func *f, const struct ir_block *b, const struct ptx_var *reg)
{
    struct writes w = {.reg = reg};
    for (u32 s = b->first; s < b->end; s++)
        ir_each_reg(at(f, s), note_write, &w);
    return w.n;
}

/* The instruction that steps what o names, if it is a counter. */
static const struct ptx_inst *counter_of(const struct ir_func *f, const struct ir_block *b, const struct ptx_operand *o)
{
    if (!is_register(o) || writes_in(f, b, o->var) != 1)
        return NULL;
    for (u32 s = b->first; s < b->end; s++)
        if (steps(at(f, s), o->var))
            return at(f, s);
    return NULL;
}

static bool stays(const struct ir_func *f, const struct ir_block *b, const struct ptx_operand *o)
{
    return o->kind == PTX_IMM || (is_register(o) && !writes_in(f, b, o->var));
}

/* What a loop counts by. */
struct counting {
    const struct ptx_inst *step, *question;
    const struct ptx_operand *end;
};

static i64 step_of(const struct counting *c)
{
    const i64 by = (i64)c->step->operands[2].bits;
    return c->step->op == OP_SUB ? -by : by;
}

/* A counter that starts near 0 has few turns; of one that is compared for equality nothing is known. */
static bool has_few_turns(const struct counting *c)
{
    const i64 end = c->end->kind == PTX_IMM ? (i64)c->end->bits : 0, by = step_of(c);
    return end && by && !ptx_has(c->question, MOD_NE) && llabs(end) / llabs(by) <= FEW_TURNS;
}

/* The question at the end of the block, if it is about a counter and an end that stays. */
static bool find_counting(const struct ir_func *f, const struct ir_block *b, struct counting *c)
{
    const struct ptx_var *guard = at(f, b->end - 1)->guard;
    *c = (struct counting){.step = NULL};
    for (u32 s = b->first; s < b->end; s++)
        if (at(f, s)->op == OP_SETP && is_register(&at(f, s)->operands[0]) && at(f, s)->operands[0].var == guard)
            c->question = at(f, s);
    if (!c->question || c->question->noperands != 3)
        return false;
    for (u32 k = 1; k < 3; k++) {
        c->end = &c->question->operands[3 - k];
        c->step = counter_of(f, b, &c->question->operands[k]);
        if (c->step && stays(f, b, c->end))
            return true;
    }
    return false;
}

/* What sets the counter in front of the loop, and nowhere else, to a constant or to where a variable is; or NULL. */
static const struct ptx_inst *start_of(const struct ir_func *f, const struct ir_block *b, const struct ptx_var *counter)
{
    const struct ptx_inst *set = NULL;
    struct writes w = {.reg = counter};
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const u32 before = w.n;
        if (s >= b->first && s < b->end)
            continue;
        ir_each_reg(at(f, s), note_write, &w);
        set = w.n > before ? at(f, s) : set;
    }
    const u8 kind = w.n == 1 && set->op == OP_MOV && !set->guard ? set->operands[set->noperands - 1].kind : PTX_REG;
    return kind == PTX_IMM || kind == PTX_VAR ? set : NULL;
}

static bool find_start(const struct ir_func *f, const struct ir_block *b, const struct ptx_var *counter, i64 *start)
{
    const struct ptx_inst *set = start_of(f, b, counter);
    if (!set || set->operands[set->noperands - 1].kind != PTX_IMM)
        return false;
    *start = (i64)set->operands[set->noperands - 1].bits;
    return true;
}

/* Turns between two constants; 0: not known, or not few. */
static u32 known_turns(const struct ir_func *f, const struct ir_block *b, const struct counting *c)
{
    i64 start;
    const i64 by = step_of(c), end = c->end->kind == PTX_IMM ? (i64)c->end->bits : 0;
    if (c->end->kind != PTX_IMM || !by || !find_start(f, b, c->step->operands[0].var, &start))
        return 0;
    const bool with_end = ptx_has(c->question, MOD_LE) || ptx_has(c->question, MOD_GE);
    const i64 way = by > 0 ? end - start : start - end, size = llabs(by);
    const i64 turns = way <= 0 ? 0 : (way + size - 1) / size + (with_end && way % size == 0);
    return turns > 1 && turns <= TURNS_MOST ? (u32)turns : 0;
}

/* Of what warps do together these are unrolled like anything else. */
static bool is_for_all_lanes(const struct ptx_inst *i)
{
    return i->op == OP_MMA || i->op == OP_BAR || i->op == OP_BARRIER || i->op == OP_SHFL || i->op == OP_VOTE;
}

static bool keeps_rolled(const struct ptx_inst *i)
{
    const struct ptx_op_row *row = &ptx_op_rows[i->op];
    if (is_for_all_lanes(i))
        return false;
    const bool plain = row->memory == PTX_MEM_NONE || row->memory == PTX_MEM_LOAD || row->memory == PTX_MEM_STORE;
    return !plain || expand_has_slow_path(i) || row->flow == FLOW_STOP || row->flow == FLOW_CALL ||
           row->class == PTX_CLASS_TEXTURE || row->class == PTX_CLASS_TENSOR || row->class == PTX_CLASS_INTER_THREAD;
}

static bool has_call(const struct ir_func *f, const struct ir_block *b)
{
    for (u32 s = b->first; s < b->end; s++)
        if (ptx_op_rows[at(f, s)->op].flow == FLOW_CALL)
            return true;
    return false;
}

static bool has_store(const struct ir_func *f, const struct ir_block *b)
{
    for (u32 s = b->first; s < b->end; s++)
        if (ptx_op_rows[at(f, s)->op].memory == PTX_MEM_STORE)
            return true;
    return false;
}

static bool is_plain(const struct ir_func *f, const struct ir_block *b)
{
    for (u32 s = b->first; s < b->end; s++)
        if (keeps_rolled(at(f, s)))
            return false;
    return true;
}

/* What a turn's copy has of an instruction, as ptxas reckons it: accesses are two, steps of addresses none. */
static u32 size_of(const struct ptx_inst *i)
{
    const char *sequence = expand_inst(i, 9);
    const bool step = i->noperands && is_register(&i->operands[0]) && steps(i, i->operands[0].var) &&
                      ptx_type_bits((enum ptx_type)i->types[0]) == 64;
    if (ptx_op_rows[i->op].memory == PTX_MEM_LOAD || ptx_op_rows[i->op].memory == PTX_MEM_STORE)
        return i->space == SPACE_CONST || i->space == SPACE_PARAM ? 0 : 2;
    if (i->op == OP_BRA || step)
        return 0;
    return sequence ? expand_length(sequence) : 1;
}

/* How large a turn may be. Loops made for it (0 to 200 products; 0 to 28 loads from global or shared memory, 0 to 12 stores; 0 to 8 barriers)
 * were unrolled up to these sizes, or one less: with nothing to wait for little is won. A load from global memory is worth as much as 27 more instructions, each from shared
 * memory five more; if both the start and the end are constants no turns are left over. */
static u32 size_most(u32 far, u32 near, bool known)
{
    enum { PLAIN = 19, WITH_FAR = 47, OF_NEAR = 5, NEAR_MOST = 97, KNOWN = 73 };
    u32 most = far ? WITH_FAR : PLAIN;
    if (known)
        return KNOWN;
    most = PLAIN + OF_NEAR * near > most ? PLAIN + OF_NEAR * near : most;
    return most < NEAR_MOST ? most : NEAR_MOST;
}

static bool is_small(const struct ir_func *f, const struct ir_block *b, const struct counting *c)
{
    i64 start;
    u32 size = 0, far = 0, near = 0;
    for (u32 s = b->first; s < b->end; s++) {
        const struct ptx_inst *i = at(f, s);
        const bool load = ptx_op_rows[i->op].memory == PTX_MEM_LOAD && i->space != SPACE_CONST;
        size += i == c->step || i == c->question ? 0 : size_of(i);
        near += load && i->space == SPACE_SHARED;
        far += load && i->space != SPACE_SHARED;
    }
    const bool known = c->end->kind == PTX_IMM && find_start(f, b, c->step->operands[0].var, &start);
    return size <= size_most(far, near, known) && is_plain(f, b);
}

/* ---- .pragma "nounroll", of which the tree knows nothing: it is looked for in the text ---- */

static const char *line_start(const char *text, u32 line)
{
    for (u32 k = 1; text && k < line; k++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

static bool begins_with(const char *line, const char *word)
{
    line += strspn(line, " \t");
    return strncmp(line, word, strlen(word)) == 0;
}

static bool says_nounroll(const char *line)
{
    static const char word[] = "nounroll";
    const size_t n = strcspn(line, "\n");
    for (size_t k = 0; k + sizeof word <= n; k++)
        if (strncmp(line + k, word, sizeof word - 1) == 0)
            return begins_with(line, ".pragma") || memchr(line, '"', k);
    return false;
}

/* Labels, positions, comments and blank lines may stand between a pragma and its loop. */
static bool may_be_between(const char *line)
{
    const char *at = line + strspn(line, " \t");
    const size_t n = strcspn(at, "\n");
    return !n || begins_with(at, ".loc") || begins_with(at, "//") || at[n - 1] == ':';
}

/* The line before one; NULL: it is the first. */
static const char *line_before(const char *text, const char *line)
{
    if (line == text)
        return NULL;
    for (line--; line > text && line[-1] != '\n';)
        line--;
    return line;
}

static bool is_kept_by_pragma(const struct ir_func *f, const struct ptx_inst *first)
{
    enum { LINES = 8 };
    const char *line = line_start(f->mod->text, first->line);
    for (u32 back = 0; line && back < LINES; back++, line = line_before(f->mod->text, line)) {
        if (says_nounroll(line))
            return true;
        if (back && !may_be_between(line))
            return false;
    }
    return false;
}

/* What a turn has that each copy has, too. Accesses count twice; loads of constants become operands. */
static double copy_length(const struct ir_func *f, const struct ir_block *b, u32 *constants)
{
    double insts = 0;
    *constants = 0;
    for (u32 s = b->first; s < b->end; s++) {
        const struct ptx_inst *i = at(f, s);
        const bool counts = i->noperands && is_register(&i->operands[0]) && steps(i, i->operands[0].var);
        if (i->op == OP_LD && i->space == SPACE_CONST)
            *constants += i->operands[0].n ? i->operands[0].n : 1;
        else if (i->op != OP_SETP && i->op != OP_BRA && !counts)
            insts += ptx_op_rows[i->op].memory != PTX_MEM_NONE ? 2 : 1;
    }
    return insts;
}

/* Whether all of so many turns become one. What is saved, of a turn, is some five instructions of a counter, an address and a branch, and the loads of
 * constants; the larger a part of the turn that is, the longer may the whole be. Of 448 loops with 0 to 16 loads, 1 to 32 products and 4 to 1000 turns ptxas 13.0 unrolls
 * those. Few turns become one also where little is saved, as in rounds of a cipher, and whatever is in them. */
static bool is_unrolled_wholly(const struct ir_func *f, const struct ir_block *b, u32 turns)
{
    enum { FEW = 9, FEW_INSTS = 700 };
    const double saved_most = 5.3, whole_most = 5000, of_constant = 4;
    u32 constants;
    const double copy = copy_length(f, b, &constants), saved = saved_most + of_constant * constants;
    return (turns <= FEW && turns * (b->end - b->first) <= FEW_INSTS) ||
           (is_plain(f, b) && turns * copy * (copy + saved) <= (constants ? 2 : 1) * whole_most * saved);
}

/* Turns that become one, if no pragma forbids it. */
static u32 turns_of(const struct ir_func *f, const struct ir_block *b)
{
    struct counting c;
    if (!find_counting(f, b, &c))
        return 1;
    const u32 turns = known_turns(f, b, &c), insts = b->end - b->first;
    if (turns && is_unrolled_wholly(f, b, turns) && !has_call(f, b))
        return turns;
    return is_small(f, b, &c) && (insts <= SHORT || !has_few_turns(&c) || !has_store(f, b)) ? TURNS : 1;
}

u32 unroll_factor(const struct ir_func *f, u32 block)
{
    const struct ir_block *b = &f->blocks[block];
    bool loops = false;
    for (u32 k = 0; k < b->nsucc; k++)
        loops |= b->succs[k] == block;
    if (!loops || b->end == b->first || at(f, b->end - 1)->op != OP_BRA || !at(f, b->end - 1)->guard)
        return 1;
    const u32 turns = turns_of(f, b);
    return turns > 1 && !is_kept_by_pragma(f, at(f, b->first)) ? turns : 1;
}

/* The step and the question are of all lanes. */
static bool is_outside_of_bodies(const struct ir_func *f, const struct ptx_inst *i, u32 head, u32 tail)
{
    const u32 block = f->block_of_site[i - f->src->insts];
    return block == head || block == tail;
}

u32 unroll_bodies(const struct ir_func *f, u32 head, u32 tail)
{
    enum { BODIES_MAX = 45 };
    const struct ir_block *t = &f->blocks[tail];
    struct ir_block all = f->blocks[head];
    struct counting c;
    bool loops = false;
    for (u32 k = 0; k < t->nsucc; k++)
        loops |= t->succs[k] == head;
    all.end = t->end;
    if (!loops || all.end <= all.first || all.end - all.first > BODIES_MAX || at(f, all.end - 1)->op != OP_BRA ||
        !at(f, all.end - 1)->guard || !find_counting(f, &all, &c) || !is_outside_of_bodies(f, c.step, head, tail) ||
        !is_small(f, &all, &c) || (has_few_turns(&c) && has_store(f, &all)))
        return 1;
    return is_kept_by_pragma(f, at(f, all.first)) ? 1 : TURNS;
}

u32 unroll_turns(const struct ir_func *f, u32 block, bool *wholly)
{
    struct counting c;
    const struct ir_block *b = &f->blocks[block];
    const u32 turns = unroll_factor(f, block);
    *wholly = turns > 1 && find_counting(f, b, &c) && known_turns(f, b, &c) == turns;
    return turns;
}

bool unroll_knows(const struct ir_func *f, u32 block, const struct ptx_var *reg)
{
    const struct ir_block *b = &f->blocks[block];
    bool wholly;
    unroll_turns(f, block, &wholly);
    if (!wholly)
        return false;
    const struct ptx_operand o = {.kind = PTX_REG, .var = (struct ptx_var *)reg};
    return counter_of(f, b, &o) && start_of(f, b, reg);
}
