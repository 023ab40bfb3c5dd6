/* sm_bench.c - see sm_bench.h. */
#include "sm_bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void made_begin(struct made *m)
{
    *m =
        (struct made){.mem = ARENA("test"), .warps = 1, .resident = 1, .nblocks = 1, .shares = {.served = {.dram = 1}}};
    assert_int_equal(gpu_find("h200", &m->gpu, NULL), LS_OK);
}

struct replay_inst *made_inst(struct made *m, u8 pipe, u8 stall)
{
    m->insts[m->n] = (struct replay_inst){
        .pipe = pipe, .stall = stall, .write_bar = REPLAY_NO_BAR, .read_bar = REPLAY_NO_BAR, .at = 0};
    return &m->insts[m->n++];
}

void made_load_and_use(struct made *m)
{
    struct replay_inst *load = made_inst(m, PIPE_LSU, 1);
    load->op = REPLAY_MEMORY;
    load->write_bar = 0;
    made_inst(m, PIPE_FMA, 4)->wait = 1;
}

void made_enter(struct made *m) { m->items[m->nitems++] = item_enter(0, 0, UINT32_MAX); }

void made_access_lines(struct made *m, u8 class, u16 passes, u16 lines)
{
    m->items[m->nitems++] = item_access((struct item_access){.class = class, .passes = passes, .lines = lines});
}

void made_access(struct made *m, u8 class, u16 passes) { made_access_lines(m, class, passes, 1); }

/* One sector of a line. */
void made_load(struct made *m, u64 line, u32 sector)
{
    made_access(m, ITEM_LOAD, 1);
    m->items[m->nitems++] = item_line(line, 1u << sector, TRAFFIC_LOAD);
}

/* Every warp of a block does the same. *sites: what its one site waited for; NULL: not asked. */
struct replay_result made_replay(struct made *m, struct replay_site *sites)
{
    struct replay_program program = {m->insts, m->n, 1};
    struct replay_block code_block = {&program, 1};
    const struct replay_code code = {.blocks = &code_block, .nblocks = 1, .ninsts = INSTS * INSTS_A_LINE};
    struct replay_site own[2] = {{{0}, 0}};
    const struct replay_shares shares = m->shares;
    struct replay_func f = {
        .code = m->code ? m->code : &code, .nsites = 1, .shares = &shares, .sites = sites ? sites : own};
    struct replay_func *funcs[] = {&f};
    struct replay_stream streams[2][32];
    for (u32 w = 0; w < m->warps; w++) {
        streams[0][w] = (struct replay_stream){m->items, w && m->shorter ? m->shorter : m->nitems};
        streams[1][w] = (struct replay_stream){m->others ? m->others : m->items, streams[0][w].n};
    }
    struct replay_block_stream blocks[BLOCKS_KEPT];
    const u64 of = (m->nblocks + m->gpu.sms - 1) / m->gpu.sms;
    u32 n = 0;
    for (u64 k = 0; k < of; k++)
        if (replay_takes(k, of, m->resident)) {
            blocks[n] = (struct replay_block_stream){.warps = streams[n % 2],
                                                     .funcs = funcs,
                                                     .nfuncs = 1,
                                                     .linear = k * m->gpu.sms,
                                                     .cost = 1,
                                                     .longest = 1,
                                                     .rest = 1};
            n++;
        }
    const struct replay_launch l = {.gpu = &m->gpu,
                                    .nblocks = m->nblocks,
                                    .warps = m->warps,
                                    .resident = m->resident,
                                    .slots = m->slots,
                                    .places = m->places,
                                    .blocks = blocks,
                                    .nrecorded = n,
                                    .l1_bytes = 128 << 10,
                                    .cost = (double)m->nblocks,
                                    .sizes = m->sizes,
                                    .atomics = m->atomics,
                                    .hot = m->hot,
                                    .swaps = m->swaps,
                                    .swaps_hot = m->swaps_hot,
                                    .budget = m->budget ? m->budget : 1 << 20};
    assert_false(setjmp(m->mem.oom));
    return replay_launch(&m->mem, &l);
}

double made_cycles(struct made *m) { return made_replay(m, NULL).cycles; }
