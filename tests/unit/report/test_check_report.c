/* Records of `lockstep check` read and put together: what is one place and what is not, and every allocation failing.
 * The command's own test (tests/cli/test_check.sh) has the printed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "report/check/check_report.h"

static const char file[] = "tests/cli/check/records.chk";

/* ---- places ---- */

static char path[] = "/tmp/check-report-XXXXXX";

static void write_records(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void read_back(struct check_report *r, const char *text)
{
    struct diag_list diags;
    write_records(text);
    diag_init(&diags);
    check_report_init(r);
    assert_int_equal(check_report_read(r, path, &diags), LS_OK);
    assert_int_equal(diags.errors, 0);
    diag_free(&diags);
}

#define PROCESS "{\"type\":\"process\",\"pid\":1}\n"
#define FINDING(id, more)                                                                                              \
    "{\"type\":\"finding\",\"id\":" #id ",\"kind\":\"out-of-bounds\",\"tool\":\"memcheck\",\"title\":\"t\"" more "}\n"
#define AT(line, thread)                                                                                               \
    ",\"at\":{\"kernel\":\"k\",\"function\":\"f\",\"file\":\"a.cu\",\"line\":" #line ",\"thread\":[" #thread           \
    ",0,0],\"block\":[0,0,0]}"

static void one_place_is_one_finding(void **state)
{
    (void)state;
    struct check_report r;
    read_back(&r, PROCESS FINDING(1, AT(3, 7) ",\"count\":5,\"threads\":2") FINDING(2, AT(4, 7))
                      FINDING(3, AT(3, 9) ",\"count\":4,\"threads\":1"));
    assert_int_equal(r.findings.len, 2);
    assert_int_equal(r.findings.at[0]->count, 9);
    assert_int_equal(r.findings.at[0]->threads, 3);
    assert_int_equal(r.findings.at[0]->at.thread[0], 7); /* the first one's description */
    assert_int_equal(json_integer_value(json_object_get(r.findings.at[0]->json, "count")), 9);
    assert_int_equal(r.findings.at[1]->count, 1);
    check_report_free(&r);
}

static void again_counts_where_its_number_says(void **state)
{
    (void)state;
    struct check_report r;
    read_back(&r, PROCESS FINDING(1, AT(3, 7))
                      FINDING(2, AT(4, 7)) "{\"type\":\"again\",\"id\":2,\"count\":6}\n"
                                           "{\"type\":\"process\",\"pid\":2}\n" FINDING(
                                               1, AT(4, 0)) "{\"type\":\"again\",\"id\":1,\"count\":10}\n");
    assert_int_equal(r.findings.len, 2);
    assert_int_equal(r.findings.at[0]->count, 1);
    assert_int_equal(r.findings.at[1]->count, 1 + 6 + 1 + 10); /* number 1 of process 2 is the same place */
    assert_false(r.processes.at[0].ended);
    check_report_free(&r);
}

static void severities_are_places_of_their_own(void **state)
{
    (void)state;
    struct check_report r;
    read_back(&r, PROCESS FINDING(1, AT(3, 7)) FINDING(2, AT(3, 7) ",\"severity\":\"warning\""));
    assert_int_equal(r.findings.len, 2);
    assert_int_equal(check_report_errors(&r), 1);
    check_report_strict(&r);
    assert_int_equal(check_report_errors(&r), 2);
    check_report_free(&r);
}

static void exec_ends_a_process(void **state)
{
    (void)state;
    struct check_report r;
    read_back(&r, PROCESS PROCESS);
    assert_int_equal(r.processes.len, 2);
    assert_true(r.processes.at[0].ended);
    assert_false(r.processes.at[1].ended);
    check_report_free(&r);
}

/* ---- frames ---- */

static u32 two_frames(void *ctx, struct arena *mem, const struct check_frame *f, struct check_frame out[CHECK_INLINED])
{
    (void)mem;
    (*(u32 *)ctx)++;
    out[0].function = "inner";
    out[1].function = f->offset == 8 ? "outer" : "other";
    return f->offset == 9 ? 0 : 2;
}

static void inlined_frames_are_put_in_place(void **state)
{
    (void)state;
    struct check_report r;
    u32 asked = 0;
    read_back(&r,
              PROCESS FINDING(1, ",\"call\":{\"api\":\"cuInit\",\"frames\":[{\"module\":\"m\",\"offset\":8},"
                                 "{\"module\":\"m\",\"offset\":9},{\"module\":\"m\",\"offset\":7,\"function\":\"f\"},"
                                 "{\"offset\":8}]}"));
    assert_true(check_report_frames(&r, two_frames, &asked));
    const struct check_record *f = r.findings.at[0];
    const json_t *records = json_object_get(json_object_get(f->json, "call"), "frames");
    assert_int_equal(asked, 2); /* not for what is known, nor for an address without a file */
    assert_int_equal(f->call.n, 5);
    assert_int_equal(json_array_size(records), 5);
    assert_string_equal(f->call.frames[0].function, "inner");
    assert_string_equal(f->call.frames[1].function, "outer");
    assert_null(f->call.frames[2].function);
    assert_string_equal(f->call.frames[3].function, "f");
    assert_string_equal(json_string_value(json_object_get(json_array_get(records, 1), "function")), "outer");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(records, 1), "offset")), 8);
    check_report_free(&r);
}

