/* executed.c - from entries of PTX blocks to executions of machine instructions (executed.h).
 *
 * Code is kept by PTX block, as programs that each stand for so many entries in a row (model/replay/code.h). A block with one program runs it at each
 * entry. A loop that ptxas unrolled has several, and what is known is how often it was entered from outside and how many turns it made in all. So
 * each time is taken to have the mean number of turns, which the programs share as machine code does: those with most copies first.
 *
 *     24 turns a time; programs for 16, 4 and 1 turns        1, 2 and 0 runs of them
 *     24.5                                                   half of the times 24, half of them 25
 *
 * That is exact where all warps make the same number of turns. */
#include "meter/executed.h"

/* Times that the loop which begins at the block was entered from outside, and at most as often as the block. */
static u64 times_of(const struct ir_func *f, const struct exec_block_count *blocks, u32 block)
{
    u64 times = 0;
    for (u32 b = 0; b < f->nblocks; b++)
        for (u32 s = 0; s < f->blocks[b].nsucc; s++)
            if (f->blocks[b].succs[s] == block && f->blocks[b].loop_depth < f->blocks[block].loop_depth)
                times += blocks[b].warps;
    return times && times < blocks[block].warps ? times : blocks[block].warps;
}

/* Of so many turns in a row: how often program k runs. */
static double runs_of(const struct replay_block *b, u64 turns, u32 k)
{
    for (u32 p = 0; p < k; p++)
        turns %= b->programs[p].copies;
    return (double)(turns / b->programs[k].copies);
}

static double mean_runs(const struct replay_block *b, u64 warps, u64 times, u32 k)
{
    if (b->n == 1)
        return (double)warps / b->programs[0].copies;
    const u64 turns = warps / times, more = warps % times; /* as many of the times have a turn more */
    return runs_of(b, turns, k) * (double)(times - more) + runs_of(b, turns + 1, k) * (double)more;
}

void executed_add(const struct ir_func *f, const struct replay_code *code, const struct exec_block_count *blocks,
                  u64 (*n)[EVENT_COUNT])
{
    for (u32 b = 0; b < f->nblocks; b++) {
        const struct replay_block *of = &code->blocks[b];
        const u64 warps = blocks[b].warps;
        if (!warps || !of->n)
            continue;
        const u64 times = of->n > 1 ? times_of(f, blocks, b) : warps;
        for (u32 k = 0; k < of->n; k++) {
            const double runs = mean_runs(of, warps, times, k), lanes = (double)blocks[b].threads / (double)warps;
            for (u32 i = 0; i < of->programs[k].n; i++) {
                const u32 site = of->programs[k].insts[i].site;
                u64 *to = n[site < f->src->ninsts ? site : f->blocks[b].first];
                to[EVENT_inst] += (u64)(runs + 0.5);
                to[EVENT_thread_inst] += (u64)(runs * lanes + 0.5);
            }
        }
    }
}
