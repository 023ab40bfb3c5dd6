/* test_count.c - counting events: the memo changes nothing, the short cuts for regular patterns equal the full
 * computation, and streams of random accesses add up to what sectors.c and banks.c say of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "fake.h"
#include "meter/access/sectors.h"
#include "meter/count.h"
#include "meter/replay/feed.h"

static u32 seed = 4711;
static u32 random_u32(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static struct gpu h200(void)
{
    struct gpu g;
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(gpu_find("h200", &g, &d), LS_OK);
    diag_free(&d);
    return g;
}

/* ---- random accesses ---- */

struct stream {
    struct exec_access a;
    u64 addr[32];
};

/* Site s always does the same kind of access, as an instruction does; addresses repeat in shape now and then. */
static void random_access(struct stream *s, const struct ir_func *f, u32 site)
{
    static const u8 spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST};
    static const u8 ops[] = {ACCESS_LD, ACCESS_ST, ACCESS_ATOM, ACCESS_RED};
    const u8 space = spaces[site % 4];
    u8 op = ops[site / 4 % 4];
    if (op >= ACCESS_ATOM && space != SPACE_GLOBAL && space != SPACE_SHARED)
        op = ACCESS_LD;
    if (space == SPACE_CONST)
        op = ACCESS_LD;
    const u8 size = op >= ACCESS_ATOM ? 4 : (u8)(1u << (site / 16 + random_u32() % 2));
    const u32 kind = random_u32() % 6, stride = (random_u32() % 5 + 1) * size, base = random_u32() % 64 * size;
    s->a = (struct exec_access){.func = f,
                                .site = site,
                                .space = space,
                                .op = op,
                                .size = size,
                                .type = PTX_U32,
                                .atom_op = site % 8 ? MOD_ADD : MOD_CAS,
                                .addr = s->addr};
    s->a.mask = kind == 4 ? random_u32() | 1 : kind == 5 ? 1u << random_u32() % 32 : UINT32_MAX;
    for (u32 i = 0; i < 32; i++) {
        s->addr[i] = base + (kind == 2 ? random_u32() % 512 / size * size : kind == 3 ? (i ^ 1) * size : i * stride);
        if (!(s->a.mask >> i & 1))
            s->addr[i] = random_u32(); /* inactive lanes hold anything */
    }
    if (space == SPACE_GLOBAL && kind == 2 && random_u32() % 4 == 0)
        s->addr[7] += 5ull << 32; /* far away */
}

static u32 slow_cost(const struct exec_access *a)
{
    const struct bank_shape shape = {32, 4};
    switch (a->space) {
    case SPACE_GLOBAL:
        return sectors_count(a->addr, a->mask, a->size);
    case SPACE_LOCAL:
        return sectors_local(a->addr, a->mask, a->size);
    case SPACE_CONST:
        return sectors_words(a->addr, a->mask, a->size);
    default:
        break;
    }
    const enum bank_op op = a->op == ACCESS_LD      ? BANK_LOAD
                            : a->op == ACCESS_ST    ? BANK_STORE
                            : a->atom_op == MOD_CAS ? BANK_CAS
                                                    : BANK_ATOMIC;
    return banks_cost(shape, op, a->addr, a->mask, a->size).wavefronts;
}

static const struct tally *only_tally(const struct counter *c, u32 site) { return &c->current->sites[site].first; }

/* Loads and stores of global and shared memory: every byte once. Else each lane its own. */
static u64 slow_bytes(const struct exec_access *a)
{
    u64 n = 0;
    if ((a->space != SPACE_GLOBAL && a->space != SPACE_SHARED) || (a->op != ACCESS_LD && a->op != ACCESS_ST))
        return (u64)__builtin_popcount(a->mask) * a->size;
    for (u32 i = 0; i < 32; i++) {
        bool seen = !(a->mask >> i & 1);
        for (u32 k = 0; k < i && !seen; k++)
            seen = (a->mask >> k & 1) && a->addr[k] == a->addr[i];
        n += seen ? 0 : a->size;
    }
    return n;
}

