/* code_estimate.c - the machine code that ptxas is expected to make of a function, where none can be asked.
 *
 *     PTX blocks --groups--> nodes.c: a graph --list_schedule.c: order--> scoreboards.c: stalls, bars --here: programs
 *
 * A group becomes one block of machine code: its first PTX block has the program, the others have none. What a group
 * leaves under way for the next ones (a load whose result a later block reads) is found by a dataflow over the groups: the
 * scoreboards that each register may still wait for, where it is first read. */
#include "ir/pass.h"
#include "meter/code/estimate/lives.h"
#include "meter/code/estimate/nodes.h"
#include "meter/code/estimate/unroll.h"
#include "meter/code/make_code.h"
#include "ptx/declared.h"

enum { PROGRAMS = 3 }; /* of a block, at most: four turns, two, one; or all and one */

/* Registers a thread: what a kernel has at least, and one that calls malloc, free or printf; what is given out at once; the stack pointer, and
 * two that ptxas adds to those that it names; LOOSE that it does not save. Instructions come forward until they leave SPARE of those that a
 * thread is given: as many as let an SM hold all of its warps, or a multiple of WARPS with WAITING to spare beside what values need at least. WAITING is
 * fitted on the corpus's half for that. */
enum {
    LEAST = 16,
    LEAST_OUTSIDE = 24,
    MOST = 255,
    STEP = 8,
    WARPS = 4,
    OWN = 3,
    LOOSE = 2,
    SPARE = OWN + 1,
    WAITING = 6
};

struct group {
    VEC(u32) blocks;
    struct made *made[PROGRAMS]; /* of most copies first */
    u32 copies[PROGRAMS], nmade;
    VEC(u32) next; /* groups */
    u8 *in, *out;  /* by register that is looked at: the scoreboards it may wait for */
};

struct estimating {
    struct arena *mem;
    const struct gpu *gpu;
    const struct ir_func *f;
    const struct estimate *e;
    struct build *build;
    VEC(struct group) groups;
    u32 *group_of; /* by block: 1 + its group */
    u32 *inside;   /* by block: edges from the group that is made */
    bool *exposed; /* by register: a group reads what another left there */
    bool *left;    /* by register: one leaves something there that may be under way from far */
    u32 *looked;   /* by register: 1 + its place in the sets; 0: nothing is under way for it. Last, what stores hold */
    u32 nlooked;
    u8 *through; /* one set */
    struct lives *lives;
    u32 registers;
};

/* ---- groups ---- */

static void take_block(struct estimating *s, u32 group, u32 block)
{
    vec_push(s->mem, &s->groups.at[group].blocks, block);
    s->group_of[block] = group + 1;
    for (u32 k = 0; k < s->f->blocks[block].nsucc; k++)
        s->inside[s->f->blocks[block].succs[k]]++;
}

static bool is_taken(const struct estimating *s, u32 block) { return s->group_of[block] != 0; }

static bool calls(const struct ir_func *f, u32 block)
{
    for (u32 s = f->blocks[block].first; s < f->blocks[block].end; s++)
        if (ptx_op_rows[f->src->insts[s].op].flow == FLOW_CALL)
            return true;
    return false;
}

/* Predicated into one of the last blocks of the group, from `first` on: the bodies of its branch, or one instruction that its
 * guard skips. */
static bool is_body(const struct estimating *s, u32 first, u32 block)
{
    const struct group *g = &s->groups.at[s->groups.len - 1];
    const struct ir_block *b = &s->f->blocks[block];
    if (is_taken(s, block) || b->npreds != s->inside[block] || calls(s->f, block))
        return false;
    if (b->npreds == 1 && b->end == b->first + 1 && ir_is_skipped(&s->f->src->insts[b->first]) && b->nsucc == 1)
        return true;
    for (u32 k = first; k < g->blocks.len; k++)
        if (s->e->counts_as[block] == g->blocks.at[k])
            return true;
    return false;
}

