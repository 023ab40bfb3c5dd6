/* test_golden.c - error messages, exactly: each tests/golden/ptx/<name>.ptx gives <name>.txt.
 *
 * After a wanted change of a message: LS_BLESS=1 ctest -R test_ptx_golden, then read the diff. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helper.h"

static const char folder[] = "tests/golden/ptx";

static void bless(const char *path, const char *said)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(said, f);
    fclose(f);
}

/* true: the messages are as the golden file says */
static bool check(const char *name)
{
    char path[512];
    size_t len, golden_len = 0;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    char *text = read_file(path, &len), *said;
    assert_non_null(text);
    struct ptx_module *m = parse_text(text, len, name, &said);
    assert_null(m); /* every golden input has an error */
    strcpy(strrchr(path, '.'), ".txt");
    if (getenv("LS_BLESS"))
        bless(path, said);
    char *golden = read_file(path, &golden_len);
    const bool same = golden && strcmp(golden, said) == 0;
    if (!same)
        print_error("%s says:\n%sbut %s has:\n%s", name, said, path, golden ? golden : "(no file)\n");
    ls_free(text);
    ls_free(said);
    ls_free(golden);
    return same;
}

static void messages_are_golden(void **state)
{
    (void)state;
    unsigned n = 0, wrong = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".ptx") != 0)
            continue;
        wrong += !check(e->d_name);
        n++;
    }
    closedir(d);
    assert_true(n >= 10);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_are_golden)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
