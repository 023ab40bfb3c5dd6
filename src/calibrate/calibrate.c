/* calibrate.c - runs the experiments of experiments.def one after the other. */
#include "calibrate/calibrate.h"

#include <string.h>

#include "calibrate/bench.h"
#include "calibrate/experiments.h"

static const struct {
    const char *name;
    bool (*measure)(struct bench *b);
} experiments[] = {
#define EXPERIMENT(name, about) {#name, measure_##name},
#include "calibrate/experiments.def"
};

const char *calibrate_experiment(u32 n) { return n < LS_ARRAY_LEN(experiments) ? experiments[n].name : NULL; }

/* Is it one of the names between commas? */
static bool named(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

static void fail(struct bench *b, const char *experiment, const char *why)
{
    if (b->to->nfailures < CALIBRATE_FAILURES)
        b->to->failures[b->to->nfailures++] = (struct calibrate_failure){experiment, arena_printf(b->mem, "%s", why)};
}

static void measure(struct bench *b, u32 i)
{
    const u32 before = b->to->nrows;
    const bool good = experiments[i].measure(b);
    for (u32 k = before; k < b->to->nrows; k++)
        b->to->rows[k].experiment = experiments[i].name;
    if (good && !b->error[0])
        return;
    fail(b, experiments[i].name, b->error);
    if (!b->hung && !bench_renew(b))
        b->hung = true;
}

static void measure_all(struct bench *b)
{
    const struct calibrate_request *r = b->request;
    for (u32 i = 0; i < LS_ARRAY_LEN(experiments); i++) {
        if (r->only && !named(r->only, experiments[i].name))
            continue;
        if (b->hung || bench_seconds() > b->deadline) {
            fail(b, experiments[i].name, b->hung ? "not begun: the device hangs" : "not begun: the time is over");
            continue;
        }
        if (r->progress)
            r->progress(experiments[i].name);
        measure(b, i);
    }
}

bool calibrate_run(const struct calibrate_request *request, struct arena *mem, struct calibration *out,
                   struct diag_list *diags)
{
    struct bench *b = arena_new(mem, struct bench);
    memset(out, 0, sizeof *out);
    out->gpu = request->gpu;
    b->request = request;
    b->to = out;
    b->mem = mem;
    b->deadline = bench_seconds() + request->seconds;
    if (!bench_open(b, diags))
        return false;
    measure_all(b);
    bench_close(b);
    return true;
}

const struct calibrate_row *calibrate_find(const struct calibration *c, const char *name)
{
    for (u32 i = 0; i < c->nrows; i++)
        if (strcmp(c->rows[i].name, name) == 0)
            return &c->rows[i];
    return NULL;
}

/* ---- what was measured, as text ---- */

void calibrate_print(FILE *out, const struct calibration *c)
{
    const char *experiment = "";
    fprintf(out, "%s, compute capability %u.%u, %u SMs, driver %s\n", c->device, c->cc_major, c->cc_minor, c->sms,
            c->driver);
    for (u32 i = 0; i < c->nrows; i++) {
        const struct calibrate_row *r = &c->rows[i];
        if (strcmp(experiment, r->experiment) != 0)
            fprintf(out, "\n%s\n", experiment = r->experiment);
        fprintf(out, "  %-44s %16.4f  %-24s +- %5.1f %%\n", r->name, r->value, r->unit, 50 * r->spread);
    }
    if (c->nfailures)
        fputs("\nnot measured\n", out);
    for (u32 i = 0; i < c->nfailures; i++)
        fprintf(out, "  %s: %s\n", c->failures[i].experiment, c->failures[i].why);
}

void calibrate_csv(FILE *out, const struct calibration *c)
{
    fputs("experiment,name,value,unit,spread\n", out);
    for (u32 i = 0; i < c->nrows; i++) {
        const struct calibrate_row *r = &c->rows[i];
        fprintf(out, "%s,%s,%.6g,%s,%.4f\n", r->experiment, r->name, r->value, r->unit, r->spread);
    }
}