static void take_bodies(struct estimating *s, u32 group, u32 first)
{
    for (u32 at = first; at < s->groups.at[group].blocks.len; at++) {
        const struct ir_block *b = &s->f->blocks[s->groups.at[group].blocks.at[at]];
        for (u32 k = 0; k < b->nsucc && k < 2; k++)
            if (is_body(s, first, b->succs[k]))
                take_block(s, group, b->succs[k]);
    }
}

/* The one block that the group leads to, if nothing else leads there and the group is no loop; else IR_NO_BLOCK. A call ends a
 * group: the warp enters other blocks before the next one. */
static u32 follower(const struct estimating *s, const struct group *g)
{
    u32 one = IR_NO_BLOCK;
    for (u32 k = 0; k < g->blocks.len; k++) {
        const struct ir_block *b = &s->f->blocks[g->blocks.at[k]];
        if (ir_leaves(s->f, g->blocks.at[k]) || calls(s->f, g->blocks.at[k]))
            return IR_NO_BLOCK;
        for (u32 n = 0; n < b->nsucc; n++) {
            const u32 to = b->succs[n];
            const bool own = is_taken(s, to) && &s->groups.at[s->group_of[to] - 1] == g && to != g->blocks.at[0];
            if (own || to == one)
                continue;
            if (one != IR_NO_BLOCK)
                return IR_NO_BLOCK;
            one = to;
        }
    }
    return one != IR_NO_BLOCK && !is_taken(s, one) && s->f->blocks[one].npreds == s->inside[one] ? one : IR_NO_BLOCK;
}

static void make_group(struct estimating *s, u32 block)
{
    const u32 at = s->groups.len;
    vec_push(s->mem, &s->groups, (struct group){.nmade = 0});
    for (u32 last = block; last != IR_NO_BLOCK; last = follower(s, &s->groups.at[at])) {
        take_block(s, at, last);
        take_bodies(s, at, s->groups.at[at].blocks.len - 1);
    }
    for (u32 k = 0; k < s->groups.at[at].blocks.len; k++) {
        const struct ir_block *b = &s->f->blocks[s->groups.at[at].blocks.at[k]];
        for (u32 n = 0; n < b->nsucc; n++)
            s->inside[b->succs[n]] = 0;
    }
}

static void find_next(struct estimating *s)
{
    for (u32 g = 0; g < s->groups.len; g++)
        for (u32 k = 0; k < s->groups.at[g].blocks.len; k++) {
            const struct ir_block *b = &s->f->blocks[s->groups.at[g].blocks.at[k]];
            for (u32 n = 0; n < b->nsucc; n++) {
                const u32 to = s->group_of[b->succs[n]] - 1;
                if (to != g || b->succs[n] == s->groups.at[g].blocks.at[0])
                    vec_push(s->mem, &s->groups.at[g].next, to);
            }
        }
}

/* ---- programs ---- */

static void expose(struct estimating *s, const struct graph *g)
{
    for (u32 k = 0; k < g->reads.len; k++)
        s->exposed[g->reads.at[k].reg] = true;
    for (u32 k = 0; k < g->passed.len; k++)
        s->exposed[g->passed.at[k].from] = true;
    for (u32 k = 0; k < g->writes.len; k++)
        s->left[g->writes.at[k].reg] |= g->nodes.at[g->writes.at[k].node].far;
}

/* Lanes meet where a group begins at a join; the block that dominates it says so before its branch. */
static void find_meetings(struct estimating *s)
{
    u32 *partings = arena_array(s->mem, u32, s->f->nblocks + 1);
    bool *meets = arena_array(s->mem, bool, s->f->nblocks + 1);
    for (u32 k = 0; k < s->groups.len; k++) {
        const u32 head = s->groups.at[k].blocks.at[0];
        const struct ir_block *b = &s->f->blocks[head];
        if (!b->is_join || b->idom == IR_NO_BLOCK || b->first == b->end)
            continue;
        meets[head] = true;
        partings[b->idom]++;
    }
    build_set_meetings(s->build, partings, meets);
}

static u32 copies_of(const struct estimating *s, const struct group *g)
{
    const u32 head = g->blocks.at[0], tail = g->blocks.at[g->blocks.len - 1];
    if (g->blocks.len == 1)
        return unroll_factor(s->f, head);
    for (u32 k = 0; k < g->blocks.len; k++)
        if (g->blocks.at[k] != head + k)
            return 1;
    return unroll_bodies(s->f, head, tail);
}

