/* test_sm_memory.c - the replay of an SM: accesses to memory, atomics, and what SMs share. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sm_bench.h"

static double copies(u32 arrivals)
{
    struct made m;
    made_begin(&m);
    for (u32 k = 0; k < 2; k++)
        made_inst(&m, PIPE_LSU, 4)->op = REPLAY_MEMORY;
    made_inst(&m, PIPE_FMA, 4);
    for (u32 k = 0; k < 10; k++) {
        made_enter(&m);
        m.items[m.nitems++] = item_async((struct item_async){.what = ASYNC_LOAD, .slot = 3, .n = 8});
        m.items[m.nitems++] =
            item_async((struct item_async){.what = ASYNC_WAIT, .slot = 3, .n = arrivals ? k + arrivals : 0});
    }
    const double t = made_cycles(&m);
    arena_free(&m.mem);
    return t;
}

/* Who waits for each of ten copies from DRAM waits ten times that long; for one that never comes nobody waits for ever. */
static void copies_are_waited_for(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    const struct machine machine = machine_of(&m.gpu, false);
    const double none = copies(0), each = copies(1);
    assert_true(each - none > 10 * machine.dram);
    assert_true(each - none < 10 * (machine.dram + machine.copy + 200));
    assert_true(copies(2) < 2 * each);
    arena_free(&m.mem);
}

static void add_atomic(struct made *m) { made_inst(m, PIPE_LSU, 4)->op = REPLAY_MEMORY; }

static void add_to_one_word(struct made *m, u32 n)
{
    for (u32 k = 0; k < n; k++) {
        made_enter(m);
        m->items[m->nitems++] =
            item_access((struct item_access){.class = ITEM_REDUCTION, .passes = 32, .lines = 32, .sector = 1});
    }
    m->atomics = (double)(m->nblocks * m->warps * n * 32);
    m->hot.sector = m->hot.slice[HOT_ATOMICS] = (u64)m->atomics;
}

/* All SMs add to one word, which takes a slice of L2 1.45 cycles: the SM has a 132nd of that. Its warps do not wait for the
 * first additions, and at their end only until the last ones have left. */
static void additions_to_one_word_go_one_by_one(void **state)
{
    (void)state;
    double drained[2], took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        struct replay_site site = {{0}, 0};
        made_begin(&m);
        m.nblocks = 132;
        add_atomic(&m);
        add_to_one_word(&m, k ? 16 : 4);
        took[k] = made_replay(&m, &site).cycles;
        drained[k] = site.stalls[STALL_DRAIN];
        arena_free(&m.mem);
    }
    assert_in_range((u64)took[0], 24400, 26500); /* 132 x 4 x 32 / 0.69 */
    assert_in_range((u64)took[1], 97400, 99400);
    assert_in_range((u64)drained[0], 0, 200);
    assert_in_range((u64)drained[1], 25000, 45000); /* an H200: 35000 */
}

/* A lock is free for the next SM when it is let go: an exchange at the same word, 1000 cycles after the swap. */
static void locks_are_held(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    m.nblocks = m.swaps = m.swaps_hot = 132;
    struct replay_inst *swap = made_inst(&m, PIPE_LSU, 1);
    swap->op = REPLAY_MEMORY;
    swap->write_bar = 0;
    made_inst(&m, PIPE_FMA, 200)->wait = 1;
    made_inst(&m, PIPE_FMA, 200);
    add_atomic(&m);
    made_enter(&m);
    made_access(&m, ITEM_SWAP, 1);
    made_access(&m, ITEM_ATOMIC, 1);
    const struct replay_result r = made_replay(&m, NULL);
    assert_true(r.tries == 0);
    assert_in_range((u64)r.cycles, 132 * 900, 132 * 1000); /* 519 until it is known to be taken, and 400 */
    arena_free(&m.mem);
}

