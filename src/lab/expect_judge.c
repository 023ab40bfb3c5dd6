/* expect_judge.c - holds a rung's expectations against the counters of its launch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "base/vec.h"
#include "lab/trial.h"

struct judge {
    const struct expectations *e;
    const char *path;
    struct arena *mem;
    struct lab_result *r;
    struct expect_names names;
    VEC(struct lab_finding) findings;
    bool claim_false;
    bool other_banks; /* than the GPU's: what a head says of conflicts and wavefronts does not apply */
};

static void find(struct judge *j, const struct expect_line *l, double want, double got, const char *error)
{
    struct lab_finding f = {.metric = l->subject,
                            .relation = l->relation,
                            .formula = l->formula,
                            .want = want,
                            .got = got,
                            .error = error,
                            .path = j->path,
                            .line = l->line};
    vec_push(j->mem, &j->findings, f);
}

static bool of_banks(const char *metric) { return strstr(metric, "bank_conflicts") || strstr(metric, "wavefronts"); }

static void judge_line(struct judge *j, const struct expect_line *l)
{
    const char *error = NULL;
    double when = l->when ? expect_eval(l->when, &j->names, &error) : 1;
    double want = error || when == 0 ? 0 : expect_eval(l->formula, &j->names, &error);
    if (error) {
        find(j, l, NAN, NAN, error);
        return;
    }
    if (l->kind == EXPECT_LET) {
        expect_set(&j->names, l->subject, want);
        return;
    }
    if (when == 0 || (j->other_banks && of_banks(l->subject)))
        return;
    double got = lab_value_of(j->r, l->subject);
    bool known = metric_find(l->subject) >= 0 || lab_value_known(l->subject);
    bool holds = expect_holds(l->relation, got, want);
    if (l->kind == EXPECT_CLAIM) {
        j->claim_false = !holds && !isnan(got);
        return;
    }
    j->r->nexpected++;
    if (!holds)
        find(j, l, want, got, !known ? "no such metric" : isnan(got) ? "not recorded" : NULL);
}

enum ls_status lab_judge(const struct expectations *e, const char *path, struct arena *mem, struct lab_result *r)
{
    struct settings said;
    settings_read(&said, NULL, NULL);
    struct judge j = {.e = e, .path = path, .mem = mem, .r = r, .other_banks = said.banks.banks != 0};
    expect_bind(&j.names, r->family, r->rung, &r->shape, &r->plan);
    for (u32 i = 0; i < e->nlines; i++)
        judge_line(&j, &e->lines[i]);
    r->findings = j.findings.at;
    r->nfindings = j.findings.len;
    if (e->caught == CATCH_CLAIM)
        r->caught = j.claim_false;
    return LS_OK;
}
