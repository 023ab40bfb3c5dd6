/* expect.c - the expressions of expectations: a recursive descent that evaluates as it reads.
 *
 * The right side of a && or || that does not matter is read but not evaluated (`live` is false), so that a condition
 * can guard a division. The first error wins; after it nothing is evaluated. */
#include "lab/expect.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at;
    const struct expect_names *names;
    const char *error;
    bool live;
    u32 depth;
};

static double either(struct reader *r);

static double fail(struct reader *r, const char *why)
{
    if (!r->error)
        r->error = why;
    return NAN;
}

static void skip_space(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
}

/* Takes the operator if it is next; a single < is not the head of <=. */
static bool take(struct reader *r, const char *op)
{
    size_t n = strlen(op);
    skip_space(r);
    if (strncmp(r->at, op, n) != 0)
        return false;
    if (n == 1 && strchr("<>=!", op[0]) && r->at[1] == '=')
        return false;
    r->at += n;
    return true;
}

static double remainder_of(struct reader *r, double a, double b)
{
    if (!r->live)
        return 0;
    return b == 0 ? fail(r, "remainder by zero") : fmod(a, b);
}

static double quotient_of(struct reader *r, double a, double b)
{
    if (!r->live)
        return 0;
    return b == 0 ? fail(r, "division by zero") : a / b;
}

static double apply(struct reader *r, const char *name, size_t n, const double *arg, u32 nargs)
{
#define IS(text, count) (n == strlen(text) && strncmp(name, text, n) == 0 && nargs == (count))
    if (IS("min", 2))
        return fmin(arg[0], arg[1]);
    if (IS("max", 2))
        return fmax(arg[0], arg[1]);
    if (IS("ceil_div", 2))
        return ceil(quotient_of(r, arg[0], arg[1]));
    if (IS("log2", 1))
        return !r->live ? 0 : arg[0] > 0 ? log2(arg[0]) : fail(r, "log2 of what is not positive");
#undef IS
    return fail(r, "no such function, or not with so many arguments");
}

static double call(struct reader *r, const char *name, size_t n)
{
    double arg[2] = {0, 0};
    u32 nargs = 0;
    do {
        double v = either(r);
        if (nargs < 2)
            arg[nargs] = v;
        nargs++;
    } while (take(r, ","));
    if (!take(r, ")"))
        return fail(r, "a ) is missing");
    return apply(r, name, n, arg, nargs);
}

static double named(struct reader *r)
{
    const char *name = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    size_t n = (size_t)(r->at - name);
    if (take(r, "("))
        return call(r, name, n);
    for (u32 i = 0; i < r->names->n; i++)
        if (strlen(r->names->at[i].name) == n && strncmp(r->names->at[i].name, name, n) == 0)
            return r->names->at[i].value;
    return fail(r, "unknown name");
}

/* primary := number | name | name ( args ) | ( expression ) */
static double primary(struct reader *r)
{
    skip_space(r);
    if (take(r, "(")) {
        double v = either(r);
        return take(r, ")") ? v : fail(r, "a ) is missing");
    }
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        double v = strtod(r->at, &end);
        r->at = end;
        return v;
    }
    if (isalpha((unsigned char)*r->at) || *r->at == '_')
        return named(r);
    return fail(r, "a number, a name or ( is missing");
}

/* unary := (- | !) unary | primary */
static double unary(struct reader *r)
{
    if (r->error || ++r->depth > 200)
        return fail(r, "too deeply nested");
    double v;
    if (take(r, "-"))
        v = -unary(r);
    else if (take(r, "!"))
        v = unary(r) == 0;
    else
        v = primary(r);
    r->depth--;
    return v;
}

/* product := unary ((* | / | %) unary)* */
static double product(struct reader *r)
{
    double v = unary(r);
    for (;;) {
        if (take(r, "*"))
            v *= unary(r);
        else if (take(r, "/"))
            v = quotient_of(r, v, unary(r));
        else if (take(r, "%"))
            v = remainder_of(r, v, unary(r));
        else
            return v;
    }
}

/* sum := product ((+ | -) product)* */
static double sum(struct reader *r)
{
    double v = product(r);
    for (;;) {
        if (take(r, "+"))
            v += product(r);
        else if (take(r, "-"))
            v -= product(r);
        else
            return v;
    }
}

/* comparison := sum ((== | != | <= | >= | < | >) sum)? */
static double comparison(struct reader *r)
{
    double v = sum(r);
    if (take(r, "=="))
        return v == sum(r);
    if (take(r, "!="))
        return v != sum(r);
    if (take(r, "<="))
        return v <= sum(r);
    if (take(r, ">="))
        return v >= sum(r);
    if (take(r, "<"))
        return v < sum(r);
    if (take(r, ">"))
        return v > sum(r);
    return v;
}

/* both := comparison (&& comparison)* */
static double both(struct reader *r)
{
    double v = comparison(r);
    while (take(r, "&&")) {
        bool live = r->live;
        r->live = live && v != 0;
        double right = comparison(r);
        r->live = live;
        v = v != 0 && right != 0;
    }
    return v;
}

/* either := both (|| both)* */
static double either(struct reader *r)
{
    double v = both(r);
    while (take(r, "||")) {
        bool live = r->live;
        r->live = live && v == 0;
        double right = both(r);
        r->live = live;
        v = v != 0 || right != 0;
    }
    return v;
}

double expect_eval(const char *text, const struct expect_names *names, const char **error)
{
    struct reader r = {.at = text, .names = names, .live = true};
    double v = either(&r);
    skip_space(&r);
    if (*r.at)
        fail(&r, "something is left over at the end");
    *error = r.error;
    return r.error ? NAN : v;
}

bool expect_holds(const char *relation, double got, double want)
{
    if (strcmp(relation, "<=") == 0)
        return got <= want;
    if (strcmp(relation, ">=") == 0)
        return got >= want;
    return fabs(got - want) <= 1e-9 * fmax(fabs(want), 1);
}

void expect_set(struct expect_names *names, const char *name, double value)
{
    if (names->n < LS_ARRAY_LEN(names->at))
        names->at[names->n++] = (struct expect_name){name, value};
}

void expect_bind(struct expect_names *names, const struct family *f, const struct rung *r, const struct shape *s,
                 const struct plan *p)
{
    static const struct launch none = {.grid = {0}, .block = {0}};
    const struct launch *l = plan_main(p, r);
    l = l ? l : &none;
    double threads = (double)l->block[0] * l->block[1] * l->block[2];
    double blocks = (double)l->grid[0] * l->grid[1] * l->grid[2];
    double block_warps = ceil(threads / 32);
    names->n = 0;
    expect_set(names, "n", (double)s->n);
    expect_set(names, "rows", s->rows);
    expect_set(names, "cols", s->cols);
    expect_set(names, "k", s->k);
    expect_set(names, "batch", s->batch);
    expect_set(names, "bx", s->bx);
    expect_set(names, "by", s->by);
    expect_set(names, "threads", threads);
    expect_set(names, "block_warps", block_warps);
    expect_set(names, "blocks", blocks);
    expect_set(names, "grid_x", l->grid[0]);
    expect_set(names, "grid_y", l->grid[1]);
    expect_set(names, "warps", blocks * block_warps);
    expect_set(names, "shared", l->dynamic_shared);
    for (const struct rung_column *c = f->formula_columns; c && c->name; c++)
        expect_set(names, c->name, *(const u32 *)((const char *)r->columns + c->offset));
}
