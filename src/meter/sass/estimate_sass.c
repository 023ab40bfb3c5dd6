/* estimate_sass.c - what ptxas made of a function, if ptxas was run (sass.h): for each PTX instruction its machine
 * instructions, and how often each runs.
 *
 * Only PTX blocks have counts of executions. So each machine block is given an *owner*, the PTX block whose executions are
 * its own, by a vote of its instructions: loads, stores, shuffles, barriers and branches are worth more than arithmetic,
 * which ptxas moves; guarded instructions of other blocks are bodies that became predicates, and have no vote. A PTX
 * block may be there several times (unrolled loops, copied tails): its executions are shared evenly among the *copies*,
 * whose number is that of the machine instructions of one of its loads, stores or float operations (*anchors*).
 * A machine block that has no anchor of an owner that is anchored elsewhere was moved out of it (an address that is the
 * same in all turns of a loop): it runs as often as the machine block from which control falls into it.
 *
 *     machine instruction, owner's executions / owner's copies      is what an execution of the program runs of it
 *
 * A guarded EXIT ends a machine block as a branch does, and votes for the PTX block that ends with the branch to the ret:
 * what is in front of it runs for every warp, what is behind it for those that stay, which may be none.
 *
 * Two things are not as often as their block: code for a warp whose lanes have parted before a shuffle (cold: never, here),
 * and a jump back to a loop's head behind the exit of those who are done: as often as the head is entered from there.
 *
 * What this cannot know: how executions are shared between an unrolled loop and its remainder. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "meter/rules.h"

enum { VOTE_ANCHOR = 8, COPIES_MAX = 64 };
enum { HEAD_LINES = 400 }; /* from a kernel's name to its first instruction, at most */

struct machine_block {
    u32 first, end;
    u32 owner; /* PTX block, or IR_NO_BLOCK */
    bool anchored;
};

struct match {
    struct arena *mem;
    const struct ir_func *f;
    const struct sass_func *code;
    u32 first_line, nlines;
    u32 *site_of_line; /* 1 + site; 0: none */
    VEC(struct machine_block) blocks;
    u32 *copies; /* of each PTX block */
};

/* 1 + the site of a machine instruction; 0: it is of another function or of none. */
static u32 site_of(const struct match *m, u32 inst)
{
    const u32 line = m->code->insts[inst].line - m->first_line;
    return m->code->insts[inst].line >= m->first_line && line < m->nlines ? m->site_of_line[line] : 0;
}

static u32 block_of(const struct match *m, u32 inst)
{
    const u32 site = site_of(m, inst);
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
    case SASS_BRA:
    case SASS_BRX:
        return i->op == OP_BRA || i->op == OP_BRX;
    case SASS_EXIT:
        return made->guarded && i->op == OP_BRA; /* others belong to the block before them */
    default:
        return false;
    }
}

/* ---- machine blocks ---- */

/* A guarded exit too: behind it, fewer warps go on. */
static bool ends_block(const struct sass_inst *i)
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
        if (ends_block(&c->insts[i]))
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
    const u32 site = site_of(m, inst);
    if (!site || made->op == SASS_NOP)
        return 0;
    const bool anchor = is_anchor(&m->f->src->insts[site - 1], made);
    if (made->guarded && !(anchor && ends_block(made)))
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

