/* match.c - which PTX block each machine block belongs to, and how often a PTX block is there (match.h).
 *
 * Only PTX blocks have counts of executions. So each machine block is given an *owner*, the PTX block whose executions are
 * its own, by a vote of its instructions: loads, stores, shuffles, barriers and branches are worth more than arithmetic,
 * which ptxas moves; guarded instructions of other blocks are bodies that became predicates, and have no vote. A PTX
 * block may be there several times (unrolled loops, copied tails): the number of *copies* is that of the machine
 * instructions of one of its loads, stores or float operations (*anchors*).
 * A machine block that has no anchor of an owner that is anchored elsewhere was moved out of it (an address that is the
 * same in all turns of a loop): it runs as often as the machine block from which control falls into it.
 *
 * A guarded EXIT ends a machine block as a branch does, and votes for the PTX block that ends with the branch to the ret:
 * what is in front of it runs for every warp, what is behind it for those that stay, which may be none.
 *
 * Code for rare cases has no owner (rare.c). */
#include "meter/sass/match.h"

#include "ir/matrix.h"
#include "meter/blocks.h"
#include "model/replay/code.h"

enum { VOTE_ANCHOR = 8 };
enum { SMALL_MIN = 2 };    /* integer operations that must say the same: one alone may have been folded or split */
enum { HEAD_LINES = 400 }; /* from a kernel's name to its first instruction, at most */

u32 match_site(const struct match *m, u32 inst)
{
    const u32 line = m->code->insts[inst].line - m->first_line;
    if (m->textures && m->textures[inst])
        return m->textures[inst];
    return m->code->insts[inst].line >= m->first_line && line < m->nlines ? m->site_of_line[line] : 0;
}

static u32 block_of(const struct match *m, u32 inst)
{
    const u32 site = match_site(m, inst);
    return site ? m->f->block_of_site[site - 1] : IR_NO_BLOCK;
}

/* Instructions that stand for themselves: ptxas makes one of one, and does not move it to another block. */
static bool is_anchor(const struct ptx_inst *i, const struct sass_inst *made)
{
    switch (made->op) {
    case SASS_LDG:
    case SASS_LDS:
    case SASS_LDL:
    case SASS_LD:
        return i->op == OP_LD && i->space != SPACE_PARAM;
    case SASS_STG:
    case SASS_STS:
    case SASS_STL:
    case SASS_ST:
        return i->op == OP_ST;
    case SASS_ATOMS:
    case SASS_ATOMG:
    case SASS_RED:
        return i->op == OP_ATOM || i->op == OP_RED;
    case SASS_BAR:
        return i->op == OP_BAR || i->op == OP_BARRIER;
    case SASS_SHFL:
        return i->op == OP_SHFL;
    case SASS_BRA: /* in front of a shuffle it is for a warp that came apart */
    case SASS_BRX:
        return i->op == OP_BRA || i->op == OP_BRX || i->op == OP_SHFL;
    case SASS_EXIT:
        return made->guarded && i->op == OP_BRA; /* others belong to the block before them */
    default:
        return false;
    }
}

/* ---- machine blocks ---- */

bool match_ends_block(const struct sass_inst *i)
{
    return i->op == SASS_BRA || i->op == SASS_BRX || i->op == SASS_RET || i->op == SASS_EXIT;
}

static void find_blocks(struct match *m)
{
    const struct sass_func *c = m->code;
    u8 *leads = arena_array(m->mem, u8, c->n + 1);
    leads[0] = leads[c->n] = 1;
    for (u32 i = 0; i < c->n; i++) {
        if (c->insts[i].target >= 0)
            leads[c->insts[i].target] = 1;
        if (match_ends_block(&c->insts[i]))
            leads[i + 1] = 1;
    }
    for (u32 i = 0, first = 0; i < c->n; i++)
        if (leads[i + 1]) {
            vec_push(m->mem, &m->blocks, ((struct machine_block){.first = first, .end = i + 1, .owner = IR_NO_BLOCK}));
            first = i + 1;
        }
}

/* ---- owners ---- */

static u32 vote_of(const struct match *m, u32 inst)
{
    const struct sass_inst *made = &m->code->insts[inst];
    const u32 site = match_site(m, inst);
    if (!site || made->op == SASS_NOP)
        return 0;
    const bool anchor = is_anchor(&m->f->src->insts[site - 1], made);
    if (made->guarded && !(anchor && match_ends_block(made)))
        return 0;
    return anchor ? VOTE_ANCHOR : 1;
}

