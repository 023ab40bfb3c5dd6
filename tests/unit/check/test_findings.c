/* test_findings.c - findings by place, as JSON, in the order of reports; planes of cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "base/alloc.h"
#include "check/core/allocations.h"
#include "check/core/check.h"
#include "check/core/finding_set.h"
#include "check/core/shadow.h"

static void test_every_kind_is_described(void **state)
{
    (void)state;
    for (u32 k = 0; k < FINDING_KINDS; k++) {
        const struct finding_info *i = finding_info((enum finding_kind)k);
        enum finding_kind back;
        assert_non_null(i->name);
        assert_true(strlen(i->title) > 10 && strlen(i->remedy) > 10);
        assert_true(i->title[strlen(i->title) - 1] != '.');
        assert_true(finding_by_name(i->name, &back));
        assert_int_equal(back, k); /* no name stands for two kinds */
        assert_string_not_equal(check_tool_name(i->tool), "unknown");
    }
    enum finding_kind none;
    assert_false(finding_by_name("no-such-finding", &none));
}

static void test_tools_by_name(void **state)
{
    (void)state;
    unsigned tools;
    assert_true(check_tool_by_name("racecheck", &tools));
    assert_int_equal(tools, CHECK_RACECHECK);
    assert_true(check_tool_by_name("all", &tools));
    assert_int_equal(tools, CHECK_ALL);
    assert_false(tools & CHECK_SCHEDULES);
    assert_false(check_tool_by_name("memchecker", &tools));
    assert_false(check_tool_by_name("schedules", &tools)); /* has options of its own */
}

static void test_one_place_is_one_finding(void **state)
{
    (void)state;
    struct finding_set *s = finding_set_new();
    struct finding f;
    finding_init(&f, FINDING_LEAK);
    for (u64 key = 0; key < 5000; key++) { /* more than the table begins with */
        assert_null(finding_set_find(s, FINDING_LEAK, key));
        assert_int_equal(finding_set_add(s, &f, key)->id, key + 1);
    }
    for (u64 key = 0; key < 5000; key++)
        assert_int_equal(finding_set_find(s, FINDING_LEAK, key)->id, key + 1);
    assert_null(finding_set_find(s, FINDING_HEAP_LEAK, 7)); /* another kind at the same place */
    u32 n = 0;
    for (struct found *e = finding_set_take(s); e; e = e->next, n++)
        assert_int_equal(e->id, n + 1);
    assert_int_equal(n, 5000);
    assert_null(finding_set_take(s));
    finding_set_free(s);
}

static void test_what_is_found_again_waits_once(void **state)
{
    (void)state;
    struct finding_set *s = finding_set_new();
    struct finding f;
    finding_init(&f, FINDING_OUT_OF_BOUNDS);
    struct found *e = finding_set_add(s, &f, 1);
    finding_set_take(s)->waits = false;
    finding_set_again(s, e, 3, 2);
    finding_set_again(s, e, 4, 1);
    struct found *first = finding_set_take(s);
    assert_ptr_equal(first, e);
    assert_null(first->next);
    assert_int_equal(first->again, 7);
    assert_int_equal(first->threads, 3);
    finding_set_free(s);
}

static const char *text_of(const json_t *o, const char *name) { return json_string_value(json_object_get(o, name)); }

static void test_json_says_what_applies(void **state)
{
    (void)state;
    struct finding f;
    finding_init(&f, FINDING_SHARED_RAW);
    f.launch = 3;
    f.at = (struct party){.kernel = "k",
                          .function = "k",
                          .has_thread = true,
                          .block = {1, 2, 3},
                          .thread = {31, 0, 0},
                          .file = "a.cu",
                          .line = 12,
                          .column = 5,
                          .ptx_line = 88,
                          .does = DOES_READ,
                          .value_bytes = 4,
                          .value = {0x2a, 0, 0, 0x80}};
    f.has_other = true;
    f.other = (struct party){.launched = "cudaMemcpy"};
    f.has_address = true;
    f.space = SPACE_SHARED;
    f.address = 64;
    f.size = 4;
    snprintf(f.detail, sizeof f.detail, "one\n\"two\" \x01\xff");
    char *line = finding_print(&f, 9);
    assert_null(strchr(line, '\n'));
    json_t *o = json_loads(line, 0, NULL), *at = json_object_get(o, "at");
    assert_non_null(o);
    assert_string_equal(text_of(o, "kind"), "shared-read-after-write");
    assert_string_equal(text_of(o, "tool"), "racecheck");
    assert_string_equal(text_of(o, "severity"), "error");
    assert_string_equal(text_of(o, "space"), "shared");
    assert_string_equal(text_of(o, "address"), "0x40");
    assert_int_equal(json_integer_value(json_object_get(o, "id")), 9);
    assert_string_equal(text_of(at, "value"), "0x8000002a"); /* little-endian */
    assert_string_equal(text_of(at, "does"), "read");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(at, "block"), 2)), 3);
    assert_string_equal(text_of(json_object_get(o, "other"), "launched"), "cudaMemcpy");
    assert_int_equal(json_array_size(json_object_get(o, "detail")), 2);
    assert_null(json_object_get(o, "what"));
    assert_null(json_object_get(o, "call"));
    assert_null(json_object_get(o, "allocation"));
    json_decref(o);
    ls_free(line);
}