/* The blocks that lead to a loop of which four turns are one program, and nowhere else. */
static void find_questions(struct estimating *s)
{
    bool *asked = arena_array(s->mem, bool, s->f->nblocks + 1);
    for (u32 b = 0; b < s->f->nblocks; b++) {
        const struct ir_block *from = &s->f->blocks[b];
        const u32 to = from->nsucc == 1 && from->first < from->end ? from->succs[0] : b;
        const struct group *g = &s->groups.at[s->group_of[to] - 1];
        asked[b] = to != b && to == g->blocks.at[0] && copies_of(s, g) == 4;
    }
    build_set_questions(s->build, asked);
}

static void set_edges(struct estimating *s, const struct group *g, struct graph *graph)
{
    u32 *next = arena_array(s->mem, u32, g->next.len + 1);
    for (u32 k = 0; k < g->next.len; k++)
        next[k] = s->groups.at[g->next.at[k]].blocks.at[0];
    pressure_set_edges(s->mem, graph, s->lives, g->blocks.at[0], next, g->next.len);
}

/* As many registers a thread as let an SM hold all of its warps. */
static u32 full_occupancy(const struct gpu *g) { return g->registers_per_sm / g->threads_per_sm / STEP * STEP; }

/* What values take at once in the order of the text; by the first block of each group. */
static u32 least_registers(const struct estimating *s, struct graph *(*graphs)[PROGRAMS], u32 *taken)
{
    u32 least = 0;
    for (u32 k = 0; k < s->groups.len; k++) {
        u32 *own = &taken[s->groups.at[k].blocks.at[0]];
        *own = 0;
        for (u32 p = 0; p < s->groups.at[k].nmade; p++) {
            const u32 most = pressure_unordered(s->mem, graphs[k][p]);
            *own = most > *own ? most : *own;
        }
        least = *own > least ? *own : least;
    }
    return least;
}

static u32 lower_of(u32 a, u32 b) { return a < b ? a : b; }

/* The most that a kernel's own directives leave a thread (PTX ISA, Performance-Tuning Directives): .maxnreg; as many as let a block of
 * .maxntid or .reqntid threads be there, or .minnctapersm of them. */
static u32 most_allowed(const struct gpu *g, const struct ptx_func *f)
{
    const u64 declared = ptx_block_threads(f->reqntid[0] ? f->reqntid : f->maxntid),
              warps = declared / 32 + (declared % 32 != 0);
    const u32 blocks = f->minnctapersm ? f->minnctapersm : 1;
    u32 most = f->maxnreg && f->maxnreg < MOST ? f->maxnreg : MOST;
    if (warps)
        most = lower_of(most, (u32)(g->registers_per_sm / 32 / blocks / warps) / STEP * STEP);
    return most > LEAST ? most : LEAST;
}

/* As many as ptxas spends if values need `least` of them: with WAITING more, as many as let an SM hold the same multiple of WARPS warps. */
static u32 given(const struct gpu *g, u32 least)
{
    const u32 full = full_occupancy(g), need = least + WAITING;
    if (least + SPARE <= full)
        return full;
    u32 registers = full;
    for (u32 warps = g->threads_per_sm / 32; registers < need && warps > WARPS; warps -= WARPS)
        registers = g->registers_per_sm / (warps * 32) / STEP * STEP;
    return registers < need || registers > MOST ? MOST : registers;
}

/* taken: what values take at once in the order of issue. */
static u32 registers_of(u32 given, u32 taken, u32 lowest)
{
    const u32 want = taken + OWN;
    return want <= lowest ? lowest : lower_of(want + LOOSE, given);
}

/* It calls a function that is not part of its module. */
static bool calls_outside(const struct ir_func *f)
{
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        for (u32 k = 0; ptx_op_rows[i->op].flow == FLOW_CALL && k < i->noperands; k++)
            if (i->operands[k].kind == PTX_FUNC && !i->operands[k].func->defined)
                return true;
    }
    return false;
}

