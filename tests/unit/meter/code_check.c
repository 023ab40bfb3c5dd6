/* code_check.c - see code_check.h. Where a value comes from is found by going back from its reader, along all ways through
 * the blocks of the program: an instruction that has no machine instruction hands on what its operands are. */
#include "code_check.h"

#include <stdio.h>
#include <string.h>

#include "ir/pass.h"
#include "model/latency.h"

enum { ORIGINS = 64, SEEN = 256, NONE = UINT32_MAX };

/* A place from which a register's value is looked for. */
struct place {
    u32 copy, block, reg;
};

struct check {
    struct arena *mem;
    const struct latencies latency;
    const struct gpu *gpu;
    const struct ir_func *f;
    const struct estimate *e;
    const struct replay_code *c;
    const struct replay_program *p;
    u32 head;
    u32 *blocks, nblocks, room; /* PTX blocks of the program, in the order of control */
    u32 *time;                  /* by position */
    u32 *first, *last;          /* by copy * ninsts + site: positions, the first one of what needs operands; NONE */
    u32 *access;                /* likewise: of its access to memory */
    u32 origin[ORIGINS],
        norigins;            /* of what an instruction reads: copy * ninsts + site. More than fit are not checked. */
    struct place seen[SEEN]; /* block starts that were passed on the way */
    u32 nseen;
    char *why;
    size_t size;
    bool bad;
};

static void complain(struct check *k, const char *what, u32 a, u32 b)
{
    if (!k->bad)
        snprintf(k->why, k->size, "%s, block %u: %s: %u and %u", k->f->name, k->head, what, a, b);
    k->bad = true;
}

/* ---- a program ---- */

static bool has_program(const struct replay_code *c, u32 block) { return c->blocks[block].n != 0; }

/* A block behind those that lead to it. Blocks without a program of their own belong to the one before. */
static void visit(struct check *k, u32 block, bool *seen)
{
    const struct ir_block *b = &k->f->blocks[block];
    seen[block] = true;
    for (u32 n = b->nsucc; n-- > 0;)
        if (!seen[b->succs[n]] && !has_program(k->c, b->succs[n]))
            visit(k, b->succs[n], seen);
    k->blocks[--k->room] = block;
}

/* Parameters may be loaded where they are used first, and addresses of shared variables made in front of a loop. */
static bool may_stand(const struct check *k, u32 site, const bool *own)
{
    const struct ptx_inst *i = &k->f->src->insts[site];
    const u32 from = k->f->block_of_site[site];
    u32 b = k->head;
    while (b != from && k->f->blocks[b].idom != IR_NO_BLOCK)
        b = k->f->blocks[b].idom;
    return own[from] || (i->op == OP_LD && i->space == SPACE_PARAM && b == from) ||
           (i->op == OP_MOV && k->e->sites[site].address && own[estimate_shared_place(k->f, site)]);
}

/* The blocks of a program, in the order of control. */
static void find_blocks(struct check *k, u32 head)
{
    bool *seen = arena_array(k->mem, bool, k->f->nblocks + 1);
    u32 *blocks = arena_array(k->mem, u32, k->f->nblocks);
    k->blocks = blocks;
    k->room = k->f->nblocks;
    visit(k, head, seen);
    k->blocks = blocks + k->room;
    k->nblocks = k->f->nblocks - k->room;
    for (u32 i = 0; i < k->p->n; i++)
        if (k->p->insts[i].site != REPLAY_NO_SITE && !may_stand(k, k->p->insts[i].site, seen))
            complain(k, "a program has an instruction of a block that is not its own", i, k->p->insts[i].site);
}

