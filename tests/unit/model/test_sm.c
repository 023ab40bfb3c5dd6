/* test_sm.c - the replay of an SM: issue, pipes, waits, branches, constants, code, barriers, blocks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sm_bench.h"

/* ---- what goes on while warps run ---- */

static double products(u32 groups_under_way)
{
    struct made m;
    made_begin(&m);
    struct replay_inst *product = made_inst(&m, PIPE_TENSOR, 1);
    product->op = REPLAY_PRODUCT;
    product->interval = 64;
    product->count = 1;
    struct replay_inst *wait = made_inst(&m, PIPE_NONE, 1);
    wait->op = REPLAY_PRODUCT_WAIT;
    wait->count = (u16)groups_under_way;
    for (u32 k = 0; k < 100; k++)
        made_enter(&m);
    const double t = made_cycles(&m);
    arena_free(&m.mem);
    return t;
}

/* One after the other each takes its pipe and the way back; with one under way the pipe alone. */
static void products_are_waited_for(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    const struct machine machine = machine_of(&m.gpu, true);
    const double one = products(0), two = products(1);
    assert_true(two >= 100 * 64 && two < 100 * 64 + 500);
    assert_true(one >= two + 99 * machine.product);
    assert_true(one < two + 99 * (machine.product + machine.branch + machine.branch_fetch));
    arena_free(&m.mem);
}

/* A warp alone: the sum of its stall counts. */
static void a_chain_takes_its_stalls(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    for (u32 k = 0; k < 10; k++)
        made_inst(&m, PIPE_FMA, 4);
    for (u32 k = 0; k < 10; k++)
        made_enter(&m);
    const double ten = made_cycles(&m);
    for (u32 k = 0; k < 10; k++)
        made_enter(&m);
    assert_in_range((u64)(made_cycles(&m) - ten), 400, 400 + 10 * 12); /* and ten jumps back */
    arena_free(&m.mem);
}

/* Warps of a scheduler hide each other's stalls until its pipe is full. */
static void warps_share_a_pipe(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        for (u32 i = 0; i < INSTS; i++)
            made_inst(&m, k ? PIPE_FP64 : PIPE_FMA, 2);
        for (u32 i = 0; i < 64; i++)
            made_enter(&m);
        m.warps = 16; /* four a scheduler: 4 x 64 x 64 instructions, one a cycle, or one every second */
        took[k] = made_cycles(&m);
        arena_free(&m.mem);
    }
    assert_in_range((u64)took[0], 16384, 16384 + 1500);
    assert_in_range((u64)took[1], 32768, 32768 + 1500);
}

static void load_constants(struct made *m, u16 words, u32 line)
{
    m->items[m->nitems++] = item_access((struct item_access){
        .class = ITEM_CONSTANT, .passes = words, .lines = 1, .sector = item_constant_lines(line, line)});
}

/* Words that lanes index are loaded one after the other. */
static void words_of_constants_come_one_by_one(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        made_load_and_use(&m);
        m.insts[0].pipe = PIPE_ADU;
        for (u32 i = 0; i < 100; i++) {
            made_enter(&m);
            load_constants(&m, k ? 32 : 1, 4);
        }
        took[k] = made_cycles(&m);
        arena_free(&m.mem);
    }
    assert_in_range((u64)(took[1] - took[0]), 100 * 31 * 11 - 100, 100 * 31 * 11 + 100);
}

/* A chain of 100 matches: 11 cycles more for each value; of 32 warps the SM takes two for each value of each. */
static double matched(u32 warps, float values, u32 words)
{
    struct made m;
    made_begin(&m);
    struct replay_inst *i = made_inst(&m, PIPE_ADU, 1);
    i->op = REPLAY_MATCH;
    i->count = (u16)words;
    i->write_bar = 0;
    made_inst(&m, PIPE_FMA, 4)->wait = 1;
    m.warps = warps;
    m.shares.values = values;
    for (u32 k = 0; k < 100; k++)
        made_enter(&m);
    const double t = made_cycles(&m);
    arena_free(&m.mem);
    return t;
}

