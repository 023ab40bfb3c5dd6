#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "helper.h"

char *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    const long n = ftell(f);
    rewind(f);
    char *text = ls_calloc((size_t)n + 1, 1);
    assert_non_null(text);
    *len = fread(text, 1, (size_t)n, f);
    fclose(f);
    return text;
}

struct ptx_module *parse_text(const char *text, size_t len, const char *name, char **said)
{
    struct diag_list diags;
    struct ptx_module *m;
    diag_init(&diags);
    const enum ls_status s = ptx_parse(text, len, name, &m, &diags);
    assert_int_equal(s == LS_OK, diags.errors == 0);
    assert_int_equal(s == LS_OK, m != NULL);
    *said = diag_text(&diags);
    diag_free(&diags);
    return m;
}

struct ptx_module *must_parse(const char *text)
{
    char *said;
    struct ptx_module *m = parse_text(text, strlen(text), "test.ptx", &said);
    if (!m)
        print_error("%s", said);
    assert_non_null(m);
    ls_free(said);
    return m;
}
