/* test_gpu.c - the GPU files: the built-in ones are complete and right where a number is in the published tables, and
 * faults in a file of one's own are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/gpu.h"

static struct gpu load(const char *id)
{
    struct gpu g;
    struct diag_list d;
    diag_init(&d);
    if (gpu_find(id, &g, &d) != LS_OK)
        fail_msg("%s: %s", id ? id : "the default", d.first ? d.first->text : "?");
    diag_free(&d);
    return g;
}

static void the_default_is_the_h200(void **state)
{
    (void)state;
    assert_string_equal(load(NULL).id, "h200");
    assert_string_equal(load("").name, "NVIDIA H200");
}

/* Published numbers: compute capability, SMs, threads and blocks an SM, shared bytes an SM and a block. */
static void built_in_files_have_the_published_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        u32 major, minor, sms, threads, blocks, shared_kib, optin_kib;
    } want[] = {
        {"h200", 9, 0, 132, 2048, 32, 228, 227},   {"h100", 9, 0, 132, 2048, 32, 228, 227},
        {"a100", 8, 0, 108, 2048, 32, 164, 163},   {"v100", 7, 0, 80, 2048, 32, 96, 96},
        {"rtx4090", 8, 9, 128, 1536, 24, 100, 99}, {"rtx5060ti", 12, 0, 36, 1536, 24, 100, 99},
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(want); i++) {
        const struct gpu g = load(want[i].id);
        assert_string_equal(g.id, want[i].id);
        assert_int_equal(g.cc_major, want[i].major);
        assert_int_equal(g.cc_minor, want[i].minor);
        assert_int_equal(g.sms, want[i].sms);
        assert_int_equal(g.threads_per_sm, want[i].threads);
        assert_int_equal(g.blocks_per_sm, want[i].blocks);
        assert_int_equal(g.shared_per_sm, want[i].shared_kib * 1024);
        assert_int_equal(g.shared_per_block_optin, want[i].optin_kib * 1024);
        assert_int_equal(g.registers_per_sm, 65536);
        assert_int_equal(g.banks, 32);
        assert_int_equal(g.bank_bytes, 4);
        assert_int_equal(g.shared_carveouts[g.ncarveouts - 1], want[i].shared_kib);
    }
    unsigned n = 0;
    for (; gpu_builtin(n); n++)
        assert_string_equal(load(gpu_builtin(n)).id, gpu_builtin(n));
    assert_true(n >= LS_ARRAY_LEN(want));
}

/* What an H200 itself says of L2 and clocks: tests/hw/h200/README.md. */
static void the_h200_is_as_a_device_query_says(void **state)
{
    (void)state;
    const struct gpu g = load("h200");
    assert_int_equal(g.l2_bytes, 62914560);
    assert_int_equal(g.boost_mhz, 1980);
    assert_float_equal(g.dram_bytes_per_s, 3201e6 * 2 * 6016 / 8, 1e6);
}

static void an_unknown_name_lists_the_known(void **state)
{
    (void)state;
    struct gpu g;
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(gpu_find("gtx480", &g, &d), LS_ERR_NOT_FOUND);
    assert_non_null(strstr(d.first->text, "gtx480"));
    assert_non_null(strstr(d.first->note, "h200"));
    assert_int_equal(gpu_find("/nonexistent.json", &g, &d), LS_ERR_NOT_FOUND);
    diag_free(&d);
}

/* ---- files of one's own: gpus/h200.json with one place changed ---- */

static char *read_file(const char *path)
{
    char *text = calloc(1, 65536);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, 65535, f) > 1000);
    fclose(f);
    return text;
}

static enum ls_status find_changed(const char *from, const char *to, struct gpu *g, struct diag_list *d)
{
    char path[] = "/tmp/lockstep-gpu-XXXXXX.json";
    char *text = read_file("gpus/h200.json"), *at = strstr(text, from);
    assert_non_null(at);
    const int fd = mkstemps(path, 5);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(f);
    free(text);
    const enum ls_status s = gpu_find(path, g, d);
    unlink(path);
    return s;
}

static void a_file_of_ones_own_is_read(void **state)
{
    (void)state;
    struct gpu g;
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(find_changed("{\"value\": 132", "{\"value\": 7", &g, &d), LS_OK);
    assert_int_equal(g.sms, 7);
    assert_int_equal(d.errors, 0);
    diag_free(&d);
}

static void faults_in_a_file_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } faults[] = {
        {"\"sms\":", "\"smss\":", "sms: this number is missing"},
        {"{\"value\": 132", "{\"value\": 0", "not an integer from 1"},
        {"{\"value\": 132", "{\"value\": \"132\"", "not an integer"},
        {"{\"value\": 132", "{\"value\": 1.5", "not an integer"},
        {"[1024, 1024, 64]", "[1024, 1024]", "list of the right length"},
        {"[0, 8, 16", "[0, 16, 8", "not ascending"},
        {"\"mark\": \"verified\"", "\"mark\": \"guessed\"", "its source and a mark"},
        {"\"source\": \"device", "\"sauce\": \"device", "its source and a mark"},
        {"{\"value\": 4, \"source\": \"measured", "{\"value\": 3, \"source\": \"measured", "power of two"},
        {"{\"value\": 232448", "{\"value\": 300000", "must ascend"},
        {"}", "", "not JSON"},
        {"\"id\": \"h200\"", "\"id\": \"\"", "id: missing"},
    };
    for (size_t i = 0; i < LS_ARRAY_LEN(faults); i++) {
        struct gpu g;
        struct diag_list d;
        diag_init(&d);
        assert_int_equal(find_changed(faults[i].from, faults[i].to, &g, &d), LS_ERR_SYNTAX);
        bool told = false;
        for (const struct diag *e = d.first; e; e = e->next)
            told |= strstr(e->text, faults[i].says) != NULL;
        if (!told)
            fail_msg("'%s' for '%s' should say '%s', says '%s'", faults[i].to, faults[i].from, faults[i].says,
                     d.first ? d.first->text : "nothing");
        diag_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_is_the_h200),
        cmocka_unit_test(built_in_files_have_the_published_numbers),
        cmocka_unit_test(the_h200_is_as_a_device_query_says),
        cmocka_unit_test(an_unknown_name_lists_the_known),
        cmocka_unit_test(a_file_of_ones_own_is_read),
        cmocka_unit_test(faults_in_a_file_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
