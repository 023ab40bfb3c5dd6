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
#include "meter/code/maker.h"

/* ---- programs ---- */

/* Those of another function's lines are that function's. A NOP in the middle is what a synchronisation of a warp became that
 * never comes apart. */
static bool is_ours(const struct maker *k, const struct machine_block *b, u32 inst)
{
    const struct sass_inst *i = &k->m.code->insts[inst];
    const bool never = i->op == SASS_NOP && i->target >= 0;
    return !never && (!i->line || match_site_for(&k->m, b, inst));
}

/* A place to count the instructions of a site: accesses apart from the rest. */
static u32 counter_of(const struct replay_inst *i) { return 2 * i->site + replay_is_streamed(i); }

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
        struct replay_inst x = maker_inst(k, b, i);
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
            vec_push(k->mem, &l.at, maker_inst(k, at, i));
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
    return replay_is_streamed(i) || (i->site != REPLAY_NO_SITE && k->total[counter_of(i)] >= p->copies);
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
    const struct sequences all = maker_sequences(k, ptx_block);
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
    return i->site != REPLAY_NO_SITE && (replay_is_streamed(i) || i->pipe == PIPE_FMA || i->pipe == PIPE_FP64 ||
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
        const u32 first = blocks[b].n ? maker_first_equal(k, b, is_front, &(struct place){blocks, b}) : b;
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
    k.main_depth = arena_array(mem, u32, f->nblocks + 1);
    k.total = arena_array(mem, u32, 2 * f->src->ninsts + 2);
    k.seen = arena_array(mem, u32, 2 * f->src->ninsts + 2);
    maker_settle_owners(&k);
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