static void matches_take_their_unit_for_each_value(void **state)
{
    (void)state;
    const double one = matched(1, 1, 1);
    assert_in_range((u64)(matched(1, 32, 1) - one), 3100 * 11 - 10, 3100 * 11 + 10);
    assert_in_range((u64)(matched(1, 32, 2) - matched(1, 1, 2)), 3100 * 13 - 250, 3100 * 13 + 10);
    assert_in_range((u64)matched(32, 16, 1), 3200 * 32, 3200 * 32 + 1500);
    assert_in_range((u64)matched(32, 16, 2), 3200 * 64, 3200 * 64 + 1500);
}

/* 16 warps load what all their lanes want: of 64 bits it takes the SM twice as long. */
static void wide_constants_take_a_word_more(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        for (u32 i = 0; i < 8; i++) {
            struct replay_inst *load = made_inst(&m, PIPE_ADU, 1);
            load->op = REPLAY_MEMORY;
            load->write_bar = 0;
            load->count = (u16)(1 + k);
        }
        made_inst(&m, PIPE_FMA, 4)->wait = 1;
        m.warps = 32;
        for (u32 i = 0; i < 100; i++) {
            made_enter(&m);
            for (u32 l = 0; l < 8; l++)
                load_constants(&m, 1, 4);
        }
        took[k] = made_cycles(&m);
        arena_free(&m.mem);
    }
    assert_in_range((u64)took[0], 32 * 800 * 2, 32 * 800 * 2 + 2500);
    assert_in_range((u64)took[1], 32 * 800 * 4, 32 * 800 * 4 + 2500);
}

/* More lines of constants than the first cache holds, over and over: each comes from the second one. */
static void constants_leave_their_cache(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        made_load_and_use(&m);
        m.insts[0].pipe = PIPE_ADU;
        for (u32 i = 0; i < 1000; i++) {
            made_enter(&m);
            load_constants(&m, 1, i % (k ? 40 : 20));
        }
        took[k] = made_cycles(&m);
        arena_free(&m.mem);
    }
    const double more = took[1] - took[0]; /* 66 each, and five times 256 bytes more from DRAM */
    assert_in_range((u64)more, 980 * 66, 980 * 66 + 5 * 750);
}

/* All SMs of a GPC ask one second cache: 16 warps wait 10 cycles for each line where one SM works, else as long as all others take. */
static void multiprocessors_share_the_second_cache_of_constants(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        made_load_and_use(&m);
        m.insts[0].pipe = PIPE_ADU;
        m.warps = 16;
        m.nblocks = k ? m.gpu.sms : 1;
        for (u32 i = 0; i < 400; i++) {
            made_enter(&m);
            load_constants(&m, 1, i * 7 % 40);
        }
        took[k] = made_cycles(&m);
        arena_free(&m.mem);
    }
    assert_true(took[1] > took[0] + 400 * 30); /* warps in step miss together, once for all of them */
}

/* The first operand of a launch is waited for, and so is each one in another line. */
static void operands_are_missed(void **state)
{
    (void)state;
    struct made m;
    struct replay_site site = {{0}, 0};
    made_begin(&m);
    for (u32 k = 0; k < 3; k++) {
        struct replay_inst *i = made_inst(&m, PIPE_FMA, 4);
        i->constant = true;
        i->constant_line = constant_line(k / 2 * CONSTANT_VARIABLES, 0x210);
    }
    made_enter(&m);
    made_replay(&m, &site);
    assert_in_range((u64)site.stalls[STALL_IMC_MISS], 750, 1000); /* a parameter's line; one of a variable, from DRAM */
    arena_free(&m.mem);
}

/* Loads of so many lines of 256 bytes that no cache has, none of which needs another. */
static double cold_constants(u32 n)
{
    struct made m;
    made_begin(&m);
    for (u32 k = 0; k < n; k++) {
        struct replay_inst *i = made_inst(&m, PIPE_ADU, 2);
        i->op = REPLAY_MEMORY;
        i->write_bar = 0;
    }
    made_inst(&m, PIPE_FMA, 4)->wait = 1;
    made_enter(&m);
    for (u32 k = 0; k < n; k++)
        load_constants(&m, 1, 4 * k);
    const double t = made_cycles(&m);
    arena_free(&m.mem);
    return t;
}