static u32 elect(const struct match *m, const struct machine_block *b, u32 *votes)
{
    u32 best = IR_NO_BLOCK;
    for (u32 i = b->first; i < b->end; i++) {
        const u32 block = block_of(m, i);
        if (block != IR_NO_BLOCK)
            votes[block] += vote_of(m, i);
    }
    for (u32 i = b->first; i < b->end; i++) {
        const u32 block = block_of(m, i);
        if (block != IR_NO_BLOCK && votes[block] && (best == IR_NO_BLOCK || votes[block] > votes[best]))
            best = block;
    }
    for (u32 i = b->first; i < b->end; i++)
        if (block_of(m, i) != IR_NO_BLOCK)
            votes[block_of(m, i)] = 0;
    return best;
}

/* A block of guarded instructions only: the first that is of a PTX block. */
static u32 any_block(const struct match *m, const struct machine_block *b)
{
    for (u32 i = b->first; i < b->end; i++)
        if (block_of(m, i) != IR_NO_BLOCK && m->code->insts[i].op != SASS_NOP)
            return block_of(m, i);
    return IR_NO_BLOCK;
}

/* ---- copies ---- */

static bool is_float_op(const struct ptx_inst *i)
{
    return (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL || i->op == OP_FMA || i->op == OP_MAD) && i->ntypes &&
           ptx_type_float((enum ptx_type)i->types[0]);
}

/* The count that most have; 0: there are none. Of equals the smallest. */
static u32 most_common(const u32 n[COPIES_MAX + 1])
{
    u32 best = 0;
    for (u32 k = 1; k <= COPIES_MAX; k++)
        if (n[k] > (best ? n[best] : 0))
            best = k;
    return best;
}

bool match_is_own(const struct match *m, const struct machine_block *b, u32 inst)
{
    const u32 site = match_site(m, inst);
    return site && m->f->block_of_site[site - 1] == b->owner && m->code->insts[inst].op != SASS_NOP;
}

/* The unit computes what the instruction says: not a constant that was put into a register for it. */
static bool is_float_unit(const struct sass_inst *made)
{
    const struct sass_row *row = sass_row_of(made->low, UINT32_MAX);
    return row &&
           (row->pipe == PIPE_FMA || row->pipe == PIPE_FP64 || row->pipe == PIPE_FP16 || row->pipe == PIPE_FP16_MMA);
}

static bool is_product(const struct ptx_inst *from, const struct sass_inst *made)
{
    const struct sass_row *row = sass_row_of(made->low, UINT32_MAX);
    return row && row->pipe == PIPE_TENSOR && ir_matrix_products(from) == 1;
}

/* An unrolled loop has fewer branches than turns. */
bool match_is_evidence(const struct match *m, u32 inst)
{
    const struct ptx_inst *from = &m->f->src->insts[match_site(m, inst) - 1];
    const struct sass_inst *made = &m->code->insts[inst];
    return (is_anchor(from, made) && !match_ends_block(made)) || (is_float_op(from) && is_float_unit(made)) ||
           is_product(from, made);
}

bool match_has_evidence(const struct match *m, const struct machine_block *b)
{
    for (u32 i = b->first; i < b->end; i++)
        if (match_is_own(m, b, i) && match_is_evidence(m, i))
            return true;
    return false;
}

/* Integer arithmetic that is one machine instruction. */
static bool is_small_op(const struct ptx_inst *i)
{
    const u8 class = ptx_op_rows[i->op].class;
    const enum ptx_type t = i->ntypes ? (enum ptx_type)i->types[0] : PTX_NONE;
    return (class == PTX_CLASS_ARITH || class == PTX_CLASS_INTEGER || class == PTX_CLASS_BIT) && i->op != OP_SETP &&
           i->op != OP_DIV && i->op != OP_REM && ptx_type_bits(t) == 32 && !ptx_type_float(t);
}

bool match_count(const struct match *m, const struct machine_block *b, u32 inst, struct match_presence *sites)
{
    if (!match_is_own(m, b, inst))
        return false;
    struct match_presence *p = &sites[match_site(m, inst) - 1 - m->f->blocks[b->owner].first];
    const bool branch = match_ends_block(&m->code->insts[inst]), evidence = match_is_evidence(m, inst);
    p->any++;
    p->branch += branch;
    p->anchor += evidence;
    p->small += m->code->insts[inst].op == SASS_OTHER && is_small_op(&m->f->src->insts[match_site(m, inst) - 1]);
    return branch || evidence;
}

