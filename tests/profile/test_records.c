/* test_records.c - records of many launches: tables are written once, counts that are the same are not written again,
 * and what is read is the same as what was written; packed sessions; programs that replace themselves; older records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "meter/session/session.h"

enum { LINES = 40 };
static struct meter_line lines[LINES];

/* A launch of 40 instructions, which ran `times` times each. */
static struct meter_report sample(u64 id, u64 times)
{
    struct meter_report r = {.kernel = "k",
                             .device = "h200",
                             .status = "ok",
                             .id = id,
                             .grid = {1, 1, 1},
                             .block = {32, 1, 1},
                             .context = 1,
                             .stream = 7,
                             .sequence = id,
                             .cc = {9, 0},
                             .lines = lines,
                             .nlines = LINES};
    for (u32 i = 0; i < METRIC_COUNT; i++)
        r.metrics[i].value = NAN;
    r.metrics[METRIC_inst] = (struct meter_metric){(double)(LINES * times), METRIC_ESTIMATED};
    r.n[EVENT_inst] = LINES * times;
    for (u32 k = 0; k < LINES; k++) {
        lines[k] =
            (struct meter_line){.function = "k", .file = "a \"b\".cu", .line = k / 2, .ptx_line = k, .ptx = "ret"};
        lines[k].n[EVENT_inst] = times;
    }
    return r;
}

static char folder[] = "/tmp/lockstep-records-XXXXXX";
static char file[128];

static void add(u64 id, u64 times)
{
    const struct meter_report r = sample(id, times);
    assert_int_equal(session_append(folder, NULL, &r), LS_OK);
}

static long size_of_file(void)
{
    struct stat st;
    return stat(file, &st) ? 0 : (long)st.st_size;
}

static void assert_launch(const struct meter_report *r, u64 id, u64 times)
{
    assert_int_equal(r->id, id);
    assert_int_equal(r->sequence, id);
    assert_int_equal(r->stream, 7);
    assert_int_equal(r->context, 1);
    assert_int_equal(r->cc[0], 9);
    assert_int_equal(r->n[EVENT_inst], LINES * times);
    assert_true(meter_value(r, METRIC_inst) == (double)(LINES * times));
    assert_int_equal(r->metrics[METRIC_inst].kind, METRIC_ESTIMATED);
    assert_int_equal(r->nlines, LINES);
    for (u32 k = 0; k < LINES; k++) {
        assert_int_equal(r->lines[k].n[EVENT_inst], times);
        assert_int_equal(r->lines[k].line, k / 2);
        assert_int_equal(r->lines[k].ptx_line, k);
        assert_string_equal(r->lines[k].file, "a \"b\".cu");
        assert_string_equal(r->lines[k].ptx, "ret");
    }
}

static struct session read_all(u32 errors)
{
    struct session s;
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(session_read(folder, &s, &d), LS_OK);
    assert_int_equal(d.errors, errors);
    diag_free(&d);
    return s;
}

static void tables_are_written_once(void **state)
{
    (void)state;
    add(1, 5);
    const long first = size_of_file();
    add(2, 5);
    const long second = size_of_file() - first;
    add(3, 6); /* other counts, the same instructions */
    const long third = size_of_file() - first - second;
    for (u64 id = 4; id < 100; id++)
        add(id, id % 2 ? 5 : 6);
    struct session s = read_all(0);
    assert_int_equal(s.n, 99);
    assert_int_equal(s.nprocesses, 1);
    assert_int_equal(s.processes[0].pid, getpid());
    for (u32 i = 0; i < s.n; i++)
        assert_launch(s.reports[i], i + 1, i == 0 || i == 1 || (i > 2 && i % 2 == 0) ? 5 : 6);
    assert_ptr_equal(s.reports[0]->lines, s.reports[1]->lines);
    assert_ptr_not_equal(s.reports[0]->lines, s.reports[2]->lines);
    assert_true(second < third && third < first);
    assert_true(second < 5 * METRIC_COUNT + METRIC_COUNT + 400); /* "null," and a letter a metric, and the rest */
    session_free(&s);
    unlink(file);
}

/* Someone empties the file: all is said again. */
static void an_emptied_file_begins_anew(void **state)
{
    (void)state;
    add(1, 5);
    assert_int_equal(truncate(file, 0), 0);
    add(2, 5);
    struct session s = read_all(0);
    assert_int_equal(s.n, 1);
    assert_launch(s.reports[0], 2, 5);
    session_free(&s);
    unlink(file);
}

/* Reports can be taken out of a session and outlive it. */
static void reports_outlive_the_session(void **state)
{
    (void)state;
    add(1, 5);
    add(2, 5);
    struct session s = read_all(0);
    struct meter_report *kept = s.reports[0];
    s.reports[0] = s.reports[--s.n];
    session_free(&s);
    assert_launch(kept, 1, 5);
    meter_report_free(kept);
    unlink(file);
}

