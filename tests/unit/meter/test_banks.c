/* test_banks.c - the bank rules against an H200, access by access, and against a slow count written from the rule's
 * sentences (not from banks.c) on shapes that no GPU has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../hw/bank_probe.h"
#include "meter/access/banks.h"

static const struct bank_shape h200 = {32, 4};

static enum bank_op op_of(const struct bank_probe *p)
{
    switch (bank_probe_kind(p)) {
    case PROBE_LD:
        return BANK_LOAD;
    case PROBE_ST:
        return BANK_STORE;
    default:
        return strstr(p->op, "cas") ? BANK_CAS : BANK_ATOMIC;
    }
}

static struct bank_probe rows[1024];

static void every_probed_access_costs_what_the_h200_counted(void **state)
{
    (void)state;
    const int n = bank_probe_read("tests/hw/h200/bank-probe.csv", rows, 1024);
    assert_int_equal(n, 450);
    int checked = 0, excepted = 0;
    for (int i = 0; i < n; i++) {
        const struct bank_probe *p = &rows[i];
        if (bank_probe_excepted(p)) {
            excepted++;
            continue;
        }
        const int kind = bank_probe_kind(p);
        const struct bank_cost c = banks_cost(h200, op_of(p), p->at, p->mask, bank_probe_bytes(p));
        if (c.wavefronts != p->wavefronts[kind] || c.conflicts != p->conflicts[kind])
            fail_msg("line %u, %s %s: %u wavefronts and %u conflicts, the H200 counted %u and %u", p->line, p->op,
                     p->pattern, c.wavefronts, c.conflicts, p->wavefronts[kind], p->conflicts[kind]);
        checked++;
    }
    assert_int_equal(checked, 390);
    assert_int_equal(excepted, 60);
}

static bool loop_agrees(const struct bank_probe *p)
{
    const struct bank_loop l = banks_loop(h200, p->at, p->mask, bank_probe_bytes(p));
    return l.turns == p->inst[PROBE_ATOM] && l.turns == p->inst[PROBE_LD] &&
           l.load_wavefronts == p->wavefronts[PROBE_LD] && l.load_conflicts == p->conflicts[PROBE_LD] &&
           l.cas_wavefronts == p->wavefronts[PROBE_ATOM];
}

/* f32 and 64-bit additions are loops in machine code, so they are estimates; yet the model gives what the H200 counted,
 * but for one row: 64-bit additions of all lanes to one address took it 31 turns. */
static void loops_of_compare_and_swap_agree_but_for_one_row(void **state)
{
    (void)state;
    const int n = bank_probe_read("tests/hw/h200/bank-probe.csv", rows, 1024);
    int checked = 0;
    for (int i = 0; i < n; i++) {
        const struct bank_probe *p = &rows[i];
        if (!bank_probe_excepted(p))
            continue;
        const bool known = !strcmp(p->op, "atom_add_u64") && !strcmp(p->pattern, "same");
        if (loop_agrees(p) == known)
            fail_msg("line %u, %s %s", p->line, p->op, p->pattern);
        checked++;
    }
    assert_int_equal(checked, 60);
}

/* ---- a count from the definition, for any shape ---- */