/* Each SM changes one word by one compare-and-swap: one after the other, some 540 cycles each. At many words: all at once. */
static void swaps_of_one_word_go_one_by_one(void **state)
{
    (void)state;
    struct replay_result took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        m.nblocks = 132;
        m.swaps = 132;
        m.swaps_hot = k ? 1 : 132;
        add_atomic(&m);
        made_enter(&m);
        made_access(&m, ITEM_SWAP, 1);
        took[k] = made_replay(&m, NULL);
        arena_free(&m.mem);
    }
    assert_in_range((u64)took[0].cycles, 71400, 72900);
    assert_in_range((u64)took[1].cycles, 0, 1500);
    assert_in_range((u64)took[0].tries, 132 * 65, 132 * 66); /* the k-th fails k times */
    assert_true(took[1].tries == 0);
}

/* A load and its use, again and again: of the same sector, of another sector each time, and of another line. */
static void a_load_is_waited_for(void **state)
{
    (void)state;
    enum { SAME, SECTORS, LINES, WAYS };
    double took[WAYS];
    struct replay_site sites[WAYS][1];
    memset(sites, 0, sizeof sites);
    for (u32 k = 0; k < WAYS; k++) {
        struct made m;
        made_begin(&m);
        made_load_and_use(&m);
        for (u32 i = 0; i < 100; i++) {
            made_enter(&m);
            made_load(&m, k == SAME ? 1 : k == SECTORS ? 1 + i / 4 : 1 + i, k == SECTORS ? i % 4 : 0);
        }
        took[k] = made_replay(&m, sites[k]).cycles;
        arena_free(&m.mem);
    }
    assert_in_range((u64)took[SAME], 99 * 36 + 685, 99 * 60 + 720);
    assert_in_range((u64)(took[LINES] - took[SAME]), 99 * 600, 99 * 700); /* 685 against 32 */
    assert_true(fabs(took[SECTORS] - took[LINES]) < 100);
    assert_true(sites[LINES][0].stalls[STALL_LONG_SCOREBOARD] > 60000);
    assert_true(sites[LINES][0].issued == 200);
}

/* Two warps want the same line: the second one waits for what the first has asked for. */
static void a_hit_waits_for_what_is_under_way(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        made_load_and_use(&m);
        m.warps = 1 + k;
        made_enter(&m);
        made_load(&m, 1, 0);
        took[k] = made_cycles(&m);
        arena_free(&m.mem);
    }
    assert_in_range((u64)took[0], 685, 1000); /* and the first fetch */
    assert_true(took[1] < took[0] + 20);
}

/* Wavefronts of shared memory: one a cycle for the SM, two for a warp alone. */
static void conflicts_cost_wavefronts(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        made_load_and_use(&m);
        for (u32 i = 0; i < 100; i++) {
            made_enter(&m);
            made_access(&m, ITEM_SHARED_LOAD, k ? 32 : 1);
        }
        took[k] = made_cycles(&m);
        arena_free(&m.mem);
    }
    assert_in_range((u64)(took[1] - took[0]), 100 * 60, 100 * 64); /* 31 x 2 */
}

/* Stores of 32 sectors in so many lines, all of them or a word of each; of which a share goes along with others. */
static double stores(u16 lines, bool parts, double along)
{
    struct made m;
    made_begin(&m);
    struct replay_inst *i = made_inst(&m, PIPE_LSU, 4);
    i->op = REPLAY_MEMORY;
    i->read_bar = 0;
    made_inst(&m, PIPE_FMA, 4)->wait = 1;
    for (u32 k = 0; k < 100; k++) {
        made_enter(&m);
        m.items[m.nitems++] = item_access(
            (struct item_access){.class = ITEM_STORE, .passes = 32, .lines = lines, .wavefronts = 8, .slow = parts});
    }
    m.shares.served = (struct served){.l1 = along, .near = 1 - along};
    const double t = made_cycles(&m);
    arena_free(&m.mem);
    return t;
}

static void parts_of_sectors_take_longer(void **state)
{
    (void)state;
    const double whole = stores(8, false, 0), parts = stores(8, true, 0);
    assert_true(parts > whole + 100 * 9.5 && parts < whole + 100 * 11.5);
    const double apart = stores(32, false, 0), words = stores(32, true, 0);
    assert_true(words > apart + 100 * 32 && words < apart + 100 * 36);
}