/* As many as values may take before what comes forward waits: SPARE are left, but not of those that WAITING takes. */
static u32 room_of(u32 least, u32 given)
{
    const u32 room = lower_of(least + WAITING, given);
    return room + SPARE > given ? room : given - SPARE;
}

static void make_graphs(struct estimating *s, struct graph *(*graphs)[PROGRAMS])
{
    for (u32 k = 0; k < s->groups.len; k++) {
        struct group *g = &s->groups.at[k];
        g->nmade = 0;
        for (u32 copies = copies_of(s, g); copies; copies = copies == 4 ? 2 : copies > 1 ? 1 : 0) {
            g->copies[g->nmade] = copies;
            graphs[k][g->nmade] = build_graph(s->build, g->blocks.at, g->blocks.len, copies);
            graphs[k][g->nmade]->goes_on = g->next.len != 0;
            set_edges(s, g, graphs[k][g->nmade]);
            expose(s, graphs[k][g->nmade++]);
        }
    }
}

/* Registers that take over what another one has may be left to wait for, too. */
static void leave_through(struct estimating *s, struct graph *(*graphs)[PROGRAMS])
{
    for (bool more = true; more;) {
        more = false;
        for (u32 k = 0; k < s->groups.len; k++)
            for (u32 p = 0; p < s->groups.at[k].nmade; p++)
                for (u32 n = 0; n < graphs[k][p]->passed.len; n++) {
                    const struct reg_reg *r = &graphs[k][p]->passed.at[n];
                    more |= s->left[r->from] && !s->left[r->to];
                    s->left[r->to] |= s->left[r->from];
                }
    }
}

static void make_programs(struct estimating *s)
{
    struct graph *(*graphs)[PROGRAMS] = arena_alloc(s->mem, sizeof(struct graph *[PROGRAMS]) * (s->groups.len + 1));
    make_graphs(s, graphs);
    const u32 full = full_occupancy(s->gpu);
    u32 *own = arena_array(s->mem, u32, s->f->nblocks + 1), least = least_registers(s, graphs, own);
    if (lives_drop_parameters(s->lives, s->f, s->e, own, full - OWN - WAITING)) {
        make_graphs(s, graphs);
        least = least_registers(s, graphs, own);
    }
    leave_through(s, graphs);
    const u32 most_given = lower_of(given(s->gpu, least), most_allowed(s->gpu, s->f->src)),
              room = room_of(least, most_given);
    u32 taken = 0;
    for (u32 k = 0; k < s->groups.len; k++) {
        struct group *g = &s->groups.at[k];
        for (u32 p = 0; p < g->nmade; p++) {
            u32 most;
            graphs[k][p]->room = room;
            graphs[k][p]->roomy = least + WAITING <= full - SPARE;
            u32 *order = list_schedule(s->mem, graphs[k][p], &most);
            g->made[p] = made_of(s->mem, graphs[k][p], order, g->copies[p], s->exposed, s->left);
            taken = most > taken ? most : taken;
        }
    }
    s->registers = registers_of(most_given, taken, calls_outside(s->f) ? LEAST_OUTSIDE : LEAST);
}

/* ---- what is under way between groups ---- */

/* The position of a node's instruction. */
static u32 *positions(struct arena *mem, const struct made *m)
{
    u32 *at = arena_array(mem, u32, m->n + 1);
    for (u32 k = 0; k < m->n; k++)
        at[m->order[k]] = k;
    return at;
}

/* The last position that waits for a scoreboard, from 1; 0: none does. */
static u32 last_wait(const struct made *m, u8 bar)
{
    u32 at = m->n;
    while (at && !(m->insts[at - 1].wait >> bar & 1))
        at--;
    return at;
}