/* exec: the same process id, another program, whose tables begin at 0 again. */
static void a_replaced_program_begins_anew(void **state)
{
    (void)state;
    char *own = NULL, *other = NULL;
    size_t n = 0;
    add(1, 5);
    FILE *f = fopen(file, "r");
    assert_true(getline(&own, &n, f) > 0);
    fclose(f);
    unlink(file);
    add(2, 6);
    f = fopen(file, "r");
    n = 0;
    assert_true(getline(&other, &n, f) > 0);
    fclose(f);
    f = fopen(file, "w");
    fprintf(f, "%s%s", own, other);
    fclose(f);
    struct session s = read_all(0);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.nprocesses, 2);
    assert_launch(s.reports[0], 1, 5);
    assert_launch(s.reports[1], 2, 6);
    assert_int_equal(s.reports[1]->process, 1);
    session_free(&s);
    free(own);
    free(other);
    unlink(file);
}

static void a_packed_session_is_read_again(void **state)
{
    (void)state;
    char packed[] = "/tmp/lockstep-packed-XXXXXX";
    const int fd = mkstemp(packed);
    FILE *f = fdopen(fd, "w");
    add(1, 5);
    add(2, 5);
    fputs("{\"type\":\"report\",\"version\":1}\n", f);
    assert_int_equal(session_pack(folder, f), LS_OK);
    fclose(f);
    struct session s = {0};
    struct diag_list d;
    diag_init(&d);
    assert_int_equal(session_read_file(packed, &s, &d), LS_OK);
    assert_int_equal(d.errors, 0);
    assert_int_equal(s.n, 2);
    assert_launch(s.reports[1], 2, 5);
    session_free(&s);
    assert_int_equal(session_read_file("/nonexistent", &s, &d), LS_ERR_IO);
    diag_free(&d);
    unlink(packed);
    unlink(file);
}

static void older_records_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "{\"type\":\"launch\",\"name\":\"k\",\"grid\":[1,1,1],\"block\":[32,1,1],\"events\":{\"inst\":9},\"metrics\":"
        "{\"smsp__inst_executed.sum\":{\"value\":9,\"unit\":\"inst\",\"kind\":\"estimated\"}},\"lines\":[{\"function\":"
        "\"k\",\"file\":\"a.cu\",\"line\":3,\"ptx_line\":4,\"ptx\":\"ret\",\"metrics\":{\"smsp__inst_executed.sum\":9}}"
        "]}";
    struct meter_report *r;
    assert_int_equal(session_parse(text, strlen(text), &r), LS_OK);
    assert_int_equal(r->n[EVENT_inst], 9);
    assert_true(meter_value(r, METRIC_inst) == 9);
    assert_int_equal(r->nlines, 1);
    assert_int_equal(r->lines[0].n[EVENT_inst], 9);
    assert_int_equal(r->lines[0].line, 3);
    meter_report_free(r);
}

static void odd_texts_survive(void **state)
{
    (void)state;
    struct meter_report r = sample(1, 1), *back;
    lines[0].file = "tab\tand \xc3\xa9\xff.cu"; /* 0xff is no UTF-8 */
    char *text = session_print(&r);
    assert_int_equal(session_parse(text, strlen(text), &back), LS_OK);
    assert_string_equal(back->lines[0].file, "tab\tand \xc3\xa9?.cu");
    meter_report_free(back);
    ls_free(text);
}

/* Every allocation fails once: no record, or a whole one, and the next one is whole. */
static u32 left;
static void *failing(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (size && left && !--left)
        return NULL;
    if (size)
        return realloc(p, size);
    free(p);
    return NULL;
}

static void without_memory_nothing_is_half(void **state)
{
    (void)state;
    for (u32 n = 1; n < 40; n++) {
        const struct meter_report r = sample(n, 5);
        unlink(file);
        ls_set_realloc(failing, NULL);
        left = n;
        const enum ls_status status = session_append(folder, NULL, &r);
        left = 0;
        ls_set_realloc(NULL, NULL);
        assert_true(status == LS_OK || status == LS_ERR_NOMEM);
        add(n + 1, 6);
        struct session s = read_all(0);
        assert_int_equal(s.n, status == LS_OK ? 2 : 1);
        assert_launch(s.reports[s.n - 1], n + 1, 6);
        session_free(&s);
    }
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_written_once),
        cmocka_unit_test(an_emptied_file_begins_anew),
        cmocka_unit_test(reports_outlive_the_session),
        cmocka_unit_test(a_replaced_program_begins_anew),
        cmocka_unit_test(a_packed_session_is_read_again),
        cmocka_unit_test(older_records_are_read),
        cmocka_unit_test(odd_texts_survive),
        cmocka_unit_test(without_memory_nothing_is_half),
    };
    if (!mkdtemp(folder))
        return 1;
    snprintf(file, sizeof file, "%s/%ld.rec", folder, (long)getpid());
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