static bool is_cold(const struct match *m, const struct machine_block *b)
{
    for (u32 i = b->first; i < b->end; i++)
        if (m->code->insts[i].op == SASS_COLLECT)
            return true;
    return false;
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

/* It is of the PTX block that owns the machine block. */
static bool is_own(const struct match *m, const struct machine_block *b, u32 inst)
{
    const u32 site = site_of(m, inst);
    return site && m->f->block_of_site[site - 1] == b->owner && m->code->insts[inst].op != SASS_NOP;
}

/* It tells where its block is, and by its number how often. An unrolled loop has fewer branches than turns. */
static bool is_evidence(const struct match *m, u32 inst)
{
    const struct ptx_inst *from = &m->f->src->insts[site_of(m, inst) - 1];
    const struct sass_inst *made = &m->code->insts[inst];
    return (is_anchor(from, made) && !ends_block(made)) || (is_float_op(from) && made->op == SASS_OTHER);
}

/* How often each site is in the machine blocks of its own PTX block, by what it became there. */
struct presence {
    u32 anchor, branch, any;
};

static void count_sites(struct match *m, struct presence *sites)
{
    for (u32 k = 0; k < m->blocks.len; k++) {
        struct machine_block *b = &m->blocks.at[k];
        for (u32 i = b->first; i < b->end; i++) {
            if (b->owner == IR_NO_BLOCK || !is_own(m, b, i))
                continue;
            struct presence *p = &sites[site_of(m, i) - 1];
            const bool branch = ends_block(&m->code->insts[i]);
            p->any++;
            p->branch += branch;
            p->anchor += is_evidence(m, i);
            b->anchored |= branch || is_evidence(m, i);
        }
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

/* What most of a PTX block's anchors and float operations say; where it has none, its branch; else all its instructions.
 * Outside of loops nothing is unrolled, so each copy is a machine block of its own: an instruction that became several there
 * is not several copies. */
static u32 count_copies(const struct match *m, u32 block, const struct presence *sites)
{
    u32 anchors[COPIES_MAX + 1] = {0}, branches[COPIES_MAX + 1] = {0}, all[COPIES_MAX + 1] = {0};
    for (u32 s = m->f->blocks[block].first; s < m->f->blocks[block].end; s++) {
        anchors[at_most(sites[s].anchor)]++;
        branches[at_most(sites[s].branch)]++;
        all[at_most(sites[s].any)]++;
    }
    const u32 said[] = {most_common(anchors), most_common(branches), most_common(all), 1};
    u32 k = 0;
    while (!said[k])
        k++;
    const u32 places = m->f->blocks[block].loop_depth ? COPIES_MAX : blocks_of_owner(m, block);
    return said[k] <= places || !places ? said[k] : places;
}

static bool falls_through(const struct match *m, const struct machine_block *b)
{
    const struct sass_inst *last = &m->code->insts[b->end - 1];
    return last->guarded || !ends_block(last);
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
            falls_through(m, before))
            b->owner = before->owner;
    }
}

static void find_owners(struct match *m)
{
    u32 *votes = arena_array(m->mem, u32, m->f->nblocks + 1);
    struct presence *sites = arena_array(m->mem, struct presence, m->f->src->ninsts + 1);
    for (u32 k = 0; k < m->blocks.len; k++) {
        struct machine_block *b = &m->blocks.at[k];
        if (!is_cold(m, b))
            b->owner = elect(m, b, votes);
        if (b->owner == IR_NO_BLOCK && !is_cold(m, b))
            b->owner = any_block(m, b);
    }
    count_sites(m, sites);
    m->copies = arena_array(m->mem, u32, m->f->nblocks + 1);
    for (u32 k = 0; k < m->f->nblocks; k++)
        m->copies[k] = count_copies(m, k, sites);
    give_moved_away(m);
}

/* ---- parts ---- */

/* A jump right behind a guarded exit: the block that it goes back to; IR_NO_BLOCK for all others. */
static u32 returns_to(const struct match *m, u32 inst)
{
    const struct sass_inst *i = &m->code->insts[inst];
    const u32 site = site_of(m, inst);
    if (i->op != SASS_BRA || i->guarded || !inst || !site || m->f->src->insts[site - 1].op != OP_BRA)
        return IR_NO_BLOCK;
    const u32 block = m->f->block_of_site[site - 1];
    for (u32 k = inst; k-- > 0 && inst - k <= 4;)
        if (m->code->insts[k].op == SASS_EXIT && m->code->insts[k].guarded) {
            const struct ir_block *b = &m->f->blocks[block];
            for (u32 s = 0; s < b->nsucc; s++)
                if (m->f->blocks[b->succs[s]].loop_depth)
                    return b->succs[s];
        }
    return IR_NO_BLOCK;
}

static u8 both_widths(u32 a, u32 b) { return a == b ? (u8)a : SITE_PART_MIXED; }

static void add_part(struct match *m, struct estimate *e, u32 site, u32 owner, u32 inst)
{
    const struct sass_inst *made = &m->code->insts[inst];
    const u32 back = returns_to(m, inst);
    for (u32 k = e->sites[site].part; k; k = e->parts[k - 1].next) {
        struct site_part *p = &e->parts[k - 1];
        if (p->block == owner && p->op == made->op && p->back == back) {
            p->n++;
            p->bytes = both_widths(p->bytes, made->bytes);
            return;
        }
    }
    e->parts[e->nparts] = (struct site_part){.block = owner,
                                             .n = 1,
                                             .copies = m->copies[owner],
                                             .op = made->op,
                                             .bytes = made->bytes,
                                             .back = back,
                                             .next = e->sites[site].part};
    e->sites[site].part = ++e->nparts;
}

/* Machine instructions of no line of the kernel (the stack pointer, at its opening brace) are the block's first one's. Of
 * another function's line they are that function's, not ours. */
static u32 site_for(const struct match *m, const struct machine_block *b, u32 inst)
{
    const u32 line = m->code->insts[inst].line;
    const bool before = m->f->src->is_entry && line < m->first_line && line + HEAD_LINES >= m->first_line;
    return site_of(m, inst) ? site_of(m, inst) : before ? m->f->blocks[b->owner].first + 1 : 0;
}

static void add_parts(struct match *m, struct estimate *e)
{
    e->parts = arena_array(m->mem, struct site_part, m->code->n + 1);
    for (u32 k = 0; k < m->blocks.len; k++) {
        const struct machine_block *b = &m->blocks.at[k];
        for (u32 i = b->first; i < b->end && b->owner != IR_NO_BLOCK; i++)
            if (site_for(m, b, i) && m->code->insts[i].op != SASS_NOP)
                add_part(m, e, site_for(m, b, i) - 1, b->owner, i);
    }
}

/* ---- shared accesses ---- */

/* All machine instructions of one kind that a site became. */
struct made {
    u32 n, copies;
    u32 bytes; /* a lane; 0: there are none; SITE_PART_MIXED: they differ */
};

static struct made made_of(const struct estimate *e, u32 site, enum sass_op op)
{
    struct made all = {.copies = 1};
    for (u32 k = e->sites[site].part; k; k = e->parts[k - 1].next) {
        const struct site_part *p = &e->parts[k - 1];
        if (p->op != op)
            continue;
        all.bytes = all.n ? both_widths(all.bytes, p->bytes) : p->bytes;
        all.n += p->n;
        all.copies = p->copies;
    }
    return all;
}

/* Bytes a lane of a load or store. */
static u32 access_bytes(const struct ptx_inst *i)
{
    const struct ptx_operand *data = &i->operands[i->op == OP_LD ? 0 : i->noperands - 1];
    const u32 elements = data->kind == PTX_VEC ? data->n : 1;
    return elements * ptx_type_bits((enum ptx_type)i->types[i->ntypes - 1]) / 8;
}

static void set_merge(const struct match *m, struct estimate *e, u32 site)
{
    const struct ptx_inst *i = &m->f->src->insts[site];
    const enum sass_op op = i->op == OP_LD ? SASS_LDS : SASS_STS;
    struct site_estimate *s = &e->sites[site];
    const u32 bytes = access_bytes(i);
    const struct made made = made_of(e, site, op);
    if (made.bytes == SITE_PART_MIXED || (made.n && made.n != made.copies)) {
        e->unclear = true; /* merged over several turns of an unrolled loop: the rules' answer stays */
        return;
    }
    s->follows = made.n == 0;
    s->width = made.bytes > bytes ? (u8)made.bytes : 0;
    s->aligned = s->width != 0;
}

static void set_merges(const struct match *m, struct estimate *e)
{
    for (u32 s = 0; s < m->f->src->ninsts; s++) {
        const struct ptx_inst *i = &m->f->src->insts[s];
        const u32 block = m->f->block_of_site[s];
        if ((i->op == OP_LD || i->op == OP_ST) && i->space == SPACE_SHARED && i->ntypes && block < m->f->nblocks)
            set_merge(m, e, s);
    }
}

/* ---- branches ---- */

static void set_branches(const struct match *m, struct estimate *e)
{
    for (u32 s = 0; s < m->f->src->ninsts; s++) {
        const struct ptx_inst *i = &m->f->src->insts[s];
        if (i->op != OP_BRA && i->op != OP_BRX)
            continue;
        const bool stays = made_of(e, s, SASS_BRA).n || made_of(e, s, SASS_BRX).n;
        e->sites[s].branch = stays ? BRANCH_MACHINE : BRANCH_PREDICATED;
    }
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

static bool is_inside(const struct match *m)
{
    for (u32 i = 0; i < m->code->n; i++)
        if (site_of(m, i))
            return true;
    return false;
}

void estimate_ask(struct arena *mem, const struct ir_func *f, const struct sass_func *code, struct estimate *e)
{
    struct match m = {.mem = mem, .f = f, .code = code};
    if (!find_lines(&m) || !is_inside(&m))
        return;
    find_blocks(&m);
    find_owners(&m);
    add_parts(&m, e);
    set_branches(&m, e);
    set_merges(&m, e);
    e->asked = true;
}
