/* gate_compare.c - which kernels of two baselines belong together, and which of their numbers differ by more than they may.
 *
 * Kernels of one name and shape belong together. Of those that are left, kernels of one name do, in the order of their first
 * launch (the shape changed), and then kernels of one function (parameters or template arguments changed). What is left
 * then is new or gone. */
#include <math.h>
#include <string.h>

#include "report/gate/gate.h"

struct matcher {
    const struct gate_baseline *old, *now;
    u32 *partner; /* of each older kernel: 1 + the newer one's number; 0: none */
    bool *taken;
};

enum likeness { BY_SHAPE, BY_NAME, BY_FUNCTION, LIKENESSES };

static bool alike(const struct gate_kernel *a, const struct gate_kernel *b, enum likeness how)
{
    if (a->copies != b->copies || strcmp(a->function, b->function) != 0)
        return false;
    if (how == BY_FUNCTION)
        return true;
    if (strcmp(a->name, b->name) != 0)
        return false;
    return how == BY_NAME ||
           (!memcmp(a->grid, b->grid, sizeof a->grid) && !memcmp(a->block, b->block, sizeof a->block) &&
            a->v[GATE_shared_dynamic] == b->v[GATE_shared_dynamic]);
}

static void match(struct matcher *m, enum likeness how)
{
    for (u32 i = 0; i < m->old->kernels.len; i++)
        for (u32 k = 0; k < m->now->kernels.len && !m->partner[i]; k++)
            if (!m->taken[k] && alike(m->old->kernels.at[i], m->now->kernels.at[k], how)) {
                m->taken[k] = true;
                m->partner[i] = k + 1;
            }
}

/* ---- numbers ---- */

static bool differs(double was, double is) { return !isnan(was) && !isnan(is) && was != is; }

static bool fails(const struct gate_baseline *b, enum gate_metric m, double was, double is)
{
    const enum gate_how how = gate_metric_info(m)->how;
    if (b->tolerance[m].given)
        return fabs(is - was) > b->tolerance[m].percent / 100 * fabs(was);
    return how == GATE_EXACT || (how == GATE_APPEARS && (was == 0 || b->strict)) || (how == GATE_CODE && b->strict);
}

static void compare_pair(const struct gate_baseline *b, struct gate_pair *p)
{
    bool fail = strcmp(p->old->name, p->now->name) != 0;
    p->renamed = fail;
    for (u32 m = 0; m < GATE_METRICS; m++) {
        const double was = p->old->v[m], is = p->now->v[m];
        if (!differs(was, is))
            continue;
        const bool wrong = fails(b, (enum gate_metric)m, was, is);
        p->changes[p->nchanges++] = (struct gate_change){(enum gate_metric)m, was, is, wrong};
        fail |= wrong;
    }
    fail |= memcmp(p->old->grid, p->now->grid, sizeof p->old->grid) != 0;
    fail |= memcmp(p->old->block, p->now->block, sizeof p->old->block) != 0;
    p->verdict = fail ? GATE_CHANGED : p->nchanges ? GATE_MOVED : GATE_SAME;
}

/* ---- heads ---- */

static void note(struct arena *mem, struct gate_result *r, const char *what, const char *was, const char *is)
{
    if (was && is && strcmp(was, is) != 0)
        r->notes[r->nnotes++] = arena_printf(mem, "the baseline is of %s %s, and this is %s", what, was, is);
}

static struct gate_pair *add(struct gate_result *r, const struct gate_kernel *old, const struct gate_kernel *now)
{
    struct gate_pair *p = &r->pairs[r->n++];
    *p = (struct gate_pair){.old = old, .now = now, .verdict = old ? GATE_GONE : GATE_NEW};
    return p;
}

void gate_compare(struct arena *mem, const struct gate_baseline *old, const struct gate_baseline *now,
                  const struct check_paths *paths, struct gate_result *out)
{
    struct matcher m = {old, now, arena_array(mem, u32, old->kernels.len + 1),
                        arena_array(mem, bool, now->kernels.len + 1)};
    *out = (struct gate_result){.old = old, .now = now};
    out->pairs = arena_array(mem, struct gate_pair, old->kernels.len + now->kernels.len + 1);
    note(mem, out, "GPU", old->gpu, now->gpu);
    note(mem, out, "compiler", old->compiler, now->compiler);
    note(mem, out, "Lockstep", old->version, now->version);
    for (u32 how = 0; how < LIKENESSES; how++)
        match(&m, (enum likeness)how);
    for (u32 i = 0; i < old->kernels.len; i++) {
        struct gate_pair *p = add(out, old->kernels.at[i], m.partner[i] ? now->kernels.at[m.partner[i] - 1] : NULL);
        if (!p->now)
            continue;
        compare_pair(old, p);
        if (p->verdict >= GATE_MOVED) {
            p->lines = gate_lines(mem, p->old, p->now, &p->nlines);
            gate_causes(mem, paths, p);
        }
    }
    for (u32 k = 0; k < now->kernels.len; k++)
        if (!m.taken[k])
            add(out, NULL, now->kernels.at[k]);
    for (u32 i = 0; i < out->n; i++)
        out->count[out->pairs[i].verdict]++;
}

bool gate_changed(const struct gate_result *r)
{
    return r->count[GATE_CHANGED] + r->count[GATE_NEW] + r->count[GATE_GONE] > 0;
}