/* Makes a constant, says where lanes meet, or stands in front of the access: it reads nothing that the instruction does. */
static bool stands_beside(const struct check *k, const struct replay_inst *m)
{
    const struct ptx_inst *i = &k->f->src->insts[m->site];
    const struct site_estimate *e = &k->e->sites[m->site];
    const u8 memory = ptx_op_rows[i->op].memory, flow = ptx_op_rows[i->op].flow;
    if (e->address && i->op != OP_MOV && m->op != REPLAY_MEMORY)
        return true;
    if (memory == PTX_MEM_LOAD || memory == PTX_MEM_STORE || memory == PTX_MEM_ATOMIC)
        return (e->elected || estimate_releases(i)) && m->op != REPLAY_MEMORY;
    return (m->pipe == PIPE_BRANCH && flow == FLOW_NEXT) ||
           (m->pipe == PIPE_UNIFORM && i->op != OP_MOV && estimate_has_wide_constant(i));
}

static void find_places(struct check *k)
{
    const u32 n = k->f->src->ninsts * k->p->copies;
    k->first = arena_array(k->mem, u32, n + 1);
    k->last = arena_array(k->mem, u32, n + 1);
    k->time = arena_array(k->mem, u32, k->p->n + 1);
    memset(k->first, 0xff, sizeof(u32) * (n + 1));
    memset(k->last, 0xff, sizeof(u32) * (n + 1));
    k->access = arena_array(k->mem, u32, n + 1);
    memset(k->access, 0xff, sizeof(u32) * (n + 1));
    for (u32 i = 0; i < k->p->n; i++) {
        const struct replay_inst *m = &k->p->insts[i];
        const u32 at = m->copy * k->f->src->ninsts + m->site;
        k->time[i + 1] = k->time[i] + m->stall;
        if (m->site == REPLAY_NO_SITE)
            continue;
        if (m->copy >= k->p->copies || m->site >= k->f->src->ninsts || !m->stall)
            complain(k, "no such copy or site, or no stall", i, m->site);
        else {
            k->last[at] = i;
            if (k->first[at] == NONE && !stands_beside(k, m))
                k->first[at] = i;
            if (m->op == REPLAY_MEMORY)
                k->access[at] = i;
        }
    }
}

/* ---- values ---- */

static void find_origins(struct check *k, u32 copy, u32 block, u32 end, u32 reg);

struct reading {
    struct check *k;
    u32 copy, block, site, nregs, regs[64];
};

static void gather(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct reading *r = ctx;
    if (!is_write && r->nregs < LS_ARRAY_LEN(r->regs))
        r->regs[r->nregs++] = reg->index;
}

static void find_operands(struct check *k, u32 copy, u32 block, u32 site)
{
    struct reading r = {.nregs = 0};
    ir_each_reg(&k->f->src->insts[site], gather, &r);
    for (u32 n = 0; n < r.nregs; n++)
        find_origins(k, copy, block, site, r.regs[n]);
}

static void add_origin(struct check *k, u32 id)
{
    for (u32 n = 0; n < k->norigins; n++)
        if (k->origin[n] == id)
            return;
    if (k->norigins < ORIGINS)
        k->origin[k->norigins++] = id;
}

struct writing {
    u32 reg;
    bool found;
};

static void look(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct writing *w = ctx;
    w->found |= is_write && reg->index == w->reg;
}

static bool writes(const struct ptx_inst *i, u32 reg)
{
    struct writing w = {reg, false};
    ir_each_reg(i, look, &w);
    return w.found;
}

/* False: this block's start was passed before. */
static bool pass_start(struct check *k, struct place p)
{
    for (u32 n = 0; n < k->nseen; n++)
        if (k->seen[n].copy == p.copy && k->seen[n].block == p.block && k->seen[n].reg == p.reg)
            return false;
    if (k->nseen == SEEN)
        return false;
    k->seen[k->nseen++] = p;
    return true;
}