/* Registers for which something is under way behind a group, with the scoreboard. */
static void each_left(struct estimating *s, const struct made *m,
                      void (*left)(struct estimating *s, void *ctx, u32 reg, u8 bar), void *ctx)
{
    const u32 *at = positions(s->mem, m);
    u32 waited[REPLAY_BARS];
    for (u8 bar = 0; bar < REPLAY_BARS; bar++)
        waited[bar] = last_wait(m, bar);
    for (u32 k = 0; k < m->graph->writes.len; k++) {
        const struct node_reg *w = &m->graph->writes.at[k];
        const u8 bar = m->insts[at[w->node]].write_bar;
        if (bar != REPLAY_NO_BAR && s->exposed[w->reg] && waited[bar] <= at[w->node] + 1)
            left(s, ctx, w->reg, bar);
    }
    if (m->held != REPLAY_NO_BAR)
        left(s, ctx, s->f->src->nregs, m->held);
}

static void look_at(struct estimating *s, u32 reg)
{
    if (!s->looked[reg])
        s->looked[reg] = ++s->nlooked;
}

static void look_at_left(struct estimating *s, void *ctx, u32 reg, u8 bar)
{
    (void)ctx, (void)bar;
    look_at(s, reg);
}

static void put_left(struct estimating *s, void *ctx, u32 reg, u8 bar)
{
    struct group *g = ctx;
    g->out[s->looked[reg] - 1] |= (u8)(1u << bar);
}

/* A register that takes over what another one waits for waits too. */
static void look_through(struct estimating *s)
{
    for (bool more = true; more;) {
        const u32 before = s->nlooked;
        for (u32 k = 0; k < s->groups.len; k++)
            for (u32 p = 0; p < s->groups.at[k].nmade; p++) {
                const struct graph *g = s->groups.at[k].made[p]->graph;
                for (u32 n = 0; n < g->passed.len; n++)
                    if (s->looked[g->passed.at[n].from] && s->exposed[g->passed.at[n].to])
                        look_at(s, g->passed.at[n].to);
            }
        more = s->nlooked != before;
    }
}

static bool flow_into(u8 *to, const u8 *from, u32 n)
{
    bool changed = false;
    for (u32 k = 0; k < n; k++) {
        changed |= (from[k] & ~to[k]) != 0;
        to[k] |= from[k];
    }
    return changed;
}

/* What a program lets pass from its beginning to its end: what it does not read, write or wait for otherwise. */
static bool pass_through(struct estimating *s, struct group *g, const struct made *m)
{
    u8 *through = s->through;
    const u8 open = (u8)~m->waited;
    for (u32 k = 0; k < s->nlooked; k++)
        through[k] = g->in[k] & open;
    for (u32 k = 0; k < m->graph->reads.len; k++)
        if (s->looked[m->graph->reads.at[k].reg])
            through[s->looked[m->graph->reads.at[k].reg] - 1] = 0;
    for (u32 k = 0; k < m->graph->written.len; k++)
        if (s->looked[m->graph->written.at[k]])
            through[s->looked[m->graph->written.at[k]] - 1] = 0;
    if (m->first_set < m->n && s->looked[s->f->src->nregs])
        through[s->looked[s->f->src->nregs] - 1] = 0;
    for (u32 k = 0; k < m->graph->passed.len; k++) {
        const struct reg_reg *p = &m->graph->passed.at[k];
        if (s->looked[p->from] && s->looked[p->to])
            through[s->looked[p->to] - 1] |= g->in[s->looked[p->from] - 1] & open;
    }
    return flow_into(g->out, through, s->nlooked);
}

static void solve(struct estimating *s)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 k = 0; k < s->groups.len; k++) {
            struct group *g = &s->groups.at[k];
            for (u32 p = 0; p < g->nmade; p++)
                changed |= pass_through(s, g, g->made[p]);
            for (u32 n = 0; n < g->next.len; n++)
                changed |= flow_into(s->groups.at[g->next.at[n]].in, g->out, s->nlooked);
        }
    }
}