static void frames_between_the_program_and_a_call_are_hidden(void **state)
{
    (void)state;
    struct check_frame frames[] = {
        {.module = "/lib/libcudart.so.13", .file = "x.c", .line = 1},
        {.module = "a", .function = "_Z16cudaLaunchKernelIcE9cudaErrorPT_", .file = "cuda_runtime.h", .line = 2},
        {.module = "a", .function = "_Z28__device_stub__Z3addPKfPfiPKfPfi", .file = "a.cu", .line = 3},
        {.module = "a", .function = "_Z3addPKfPfi", .file = "a.cu", .line = 3},
        {.module = "a", .function = "_Z4mainv", .file = "a.cu", .line = 9},
        {.module = "a", .function = "cudafied", .file = "a.cu", .line = 10},
    };
    const struct check_call call = {.frames = frames, .n = 6};
    for (u32 k = 0; k < 4; k++)
        assert_true(check_frame_hidden(&call, k));
    assert_false(check_frame_hidden(&call, 4));
    assert_false(check_frame_hidden(&call, 5));
    assert_ptr_equal(check_site(&call), &frames[4]);
}

/* ---- memory ---- */

static u32 left;

static void *failing(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (size && left-- == 0) {
        left = UINT32_MAX;
        return NULL;
    }
    if (!size) {
        free(p);
        return NULL;
    }
    return realloc(p, size);
}

static enum ls_status read_with(u32 allocations)
{
    struct check_report r;
    struct diag_list diags;
    u32 asked = 0;
    left = allocations;
    ls_set_realloc(failing, NULL);
    diag_init(&diags);
    check_report_init(&r);
    enum ls_status s = check_report_read(&r, file, &diags);
    if (s == LS_OK && !check_report_frames(&r, two_frames, &asked))
        s = LS_ERR_NOMEM;
    diag_free(&diags);
    check_report_free(&r);
    ls_set_realloc(NULL, NULL);
    return s;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    u32 n = 0;
    while (read_with(n) == LS_ERR_NOMEM)
        n++;
    assert_true(n > 0);
    assert_int_equal(read_with(n), LS_OK);
}

static int make_file(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_place_is_one_finding),
        cmocka_unit_test(again_counts_where_its_number_says),
        cmocka_unit_test(severities_are_places_of_their_own),
        cmocka_unit_test(exec_ends_a_process),
        cmocka_unit_test(inlined_frames_are_put_in_place),
        cmocka_unit_test(frames_between_the_program_and_a_call_are_hidden),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