static void stores_that_go_along_cost_less(void **state)
{
    (void)state;
    assert_true(stores(8, true, 0.5) < 0.75 * stores(8, true, 0)); /* the rest is its way */
}

/* Registers that are kept in local memory are written to L2. */
static void spilled_registers_leave_the_sm(void **state)
{
    (void)state;
    double t[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        made_begin(&m);
        m.warps = 32;
        struct replay_inst *i = made_inst(&m, PIPE_LSU, 4);
        i->spill = k ? SPILL_STORE : SPILL_LOAD;
        i->count = 4;
        for (u32 n = 0; n < 200; n++)
            made_enter(&m);
        t[k] = made_cycles(&m);
        arena_free(&m.mem);
    }
    assert_true(t[1] > 2 * t[0]);
}

/* Cycles of a warp's load of `words` a lane that L1 holds, each needing the one before, where so many words of a bank are wanted. */
static double l1_chain(u16 wavefronts, u16 words)
{
    enum { LOADS = 200 };
    struct made m;
    made_begin(&m);
    made_load_and_use(&m);
    m.insts[0].count = words;
    for (u32 k = 0; k < LOADS; k++) {
        made_enter(&m);
        m.items[m.nitems++] =
            item_access((struct item_access){.class = ITEM_LOAD, .passes = 1, .lines = 1, .wavefronts = wavefronts});
        m.items[m.nitems++] = item_line(7, 1, TRAFFIC_LOAD);
    }
    const double t = made_cycles(&m) / LOADS;
    arena_free(&m.mem);
    return t;
}

/* tests/hw/h200/gathers.csv, L1, one warp: 111 cycles a round for a word of one line, 128 of 8, 181 of 32; of 16 bytes 140 of 8 lines. */
static void conflicts_of_a_load_are_latency(void **state)
{
    (void)state;
    const double one = l1_chain(1, 1);
    assert_true(fabs(l1_chain(8, 1) - one - 17) < 3);
    assert_true(fabs(l1_chain(32, 1) - one - 70) < 3);
    assert_true(fabs(l1_chain(8, 4) - one - 29) < 3);
}

/* So many warps compute, or read shared memory in so many wavefronts. */
static struct replay_result crowd(u32 warps, u16 wavefronts)
{
    struct made m;
    made_begin(&m);
    if (wavefronts)
        made_load_and_use(&m);
    else
        for (u32 i = 0; i < INSTS; i++)
            made_inst(&m, PIPE_FMA, 4);
    for (u32 k = 0; k < 64; k++) {
        made_enter(&m);
        if (wavefronts)
            made_access(&m, ITEM_SHARED_LOAD, wavefronts);
    }
    m.warps = warps;
    const struct replay_result r = made_replay(&m, NULL);
    arena_free(&m.mem);
    return r;
}

/* Shares of the time, in which units are used: those of full ones are nearly 1, and never more. */
static void units_are_used(void **state)
{
    (void)state;
    const struct replay_result full = crowd(32, 0), alone = crowd(1, 0), shared = crowd(32, 32);
    assert_true(full.sm_used > 0.8 && full.sm_used <= 1 && full.l1_used < 0.01);
    assert_true(alone.sm_used > 0.03 && alone.sm_used < 0.1);
    assert_true(shared.l1_used > 0.9 && shared.l1_used <= 1 && shared.sm_used < 0.2);
}

/* Blocks of one warp, two on each SM; those of SM 5 are so many times as long. */
static struct replay_result one_sm_longer(double times)
{
    struct made m;
    made_begin(&m);
    made_load_and_use(&m);
    for (u32 k = 0; k < 64; k++) {
        made_enter(&m);
        made_load(&m, k, 0);
    }
    struct replay_size sizes[BLOCKS];
    m.resident = 2;
    m.nblocks = 2ull * m.gpu.sms;
    for (u64 b = 0; b < m.nblocks; b++)
        sizes[b] = (struct replay_size){.longest = b % m.gpu.sms == 5 ? (float)times : 1};
    m.sizes = sizes;
    const struct replay_result r = made_replay(&m, NULL);
    arena_free(&m.mem);
    return r;
}

