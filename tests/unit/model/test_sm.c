/* test_sm.c - the replay of an SM on code and streams that are made by hand, so that times can be reckoned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/gpu.h"
#include "model/replay/machine.h"
#include "model/replay/prepare.h"
#include "model/replay/replay.h"

enum { INSTS = 64, ENTRIES = 4096, BLOCKS = 600, BLOCKS_KEPT = 64 };

/* A function of one PTX block, which warps enter again and again. */
struct made {
    struct arena mem;
    struct gpu gpu;
    struct replay_inst insts[INSTS];
    u32 n;
    u64 items[ENTRIES];
    u32 nitems;
    u32 shorter; /* items of the warps behind the first of a block; 0: all */
    u32 warps, resident, slots, places;
    u64 nblocks;
    double atomics;
    struct l2_hot hot;
    u64 swaps, swaps_hot;
    struct replay_shares shares;
    const struct replay_code *code; /* in place of insts */
    double busiest;
    u64 budget; /* 0: 1 << 20 */
};

static void begin(struct made *m)
{
    *m =
        (struct made){.mem = ARENA("test"), .warps = 1, .resident = 1, .nblocks = 1, .shares = {.served = {.dram = 1}}};
    assert_int_equal(gpu_find("h200", &m->gpu, NULL), LS_OK);
}

static struct replay_inst *add_inst(struct made *m, u8 pipe, u8 stall)
{
    m->insts[m->n] = (struct replay_inst){
        .pipe = pipe, .stall = stall, .write_bar = REPLAY_NO_BAR, .read_bar = REPLAY_NO_BAR, .at = 0};
    return &m->insts[m->n++];
}

static void add_load_and_use(struct made *m)
{
    struct replay_inst *load = add_inst(m, PIPE_LSU, 1);
    load->op = REPLAY_MEMORY;
    load->write_bar = 0;
    add_inst(m, PIPE_FMA, 4)->wait = 1;
}

static void enter(struct made *m) { m->items[m->nitems++] = item_enter(0, 0, UINT32_MAX); }

static void access_lines(struct made *m, u8 class, u16 passes, u16 lines)
{
    m->items[m->nitems++] = item_access((struct item_access){.class = class, .passes = passes, .lines = lines});
}

static void access(struct made *m, u8 class, u16 passes) { access_lines(m, class, passes, 1); }

/* One sector of a line. */
static void load(struct made *m, u64 line, u32 sector)
{
    access(m, ITEM_LOAD, 1);
    m->items[m->nitems++] = item_line(line, 1u << sector, TRAFFIC_LOAD);
}

/* Every warp of every block does the same. *sites: what its one site waited for; NULL: not asked. */
static struct replay_result replay(struct made *m, struct replay_site *sites)
{
    struct replay_program program = {m->insts, m->n, 1};
    struct replay_block code_block = {&program, 1};
    const struct replay_code code = {.blocks = &code_block, .nblocks = 1, .ninsts = INSTS * INSTS_A_LINE};
    struct replay_site own[2] = {{{0}, 0}};
    const struct replay_shares shares = m->shares;
    struct replay_func f = {
        .code = m->code ? m->code : &code, .nsites = 1, .shares = &shares, .sites = sites ? sites : own};
    struct replay_func *funcs[] = {&f};
    struct replay_stream streams[32];
    for (u32 w = 0; w < m->warps; w++)
        streams[w] = (struct replay_stream){m->items, w && m->shorter ? m->shorter : m->nitems};
    struct replay_block_stream blocks[BLOCKS_KEPT];
    const u64 of = (m->nblocks + m->gpu.sms - 1) / m->gpu.sms;
    u32 n = 0;
    for (u64 k = 0; k < of; k++)
        if (replay_takes(k, of, m->resident))
            blocks[n++] = (struct replay_block_stream){.warps = streams,
                                                       .funcs = funcs,
                                                       .nfuncs = 1,
                                                       .linear = k * m->gpu.sms,
                                                       .cost = 1,
                                                       .longest = 1,
                                                       .rest = 1};
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
                                    .busiest = m->busiest,
                                    .atomics = m->atomics,
                                    .hot = m->hot,
                                    .swaps = m->swaps,
                                    .swaps_hot = m->swaps_hot,
                                    .budget = m->budget ? m->budget : 1 << 20};
    assert_false(setjmp(m->mem.oom));
    return replay_launch(&m->mem, &l);
}