static void four_loads_of_constants_are_under_way(void **state)
{
    (void)state;
    const double one = cold_constants(1), four = cold_constants(4), five = cold_constants(5), eight = cold_constants(8);
    assert_true(four < one + 100);
    assert_true(five > one + 600);
    assert_true(eight < five + 100);
}

/* Loads of constants that no cache has, one needs the other: of all blocks in the same order, or half of them the other way round. */
static double looked_up(bool apart)
{
    enum { LOOKUPS = 32 };
    u64 others[2 * LOOKUPS];
    struct made m;
    made_begin(&m);
    made_load_and_use(&m);
    m.insts[0].pipe = PIPE_ADU;
    m.resident = 2;
    m.nblocks = 2 * m.gpu.sms;
    for (u32 i = 0; i < LOOKUPS; i++) {
        made_enter(&m);
        load_constants(&m, 1, 4 * i);
    }
    for (u32 i = 0; i < LOOKUPS; i++) {
        others[2 * i] = m.items[2 * i];
        others[2 * i + 1] = m.items[2 * (LOOKUPS - 1 - i) + 1];
    }
    m.others = apart ? others : NULL;
    const double t = made_cycles(&m);
    arena_free(&m.mem);
    return t;
}

static void blocks_that_look_at_different_constants_bring_them_for_others(void **state)
{
    (void)state;
    const double same = looked_up(false), apart = looked_up(true);
    assert_true(same > 32 * 600);
    assert_true(apart < same / 3);
}

/* A block that ends in `control`, entered 100 times by these lanes in turn. */
static double turns(u8 control, u32 lanes, u32 then)
{
    struct made m;
    made_begin(&m);
    made_inst(&m, PIPE_FMA, 4);
    made_inst(&m, PIPE_BRANCH, 5)->control = control;
    for (u32 k = 0; k < 100; k++)
        m.items[m.nitems++] = item_enter(0, 0, k % 2 ? then : lanes);
    const double t = made_cycles(&m);
    arena_free(&m.mem);
    return t;
}

/* Half of the lanes go another way 50 times: a join each. */
static void lanes_that_part_come_to_a_join(void **state)
{
    (void)state;
    const double together = turns(CONTROL_BRANCH, UINT32_MAX, UINT32_MAX),
                 apart = turns(CONTROL_BRANCH, UINT32_MAX, 0xffff), in_turn = turns(CONTROL_BRANCH, 0xffff0000, 0xffff);
    assert_true(apart > together + 50 * 10 && apart < together + 50 * 20);
    assert_true(in_turn > together + 99 * 2 && in_turn < together + 99 * 5);
}

static void exits_cost_where_lanes_leave(void **state)
{
    (void)state;
    const double none = turns(CONTROL_EXIT, UINT32_MAX, UINT32_MAX), some = turns(CONTROL_EXIT, UINT32_MAX, 0xffff);
    assert_true(some > none + 50 * 2 && some < none + 50 * 12);
}

static void code_leaves_its_cache(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        m.gpu.icache_l1_bytes = (k ? INSTS / 2 : 2 * INSTS) * INSTS_A_LINE * INST_BYTES;
        for (u32 i = 0; i < INSTS; i++)
            made_inst(&m, PIPE_FMA, 4)->at = i * INSTS_A_LINE;
        for (u32 i = 0; i < 50; i++)
            made_enter(&m);
        took[k] = made_cycles(&m);
        arena_free(&m.mem);
    }
    const double more = took[1] - took[0], line = INSTS_A_LINE * 2.215 - 4;
    assert_in_range((u64)more, (u64)(0.95 * 49 * INSTS * line), (u64)(1.05 * 49 * INSTS * line));
}

/* ---- accesses that machine code does elsewhere ---- */

enum { HEAD, LOOP, TAIL, PARTS };

/* A warp goes through head, a loop of eight turns and tail, each with code of its own. The accesses of `ptx` are done by `machine`; only the
 * loads' use waits. Cycles of a warp. */
