/* estimate_sass.c - what ptxas made of a function, if ptxas was run (sass.h): for each PTX instruction its accesses and branches of the
 * machine, and how often each runs. (How often all machine instructions run, meter/executed.c says.)
 *
 * Only PTX blocks have counts of executions. match.c says which of them a machine block belongs to, and how many copies
 * there are; a PTX block's executions are shared evenly among the copies:
 *
 *     machine instruction, owner's executions / owner's copies      is what an execution of the program runs of it
 *
 * Two things are not as often as their block: code for rare cases (rare.c: never, here), and a jump back to a loop's head behind the exit of
 * those who are done: as often as the head is entered from there.
 *
 * What this cannot know: how executions are shared between an unrolled loop and its remainder. */
#include "meter/sass/match.h"

/* ---- parts ---- */

/* A jump right behind a guarded exit: the block that it goes back to; IR_NO_BLOCK for all others. */
static u32 returns_to(const struct match *m, u32 inst)
{
    const struct sass_inst *i = &m->code->insts[inst];
    const u32 site = match_site(m, inst);
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

/* Of loads, stores, atomics and branches. */
static bool has_counter(const struct sass_inst *i)
{
    return (i->op >= SASS_LDG && i->op <= SASS_RED) || i->op == SASS_BRA || i->op == SASS_BRX || i->op == SASS_CALL;
}

static void add_parts(struct match *m, struct estimate *e)
{
    e->parts = arena_array(m->mem, struct site_part, m->code->n + 1);
    for (u32 k = 0; k < m->blocks.len; k++) {
        const struct machine_block *b = &m->blocks.at[k];
        for (u32 i = b->first; i < b->end && b->owner != IR_NO_BLOCK; i++)
            if (has_counter(&m->code->insts[i]) && match_site_for(m, b, i))
                add_part(m, e, match_site_for(m, b, i) - 1, b->owner, i);
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
    struct made made = made_of(e, site, op);
    if (!made.n && ptx_has(i, MOD_SHARED_CLUSTER)) /* generic, as it may be another block's */
        made = made_of(e, site, i->op == OP_LD ? SASS_LD : SASS_ST);
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

/* ---- local accesses ---- */

static bool has_local(const struct sass_func *code)
{
    for (u32 i = 0; i < code->n; i++)
        if (code->insts[i].op == SASS_LDL || code->insts[i].op == SASS_STL)
            return true;
    return false;
}

/* A kernel whose machine code has no local access keeps its arrays in registers. */
static void set_kept(const struct match *m, struct estimate *e)
{
    if (has_local(m->code))
        return;
    for (u32 s = 0; s < m->f->src->ninsts; s++) {
        const struct ptx_inst *i = &m->f->src->insts[s];
        if ((i->op == OP_LD || i->op == OP_ST) && i->space == SPACE_LOCAL)
            e->sites[s].kept = true;
    }
}

/* ---- atomics ---- */

static void set_elections(const struct match *m, struct estimate *e)
{
    for (u32 i = 0; i < m->code->n; i++) {
        const u32 site = match_site(m, i), op = m->code->insts[i].op;
        if (site && (op == SASS_ATOMG || op == SASS_RED))
            e->sites[site - 1].elected = match_is_elected(m, i);
    }
}

/* ---- branches ---- */

/* Between a BSSY and its BSYNC: where lanes that part meet. */
static bool *find_meeting(const struct match *m)
{
    bool *meeting = arena_array(m->mem, bool, m->code->n + 1);
    i32 open = 0;
    for (u32 i = 0; i < m->code->n; i++) {
        open += (m->code->insts[i].op == SASS_BSSY) - (m->code->insts[i].op == SASS_BSYNC && open > 0);
        meeting[i] = open > 0;
    }
    return meeting;
}

/* Lanes that part at a branch. */
static void set_partings(const struct match *m, struct estimate *e)
{
    const bool *meeting = find_meeting(m);
    for (u32 i = 0; i < m->code->n; i++) {
        const u32 site = match_site(m, i), op = m->code->insts[i].op;
        if (site && meeting[i] && (op == SASS_BRA || op == SASS_BRX))
            e->sites[site - 1].joins |= e->sites[site - 1].branch == BRANCH_MACHINE;
    }
}

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

void estimate_ask(struct arena *mem, const struct ir_func *f, const struct sass_func *code, struct estimate *e)
{
    struct match m;
    if (!match_make(mem, f, code, &m))
        return;
    add_parts(&m, e);
    set_branches(&m, e);
    set_partings(&m, e);
    set_merges(&m, e);
    set_kept(&m, e);
    set_elections(&m, e);
    batches_ask(&m, e->sites);
    e->asked = true;
}