static double cycles_of(struct made *m) { return replay(m, NULL).cycles; }

/* ---- what goes on while warps run ---- */

static double products(u32 groups_under_way)
{
    struct made m;
    begin(&m);
    struct replay_inst *product = add_inst(&m, PIPE_TENSOR, 1);
    product->op = REPLAY_PRODUCT;
    product->interval = 64;
    product->count = 1;
    struct replay_inst *wait = add_inst(&m, PIPE_NONE, 1);
    wait->op = REPLAY_PRODUCT_WAIT;
    wait->count = (u16)groups_under_way;
    for (u32 k = 0; k < 100; k++)
        enter(&m);
    const double t = cycles_of(&m);
    arena_free(&m.mem);
    return t;
}

/* One after the other each takes its pipe and the way back; with one under way the pipe alone. */
static void products_are_waited_for(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    const struct machine machine = machine_of(&m.gpu, true);
    const double one = products(0), two = products(1);
    assert_true(two >= 100 * 64 && two < 100 * 64 + 500);
    assert_true(one >= two + 99 * machine.product);
    assert_true(one < two + 99 * (machine.product + machine.branch + machine.branch_fetch));
    arena_free(&m.mem);
}

static double copies(u32 arrivals)
{
    struct made m;
    begin(&m);
    for (u32 k = 0; k < 2; k++)
        add_inst(&m, PIPE_LSU, 4)->op = REPLAY_MEMORY;
    add_inst(&m, PIPE_FMA, 4);
    for (u32 k = 0; k < 10; k++) {
        enter(&m);
        m.items[m.nitems++] = item_async((struct item_async){.what = ASYNC_LOAD, .slot = 3, .n = 8});
        m.items[m.nitems++] =
            item_async((struct item_async){.what = ASYNC_WAIT, .slot = 3, .n = arrivals ? k + arrivals : 0});
    }
    const double t = cycles_of(&m);
    arena_free(&m.mem);
    return t;
}

/* Who waits for each of ten copies from DRAM waits ten times that long; for one that never comes nobody waits for ever. */
static void copies_are_waited_for(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    const struct machine machine = machine_of(&m.gpu, false);
    const double none = copies(0), each = copies(1);
    assert_true(each - none > 10 * machine.dram);
    assert_true(each - none < 10 * (machine.dram + machine.copy + 200));
    assert_true(copies(2) < 2 * each);
    arena_free(&m.mem);
}

/* A warp alone: the sum of its stall counts. */
static void a_chain_takes_its_stalls(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    for (u32 k = 0; k < 10; k++)
        add_inst(&m, PIPE_FMA, 4);
    for (u32 k = 0; k < 10; k++)
        enter(&m);
    const double ten = cycles_of(&m);
    for (u32 k = 0; k < 10; k++)
        enter(&m);
    assert_in_range((u64)(cycles_of(&m) - ten), 400, 400 + 10 * 12); /* and ten jumps back */
    arena_free(&m.mem);
}

static void add_atomic(struct made *m) { add_inst(m, PIPE_LSU, 4)->op = REPLAY_MEMORY; }