/* The launch ends with that SM, and the others are done before. */
static void the_sm_of_long_blocks_ends_last(void **state)
{
    (void)state;
    const struct replay_result even = one_sm_longer(1), longer = one_sm_longer(1.5), much = one_sm_longer(4);
    assert_true(longer.cycles > 1.45 * even.cycles && longer.cycles < 1.55 * even.cycles);
    assert_true(much.cycles > 3.9 * even.cycles && much.cycles < 4.1 * even.cycles);
    assert_true(longer.active > 0.99 * even.active && longer.active < 1.02 * even.active);
    assert_true(even.active > 0.9 * even.cycles && even.active < 0.96 * even.cycles);
    assert_true(much.warps < 1.1 * even.warps);
}

/* A warp's loads past L1, each of which needs the one before, or stores: n of so many sectors in lines so far from each other. */
static void add_accesses(struct made *m, u8 class, u32 n, u16 sectors, u16 lines, u64 apart)
{
    if (class == ITEM_LOAD)
        made_load_and_use(m);
    else
        made_inst(m, PIPE_LSU, 4)->op = REPLAY_MEMORY;
    for (u32 k = 0; k < n; k++) {
        made_enter(m);
        made_access_lines(m, class, sectors, lines);
        for (u32 j = 0; j < lines; j++)
            m->items[m->nitems++] = item_line((k * lines + j) * apart, (1u << sectors / lines) - 1,
                                              class == ITEM_LOAD ? TRAFFIC_LOAD_PAST : TRAFFIC_STORE);
    }
}

/* Cycles of a load of four sectors that needs the one before, of DRAM, where so many SMs and warps do so. */
static double dram_chain(u64 sms, u32 warps)
{
    enum { LOADS = 100 };
    struct made m;
    made_begin(&m);
    add_accesses(&m, ITEM_LOAD, LOADS, 4, 1, 1);
    m.warps = warps;
    m.nblocks = sms;
    const double t = made_cycles(&m) / LOADS;
    arena_free(&m.mem);
    return t;
}

/* A third of DRAM's bandwidth makes each load wait for a third of what it waits for more where all is in use. */
static void dram_in_use_answers_later(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    const struct machine machine = machine_of(&m.gpu, false);
    const double alone = dram_chain(1, 1), one = dram_chain(m.gpu.sms, 1), many = dram_chain(m.gpu.sms, 32);
    const double use = 32.0 * 128 * m.gpu.sms / many / machine.dram_all;
    assert_true(one < alone + 15);
    assert_true(many > alone + 0.7 * use * machine.dram_full && many < alone + 1.3 * use * machine.dram_full + 40);
    arena_free(&m.mem);
}

/* Cycles of an access of 32 sectors in so many lines, which are so far from each other; by 32 warps of each SM. */
static double sectors_in_lines(u8 class, u16 lines, u64 apart)
{
    enum { ACCESSES = 40, SECTORS = 32 };
    struct made m;
    made_begin(&m);
    add_accesses(&m, class, ACCESSES, SECTORS, lines, apart);
    m.warps = 32;
    m.nblocks = m.gpu.sms;
    const double t = made_cycles(&m) / ACCESSES;
    arena_free(&m.mem);
    return t;
}

/* Of memory-cases.csv: random places cost DRAM 1.46 times what places a stride apart do; L2 takes half as many sectors, when each is
 * in a line of its own. */
static void places_apart_cost_more(void **state)
{
    (void)state;
    const double strided = sectors_in_lines(ITEM_LOAD, 32, 1), apart = sectors_in_lines(ITEM_LOAD, 32, 100);
    const double whole = sectors_in_lines(ITEM_STORE, 8, 1), single = sectors_in_lines(ITEM_STORE, 32, 1);
    assert_true(apart > 1.36 * strided && apart < 1.5 * strided);
    assert_true(single > 1.8 * whole && single < 2.2 * whole);
}

