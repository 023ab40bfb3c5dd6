/* test_calibrate_file.c - GPU files of measurements that nobody made: what is measured, told, or taken from another GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/gpu.h"
#include "calibrate/gpu_file.h"
#include "driver/cuda_abi.h"

static struct calibration made;

static void measured(const char *name, f64 value)
{
    made.rows[made.nrows++] = (struct calibrate_row){.experiment = "x", .name = name, .unit = "cycles", .value = value};
}

static json_t *file_of(const char *device, u32 major, u32 minor, const char *id)
{
    snprintf(made.device, sizeof made.device, "%s", device);
    snprintf(made.driver, sizeof made.driver, "600.1");
    made.gpu = true;
    made.cc_major = major;
    made.cc_minor = minor;
    made.attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = (int)major;
    made.attributes[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR] = (int)minor;
    char *text = calibrate_gpu_file(&made, id);
    assert_non_null(text);
    json_t *gpu = json_loads(text, 0, NULL);
    assert_non_null(gpu);
    /* What is written can be read, with every member. */
    char path[] = "/tmp/calibrateXXXXXX.json";
    const int f = mkstemps(path, 5);
    assert_true(f >= 0 && write(f, text, strlen(text)) == (ssize_t)strlen(text));
    close(f);
    struct gpu read;
    struct diag_list diags;
    diag_init(&diags);
    assert_int_equal(gpu_find(path, &read, &diags), LS_OK);
    diag_free(&diags);
    unlink(path);
    ls_free(text);
    return gpu;
}

static void says(const json_t *gpu, const char *field, f64 value, const char *source, const char *mark)
{
    const json_t *member = json_object_get(gpu, field);
    assert_true(json_number_value(json_object_get(member, "value")) == value);
    if (!strstr(json_string_value(json_object_get(member, "source")), source))
        fail_msg("%s: %s", field, json_string_value(json_object_get(member, "source")));
    assert_string_equal(json_string_value(json_object_get(member, "mark")), mark);
}

static void a_known_gpu_keeps_what_is_not_measured(void **state)
{
    (void)state;
    memset(&made, 0, sizeof made);
    measured("latency_ffma", 4.26);
    measured("latency_dfma", 0); /* nothing sensible */
    json_t *gpu = file_of("NVIDIA A100-SXM4-80GB", 8, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(gpu, "id")), "a100");
    says(gpu, "latency_fp32", 4, "measured: chain of FFMA, NVIDIA A100-SXM4-80GB, driver 600.1", "verified");
    says(gpu, "cc_major", 8, "device attribute", "verified");
    const json_t *kept = json_object_get(json_object_get(gpu, "latency_fp64"), "source");
    assert_null(strstr(json_string_value(kept), "measured: chain"));
    assert_null(strstr(json_string_value(kept), "as in"));
    json_decref(gpu);
}

static void an_unknown_gpu_takes_the_rest_from_the_one_most_like_it(void **state)
{
    (void)state;
    memset(&made, 0, sizeof made);
    measured("latency_lop3", 5.5);
    made.attributes[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 20;
    json_t *gpu = file_of("NVIDIA GeForce RTX 4050", 8, 9, NULL);
    assert_string_equal(json_string_value(json_object_get(gpu, "id")), "geforcertx4050");
    assert_string_equal(json_string_value(json_object_get(gpu, "name")), "NVIDIA GeForce RTX 4050");
    says(gpu, "sms", 20, "device attribute", "verified");
    says(gpu, "latency_int", 6, "measured: chain of LOP3", "verified");
    says(gpu, "banks", 32, "as in rtx4090.json: ", "recalled");
    json_decref(gpu);
}

static void a_gpu_of_a_new_generation_is_like_an_h200(void **state)
{
    (void)state;
    memset(&made, 0, sizeof made);
    json_t *gpu = file_of("NVIDIA X1", 13, 0, "mine");
    assert_string_equal(json_string_value(json_object_get(gpu, "id")), "mine");
    says(gpu, "cc_major", 13, "device attribute", "verified");
    says(gpu, "banks", 32, "as in h200.json: ", "recalled");
    json_decref(gpu);
}

/* ---- gpus/h200.json against what was measured ---- */

static void read_recording(void)
{
    static char names[CALIBRATE_ROWS][64];
    char line[300];
    FILE *f = fopen("tests/hw/h200/calibrate.csv", "r");
    assert_non_null(f);
    memset(&made, 0, sizeof made);
    while (fgets(line, sizeof line, f)) {
        char name[64];
        double value;
        if (line[0] != '#' && sscanf(line, "%*[^,],%63[^,],%lf", name, &value) == 2) {
            assert_true(made.nrows < CALIBRATE_ROWS);
            measured(strcpy(names[made.nrows], name), value);
        }
    }
    fclose(f);
    assert_true(made.nrows > 400);
}

/* The file's number is the row's, where the file says that it was measured so. */
static u32 compare(const json_t *gpu, const char *field, const char *row, f64 times, const char *what)
{
    char source[300];
    const json_t *member = json_object_get(gpu, field), *value = json_object_get(member, "value");
    const struct calibrate_row *r = calibrate_find(&made, row);
    if (!r) /* the recording is older than the row */
        return 0;
    snprintf(source, sizeof source, "measured: %s, NVIDIA H200, driver 580.159.04", what);
    if (strcmp(json_string_value(json_object_get(member, "source")), source) != 0)
        return 0;
    const f64 want = r->value * times, off = json_is_real(value) ? 6e-4 * want : want > 1e9 ? 1e-4 * want : 0.5001;
    if (!(json_number_value(value) >= want - off && json_number_value(value) <= want + off))
        fail_msg("%s is %g, measured were %g", field, json_number_value(value), want);
    return 1;
}

static void the_h200_is_what_was_measured(void **state)
{
    (void)state;
    u32 n = 0;
    json_t *gpu = json_load_file("gpus/h200.json", 0, NULL);
    assert_non_null(gpu);
    read_recording();
#define MEASURED(field, row, times, what) n += compare(gpu, #field, #row, times, what);
#include "calibrate/fields.def"
    json_decref(gpu);
    assert_true(n >= 48);
}

static void rows_are_found_by_name_and_written_as_csv(void **state)
{
    (void)state;
    memset(&made, 0, sizeof made);
    measured("a", 1.5);
    measured("b", 2.5e12);
    assert_true(calibrate_find(&made, "b") == &made.rows[1]);
    assert_null(calibrate_find(&made, "c"));
    char text[200] = "";
    FILE *f = fmemopen(text, sizeof text, "w");
    calibrate_csv(f, &made);
    fclose(f);
    assert_string_equal(text, "experiment,name,value,unit,spread\nx,a,1.5,cycles,0.0000\nx,b,2.5e+12,cycles,0.0000\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_gpu_keeps_what_is_not_measured),
        cmocka_unit_test(an_unknown_gpu_takes_the_rest_from_the_one_most_like_it),
        cmocka_unit_test(a_gpu_of_a_new_generation_is_like_an_h200),
        cmocka_unit_test(the_h200_is_what_was_measured),
        cmocka_unit_test(rows_are_found_by_name_and_written_as_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
