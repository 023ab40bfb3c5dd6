/* verdict.c - whether a trial's buffers are as they must be: nothing else was written, and the reference agrees. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "lab/trial.h"

/* The first byte that changed and must not have, or -1. Only an output's payload may change. */
static i64 disturbed(const struct trial *t, const struct buffer *b, const u8 *before, const u8 *after)
{
    u64 n = device_bytes(t, b), from = payload_at(t, b), to = from + b->count * buffer_element(b->type);
    bool may = b->use != BUFFER_IN;
    if (!may && memcmp(before, after, n) == 0)
        return -1;
    for (u64 i = 0; i < n; i++)
        if (before[i] != after[i] && !(may && i >= from && i < to))
            return (i64)i;
    return -1;
}

static void say_disturbed(const struct trial *t, const struct buffer *b, u32 index, i64 at, struct lab_result *out)
{
    i64 offset = at - (i64)payload_at(t, b), size = buffer_element(b->type);
    i64 element = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
    out->verdict = LAB_WRONG;
    snprintf(out->text, sizeof out->text, "wrote element %lld of buffer %u, %s", (long long)element, index,
             element >= 0 && (u64)element < b->count ? "which is an input"
             : element < 0                           ? "before its beginning"
                                                     : "behind its end");
}

static void say_wrong(const struct check *c, struct lab_result *out)
{
    out->verdict = LAB_WRONG;
    snprintf(out->text, sizeof out->text, "%llu wrong, the first: out[%llu] is %.9g, must be %.9g%s",
             (unsigned long long)c->wrong, (unsigned long long)c->first, c->got, c->want,
             c->bound > 0 ? " within its bound" : "");
}

/* Bytes of a buffer's image as they are now, ls_realloc'ed; NULL: they cannot be had. */
static u8 *read_part(struct trial *t, u32 i, u64 from, u64 bytes)
{
    u8 *after = ls_realloc(NULL, bytes);
    if (after && t->host[i])
        memcpy(after, t->host[i] + from, bytes);
    else if (after && !trial_ok(t, t->lab->cuda.to_host(after, t->device[i] + from, bytes))) {
        ls_free(after);
        after = NULL;
    }
    return after;
}

static u8 *read_back(struct trial *t, u32 i) { return read_part(t, i, 0, device_bytes(t, &t->plan.buffers[i])); }

/* A buffer that the plan's copies write may change. */
static void look_at(struct trial *t, u32 i, u8 **after, struct lab_result *out)
{
    const struct buffer *b = &t->plan.buffers[i];
    *after = read_back(t, i);
    if (!*after) {
        out->verdict = LAB_FAILED;
        snprintf(out->text, sizeof out->text, "cannot read the results back");
        return;
    }
    i64 at = disturbed(t, b, t->before[i], *after);
    if (at >= 0)
        say_disturbed(t, b, i, at, out);
}

/* Under the checks results are read back, as programs do, and not judged: what a rung leaves alone holds anything. */
static void only_read(struct trial *t, struct lab_result *out)
{
    out->verdict = LAB_RIGHT;
    for (u32 i = 0; i < t->plan.nbuffers; i++) {
        const struct buffer *b = &t->plan.buffers[i];
        u8 *after = read_part(t, i, payload_at(t, b), b->count * buffer_element(b->type));
        if (!after)
            out->verdict = LAB_FAILED;
        ls_free(after);
    }
}

void trial_judge(struct trial *t, struct lab_result *out)
{
    if (t->lab->request.checked) {
        only_read(t, out);
        return;
    }
    struct outcome o = {.rung = t->rung, .shape = &t->shape, .plan = &t->plan};
    u8 *after[PLAN_BUFFERS] = {0};
    out->verdict = LAB_RIGHT;
    for (u32 i = 0; i < t->plan.nbuffers && out->verdict == LAB_RIGHT; i++) {
        const struct buffer *b = &t->plan.buffers[i];
        look_at(t, i, &after[i], out);
        o.before[i] = t->before[i] + payload_at(t, b);
        o.after[i] = b->use == BUFFER_IN || !after[i] ? NULL : after[i] + payload_at(t, b);
    }
    if (out->verdict == LAB_RIGHT) {
        struct check c = {0};
        t->family->check(&o, &c);
        out->check = c;
        if (c.wrong)
            say_wrong(&c, out);
    }
    for (u32 i = 0; i < PLAN_BUFFERS; i++)
        ls_free(after[i]);
}