/* A frame is a file and an address in it: what addr2line takes. */
static void test_json_names_frames_by_file(void **state)
{
    (void)state;
    struct finding f;
    finding_init(&f, FINDING_API_ERROR);
    f.call = (struct host_call){.api = "cudaMalloc", .nframes = 1};
    f.call.frames[0] = (u64)(uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
    char *line = finding_print(&f, 1);
    json_t *o = json_loads(line, 0, NULL), *call = json_object_get(o, "call");
    const json_t *frame = json_array_get(json_object_get(call, "frames"), 0);
    assert_string_equal(text_of(call, "api"), "cudaMalloc");
    assert_non_null(text_of(frame, "module"));
    assert_true((u64)json_integer_value(json_object_get(frame, "offset")) <= f.call.frames[0]);
    json_decref(o);
    ls_free(line);
}

static void test_allocations_remember_calls(void **state)
{
    (void)state;
    enum { FREED = 65536 }; /* as the header says */
    struct allocations *a = allocations_create();
    struct host_call made = {.api = "cudaMalloc"}, gone = {.api = "cudaFree"}, out;
    allocations_put_made(a, 7, &made);
    assert_true(allocations_made(a, 7, &out));
    assert_string_equal(out.api, "cudaMalloc");
    assert_false(allocations_gone(a, 7, &out));
    allocations_put_gone(a, 7, &gone);
    assert_true(allocations_gone(a, 7, &out));
    assert_string_equal(out.api, "cudaFree");
    assert_false(allocations_made(a, 8, &out));
    for (u64 k = 100; k < 100 + 2 * FREED; k++) {
        allocations_put_made(a, k, &made);
        allocations_put_gone(a, k, &gone);
    }
    assert_false(allocations_gone(a, 7, &out)); /* long ago */
    assert_true(allocations_gone(a, 99 + 2 * FREED, &out));
    allocations_destroy(a);
}

static void test_cells_of_a_plane(void **state)
{
    (void)state;
    struct shadow s;
    const u64 base = 1u << 20, size = 1u << 24;
    assert_int_equal(shadow_create(&s, base, size, 4, 16), LS_OK);
    assert_true(shadow_has(&s, base, size));
    assert_true(shadow_has(&s, base + size - 1, 1));
    assert_false(shadow_has(&s, base - 1, 1));
    assert_false(shadow_has(&s, base + size - 1, 2));
    assert_false(shadow_has(&s, UINT64_MAX, 2));
    assert_ptr_equal(shadow_cell(&s, base + 7), s.cells + 16);
    const u64 from = base + 4096 + 4, n = 1u << 18;
    memset(shadow_cell(&s, from - 4), 0xff, (n / 4 + 2) * 16);
    shadow_clear(&s, from, n);
    const u8 *cell = shadow_cell(&s, from);
    for (u64 k = 0; k < n / 4 * 16; k++)
        assert_int_equal(cell[k], 0);
    assert_int_equal(cell[-1], 0xff); /* neighbours stay */
    assert_int_equal(cell[n / 4 * 16], 0xff);
    shadow_clear(&s, base - 64, 64); /* outside: nothing */
    shadow_destroy(&s);
    assert_null(s.cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_is_described),    cmocka_unit_test(test_tools_by_name),
        cmocka_unit_test(test_one_place_is_one_finding),   cmocka_unit_test(test_what_is_found_again_waits_once),
        cmocka_unit_test(test_json_says_what_applies),     cmocka_unit_test(test_json_names_frames_by_file),
        cmocka_unit_test(test_allocations_remember_calls), cmocka_unit_test(test_cells_of_a_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
