/* coverage.c - which op bodies do the test programs use? Every function of every file is lowered as the engine would,
 * in every shape, and the bodies that lowering asks for are ticked off the table. Prints the rest; `coverage FILE.ptx...`
 * succeeds when every body that PTX of the files' targets can name is used, or is listed in uncovered.txt with a reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "exec/bodies/bodies.h"
#include "exec/device/builtin.h"
#include "exec/exec.h"
#include "ir/ir.h"
#include "model/latency.h"
#include "ptx/ptx.h"

enum { MAX_BODIES = 8192 };

/* The bodies by name. */
static struct row {
    const char *name;
    bool used;
} rows[MAX_BODIES];
static unsigned nrows, missing;

static int by_name(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void list_bodies(void)
{
    for (const char *name; nrows < MAX_BODIES && (name = bodies_name(nrows));)
        rows[nrows++].name = name;
    qsort(rows, nrows, sizeof rows[0], by_name);
}

static ir_body body(void *ctx, const char *name, enum ir_mode mode)
{
    (void)ctx;
    struct row *r = bsearch(&(struct row){.name = name}, rows, nrows, sizeof rows[0], by_name);
    if (r)
        r->used = true;
    return bodies_find(name, mode);
}

/* Lowering asks where things are; any address will do. */
static bool var_address(void *ctx, const struct ptx_func *f, const struct ptx_var *v, u64 *address)
{
    (void)ctx, (void)f, (void)v;
    *address = 4096;
    return true;
}
static u64 func_handle(void *ctx, const struct ptx_func *f)
{
    (void)ctx;
    return f->defined ? 64 : 0;
}
static int builtin(void *ctx, const char *name)
{
    (void)ctx;
    return builtin_find(name);
}

static char *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *len = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(*len + 1, 1);
    if (text && fread(text, 1, *len, f) != *len)
        *len = 0;
    fclose(f);
    return text;
}

static void lower_all(const struct ptx_module *m)
{
    struct arena mem = ARENA("launch");
    const struct ir_target target = {
        .body = body, .var_address = var_address, .func_handle = func_handle, .builtin = builtin, .cost = latency_cost};
    if (setjmp(mem.oom)) {
        arena_free(&mem);
        return;
    }
    for (u32 k = 0; k < m->nfuncs; k++) {
        if (!m->funcs[k]->defined)
            continue;
        const struct ir_func *out = ir_lower(&mem, m, m->funcs[k], &target);
        if (out->poison)
            printf("cannot run: %s\n", out->poison), missing++;
    }
    arena_free(&mem);
}

static bool take_file(const char *path)
{
    struct diag_list diags;
    struct ptx_module *m = NULL;
    size_t len = 0;
    char *text = read_file(path, &len);
    diag_init(&diags);
    const bool ok = text && ptx_parse(text, len, path, &m, &diags) == LS_OK;
    if (ok)
        lower_all(m);
    else
        printf("%s: cannot be parsed\n", path);
    if (m)
        ptx_free(m);
    diag_free(&diags);
    free(text);
    return ok;
}

static bool fits(const char *pattern, size_t len, const char *name)
{
    if (pattern[len - 1] == '*')
        return !strncmp(pattern, name, len - 1);
    return strlen(name) == len && !memcmp(pattern, name, len);
}

/* An excuse must be true: it names bodies, and no test uses any of them. */
static bool holds(const char *pattern, size_t len)
{
    unsigned fitting = 0;
    for (unsigned k = 0; k < nrows; k++) {
        if (!fits(pattern, len, rows[k].name))
            continue;
        if (rows[k].used)
            return false;
        fitting++;
    }
    return fitting > 0;
}

static void check_excuses(const char *list)
{
    for (const char *at = list; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        const size_t len = strcspn(at, " \n");
        if (*at == '#' || !len || holds(at, len))
            continue;
        printf("not an excuse: %.*s is used by a test, or no body\n", (int)len, at);
        missing++;
    }
}

/* "pattern  reason" a line; a pattern may end in '*'. */
static bool excused(const char *list, const char *name)
{
    for (const char *at = list; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        const size_t len = strcspn(at, " \n");
        if (*at == '#' || !len)
            continue;
        if (fits(at, len, name))
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    size_t len;
    bool ok = argc > 2;
    char *list = argc > 2 ? read_file(argv[1], &len) : NULL;
    unsigned count = 0, excuses = 0;
    list_bodies();
    for (int k = 2; k < argc; k++)
        ok &= take_file(argv[k]);
    for (unsigned k = 0; k < nrows; k++) {
        count += rows[k].used;
        if (rows[k].used)
            continue;
        if (excused(list, rows[k].name)) {
            excuses++;
            continue;
        }
        printf("not used by any test: %s\n", rows[k].name);
        missing++;
    }
    check_excuses(list);
    printf("%u of %u bodies are used by tests, %u more are excused\n", count, nrows, excuses);
    free(list);
    return ok && !missing ? 0 : 1;
}