static double moved(u32 ptx, u32 machine, struct replay_moved how)
{
    struct made m;
    struct replay_site site = {{0}, 0};
    struct replay_inst insts[PARTS][4];
    struct replay_program programs[PARTS];
    struct replay_block blocks[PARTS];
    made_begin(&m);
    for (u32 b = 0; b < PARTS; b++) {
        struct replay_inst *use;
        m.n = 0;
        made_load_and_use(&m);
        use = made_inst(&m, PIPE_FMA, 4);
        if (b != machine)
            m.insts[0] = *use;
        for (u32 i = 0; i < m.n; i++)
            insts[b][i] = m.insts[i];
        programs[b] = (struct replay_program){insts[b], m.n, 1};
        blocks[b] = (struct replay_block){&programs[b], 1};
    }
    for (u32 k = 0; k < 8 + 2; k++) {
        const u32 b = k == 0 ? HEAD : k == 9 ? TAIL : LOOP;
        m.items[m.nitems++] = item_enter(0, b, UINT32_MAX);
        if (b == ptx)
            made_load(&m, k, 0);
    }
    const struct replay_code code = {.blocks = blocks, .nblocks = PARTS, .moved = &how, .ninsts = 8};
    m.code = &code;
    const double t = made_replay(&m, &site).cycles;
    arena_free(&m.mem);
    return t;
}

static void moved_accesses_are_done_once(void **state)
{
    (void)state;
    const double none = moved(PARTS, HEAD, (struct replay_moved){0, false});
    const double in_place = moved(TAIL, TAIL, (struct replay_moved){0, false}) - none;
    assert_true(in_place > 400); /* of DRAM */
    assert_true(fabs(moved(TAIL, HEAD, (struct replay_moved){1 + HEAD, false}) - none - in_place) < 30);
    assert_true(fabs(moved(LOOP, TAIL, (struct replay_moved){0, true}) - none - in_place) < 30);
    assert_true(moved(TAIL, HEAD, (struct replay_moved){0, false}) - none < 30); /* nobody said so: it is not found */
}

/* Nobody leaves a barrier before the last one has come. */
static void a_barrier_waits_for_all(void **state)
{
    (void)state;
    struct made m;
    struct replay_site site = {{0}, 0};
    made_begin(&m);
    made_inst(&m, PIPE_FMA, 4);
    made_inst(&m, PIPE_ADU, 2)->op = REPLAY_BARRIER;
    made_inst(&m, PIPE_FMA, 4);
    m.warps = 8;
    for (u32 k = 0; k < 50; k++) {
        made_enter(&m);
        m.items[m.nitems++] = item_barrier(0, 0, 0, true);
    }
    const double cycles = made_replay(&m, &site).cycles;
    assert_true(site.stalls[STALL_BARRIER] > 0);
    assert_in_range((u64)cycles, 50 * 25, 50 * 70); /* 13 + 2 a warp, and what is around it */
    arena_free(&m.mem);
}

/* Sleeps of 300 ns take 512, one after the other. */
static void a_sleep_lasts_until_the_clock_ticks(void **state)
{
    (void)state;
    enum { SLEEPS = 20 };
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        struct replay_site site = {{0}, 0};
        made_begin(&m);
        made_inst(&m, PIPE_FMA, 4);
        made_inst(&m, PIPE_NONE, 2)->op = REPLAY_SLEEP;
        made_inst(&m, PIPE_FMA, 4);
        for (u32 n = 0; n < SLEEPS; n++) {
            made_enter(&m);
            m.items[m.nitems++] = item_sleep(0, k ? 300 : 600);
        }
        took[k] = made_replay(&m, &site).cycles / m.gpu.boost_mhz * 1e3;
        assert_true(site.stalls[STALL_SLEEPING] > 0.9 * (took[k] - 1000) / 1e3 * m.gpu.boost_mhz);
        arena_free(&m.mem);
    }
    assert_true(fabs(took[0] - took[1] - 512.0 * (SLEEPS - 1)) < 512);
    assert_true(item_sleep_ns(item_sleep(ITEM_SITES - 1, UINT32_MAX)) == ITEM_SLEEP_MOST);
    assert_true(!item_is_sleep(item_barrier(0, 1, 1, true)) && !item_waits(item_sleep(1, 1)));
}