/* Words at random places that are read and written: L2 does the one or the other (memory-cases.csv: update, 16 MiB). */
static void reads_and_writes_of_lines_share_l2(void **state)
{
    (void)state;
    enum { ACCESSES = 40, LINES = 32 };
    struct made m;
    made_begin(&m);
    made_load_and_use(&m);
    made_inst(&m, PIPE_LSU, 4)->op = REPLAY_MEMORY;
    m.shares.served = (struct served){.near = 1};
    for (u32 k = 0; k < ACCESSES; k++) {
        made_enter(&m);
        for (u32 c = 0; c < 2; c++) {
            made_access_lines(&m, c ? ITEM_STORE : ITEM_LOAD, LINES, LINES);
            for (u64 j = 0; j < LINES; j++)
                m.items[m.nitems++] = item_line((k * LINES + j) * 100, 1, c ? TRAFFIC_STORE : TRAFFIC_LOAD_PAST);
        }
    }
    m.warps = 32;
    m.nblocks = m.gpu.sms;
    const struct machine machine = machine_of(&m.gpu, false);
    const double t = made_cycles(&m) / ACCESSES, all = 32.0 * LINES * m.gpu.sms;
    const double read = all * machine.l2_read_apart, written = all * machine.l2_write_line;
    assert_true(t > 0.97 * (read + written) && t < 1.06 * (read + written));
    arena_free(&m.mem);
}

/* 32 warps of each SM read or write whole lines of the host's, one after the other: cycles of one of a warp's accesses. */
static double host_accesses(u64 sms, u8 class, u32 warps)
{
    enum { ACCESSES = 40 };
    struct made m;
    made_begin(&m);
    m.shares = (struct replay_shares){.served = {.host = 1}, .link = 32};
    add_accesses(&m, class, ACCESSES, 4, 1, 1);
    m.warps = warps;
    m.nblocks = sms;
    const double t = made_cycles(&m) / ACCESSES;
    arena_free(&m.mem);
    return t;
}

/* One load after the other takes the way there and back; many are as fast as the link, whoever asks. */
static void the_link_is_shared(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    const struct machine machine = machine_of(&m.gpu, false);
    arena_free(&m.mem);
    const double alone = host_accesses(1, ITEM_LOAD, 1);
    assert_true(alone > machine.host && alone < machine.host + 100);
    const double in = 132 * 32 * 128 / machine.link_in, out = 132 * 32 * 128 / machine.link_out;
    const double loads = host_accesses(132, ITEM_LOAD, 32), stores = host_accesses(132, ITEM_STORE, 32);
    assert_true(loads > 0.95 * in && loads < 1.1 * in);
    assert_true(stores > 0.95 * out && stores < 1.1 * out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(additions_to_one_word_go_one_by_one),
        cmocka_unit_test(swaps_of_one_word_go_one_by_one),
        cmocka_unit_test(locks_are_held),
        cmocka_unit_test(a_load_is_waited_for),
        cmocka_unit_test(conflicts_cost_wavefronts),
        cmocka_unit_test(the_sm_of_long_blocks_ends_last),
        cmocka_unit_test(units_are_used),
        cmocka_unit_test(conflicts_of_a_load_are_latency),
        cmocka_unit_test(dram_in_use_answers_later),
        cmocka_unit_test(places_apart_cost_more),
        cmocka_unit_test(the_link_is_shared),
        cmocka_unit_test(parts_of_sectors_take_longer),
        cmocka_unit_test(stores_that_go_along_cost_less),
        cmocka_unit_test(reads_and_writes_of_lines_share_l2),
        cmocka_unit_test(spilled_registers_leave_the_sm),
        cmocka_unit_test(a_hit_waits_for_what_is_under_way),
        cmocka_unit_test(copies_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