static void the_memo_changes_nothing(void **state)
{
    (void)state;
    enum { SITES = 48, ROUNDS = 60000 };
    struct fake f;
    fake_init(&f, SITES);
    const struct gpu g = h200();
    struct counter *with = counter_make(&g, false), *without = counter_make(&g, true);
    static u64 want[SITES], bytes[SITES];
    for (int round = 0; round < ROUNDS; round++) {
        struct stream s;
        const u32 site = random_u32() % SITES;
        random_access(&s, &f.func, site);
        counter_access(with, &s.a);
        counter_access(without, &s.a);
        want[site] += slow_cost(&s.a);
        bytes[site] += slow_bytes(&s.a);
    }
    for (u32 site = 0; site < SITES; site++) {
        assert_memory_equal(only_tally(with, site), only_tally(without, site), sizeof(struct tally));
        assert_int_equal(only_tally(with, site)->cost, want[site]);
        assert_int_equal(only_tally(with, site)->bytes, bytes[site]);
    }
    counter_free(with);
    counter_free(without);
}

/* The same shape again and again, from few bases: nearly all look-ups hit, and the numbers still hold. */
static void repeated_shapes_are_remembered_right(void **state)
{
    (void)state;
    struct fake f;
    fake_init(&f, 1);
    const struct gpu g = h200();
    struct counter *c = counter_make(&g, false);
    u64 want = 0;
    for (u32 round = 0; round < 5000; round++) {
        u64 addr[32];
        const u32 stride = 8 + 4 * (round % 3), base = 4 * (round % 7);
        const u32 mask = round % 5 ? UINT32_MAX : round % 2 ? 0xffff : 0xfffffffe;
        for (u32 i = 0; i < 32; i++)
            addr[i] = 4096 + base + stride * (i % 11 < round % 2 ? 0 : i);
        const struct exec_access a = {.func = &f.func,
                                      .mask = mask,
                                      .space = SPACE_SHARED,
                                      .op = ACCESS_LD,
                                      .size = 4,
                                      .type = PTX_U32,
                                      .addr = addr};
        counter_access(c, &a);
        want += slow_cost(&a);
    }
    assert_int_equal(only_tally(c, 0)->cost, want);
    assert_int_equal(only_tally(c, 0)->requests, 5000);
    counter_free(c);
}

/* An access that the engine calls contiguous or uniform costs what the same addresses cost as a gather. */
static void patterns_are_only_short_cuts(void **state)
{
    (void)state;
    static const u8 spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_CONST};
    const struct gpu g = h200();
    for (int round = 0; round < 4000; round++) {
        struct fake f;
        fake_init(&f, 1);
        struct counter *quick = counter_make(&g, false), *slow = counter_make(&g, true);
        u64 addr[32];
        const u8 space = spaces[random_u32() % 3], pattern = random_u32() % 2 ? PATTERN_CONTIGUOUS : PATTERN_UNIFORM;
        const u8 size = (u8)(1u << random_u32() % 5), op = space == SPACE_CONST ? 0 : (u8)(random_u32() % 2);
        const u64 base = 4096 + random_u32() % 64 * size;
        for (u32 i = 0; i < 32; i++)
            addr[i] = base + (pattern == PATTERN_CONTIGUOUS ? i * size : 0);
        struct exec_access a = {.func = &f.func,
                                .mask = pattern == PATTERN_UNIFORM ? random_u32() | 8 : UINT32_MAX,
                                .space = space,
                                .op = op,
                                .size = size,
                                .type = PTX_U32,
                                .pattern = pattern,
                                .addr = addr};
        counter_access(quick, &a);
        a.pattern = PATTERN_GATHER;
        counter_access(slow, &a);
        assert_memory_equal(only_tally(quick, 0), only_tally(slow, 0), sizeof(struct tally));
        counter_free(quick);
        counter_free(slow);
    }
}