static void count_sites(struct match *m, struct match_presence *sites)
{
    for (u32 k = 0; k < m->blocks.len; k++) {
        struct machine_block *b = &m->blocks.at[k];
        for (u32 i = b->first; i < b->end && b->owner != IR_NO_BLOCK; i++)
            b->anchored |= match_count(m, b, i, &sites[m->f->blocks[b->owner].first]);
    }
}

static u32 at_most(u32 n) { return n < COPIES_MAX ? n : COPIES_MAX; }

static u32 blocks_of_owner(const struct match *m, u32 owner)
{
    u32 n = 0;
    for (u32 k = 0; k < m->blocks.len; k++)
        n += m->blocks.at[k].owner == owner;
    return n;
}

u32 match_said(const struct match *m, u32 block, const struct match_presence *sites)
{
    u32 anchors[COPIES_MAX + 1] = {0}, small[COPIES_MAX + 1] = {0}, branches[COPIES_MAX + 1] = {0};
    for (u32 s = 0; s < m->f->blocks[block].end - m->f->blocks[block].first; s++) {
        anchors[at_most(sites[s].anchor)]++;
        small[at_most(sites[s].small)]++;
        branches[at_most(sites[s].branch)]++;
    }
    const u32 ints = most_common(small);
    if (most_common(anchors))
        return most_common(anchors);
    return small[ints] >= SMALL_MIN && block_follows_itself(m->f, block) ? ints : most_common(branches);
}

static u32 said_by_all(const struct match *m, u32 block, const struct match_presence *sites)
{
    u32 all[COPIES_MAX + 1] = {0};
    for (u32 s = 0; s < m->f->blocks[block].end - m->f->blocks[block].first; s++)
        all[at_most(sites[s].any)]++;
    return most_common(all) ? most_common(all) : 1;
}

/* Outside of loops nothing is unrolled, so each copy is a machine block of its own: an instruction that became several
 * there is not several copies. */
static u32 count_copies(const struct match *m, u32 block, const struct match_presence *sites)
{
    const struct match_presence *own = &sites[m->f->blocks[block].first];
    const u32 told = match_said(m, block, own), said = told ? told : said_by_all(m, block, own);
    const u32 places = m->f->blocks[block].loop_depth ? COPIES_MAX : blocks_of_owner(m, block);
    return said <= places || !places ? said : places;
}

bool match_falls_through(const struct match *m, const struct machine_block *b)
{
    const struct sass_inst *last = &m->code->insts[b->end - 1];
    return last->guarded || !match_ends_block(last);
}

/* b stands behind the branch of the block's owner before, and its own PTX block is reached by that alone. */
static bool is_behind_branch(const struct match *m, const struct machine_block *before, const struct machine_block *b)
{
    const struct ir_block *from = &m->f->blocks[before->owner];
    if (match_site(m, before->end - 1) != from->end || m->f->blocks[b->owner].npreds != 1)
        return false;
    for (u32 k = 0; k < from->nsucc; k++)
        if (from->succs[k] == b->owner)
            return true;
    return false;
}

/* What was moved out of its block runs as often as what control falls from. */
static void give_moved_away(struct match *m)
{
    u8 *anchored = arena_array(m->mem, u8, m->f->nblocks + 1);
    for (u32 k = 0; k < m->blocks.len; k++)
        if (m->blocks.at[k].anchored)
            anchored[m->blocks.at[k].owner] = 1;
    for (u32 k = 1; k < m->blocks.len; k++) {
        struct machine_block *b = &m->blocks.at[k], *before = &m->blocks.at[k - 1];
        if (b->owner != IR_NO_BLOCK && !b->anchored && anchored[b->owner] && before->owner != IR_NO_BLOCK &&
            match_falls_through(m, before) && !is_behind_branch(m, before, b))
            b->owner = before->owner;
    }
}

static bool ends_kernel(const struct ir_func *f, u32 block)
{
    const struct ir_block *b = &f->blocks[block];
    return b->first < b->end && (f->src->insts[b->first].op == OP_RET || f->src->insts[b->first].op == OP_EXIT);
}

/* Where control goes on behind a machine block that ends with the branch of its owner, and does not jump; IR_NO_BLOCK: that is not
 * known. */