/* Waits where a program first reads what others left under way. */
static void wait_for_others(struct estimating *s, const struct group *g, struct made *m)
{
    const u32 *at = positions(s->mem, m);
    u8 *want = arena_alloc(s->mem, m->n + 1), waited = 0;
    for (u32 k = 0; k < m->graph->reads.len; k++) {
        const struct node_reg *r = &m->graph->reads.at[k];
        if (s->looked[r->reg])
            want[at[r->node]] |= g->in[s->looked[r->reg] - 1];
    }
    if (s->looked[s->f->src->nregs]) /* the first result takes what stores have held */
        want[m->first_set] |= g->in[s->looked[s->f->src->nregs] - 1];
    for (u32 k = 0; k < m->n; k++) {
        m->insts[k].wait |= want[k] & (u8)~waited;
        waited |= m->insts[k].wait;
    }
}

static void find_waits(struct estimating *s)
{
    for (u32 k = 0; k < s->groups.len; k++)
        for (u32 p = 0; p < s->groups.at[k].nmade; p++)
            each_left(s, s->groups.at[k].made[p], look_at_left, NULL);
    if (!s->nlooked)
        return;
    look_through(s);
    s->through = arena_alloc(s->mem, s->nlooked);
    for (u32 k = 0; k < s->groups.len; k++) {
        struct group *g = &s->groups.at[k];
        g->in = arena_alloc(s->mem, s->nlooked);
        g->out = arena_alloc(s->mem, s->nlooked);
        for (u32 p = 0; p < g->nmade; p++)
            each_left(s, g->made[p], put_left, g);
    }
    solve(s);
    for (u32 k = 0; k < s->groups.len; k++)
        for (u32 p = 0; p < s->groups.at[k].nmade; p++)
            wait_for_others(s, &s->groups.at[k], s->groups.at[k].made[p]);
}

/* ---- all ---- */

static struct replay_code *assemble(struct estimating *s)
{
    struct replay_code *c = arena_new(s->mem, struct replay_code);
    *c = (struct replay_code){.nblocks = s->f->nblocks};
    c->blocks = arena_alloc(s->mem, sizeof *c->blocks * (s->f->nblocks + 1));
    for (u32 k = 0; k < s->groups.len; k++) {
        const struct group *g = &s->groups.at[k];
        struct replay_program *programs = arena_array(s->mem, struct replay_program, g->nmade);
        for (u32 p = 0; p < g->nmade; p++) {
            struct made *m = g->made[p];
            programs[p] = (struct replay_program){.insts = m->insts, .n = m->n, .copies = m->copies};
            for (u32 i = 0; i < m->n; i++)
                m->insts[i].at = c->ninsts++;
        }
        c->blocks[g->blocks.at[0]].programs = programs;
        c->blocks[g->blocks.at[0]].n = g->nmade;
    }
    return c;
}

struct replay_code *code_from_ptx(struct arena *mem, const struct gpu *gpu, const struct ir_func *f,
                                  const struct estimate *e)
{
    struct lives *lives = lives_make(mem, f, e);
    struct estimating s = {.mem = mem,
                           .gpu = gpu,
                           .f = f,
                           .e = e,
                           .lives = lives,
                           .build = build_make(mem, gpu, f, e, lives),
                           .group_of = arena_array(mem, u32, f->nblocks + 1),
                           .inside = arena_array(mem, u32, f->nblocks + 1),
                           .exposed = arena_array(mem, bool, f->src->nregs + 1),
                           .left = arena_array(mem, bool, f->src->nregs + 1),
                           .looked = arena_array(mem, u32, f->src->nregs + 1)};
    for (u32 b = 0; b < f->nblocks; b++)
        if (!is_taken(&s, b) && s.e->counts_as[b] == b)
            make_group(&s, b);
    for (u32 b = 0; b < f->nblocks; b++)
        if (!is_taken(&s, b))
            make_group(&s, b);
    find_next(&s);
    find_meetings(&s);
    find_questions(&s);
    make_programs(&s);
    find_waits(&s);
    struct replay_code *c = assemble(&s);
    c->registers = s.registers;
    return c;
}

u32 code_registers(const struct gpu *gpu, const struct ir_func *f)
{
    struct arena mem = ARENA("registers");
    if (setjmp(mem.oom)) {
        arena_free(&mem);
        return f->registers;
    }
    const u32 registers = code_from_ptx(&mem, gpu, f, estimate_make(&mem, f, gpu->cc_major, NULL))->registers;
    arena_free(&mem);
    return registers;
}