/* A generic instruction that hits two spaces counts in both. */
static void one_instruction_may_hit_two_spaces(void **state)
{
    (void)state;
    struct fake f;
    fake_init(&f, 1);
    const struct gpu g = h200();
    struct counter *c = counter_make(&g, false);
    u64 addr[32] = {0};
    struct exec_access a = {
        .func = &f.func, .mask = 3, .space = SPACE_GLOBAL, .size = 4, .generic = true, .addr = addr};
    counter_access(c, &a);
    a.space = SPACE_SHARED;
    a.mask = 0xf0;
    counter_access(c, &a);
    counter_access(c, &a);
    assert_int_equal(site_tally(&c->current->sites[0], CLASS_GLD)->requests, 1);
    assert_int_equal(site_tally(&c->current->sites[0], CLASS_GLD)->bytes, 4); /* one address */
    assert_int_equal(site_tally(&c->current->sites[0], CLASS_SLD)->requests, 2);
    assert_int_equal(site_tally(&c->current->sites[0], CLASS_SLD)->bytes, 8); /* one address, twice */
    assert_null(site_tally(&c->current->sites[0], CLASS_GST));
    u64 n[EVENT_COUNT] = {0};
    site_events(&c->current->sites[0], n);
    assert_int_equal(n[EVENT_memory_32b], 3);
    counter_free(c);
}

/* Of each width twice, but not of constants, whose instructions go another way. */
static void instructions_are_told_by_their_width(void **state)
{
    (void)state;
    const struct gpu g = h200();
    const u64 addr[32] = {0};
    for (u32 k = 0; k < 5; k++) {
        struct fake f;
        u64 n[EVENT_COUNT] = {0};
        fake_init(&f, 2);
        struct counter *c = counter_make(&g, false);
        struct exec_access a = {
            .func = &f.func, .mask = 1, .space = SPACE_GLOBAL, .op = ACCESS_ST, .size = (u8)(1u << k), .addr = addr};
        counter_access(c, &a);
        counter_access(c, &a);
        a = (struct exec_access){.func = &f.func, .site = 1, .mask = 1, .space = SPACE_CONST, .size = 4, .addr = addr};
        counter_access(c, &a);
        site_events(&c->current->sites[0], n);
        site_events(&c->current->sites[1], n);
        for (u32 width = 0; width < 5; width++)
            assert_int_equal(n[EVENT_memory_8b + width], width == k ? 2 : 0);
        counter_free(c);
    }
}

static void blocks_branches_and_barriers_add_up(void **state)
{
    (void)state;
    struct fake f, other;
    fake_init(&f, 4);
    fake_init(&other, 2);
    const struct gpu g = h200();
    struct counter *c = counter_make(&g, false);
    counter_enter(c, &f.func, 2, UINT32_MAX, 0, NULL);
    counter_enter(c, &f.func, 2, 0x7, 0, NULL);
    counter_enter(c, &other.func, 1, 1, 0, NULL);
    counter_enter(c, &f.func, 3, 1, 0, NULL);
    counter_diverge(c, &f.func, 1, 0xff, 0x0f);
    for (u32 warp = 0; warp < 2; warp++)
        counter_barrier(c, &(struct exec_barrier){.func = &f.func, .warp = warp, .mask = UINT32_MAX});
    counter_match(c, &f.func, 1, 7);
    counter_match(c, &f.func, 1, 32);
    const struct func_count *n = c->current;
    assert_ptr_equal(n->func, &f.func);
    assert_int_equal(n->blocks[2].warps, 2);
    assert_int_equal(n->blocks[2].threads, 35);
    assert_int_equal(n->blocks[3].threads, 1);
    assert_int_equal(n->sites[1].divergent, 1);
    assert_int_equal(n->sites[0].barriers, 2);
    u64 events[EVENT_COUNT] = {0};
    site_events(&n->sites[1], events);
    assert_int_equal(events[EVENT_matches], 2);
    assert_int_equal(events[EVENT_match_values], 39);
    assert_int_equal(c->funcs.len, 2);
    assert_int_equal(c->funcs.at[1]->blocks[1].threads, 1);
    counter_free(c);
}

/* A shared f32 addition by all lanes to one word: 32 turns of load and compare-and-swap (bank-probe.csv has this row). */
static void loops_count_loads_too(void **state)
{
    (void)state;
    struct fake f;
    fake_init(&f, 1);
    f.insts[0].op = OP_RED;
    f.insts[0].space = SPACE_SHARED;
    f.insts[0].types[0] = PTX_F32;
    const struct gpu g = h200();
    struct counter *c = counter_make(&g, false);
    u64 addr[32] = {0};
    const struct exec_access a = {.func = &f.func,
                                  .mask = UINT32_MAX,
                                  .space = SPACE_SHARED,
                                  .op = ACCESS_RED,
                                  .size = 4,
                                  .type = PTX_F32,
                                  .atom_op = MOD_ADD,
                                  .addr = addr};
    counter_access(c, &a);
    assert_int_equal(site_tally(&c->current->sites[0], CLASS_SATOM)->cost, 64);
    assert_int_equal(site_tally(&c->current->sites[0], CLASS_SATOM)->requests, 32);
    assert_int_equal(site_tally(&c->current->sites[0], CLASS_SLD)->cost, 32);
    counter_free(c);
}