/* More blocks than are replayed: the time grows with them. */
static void many_blocks_take_longer(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        for (u32 i = 0; i < INSTS; i++)
            made_inst(&m, PIPE_FMA, 4);
        for (u32 i = 0; i < 64; i++)
            made_enter(&m);
        m.warps = 4;
        m.resident = 2;
        m.nblocks = (u64)m.gpu.sms * BLOCKS * (k + 1);
        took[k] = made_cycles(&m);
        arena_free(&m.mem);
    }
    assert_true(took[1] > 1.95 * took[0] && took[1] < 2.05 * took[0]);
}

/* Six blocks of a warp that an SM holds at once and two more, of which no budget is left: a warp computes by itself, so they take as long
 * again as the six. */
static void a_last_wave_takes_as_long_as_its_blocks(void **state)
{
    (void)state;
    struct replay_result r[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        for (u32 i = 0; i < INSTS; i++)
            made_inst(&m, PIPE_FMA, 10);
        for (u32 i = 0; i < 64; i++)
            made_enter(&m);
        m.resident = 6;
        m.budget = 100;
        m.nblocks = (u64)m.gpu.sms * (k ? 8 : 6);
        r[k] = made_replay(&m, NULL);
        arena_free(&m.mem);
    }
    assert_true(r[1].cycles > 1.95 * r[0].cycles && r[1].cycles < 2.05 * r[0].cycles);
    assert_true(r[0].warps > 5.8 && r[1].warps > 3.9 && r[1].warps < 4.1);
}

/* Four blocks of a long and three short warps, on an SM that holds eight warps. */
static double uneven_blocks(u32 places)
{
    struct made m;
    made_begin(&m);
    for (u32 i = 0; i < INSTS; i++)
        made_inst(&m, PIPE_FMA, 4);
    for (u32 i = 0; i < 200; i++)
        made_enter(&m);
    m.shorter = 1;
    m.warps = 4;
    m.resident = 2;
    m.slots = 8;
    m.places = places;
    m.nblocks = (u64)m.gpu.sms * 4;
    const double t = made_cycles(&m);
    arena_free(&m.mem);
    return t;
}

/* The place of a warp that has ended is another block's, unless the block has no place itself. */
static void blocks_begin_as_warps_end(void **state)
{
    (void)state;
    const double two = uneven_blocks(2), three = uneven_blocks(3), four = uneven_blocks(4);
    assert_true(three > 0.95 * two); /* two of them are long and one after the other */
    assert_true(four < 0.6 * two);
}

/* Eight warps a scheduler, of instructions whose operands are in the same bank of registers or not. */
static struct replay_result banks(bool same, bool kept)
{
    struct made m;
    made_begin(&m);
    for (u32 k = 0; k < INSTS; k++) {
        struct replay_inst *i = made_inst(&m, PIPE_FMA, 1);
        memcpy(i->regs, (u8[]){2, same ? 4 : 5, REPLAY_NO_REG}, 3);
        i->reuse = kept;
    }
    for (u32 k = 0; k < 64; k++)
        made_enter(&m);
    m.warps = 32;
    const struct replay_result r = made_replay(&m, NULL);
    arena_free(&m.mem);
    return r;
}

static void a_bank_gives_a_register_a_cycle(void **state)
{
    (void)state;
    const double one = banks(false, false).cycles;
    const struct replay_result two = banks(true, false);
    assert_true(two.cycles > 1.8 * one && two.cycles < 2.2 * one);
    assert_true(two.stalls[STALL_DISPATCH_STALL] > two.stalls[STALL_NOT_SELECTED] / 2);
    assert_true(banks(true, true).cycles < 1.1 * one);
}

/* At half rate warps are ready in every second cycle, and find the pipe taken in the others; none is left behind. */
static void half_rate_is_half_throttle(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    for (u32 k = 0; k < INSTS; k++)
        made_inst(&m, PIPE_ALU, 2);
    for (u32 k = 0; k < 32; k++)
        made_enter(&m);
    m.warps = 32;
    const struct replay_result r = made_replay(&m, NULL);
    const double pipe = r.stalls[STALL_MATH_PIPE_THROTTLE], ready = r.stalls[STALL_NOT_SELECTED];
    assert_true(pipe > 0.9 * ready && pipe < 1.1 * ready);
    assert_true(r.warps > 28);
    arena_free(&m.mem);
}