/* A parameter whose load stands in the program, though its block does not, or what is a copy of it. */
static void find_moved(struct check *k, u32 reg, u32 depth)
{
    enum { DEEPEST = 4 };
    for (u32 s = 0; s < k->f->src->ninsts; s++) {
        const struct ptx_inst *i = &k->f->src->insts[s];
        if (!writes(i, reg))
            continue;
        if (i->op == OP_LD && i->space == SPACE_PARAM && k->first[s] != NONE)
            add_origin(k, s);
        else if (i->op == OP_CVTA && i->operands[1].kind == PTX_REG && depth < DEEPEST)
            find_moved(k, i->operands[1].var->index, depth + 1);
    }
}

static void find_before(struct check *k, u32 copy, u32 block, u32 reg)
{
    if (!pass_start(k, (struct place){copy, block, reg}))
        return;
    if (block == k->head && !copy)
        find_moved(k, reg, 0);
    /* a loop: the turn before */
    const bool again = block == k->head && copy;
    for (u32 n = 0; n < k->nblocks && (block != k->head || again); n++) {
        const struct ir_block *b = &k->f->blocks[k->blocks[n]];
        for (u32 s = 0; s < b->nsucc; s++)
            if (b->succs[s] == block)
                find_origins(k, copy - again, k->blocks[n], b->end, reg);
    }
}

/* Where reg's value in front of site `end` comes from. */
static void find_origins(struct check *k, u32 copy, u32 block, u32 end, u32 reg)
{
    for (u32 s = end; s-- > k->f->blocks[block].first;) {
        const struct ptx_inst *i = &k->f->src->insts[s];
        if (!writes(i, reg))
            continue;
        if (k->first[copy * k->f->src->ninsts + s] != NONE)
            add_origin(k, copy * k->f->src->ninsts + s);
        else
            find_operands(k, copy, block, s);
        if (!i->guard)
            return;
    }
    find_before(k, copy, block, reg);
}

/* ---- time ---- */

static u32 latency_of(const struct check *k, const struct replay_inst *m, bool predicate)
{
    if (predicate)
        return k->gpu->cc_major >= 8 ? 13 : 12;
    switch (m->pipe) {
    case PIPE_ALU:
    case PIPE_FMAHEAVY:
        return k->latency.unit[IR_UNIT_INT];
    case PIPE_FMA:
        return k->latency.unit[IR_UNIT_FP32];
    case PIPE_FP16:
        return k->latency.unit[IR_UNIT_FP16];
    case PIPE_FP64:
        return k->latency.unit[IR_UNIT_FP64];
    default:
        return 1;
    }
}

static bool is_waited(const struct check *k, u32 from, u32 to, u8 bar)
{
    for (u32 i = from + 1; i <= to; i++)
        if (k->p->insts[i].wait >> bar & 1)
            return true;
    return false;
}

static bool writes_predicate(const struct check *k, u32 site)
{
    const struct ptx_inst *i = &k->f->src->insts[site];
    return i->op == OP_SETP && i->operands[0].kind == PTX_REG;
}

/* SEL and comparisons have predicates as operands, which are there sooner than guards are. */
static bool takes_predicates(const struct check *k, u32 at)
{
    const struct ptx_inst *i = &k->f->src->insts[k->p->insts[at].site];
    return !i->guard && (i->op == OP_SELP || i->op == OP_SETP || (i->ntypes && i->types[0] == PTX_PRED));
}

/* The machine instructions of `from` (site and copy) are done when position `at` issues. Of a sequence the last one of each
 * scoreboard and the last one count. */
static void require(struct check *k, u32 from, u32 at)
{
    const u32 site = from % k->f->src->ninsts;
    for (u32 i = k->first[from]; i <= k->last[from]; i++) {
        const struct replay_inst *m = &k->p->insts[i];
        if (m->site != site || m->copy != from / k->f->src->ninsts || m->pipe == PIPE_UNIFORM || m->empties_l1)
            continue;
        if (i >= at)
            complain(k, "an operand comes too late, at sites", site, k->p->insts[at].site);
        else if (m->write_bar != REPLAY_NO_BAR && !is_waited(k, i, at, m->write_bar))
            complain(k, "nobody waits for a result", i, at);
        else if (m->write_bar == REPLAY_NO_BAR &&
                 k->time[at] <
                     k->time[i] +
                         latency_of(k, m, writes_predicate(k, site) && i == k->last[from] && !takes_predicates(k, at)))
            complain(k, "the stalls are too short", i, at);
    }
}