/* All lanes on one word: an atomic costs a wavefront a lane, so the mask alone tells the cost. */
static void the_mask_is_part_of_the_shape(void **state)
{
    (void)state;
    struct fake f;
    fake_init(&f, 1);
    const struct gpu g = h200();
    struct counter *c = counter_make(&g, false);
    const u64 addr[32] = {0};
    u64 want = 0;
    for (int round = 0; round < 2000; round++) {
        const u32 mask = (random_u32() & 0xff) | 1;
        counter_access(c, &(struct exec_access){.func = &f.func,
                                                .mask = mask,
                                                .space = SPACE_SHARED,
                                                .op = ACCESS_ATOM,
                                                .size = 4,
                                                .type = PTX_U32,
                                                .atom_op = MOD_ADD,
                                                .addr = addr});
        want += (u64)__builtin_popcount(mask);
    }
    assert_int_equal(only_tally(c, 0)->cost, want);
    counter_free(c);
}

/* Shapes that differ in one lane only, whichever it is. */
static void every_lane_is_part_of_the_shape(void **state)
{
    (void)state;
    struct fake f;
    fake_init(&f, 1);
    const struct gpu g = h200();
    struct counter *c = counter_make(&g, false);
    u64 want = 0;
    for (u32 round = 0; round < 4000; round++) {
        u64 addr[32];
        for (u32 i = 0; i < 32; i++)
            addr[i] = 128 + 4 * i;
        if (round % 2)
            addr[round / 2 % 32] = 4096 + 128 * (round % 3);
        const struct exec_access a = {
            .func = &f.func, .mask = UINT32_MAX, .space = SPACE_SHARED, .size = 4, .type = PTX_U32, .addr = addr};
        counter_access(c, &a);
        want += slow_cost(&a);
    }
    assert_int_equal(only_tally(c, 0)->cost, want);
    counter_free(c);
}

/* Two bytes 127 apart: from a word's start they are in banks 0 and 31, from its second byte on both are in bank 0. */
static void the_place_in_the_word_is_part_of_the_shape(void **state)
{
    (void)state;
    struct fake f;
    fake_init(&f, 1);
    const struct gpu g = h200();
    struct counter *c = counter_make(&g, false);
    for (u32 round = 0; round < 40; round++) {
        const u64 addr[32] = {round % 4, round % 4 + 127};
        counter_access(c,
                       &(struct exec_access){
                           .func = &f.func, .mask = 3, .space = SPACE_SHARED, .size = 1, .type = PTX_U8, .addr = addr});
    }
    assert_int_equal(only_tally(c, 0)->cost, 10 * (1 + 2 + 2 + 2));
    counter_free(c);
}

/* An atomic whose result goes nowhere is a reduction. */
static void unused_results_make_reductions(void **state)
{
    (void)state;
    struct fake f;
    fake_init(&f, 1);
    f.insts[0].op = OP_ATOM;
    f.insts[0].space = SPACE_GLOBAL;
    const struct gpu g = h200();
    struct counter *c = counter_make(&g, false);
    const u64 addr[32] = {0};
    counter_access(c, &(struct exec_access){.func = &f.func,
                                            .mask = 7,
                                            .space = SPACE_GLOBAL,
                                            .op = ACCESS_ATOM,
                                            .size = 4,
                                            .type = PTX_U32,
                                            .atom_op = MOD_ADD,
                                            .addr = addr});
    assert_null(site_tally(&c->current->sites[0], CLASS_GATOM));
    assert_int_equal(site_tally(&c->current->sites[0], CLASS_GRED)->requests, 1);
    assert_int_equal(site_tally(&c->current->sites[0], CLASS_GRED)->lanes, 3);
    counter_free(c);
}