/* Floats by eight warps a scheduler, which leave it no cycle. */
static struct replay_result eight_warps(u32 blocks)
{
    struct made m;
    made_begin(&m);
    for (u32 k = 0; k < INSTS; k++)
        made_inst(&m, PIPE_FMA, 2);
    for (u32 k = 0; k < 32; k++)
        made_enter(&m);
    m.warps = 32 / blocks;
    m.resident = blocks;
    m.nblocks = (u64)m.gpu.sms * blocks;
    const struct replay_result r = made_replay(&m, NULL);
    arena_free(&m.mem);
    return r;
}

/* Blocks end one after the other, oldest first: an H200's eight end after 373 to 636 us (tests/hw/h200/issue-order.csv, four
 * chains), so that 27 of 32 warps are there on the average. Warps of one block end together. */
static void blocks_end_in_turn(void **state)
{
    (void)state;
    const struct replay_result one = eight_warps(1), eight = eight_warps(8);
    assert_true(one.warps > 30);
    assert_true(eight.warps > 16 && eight.warps < 24);
    assert_true(eight.cycles < 1.08 * one.cycles);
}

/* As measured: IMAD and FFMA in turns are two in three cycles. */
static void integers_and_floats_share(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    for (u32 k = 0; k < INSTS; k++)
        made_inst(&m, k % 2 ? PIPE_FMA : PIPE_FMAHEAVY, 2);
    for (u32 k = 0; k < 32; k++)
        made_enter(&m);
    m.warps = 32;
    assert_in_range((u64)made_cycles(&m), 24576, 24576 + 2000); /* 8 x 64 x 32 x 3 / 2 */
    arena_free(&m.mem);
}

/* Every cycle of a warp has one reason. */
static void reasons_add_up(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    for (u32 k = 0; k < 20; k++)
        made_inst(&m, k % 3 ? PIPE_FMA : PIPE_XU, 3);
    for (u32 k = 0; k < 50; k++)
        made_enter(&m);
    m.warps = 12;
    const struct replay_result r = made_replay(&m, NULL);
    double sum = 0;
    for (u32 k = 0; k < STALL_COUNT; k++)
        sum += r.stalls[k];
    const double there = r.warps * r.cycles;
    assert_true(sum > 0.98 * there && sum < 1.02 * there);
    assert_true(r.stalls[STALL_SELECTED] == 12 * 20 * 50);
    arena_free(&m.mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_its_stalls),
        cmocka_unit_test(warps_share_a_pipe),
        cmocka_unit_test(moved_accesses_are_done_once),
        cmocka_unit_test(a_barrier_waits_for_all),
        cmocka_unit_test(a_sleep_lasts_until_the_clock_ticks),
        cmocka_unit_test(many_blocks_take_longer),
        cmocka_unit_test(a_last_wave_takes_as_long_as_its_blocks),
        cmocka_unit_test(blocks_begin_as_warps_end),
        cmocka_unit_test(words_of_constants_come_one_by_one),
        cmocka_unit_test(matches_take_their_unit_for_each_value),
        cmocka_unit_test(wide_constants_take_a_word_more),
        cmocka_unit_test(constants_leave_their_cache),
        cmocka_unit_test(operands_are_missed),
        cmocka_unit_test(multiprocessors_share_the_second_cache_of_constants),
        cmocka_unit_test(blocks_that_look_at_different_constants_bring_them_for_others),
        cmocka_unit_test(four_loads_of_constants_are_under_way),
        cmocka_unit_test(lanes_that_part_come_to_a_join),
        cmocka_unit_test(exits_cost_where_lanes_leave),
        cmocka_unit_test(code_leaves_its_cache),
        cmocka_unit_test(reasons_add_up),
        cmocka_unit_test(a_bank_gives_a_register_a_cycle),
        cmocka_unit_test(half_rate_is_half_throttle),
        cmocka_unit_test(blocks_end_in_turn),
        cmocka_unit_test(integers_and_floats_share),
        cmocka_unit_test(products_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