/* Accesses of the same space stay in order where one writes. */
static bool may_meet(const struct ptx_inst *a, const struct ptx_inst *b)
{
    const u8 ma = ptx_op_rows[a->op].memory, mb = ptx_op_rows[b->op].memory;
    const bool writes = ma == PTX_MEM_STORE || ma == PTX_MEM_ATOMIC || mb == PTX_MEM_STORE || mb == PTX_MEM_ATOMIC;
    const bool access = (ma == PTX_MEM_LOAD || ma == PTX_MEM_STORE || ma == PTX_MEM_ATOMIC) &&
                        (mb == PTX_MEM_LOAD || mb == PTX_MEM_STORE || mb == PTX_MEM_ATOMIC);
    if (!writes || !access || a->space != b->space || ptx_has(a, MOD_NC) || ptx_has(b, MOD_NC))
        return false;
    return true;
}

/* d makes its result of one register, by a constant sum or as a copy. */
static bool is_offset(const struct ptx_inst *d)
{
    const bool sum = d->op == OP_ADD && d->noperands == 3 && d->operands[2].kind == PTX_IMM;
    const bool copy = (d->op == OP_MOV || d->op == OP_CVTA) && d->noperands == 2;
    return (sum || copy) && d->operands[0].kind == PTX_REG && d->operands[1].kind == PTX_REG;
}

/* The register that i's address is an offset from, behind what makes offsets in front of `site`; NULL: none, or an
 * offset that was made elsewhere. */
static const struct ptx_var *base_of(const struct check *k, const struct ptx_inst *i, u32 site)
{
    const struct ptx_operand *o = NULL;
    for (u32 n = 0; n < i->noperands && !o; n++)
        o = i->operands[n].kind == PTX_ADDR ? &i->operands[n].elems[0] : NULL;
    const struct ptx_var *reg = o && o->kind == PTX_REG ? o->var : NULL;
    for (u32 s = site; reg && s-- > k->f->blocks[k->f->block_of_site[site]].first;) {
        const struct ptx_inst *d = &k->f->src->insts[s];
        if (is_offset(d) && d->operands[0].var == reg)
            reg = d->operands[1].var;
    }
    for (u32 s = 0; reg && s < k->f->src->ninsts; s++)
        if (is_offset(&k->f->src->insts[s]) && k->f->src->insts[s].operands[0].var == reg)
            reg = NULL;
    return reg;
}

static bool is_barrier(const struct ptx_inst *i)
{
    return i->op == OP_BAR || i->op == OP_BARRIER || i->op == OP_MEMBAR;
}

static bool is_access(const struct ptx_inst *i)
{
    const u8 m = ptx_op_rows[i->op].memory;
    return (m == PTX_MEM_LOAD || m == PTX_MEM_STORE || m == PTX_MEM_ATOMIC) && i->space != SPACE_PARAM &&
           i->space != SPACE_CONST && !ptx_has(i, MOD_NC);
}

static void check_order(struct check *k, u32 copy, u32 site)
{
    enum { BACK = 40 };
    const u32 n = k->f->src->ninsts, own = k->access[copy * n + site];
    const u32 at = own != NONE ? own : k->first[copy * n + site];
    const struct ptx_inst *i = &k->f->src->insts[site];
    const struct ir_block *b = &k->f->blocks[k->f->block_of_site[site]];
    for (u32 s = site; s-- > b->first && site - s < BACK;) {
        const struct ptx_inst *o = &k->f->src->insts[s];
        const u32 before = k->access[copy * n + s] != NONE ? k->access[copy * n + s] : k->last[copy * n + s];
        const struct ptx_var *base = base_of(k, i, site), *other = base_of(k, o, s);
        const bool ordered = (may_meet(i, o) && base && other && base != other) || (is_barrier(i) && is_access(o)) ||
                             (is_access(i) && is_barrier(o));
        const bool merged = k->e->sites[s].width || k->e->sites[site].width;
        if (ordered && !merged && before != NONE && before > at)
            complain(k, "accesses changed their order, at sites", s, site);
    }
}