static void add_to_one_word(struct made *m, u32 n)
{
    for (u32 k = 0; k < n; k++) {
        enter(m);
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
        begin(&m);
        m.nblocks = 132;
        add_atomic(&m);
        add_to_one_word(&m, k ? 16 : 4);
        took[k] = replay(&m, &site).cycles;
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
    begin(&m);
    m.nblocks = m.swaps = m.swaps_hot = 132;
    struct replay_inst *swap = add_inst(&m, PIPE_LSU, 1);
    swap->op = REPLAY_MEMORY;
    swap->write_bar = 0;
    add_inst(&m, PIPE_FMA, 200)->wait = 1;
    add_inst(&m, PIPE_FMA, 200);
    add_atomic(&m);
    enter(&m);
    access(&m, ITEM_SWAP, 1);
    access(&m, ITEM_ATOMIC, 1);
    const struct replay_result r = replay(&m, NULL);
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
        begin(&m);
        m.nblocks = 132;
        m.swaps = 132;
        m.swaps_hot = k ? 1 : 132;
        add_atomic(&m);
        enter(&m);
        access(&m, ITEM_SWAP, 1);
        took[k] = replay(&m, NULL);
        arena_free(&m.mem);
    }
    assert_in_range((u64)took[0].cycles, 71400, 72900);
    assert_in_range((u64)took[1].cycles, 0, 1500);
    assert_in_range((u64)took[0].tries, 132 * 65, 132 * 66); /* the k-th fails k times */
    assert_true(took[1].tries == 0);
}

/* Warps of a scheduler hide each other's stalls until its pipe is full. */
static void warps_share_a_pipe(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        begin(&m);
        for (u32 i = 0; i < INSTS; i++)
            add_inst(&m, k ? PIPE_FP64 : PIPE_FMA, 2);
        for (u32 i = 0; i < 64; i++)
            enter(&m);
        m.warps = 16; /* four a scheduler: 4 x 64 x 64 instructions, one a cycle, or one every second */
        took[k] = cycles_of(&m);
        arena_free(&m.mem);
    }
    assert_in_range((u64)took[0], 16384, 16384 + 1500);
    assert_in_range((u64)took[1], 32768, 32768 + 1500);
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
        begin(&m);
        add_load_and_use(&m);
        for (u32 i = 0; i < 100; i++) {
            enter(&m);
            load(&m, k == SAME ? 1 : k == SECTORS ? 1 + i / 4 : 1 + i, k == SECTORS ? i % 4 : 0);
        }
        took[k] = replay(&m, sites[k]).cycles;
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
        begin(&m);
        add_load_and_use(&m);
        m.warps = 1 + k;
        enter(&m);
        load(&m, 1, 0);
        took[k] = cycles_of(&m);
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
        begin(&m);
        add_load_and_use(&m);
        for (u32 i = 0; i < 100; i++) {
            enter(&m);
            access(&m, ITEM_SHARED_LOAD, k ? 32 : 1);
        }
        took[k] = cycles_of(&m);
        arena_free(&m.mem);
    }
    assert_in_range((u64)(took[1] - took[0]), 100 * 60, 100 * 64); /* 31 x 2 */
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
        begin(&m);
        add_load_and_use(&m);
        m.insts[0].pipe = PIPE_ADU;
        for (u32 i = 0; i < 100; i++) {
            enter(&m);
            load_constants(&m, k ? 32 : 1, 4);
        }
        took[k] = cycles_of(&m);
        arena_free(&m.mem);
    }
    assert_in_range((u64)(took[1] - took[0]), 100 * 31 * 11 - 100, 100 * 31 * 11 + 100);
}

/* More lines of constants than the first cache holds, over and over: each comes from the second one. */
static void constants_leave_their_cache(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        begin(&m);
        add_load_and_use(&m);
        m.insts[0].pipe = PIPE_ADU;
        for (u32 i = 0; i < 1000; i++) {
            enter(&m);
            load_constants(&m, 1, i % (k ? 40 : 20));
        }
        took[k] = cycles_of(&m);
        arena_free(&m.mem);
    }
    const double more = took[1] - took[0]; /* 66 each, and five times 256 bytes more from DRAM */
    assert_in_range((u64)more, 980 * 66, 980 * 66 + 5 * 750);
}