static u32 goes_on_in(const struct match *m, const struct machine_block *b)
{
    const struct sass_inst *last = &m->code->insts[b->end - 1];
    const struct ir_block *from = &m->f->blocks[b->owner];
    if (!last->guarded || from->nsucc != 2 || match_site(m, b->end - 1) != from->end ||
        block_follows_itself(m->f, b->owner))
        return IR_NO_BLOCK;
    const u32 to = last->op == SASS_BRA ? match_block_at(m, last->target) : m->blocks.len;
    for (u32 k = 0; k < 2; k++) {
        const u32 there = from->succs[k], here = from->succs[1 - k];
        if (last->op == SASS_EXIT ? ends_kernel(m->f, there) : to < m->blocks.len && m->blocks.at[to].owner == there)
            return here;
    }
    return IR_NO_BLOCK;
}

/* What ptxas moved down over the branch of its own block runs as often as the way that it is on. */
static void give_sunk(struct match *m)
{
    for (u32 k = 1; k < m->blocks.len; k++) {
        struct machine_block *b = &m->blocks.at[k], *before = &m->blocks.at[k - 1];
        if (b->owner == IR_NO_BLOCK || b->owner != before->owner)
            continue;
        const u32 to = goes_on_in(m, before);
        if (to != IR_NO_BLOCK && m->f->blocks[to].npreds == 1)
            b->owner = to;
    }
}

/* The machine block of the BSSY whose BSYNC each is, by machine block that begins with one; their number for all others. */
static u32 *find_openings(const struct match *m)
{
    u32 *opening = arena_array(m->mem, u32, m->blocks.len + 1), *open = arena_array(m->mem, u32, m->code->n + 1);
    u32 n = 0;
    for (u32 k = 0; k < m->blocks.len; k++) {
        const struct machine_block *b = &m->blocks.at[k];
        opening[k] = m->blocks.len;
        for (u32 i = b->first; i < b->end && !m->rare[k]; i++) {
            if (m->code->insts[i].op == SASS_BSSY)
                open[n++] = k;
            if (m->code->insts[i].op != SASS_BSYNC || !n)
                continue;
            n--;
            if (i == b->first)
                opening[k] = open[n];
        }
    }
    return opening;
}

/* What begins where lanes meet runs as often as what said where. It tells its owner by an anchor, but for the code between the parts of an unrolled
 * loop. */
static void give_meetings(struct match *m)
{
    const u32 *opening = find_openings(m);
    for (u32 k = 0; k < m->blocks.len; k++) {
        struct machine_block *b = &m->blocks.at[k];
        if (b->owner == IR_NO_BLOCK || opening[k] >= k || m->blocks.at[opening[k]].owner == IR_NO_BLOCK)
            continue;
        if (!b->anchored || (!match_has_evidence(m, b) && block_follows_itself(m->f, b->owner)))
            b->owner = m->blocks.at[opening[k]].owner;
    }
}

/* A BSYNC alone is jumped to, and so is what follows; it runs as often, but for lanes that come one after the other (site_estimate.joins). */
static void give_lone_meetings(struct match *m)
{
    for (u32 k = m->blocks.len; k-- > 1;) {
        struct machine_block *b = &m->blocks.at[k - 1], *next = &m->blocks.at[k];
        bool meets = b->owner != IR_NO_BLOCK && next->owner != IR_NO_BLOCK;
        for (u32 i = b->first; i < b->end; i++)
            meets &= m->code->insts[i].op == SASS_BSYNC || m->code->insts[i].op == SASS_NOP;
        if (meets)
            b->owner = next->owner;
    }
}

/* An EXIT alone is the end of those that no guarded EXIT has taken: of the PTX block before it, or of the one in front of its loop. */
static void give_exits(struct match *m)
{
    for (u32 k = 1; k < m->blocks.len; k++) {
        struct machine_block *b = &m->blocks.at[k];
        u32 from = m->blocks.at[k - 1].owner;
        const struct sass_inst *i = &m->code->insts[b->first];
        if (b->end != b->first + 1 || i->op != SASS_EXIT || i->guarded || b->owner == IR_NO_BLOCK ||
            from == IR_NO_BLOCK || !match_falls_through(m, &m->blocks.at[k - 1]))
            continue;
        while (m->f->blocks[from].loop_depth > m->f->blocks[b->owner].loop_depth &&
               m->f->blocks[from].idom != IR_NO_BLOCK)
            from = m->f->blocks[from].idom;
        b->owner = from;
    }
}