/* ---- all ---- */

/* Its addresses come first, from its address alone. */
static bool is_matrix(const struct ptx_inst *i)
{
    const u8 m = ptx_op_rows[i->op].memory;
    return m == PTX_MEM_MATRIX_LOAD || m == PTX_MEM_MATRIX_STORE;
}

static void check_site(struct check *k, u32 copy, u32 block, u32 site)
{
    const u32 id = copy * k->f->src->ninsts + site;
    if (k->first[id] == NONE)
        return;
    k->norigins = k->nseen = 0;
    find_operands(k, copy, block, site);
    for (u32 n = 0; n < k->norigins && !k->e->sites[site].width; n++)
        require(k, k->origin[n], is_matrix(&k->f->src->insts[site]) ? k->last[id] : k->first[id]);
    check_order(k, copy, site);
}

static void check_program(struct check *k, u32 head, const struct replay_program *p)
{
    k->p = p;
    k->head = head;
    find_blocks(k, head);
    find_places(k);
    for (u32 copy = 0; copy < p->copies && !k->bad; copy++)
        for (u32 b = 0; b < k->nblocks; b++)
            for (u32 s = k->f->blocks[k->blocks[b]].first; s < k->f->blocks[k->blocks[b]].end && !k->bad; s++)
                check_site(k, copy, k->blocks[b], s);
}

/* Each site that weighs something is in a program, in each copy, unless it is a part of another one's access, or folded
 * away in an unrolled loop. */
static void check_sites(struct check *k)
{
    u32 *n = arena_array(k->mem, u32, k->f->src->ninsts + 1);
    for (u32 b = 0; b < k->c->nblocks; b++) {
        const struct replay_program *p = has_program(k->c, b) ? &k->c->blocks[b].programs[k->c->blocks[b].n - 1] : NULL;
        if (p && p->copies != 1)
            complain(k, "the last program is not for one entry", b, p->copies);
        for (u32 i = 0; p && i < p->n; i++)
            if (p->insts[i].site != REPLAY_NO_SITE)
                n[p->insts[i].site]++;
    }
    for (u32 s = 0; s < k->f->src->ninsts; s++) {
        const bool alone = !k->e->sites[s].follows && !k->e->sites[s].width &&
                           !k->e->sites[s].address; /* blocks that are one share the address */
        const struct ptx_inst *i = &k->f->src->insts[s];
        const bool constant = (i->op == OP_MOV && i->operands[i->noperands - 1].kind == PTX_IMM) ||
                              (i->op == OP_LD && i->space == SPACE_CONST); /* may be an operand */
        if (alone && n[s] != k->e->sites[s].weight && !(constant && n[s] <= k->e->sites[s].weight))
            complain(k, "not as many instructions as estimated", s, n[s]);
    }
}

bool code_check(struct arena *mem, const struct gpu *gpu, const struct ir_func *f, const struct estimate *e,
                const struct replay_code *c, char *why, size_t size)
{
    struct check k = {
        .mem = mem, .latency = latencies_of(gpu), .gpu = gpu, .f = f, .e = e, .c = c, .why = why, .size = size};
    check_sites(&k);
    for (u32 b = 0; b < c->nblocks && !k.bad; b++)
        for (u32 p = 0; p < c->blocks[b].n && !k.bad; p++)
            check_program(&k, b, &c->blocks[b].programs[p]);
    return !k.bad;
}
