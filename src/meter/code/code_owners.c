/* code_owners.c - which machine blocks a PTX block's programs are made of (maker.h).
 *
 * match.c has given each machine block an owner. Here copies of the same PTX blocks get one owner, and what asks whether a loop has a turn goes in
 * front of it. What is left of a PTX block is put into sequences: runs that control falls through, of which those that have nothing in common are parts of
 * one. */
#include <string.h>

#include "meter/blocks.h"
#include "meter/code/maker.h"

/* ---- PTX blocks ---- */

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
            if (f->blocks[b].succs[s] == block && block_dominates(f, block, b))
                return true;
    return false;
}

u32 maker_first_equal(struct maker *k, u32 block, bool (*passes)(struct maker *k, u32 up, const void *ctx),
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
        const u32 first = maker_first_equal(k, m->owner, has_copy_of, m);
        moved[m->owner] = first + 1;
        m->owner = first;
    }
    for (u32 b = 0; b < k->m.blocks.len; b++) {
        struct machine_block *m = &k->m.blocks.at[b];
        if (m->owner != IR_NO_BLOCK && moved[m->owner] && !match_has_evidence(&k->m, m))
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
        if (b->owner == IR_NO_BLOCK || k->depth[n] >= k->m.f->blocks[b->owner].loop_depth ||
            match_has_evidence(&k->m, b))
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

void maker_settle_owners(struct maker *k)
{
    find_branches(k);
    agree_on_owners(k);
    give_checks_back(k);
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

struct sequences maker_sequences(struct maker *k, u32 ptx_block)
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