static void find_owners(struct match *m)
{
    u32 *votes = arena_array(m->mem, u32, m->f->nblocks + 1);
    struct match_presence *sites = arena_array(m->mem, struct match_presence, m->f->src->ninsts + 1);
    for (u32 k = 0; k < m->blocks.len; k++) {
        struct machine_block *b = &m->blocks.at[k];
        if (m->rare[k])
            continue;
        b->owner = elect(m, b, votes);
        if (b->owner == IR_NO_BLOCK)
            b->owner = any_block(m, b);
    }
    count_sites(m, sites);
    m->copies = arena_array(m->mem, u32, m->f->nblocks + 1);
    for (u32 k = 0; k < m->f->nblocks; k++)
        m->copies[k] = count_copies(m, k, sites);
    give_moved_away(m);
    give_sunk(m);
    give_meetings(m);
    give_lone_meetings(m);
    give_exits(m);
}

u32 match_site_for(const struct match *m, const struct machine_block *b, u32 inst)
{
    const u32 line = m->code->insts[inst].line;
    const bool before = m->f->src->is_entry && line < m->first_line && line + HEAD_LINES >= m->first_line;
    return match_site(m, inst) ? match_site(m, inst) : before ? m->f->blocks[b->owner].first + 1 : 0;
}

/* ---- all ---- */

static bool find_lines(struct match *m)
{
    u32 low = UINT32_MAX, high = 0;
    for (u32 s = 0; s < m->f->src->ninsts; s++) {
        const u32 line = m->f->src->insts[s].line;
        low = line < low ? line : low;
        high = line > high ? line : high;
    }
    if (low > high || high - low > 1u << 24)
        return false;
    m->first_line = low;
    m->nlines = high - low + 1;
    m->site_of_line = arena_array(m->mem, u32, m->nlines);
    for (u32 s = m->f->src->ninsts; s-- > 0;) /* of several on a line the first */
        m->site_of_line[m->f->src->insts[s].line - low] = s + 1;
    return true;
}

static bool is_texture_unit(const struct sass_inst *made)
{
    const struct sass_row *row = sass_row_of(made->low, UINT32_MAX);
    return row && row->pipe == PIPE_TEX;
}

static bool is_texture(const struct ptx_inst *i)
{
    return ptx_op_rows[i->op].class == PTX_CLASS_TEXTURE && i->op != OP_TXQ && i->op != OP_SUQ;
}

/* ptxas gives texture instructions no line, so they are told by their order: the first one is the first one's of the PTX.
 * Where a loop was unrolled there are so many times more. */
static void find_textures(struct match *m)
{
    u32 *sites = arena_array(m->mem, u32, m->f->src->ninsts + 1), n = 0, seen = 0;
    for (u32 s = 0; s < m->f->src->ninsts; s++)
        if (is_texture(&m->f->src->insts[s]))
            sites[n++] = s + 1;
    if (!n)
        return;
    m->textures = arena_array(m->mem, u32, m->code->n + 1);
    for (u32 i = 0; i < m->code->n; i++)
        if (is_texture_unit(&m->code->insts[i]))
            m->textures[i] = sites[seen++ % n];
}

static bool is_inside(const struct match *m)
{
    for (u32 i = 0; i < m->code->n; i++)
        if (match_site(m, i))
            return true;
    return false;
}

bool match_make(struct arena *mem, const struct ir_func *f, const struct sass_func *code, struct match *out)
{
    *out = (struct match){.mem = mem, .f = f, .code = code};
    if (!find_lines(out) || !is_inside(out))
        return false;
    find_textures(out);
    find_blocks(out);
    match_find_rare(out);
    find_owners(out);
    return true;
}

/* ---- atomics ---- */

/* ptxas has one lane do it for all of a warp where it can. It counts the others by POPC, or adds up what they give by REDUX, close to the
 * atomic and of its line. */
bool match_is_elected(const struct match *m, u32 inst)
{
    enum { NEAR = 24, POPC = 0x109, UPOPC = 0x0bf, REDUX = 0x1c4, OPCODE = 0x1ff };
    const struct sass_func *code = m->code;
    const u32 first = inst > NEAR ? inst - NEAR : 0, end = inst + NEAR < code->n ? inst + NEAR : code->n;
    for (u32 i = first; i < end; i++) {
        const u64 opcode = code->insts[i].low & OPCODE;
        if (code->insts[i].line == code->insts[inst].line && (opcode == POPC || opcode == UPOPC || opcode == REDUX))
            return true;
    }
    return false;
}