/* The same row of words from different places of a sector on. */
static void the_place_in_the_sector_is_part_of_the_shape(void **state)
{
    (void)state;
    struct fake f;
    fake_init(&f, 1);
    f.insts[0].op = OP_RED;
    f.insts[0].space = SPACE_GLOBAL;
    const struct gpu g = h200();
    struct counter *c = counter_make(&g, false);
    u64 want = 0;
    for (u32 round = 0; round < 100; round++) {
        u64 addr[32];
        for (u32 i = 0; i < 32; i++)
            addr[i] = 4096 + 4 * (round % 8) + 4 * i;
        counter_access(c, &(struct exec_access){.func = &f.func,
                                                .mask = UINT32_MAX,
                                                .space = SPACE_GLOBAL,
                                                .op = ACCESS_RED,
                                                .size = 4,
                                                .type = PTX_U32,
                                                .atom_op = MOD_ADD,
                                                .addr = addr});
        want += sectors_red(addr, UINT32_MAX, 4);
    }
    assert_int_equal(site_tally(&c->current->sites[0], CLASS_GRED)->cost, want);
    counter_free(c);
}

/* The lanes of a compare-and-swap that have guessed right. */
static void swaps_are_seen_before_they_are_done(void **state)
{
    (void)state;
    u32 words[32], guess[32];
    u64 addr[32];
    const struct ir_inst pc = {.b = 0};
    for (u32 k = 0; k < 32; k++) {
        words[k] = k % 4;
        guess[k] = 1;
        addr[k] = (u64)(uintptr_t)&words[k];
    }
    struct exec_access a = {
        .mask = 0xffff, .size = 4, .atom_op = MOD_CAS, .pc = &pc, .regs = (u8 *)guess, .addr = addr};
    assert_int_equal(feed_swaps(&a), 0x2222);
    a.size = 2;
    assert_int_equal(feed_swaps(&a), 0x2222);
    a.atom_op = MOD_EXCH;
    assert_int_equal(feed_swaps(&a), 0);
    a.atom_op = MOD_CAS;
    a.regs = NULL;
    assert_int_equal(feed_swaps(&a), 0);
}

/* Lanes that mean two blocks' shared memory are told block by block, the second time `again`: one request, the sectors of both. */
static void a_request_to_two_blocks_is_one(void **state)
{
    (void)state;
    struct gpu gpu = {.banks = 32, .bank_bytes = 4, .cc_major = 9};
    struct fake f;
    u64 addr[32];
    fake_init(&f, 1);
    for (u32 i = 0; i < 32; i++)
        addr[i] = 4 * i;
    struct counter *c = counter_make(&gpu, false);
    struct exec_access a = {
        .func = &f.func, .mask = 0xff, .space = SPACE_SHARED, .op = ACCESS_LD, .size = 4, .addr = addr};
    const struct exec_block_info home = {0};
    counter_far_access(c, &a, &home);
    a.mask = 0xff00;
    a.again = true;
    counter_far_access(c, &a, &home);
    const struct tally *t = site_tally(&c->current->sites[0], CLASS_DLD);
    assert_int_equal(t->requests, 1);
    assert_int_equal(t->cost, 2);
    assert_int_equal(t->bytes, 64);
    counter_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swaps_are_seen_before_they_are_done),
        cmocka_unit_test(a_request_to_two_blocks_is_one),
        cmocka_unit_test(the_memo_changes_nothing),
        cmocka_unit_test(repeated_shapes_are_remembered_right),
        cmocka_unit_test(patterns_are_only_short_cuts),
        cmocka_unit_test(one_instruction_may_hit_two_spaces),
        cmocka_unit_test(instructions_are_told_by_their_width),
        cmocka_unit_test(blocks_branches_and_barriers_add_up),
        cmocka_unit_test(loops_count_loads_too),
        cmocka_unit_test(the_mask_is_part_of_the_shape),
        cmocka_unit_test(every_lane_is_part_of_the_shape),
        cmocka_unit_test(the_place_in_the_sector_is_part_of_the_shape),
        cmocka_unit_test(the_place_in_the_word_is_part_of_the_shape),
        cmocka_unit_test(unused_results_make_reductions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
