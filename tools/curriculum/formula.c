/* formula.c - the two sides of a check: counters' names become values, lab/expect.c does the arithmetic. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "curriculum.h"
#include "lab/expect.h"

const struct counter counters[] = {
#define COUNTER(name, metric, about) {#name, metric, about},
#include "counters.def"
#undef COUNTER
};
const u32 counter_count = LS_ARRAY_LEN(counters);

bool formula_split(struct check_line *c)
{
    for (const char *at = c->text; *at; at++)
        if (strchr("=<>", at[0]) && at[1] == '=') {
            snprintf(c->left, sizeof c->left, "%.*s", (int)(at - c->text), c->text);
            snprintf(c->relation, sizeof c->relation, "%.2s", at);
            snprintf(c->right, sizeof c->right, "%s", trim((char *)at + 2));
            trim(c->left);
            return c->left[0] && c->right[0];
        }
    return false;
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

static const char *metric_of(const char *name)
{
    for (u32 i = 0; i < counter_count; i++)
        if (strcmp(counters[i].name, name) == 0)
            return counters[i].metric;
    return strstr(name, "__") ? name : NULL;
}

static enum metric_kind kind_of(const struct lab_result *r, const char *metric)
{
    for (u32 i = 0; i < r->nvalues; i++)
        if (strcmp(r->values[i].name, metric) == 0)
            return r->values[i].kind;
    for (u32 i = 0; r->report && i < METRIC_COUNT; i++)
        if (strcmp(metric_info((enum metric_id)i)->name, metric) == 0)
            return r->report->metrics[i].kind;
    return METRIC_COUNTED;
}

struct sides {
    const struct lab_result *r, *was;
    struct expect_names names;
    bool estimated, modelled;
    const char *error;
};

/* A name of the formula, as expect_eval knows it: counters are bound to a name of their own. */
static void put_name(struct sides *s, const char *name, char *out, size_t size)
{
    const bool before = strncmp(name, "was_", 4) == 0;
    const struct lab_result *r = before ? s->was : s->r;
    const char *metric = metric_of(before ? name + 4 : name);
    snprintf(out, size, "%s", name);
    if (!metric)
        return;
    static char slots[40][8];
    if (!r || s->names.n >= LS_ARRAY_LEN(slots)) {
        s->error = r ? "too many names" : "was_... needs an 'against'";
        return;
    }
    const double value = lab_value_of(r, metric);
    if (isnan(value))
        s->error = "there is no such counter";
    const enum metric_kind kind = kind_of(r, metric);
    s->estimated |= kind == METRIC_ESTIMATED;
    s->modelled |= kind != METRIC_ESTIMATED && kind != METRIC_COUNTED;
    snprintf(slots[s->names.n], sizeof slots[0], "m%u", s->names.n);
    snprintf(out, size, "%s", slots[s->names.n]);
    expect_set(&s->names, slots[s->names.n], value);
}

static double evaluate(struct sides *s, const char *text)
{
    char formula[400];
    size_t n = 0;
    while (*text && n + 100 < sizeof formula) {
        size_t len = 0;
        while (is_name(text[len]))
            len++;
        if (len && !isdigit((unsigned char)*text)) {
            char name[100];
            snprintf(name, sizeof name, "%.*s", (int)len, text);
            put_name(s, name, formula + n, sizeof formula - n);
            n += strlen(formula + n);
        } else {
            len = len ? len : 1;
            n += (size_t)snprintf(formula + n, sizeof formula - n, "%.*s", (int)len, text);
        }
        text += len;
    }
    formula[n] = '\0';
    const char *error = NULL;
    double v = expect_eval(formula, &s->names, &error);
    s->error = s->error ? s->error : error;
    return v;
}

const char *formula_check(struct check_line *c, const struct lab_result *r, const struct lab_result *was)
{
    struct sides s = {.r = r, .was = was};
    expect_bind(&s.names, r->family, r->rung, &r->shape, &r->plan);
    expect_set(&s.names, "wrong", (double)r->check.wrong);
    expect_set(&s.names, "caught", r->caught);
    expect_set(&s.names, "useful", (double)r->plan.useful_bytes);
    c->got = evaluate(&s, c->left);
    c->estimated = s.estimated;
    c->modelled = s.modelled;
    c->want = evaluate(&s, c->right);
    return s.error;
}

bool formula_uses(const struct check_line *c, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = c->text; (at = strstr(at, name)); at += n) {
        const bool was = at - c->text >= 4 && strncmp(at - 4, "was_", 4) == 0;
        if ((at == c->text || was || !is_name(at[-1])) && !is_name(at[n]))
            return true;
    }
    return false;
}