/* The first operand of a launch is waited for, and so is each one in another line. */
static void operands_are_missed(void **state)
{
    (void)state;
    struct made m;
    struct replay_site site = {{0}, 0};
    begin(&m);
    for (u32 k = 0; k < 3; k++) {
        struct replay_inst *i = add_inst(&m, PIPE_FMA, 4);
        i->constant = true;
        i->constant_line = constant_line(k / 2 * CONSTANT_VARIABLES, 0x210);
    }
    enter(&m);
    replay(&m, &site);
    assert_in_range((u64)site.stalls[STALL_IMC_MISS], 750, 1000); /* a parameter's line; one of a variable, from DRAM */
    arena_free(&m.mem);
}

/* A loop that the first cache of code does not hold takes as long as its lines do. */
/* Loads of so many lines of 256 bytes that no cache has, none of which needs another. */
static double cold_constants(u32 n)
{
    struct made m;
    begin(&m);
    for (u32 k = 0; k < n; k++) {
        struct replay_inst *i = add_inst(&m, PIPE_ADU, 2);
        i->op = REPLAY_MEMORY;
        i->write_bar = 0;
    }
    add_inst(&m, PIPE_FMA, 4)->wait = 1;
    enter(&m);
    for (u32 k = 0; k < n; k++)
        load_constants(&m, 1, 4 * k);
    const double t = cycles_of(&m);
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

/* A block that ends in `control`, entered 100 times by these lanes in turn. */
static double turns(u8 control, u32 lanes, u32 then)
{
    struct made m;
    begin(&m);
    add_inst(&m, PIPE_FMA, 4);
    add_inst(&m, PIPE_BRANCH, 5)->control = control;
    for (u32 k = 0; k < 100; k++)
        m.items[m.nitems++] = item_enter(0, 0, k % 2 ? then : lanes);
    const double t = cycles_of(&m);
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

/* Stores of 32 sectors, all of them or a word of each. */
static double stores(bool parts)
{
    struct made m;
    begin(&m);
    struct replay_inst *i = add_inst(&m, PIPE_LSU, 4);
    i->op = REPLAY_MEMORY;
    i->read_bar = 0;
    add_inst(&m, PIPE_FMA, 4)->wait = 1;
    for (u32 k = 0; k < 100; k++) {
        enter(&m);
        m.items[m.nitems++] = item_access(
            (struct item_access){.class = ITEM_STORE, .passes = 32, .lines = 8, .wavefronts = 8, .slow = parts});
    }
    const double t = cycles_of(&m);
    arena_free(&m.mem);
    return t;
}

static void parts_of_sectors_take_longer(void **state)
{
    (void)state;
    const double whole = stores(false), parts = stores(true);
    assert_true(parts > whole + 100 * 7 && parts < whole + 100 * 9);
}

/* Registers that are kept in local memory are written to L2. */
static void spilled_registers_leave_the_sm(void **state)
{
    (void)state;
    double t[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        begin(&m);
        m.warps = 32;
        struct replay_inst *i = add_inst(&m, PIPE_LSU, 4);
        i->spill = k ? SPILL_STORE : SPILL_LOAD;
        i->count = 4;
        for (u32 n = 0; n < 200; n++)
            enter(&m);
        t[k] = cycles_of(&m);
        arena_free(&m.mem);
    }
    assert_true(t[1] > 2 * t[0]);
}

static void code_leaves_its_cache(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        begin(&m);
        m.gpu.icache_l1_bytes = (k ? INSTS / 2 : 2 * INSTS) * INSTS_A_LINE * INST_BYTES;
        for (u32 i = 0; i < INSTS; i++)
            add_inst(&m, PIPE_FMA, 4)->at = i * INSTS_A_LINE;
        for (u32 i = 0; i < 50; i++)
            enter(&m);
        took[k] = cycles_of(&m);
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
    begin(&m);
    for (u32 b = 0; b < PARTS; b++) {
        struct replay_inst *use;
        m.n = 0;
        add_load_and_use(&m);
        use = add_inst(&m, PIPE_FMA, 4);
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
            load(&m, k, 0);
    }
    const struct replay_code code = {.blocks = blocks, .nblocks = PARTS, .moved = &how, .ninsts = 8};
    m.code = &code;
    const double t = replay(&m, &site).cycles;
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
    begin(&m);
    add_inst(&m, PIPE_FMA, 4);
    add_inst(&m, PIPE_ADU, 2)->op = REPLAY_BARRIER;
    add_inst(&m, PIPE_FMA, 4);
    m.warps = 8;
    for (u32 k = 0; k < 50; k++) {
        enter(&m);
        m.items[m.nitems++] = item_barrier(0, 0, 0, true);
    }
    const double cycles = replay(&m, &site).cycles;
    assert_true(site.stalls[STALL_BARRIER] > 0);
    assert_in_range((u64)cycles, 50 * 25, 50 * 70); /* 13 + 2 a warp, and what is around it */
    arena_free(&m.mem);
}

/* Cycles of a warp's load of `words` a lane that L1 holds, each needing the one before, where so many words of a bank are wanted. */
static double l1_chain(u16 wavefronts, u16 words)
{
    enum { LOADS = 200 };
    struct made m;
    begin(&m);
    add_load_and_use(&m);
    m.insts[0].count = words;
    for (u32 k = 0; k < LOADS; k++) {
        enter(&m);
        m.items[m.nitems++] =
            item_access((struct item_access){.class = ITEM_LOAD, .passes = 1, .lines = 1, .wavefronts = wavefronts});
        m.items[m.nitems++] = item_line(7, 1, TRAFFIC_LOAD);
    }
    const double t = cycles_of(&m) / LOADS;
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
    begin(&m);
    if (wavefronts)
        add_load_and_use(&m);
    else
        for (u32 i = 0; i < INSTS; i++)
            add_inst(&m, PIPE_FMA, 4);
    for (u32 k = 0; k < 64; k++) {
        enter(&m);
        if (wavefronts)
            access(&m, ITEM_SHARED_LOAD, wavefronts);
    }
    m.warps = warps;
    const struct replay_result r = replay(&m, NULL);
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

/* A block's one warp loads, or computes, by itself; of the busiest SM's blocks so much is to be done (this one's two cost 2). */
static struct replay_result busiest(bool loads, double cost)
{
    struct made m;
    begin(&m);
    if (loads)
        add_load_and_use(&m);
    else
        add_inst(&m, PIPE_FMA, 4);
    for (u32 k = 0; k < 64; k++) {
        enter(&m);
        if (loads)
            load(&m, k, 0);
    }
    m.resident = 2;
    m.nblocks = 2ull * m.gpu.sms;
    m.busiest = cost;
    const struct replay_result r = replay(&m, NULL);
    arena_free(&m.mem);
    return r;
}

/* Where all blocks are there at once, the SM that has half as much more to do ends later: by half where warps wait for memory, and not at all where
 * they compute by themselves. */
static void the_busiest_sm_ends_last(void **state)
{
    (void)state;
    const struct replay_result even = busiest(true, 2), uneven = busiest(true, 3);
    assert_true(uneven.cycles > 1.4 * even.cycles && uneven.cycles < 1.5 * even.cycles);
    assert_true(fabs(uneven.active - even.active) < 1 && even.active > 0.9 * even.cycles &&
                even.active < 0.96 * even.cycles);
    assert_true(busiest(false, 3).cycles < 1.1 * busiest(false, 2).cycles);
}

/* More blocks than are replayed: the time grows with them. */
static void many_blocks_take_longer(void **state)
{
    (void)state;
    double took[2];
    for (u32 k = 0; k < 2; k++) {
        struct made m;
        begin(&m);
        for (u32 i = 0; i < INSTS; i++)
            add_inst(&m, PIPE_FMA, 4);
        for (u32 i = 0; i < 64; i++)
            enter(&m);
        m.warps = 4;
        m.resident = 2;
        m.nblocks = (u64)m.gpu.sms * BLOCKS * (k + 1);
        took[k] = cycles_of(&m);
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
        begin(&m);
        for (u32 i = 0; i < INSTS; i++)
            add_inst(&m, PIPE_FMA, 10);
        for (u32 i = 0; i < 64; i++)
            enter(&m);
        m.resident = 6;
        m.budget = 100;
        m.nblocks = (u64)m.gpu.sms * (k ? 8 : 6);
        r[k] = replay(&m, NULL);
        arena_free(&m.mem);
    }
    assert_true(r[1].cycles > 1.95 * r[0].cycles && r[1].cycles < 2.05 * r[0].cycles);
    assert_true(r[0].warps > 5.8 && r[1].warps > 3.9 && r[1].warps < 4.1);
}

/* A warp's loads past L1, each of which needs the one before, or stores: n of so many sectors in lines so far from each other. */
static void add_accesses(struct made *m, u8 class, u32 n, u16 sectors, u16 lines, u64 apart)
{
    if (class == ITEM_LOAD)
        add_load_and_use(m);
    else
        add_inst(m, PIPE_LSU, 4)->op = REPLAY_MEMORY;
    for (u32 k = 0; k < n; k++) {
        enter(m);
        access_lines(m, class, sectors, lines);
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
    begin(&m);
    add_accesses(&m, ITEM_LOAD, LOADS, 4, 1, 1);
    m.warps = warps;
    m.nblocks = sms;
    const double t = cycles_of(&m) / LOADS;
    arena_free(&m.mem);
    return t;
}

/* A third of DRAM's bandwidth makes each load wait for a third of what it waits for more where all is in use. */
static void dram_in_use_answers_later(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
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
    begin(&m);
    add_accesses(&m, class, ACCESSES, SECTORS, lines, apart);
    m.warps = 32;
    m.nblocks = m.gpu.sms;
    const double t = cycles_of(&m) / ACCESSES;
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

/* Four blocks of a long and three short warps, on an SM that holds eight warps. */
static double uneven_blocks(u32 places)
{
    struct made m;
    begin(&m);
    for (u32 i = 0; i < INSTS; i++)
        add_inst(&m, PIPE_FMA, 4);
    for (u32 i = 0; i < 200; i++)
        enter(&m);
    m.shorter = 1;
    m.warps = 4;
    m.resident = 2;
    m.slots = 8;
    m.places = places;
    m.nblocks = (u64)m.gpu.sms * 4;
    const double t = cycles_of(&m);
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

/* 32 warps of each SM read or write whole lines of the host's, one after the other: cycles of one of a warp's accesses. */
static double host_accesses(u64 sms, u8 class, u32 warps)
{
    enum { ACCESSES = 40 };
    struct made m;
    begin(&m);
    m.shares = (struct replay_shares){.served = {.host = 1}, .link = 32};
    add_accesses(&m, class, ACCESSES, 4, 1, 1);
    m.warps = warps;
    m.nblocks = sms;
    const double t = cycles_of(&m) / ACCESSES;
    arena_free(&m.mem);
    return t;
}

/* One load after the other takes the way there and back; many are as fast as the link, whoever asks. */
static void the_link_is_shared(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    const struct machine machine = machine_of(&m.gpu, false);
    arena_free(&m.mem);
    const double alone = host_accesses(1, ITEM_LOAD, 1);
    assert_true(alone > machine.host && alone < machine.host + 100);
    const double in = 132 * 32 * 128 / machine.link_in, out = 132 * 32 * 128 / machine.link_out;
    const double loads = host_accesses(132, ITEM_LOAD, 32), stores = host_accesses(132, ITEM_STORE, 32);
    assert_true(loads > 0.95 * in && loads < 1.1 * in);
    assert_true(stores > 0.95 * out && stores < 1.1 * out);
}

/* Eight warps a scheduler, of instructions whose operands are in the same bank of registers or not. */
static struct replay_result banks(bool same, bool kept)
{
    struct made m;
    begin(&m);
    for (u32 k = 0; k < INSTS; k++) {
        struct replay_inst *i = add_inst(&m, PIPE_FMA, 1);
        memcpy(i->regs, (u8[]){2, same ? 4 : 5, REPLAY_NO_REG}, 3);
        i->reuse = kept;
    }
    for (u32 k = 0; k < 64; k++)
        enter(&m);
    m.warps = 32;
    const struct replay_result r = replay(&m, NULL);
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
    begin(&m);
    for (u32 k = 0; k < INSTS; k++)
        add_inst(&m, PIPE_ALU, 2);
    for (u32 k = 0; k < 32; k++)
        enter(&m);
    m.warps = 32;
    const struct replay_result r = replay(&m, NULL);
    const double pipe = r.stalls[STALL_MATH_PIPE_THROTTLE], ready = r.stalls[STALL_NOT_SELECTED];
    assert_true(pipe > 0.9 * ready && pipe < 1.1 * ready);
    assert_true(r.warps > 28);
    arena_free(&m.mem);
}

/* As measured: IMAD and FFMA in turns are two in three cycles. */
static void integers_and_floats_share(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    for (u32 k = 0; k < INSTS; k++)
        add_inst(&m, k % 2 ? PIPE_FMA : PIPE_FMAHEAVY, 2);
    for (u32 k = 0; k < 32; k++)
        enter(&m);
    m.warps = 32;
    assert_in_range((u64)cycles_of(&m), 24576, 24576 + 2000); /* 8 x 64 x 32 x 3 / 2 */
    arena_free(&m.mem);
}

/* Every cycle of a warp has one reason. */
static void reasons_add_up(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    for (u32 k = 0; k < 20; k++)
        add_inst(&m, k % 3 ? PIPE_FMA : PIPE_XU, 3);
    for (u32 k = 0; k < 50; k++)
        enter(&m);
    m.warps = 12;
    const struct replay_result r = replay(&m, NULL);
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
        cmocka_unit_test(additions_to_one_word_go_one_by_one),
        cmocka_unit_test(swaps_of_one_word_go_one_by_one),
        cmocka_unit_test(locks_are_held),
        cmocka_unit_test(a_chain_takes_its_stalls),
        cmocka_unit_test(warps_share_a_pipe),
        cmocka_unit_test(a_load_is_waited_for),
        cmocka_unit_test(conflicts_cost_wavefronts),
        cmocka_unit_test(moved_accesses_are_done_once),
        cmocka_unit_test(a_barrier_waits_for_all),
        cmocka_unit_test(the_busiest_sm_ends_last),
        cmocka_unit_test(units_are_used),
        cmocka_unit_test(conflicts_of_a_load_are_latency),
        cmocka_unit_test(many_blocks_take_longer),
        cmocka_unit_test(a_last_wave_takes_as_long_as_its_blocks),
        cmocka_unit_test(dram_in_use_answers_later),
        cmocka_unit_test(places_apart_cost_more),
        cmocka_unit_test(blocks_begin_as_warps_end),
        cmocka_unit_test(the_link_is_shared),
        cmocka_unit_test(words_of_constants_come_one_by_one),
        cmocka_unit_test(constants_leave_their_cache),
        cmocka_unit_test(operands_are_missed),
        cmocka_unit_test(four_loads_of_constants_are_under_way),
        cmocka_unit_test(lanes_that_part_come_to_a_join),
        cmocka_unit_test(exits_cost_where_lanes_leave),
        cmocka_unit_test(parts_of_sectors_take_longer),
        cmocka_unit_test(spilled_registers_leave_the_sm),
        cmocka_unit_test(code_leaves_its_cache),
        cmocka_unit_test(reasons_add_up),
        cmocka_unit_test(a_hit_waits_for_what_is_under_way),
        cmocka_unit_test(a_bank_gives_a_register_a_cycle),
        cmocka_unit_test(half_rate_is_half_throttle),
        cmocka_unit_test(integers_and_floats_share),
        cmocka_unit_test(products_are_waited_for),
        cmocka_unit_test(copies_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