static u32 seed = 12345;
static u32 random_u32(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* Largest number of distinct words in one bank, by comparing every pair of touched words. */
static u32 slow_most(struct bank_shape s, const u64 *at, u32 mask, u32 bytes)
{
    u32 most = 0;
    for (u32 bank = 0; bank < s.banks; bank++) {
        u32 n = 0;
        for (u64 word = 0; word < 4096; word++) {
            bool touched = false;
            for (u32 lane = 0; lane < 32 && word % s.banks == bank; lane++)
                for (u32 byte = 0; byte < bytes; byte++)
                    touched |= (mask >> lane & 1) && (at[lane] + byte) / s.bank_bytes == word;
            n += touched;
        }
        most = n > most ? n : most;
    }
    return most;
}

static void narrow_accesses_are_one_phase_on_any_shape(void **state)
{
    (void)state;
    static const struct bank_shape shapes[] = {{32, 4}, {5, 4}, {32, 8}, {16, 4}, {1, 4}, {64, 4}};
    for (int round = 0; round < 300; round++) {
        const struct bank_shape s = shapes[random_u32() % LS_ARRAY_LEN(shapes)];
        const u32 bytes = 1u << random_u32() % (s.bank_bytes == 8 ? 4 : 3);
        const u32 range = 1u << (4 + random_u32() % 8), mask = random_u32() << 16 ^ random_u32();
        u64 at[32];
        for (int i = 0; i < 32; i++)
            at[i] = random_u32() % range / bytes * bytes;
        const u32 want = mask ? slow_most(s, at, mask, bytes) : 0;
        const struct bank_cost ld = banks_cost(s, BANK_LOAD, at, mask, bytes);
        const struct bank_cost st = banks_cost(s, BANK_STORE, at, mask, bytes);
        assert_int_equal(ld.wavefronts, want);
        assert_int_equal(st.wavefronts, want);
        assert_int_equal(ld.conflicts, want ? want - 1 : 0);
    }
}

/* Those of a word are told by one lane each. */
static void words_in_32_banks_cost_the_fullest(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        const u32 mask = random_u32() << 16 ^ random_u32(), range = 1u << (4 + random_u32() % 8);
        u64 at[32];
        u32 first = 0;
        for (u32 i = 0; i < 32; i++) {
            bool again = false;
            at[i] = random_u32() % range / 4 * 4;
            for (u32 k = 0; k < i; k++)
                again |= (mask >> k & 1) && at[k] == at[i];
            first |= again ? 0 : mask & 1u << i;
        }
        assert_int_equal(banks_words(at, first), mask ? slow_most(h200, at, mask, 4) : 0);
    }
}

/* The tutorials' picture: five banks of four bytes, neighbouring words, 32 lanes: ceil(32 / 5) words in a bank. */
static void five_banks_serve_five_lanes_at_once(void **state)
{
    (void)state;
    u64 at[32];
    for (u32 i = 0; i < 32; i++)
        at[i] = 4 * i;
    assert_int_equal(banks_cost((struct bank_shape){5, 4}, BANK_LOAD, at, 0x1f, 4).wavefronts, 1);
    assert_int_equal(banks_cost((struct bank_shape){5, 4}, BANK_LOAD, at, UINT32_MAX, 4).wavefronts, 7);
}

/* 64 bits go by half-warps: 32 words in a row, so 7 in the fullest of five banks, twice. */
static void five_banks_and_doubles(void **state)
{
    (void)state;
    u64 at[32];
    for (u32 i = 0; i < 32; i++)
        at[i] = 8 * i;
    const struct bank_cost c = banks_cost((struct bank_shape){5, 4}, BANK_LOAD, at, UINT32_MAX, 8);
    assert_int_equal(c.wavefronts, 14);
    assert_int_equal(c.conflicts, 12);
}

/* Eight-byte banks: 32 doubles in a row are one wavefront, and two words of one bank in the same 8 bytes are one word. */
static void eight_byte_banks_take_doubles_in_one_phase(void **state)
{
    (void)state;
    u64 at[32];
    for (u32 i = 0; i < 32; i++)
        at[i] = 8 * i;
    const struct bank_cost c = banks_cost((struct bank_shape){32, 8}, BANK_LOAD, at, UINT32_MAX, 8);
    assert_int_equal(c.wavefronts, 1);
    assert_int_equal(c.conflicts, 0);
    for (u32 i = 0; i < 32; i++)
        at[i] = 4 * (i ^ 1);
    assert_int_equal(banks_cost((struct bank_shape){32, 8}, BANK_LOAD, at, UINT32_MAX, 4).wavefronts, 1);
}

static void no_lane_costs_nothing(void **state)
{
    (void)state;
    const u64 at[32] = {0};
    assert_int_equal(banks_cost(h200, BANK_LOAD, at, 0, 4).wavefronts, 0);
    assert_int_equal(banks_cost(h200, BANK_ATOMIC, at, 0, 4).wavefronts, 0);
    assert_int_equal(banks_loop(h200, at, 0, 4).turns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_probed_access_costs_what_the_h200_counted),
        cmocka_unit_test(loops_of_compare_and_swap_agree_but_for_one_row),
        cmocka_unit_test(narrow_accesses_are_one_phase_on_any_shape),
        cmocka_unit_test(words_in_32_banks_cost_the_fullest),
        cmocka_unit_test(five_banks_serve_five_lanes_at_once),
        cmocka_unit_test(five_banks_and_doubles),
        cmocka_unit_test(eight_byte_banks_take_doubles_in_one_phase),
        cmocka_unit_test(no_lane_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
