/* trial.c - one launch of a rung with buffers of its own, and the verdict over what it left.
 *
 * Every buffer is uploaded as an image with guards of poison on both sides (kernels/family.h has the picture). Outputs
 * are poison; inputs are random and never zero, because zeros hide sums of what was not written, and run faster on
 * GPUs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "lab/internal.h"

enum { GUARD = GUARD_BYTES / 4 }; /* elements */

static u64 image_elements(const struct buffer *b)
{
    return GUARD + b->lead + b->count + b->tail + GUARD;
}

static u32 *payload(const struct buffer *b, u32 *image)
{
    return image + GUARD + b->lead;
}

/* xorshift64* (Vigna 2014): the high half is what is used. */
static u32 next_random(u64 *state)
{
    u64 x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (u32)((x * 0x2545f4914f6cdd1dull) >> 32);
}

static u32 random_element(enum buffer_type type, u64 *state)
{
    u32 r = next_random(state);
    if (type == BUFFER_INT) {
        i32 magnitude = 1 + (i32)(r % 1000);
        return (u32)(r >> 31 ? -magnitude : magnitude);
    }
    /* 0.5 to 2, either sign: full mantissas, no overflow, no denormals */
    f32 value = 0.5f + (f32)(r >> 8) * 0x1p-24f * 1.5f;
    if (r & 1)
        value = -value;
    u32 bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static void fill_image(const struct buffer *b, u32 *image, u64 seed)
{
    u64 n = image_elements(b), data = b->lead + b->count + b->tail, state = seed;
    for (u64 i = 0; i < n; i++)
        image[i] = POISON;
    if (b->use == BUFFER_OUT)
        return;
    if (b->fixed)
        memcpy(image + GUARD, b->fixed, data * 4);
    for (u64 i = 0; !b->fixed && i < data; i++)
        image[GUARD + i] = random_element(b->type, &state);
}

static bool ok(struct trial *t, CUresult r)
{
    if (r != CUDA_SUCCESS && t->error == CUDA_SUCCESS)
        t->error = r;
    return r == CUDA_SUCCESS;
}

static bool make_buffer(struct trial *t, u32 i)
{
    const struct buffer *b = &t->plan.buffers[i];
    u64 bytes = image_elements(b) * 4;
    t->before[i] = ls_realloc(NULL, bytes);
    if (!t->before[i])
        return ok(t, CUDA_ERROR_OUT_OF_MEMORY);
    fill_image(b, t->before[i], 0x9e3779b97f4a7c15ull + i);
    return ok(t, t->lab->cuda.alloc(&t->device[i], bytes)) &&
           ok(t, t->lab->cuda.to_device(t->device[i], t->before[i], bytes));
}

static bool set_constant(struct trial *t)
{
    CUdeviceptr at;
    size_t bytes;
    return ok(t, t->lab->cuda.module_global(&at, &bytes, t->module, t->plan.constant)) &&
           ok(t, t->lab->cuda.to_device(at, t->plan.constant_data, t->plan.constant_bytes));
}

bool trial_begin(struct trial *t, const char *ptx)
{
    struct lab_cuda *c = &t->lab->cuda;
    if (!ok(t, c->module_load(&t->module, ptx)) || !ok(t, c->module_function(&t->function, t->module, t->rung->kernel)))
        return false;
    for (u32 i = 0; i < t->plan.nbuffers; i++)
        if (!make_buffer(t, i))
            return false;
    return !t->plan.constant || set_constant(t);
}

static bool start(struct trial *t)
{
    const struct plan *p = &t->plan;
    CUdeviceptr pointers[PLAN_ARGS];
    u32 values[PLAN_ARGS];
    void *args[PLAN_ARGS];
    for (u32 i = 0; i < p->nargs; i++) {
        const struct plan_arg *a = &p->args[i];
        values[i] = a->value;
        args[i] = &values[i];
        if (a->buffer < 0)
            continue;
        pointers[i] = t->device[a->buffer] + GUARD_BYTES + p->buffers[a->buffer].lead * 4;
        args[i] = &pointers[i];
    }
    return ok(t, t->lab->cuda.launch(t->function, p->grid[0], p->grid[1], p->grid[2], p->block[0], p->block[1],
                                     p->block[2], p->dynamic_shared, NULL, args, NULL));
}

bool trial_launch(struct trial *t)
{
    return start(t) && ok(t, t->lab->cuda.synchronize());
}

/* ---- judgement ---- */

/* The first element that changed and had no business to, or -1. Only an output's payload may change. */
static i64 disturbed(const struct buffer *b, const u32 *before, const u32 *after)
{
    u64 n = image_elements(b), from = GUARD + b->lead, to = from + b->count;
    bool may = b->use != BUFFER_IN;
    for (u64 i = 0; i < n; i++)
        if (before[i] != after[i] && !(may && i >= from && i < to))
            return (i64)i;
    return -1;
}

static void say_disturbed(const struct buffer *b, u32 index, i64 at, struct lab_result *out)
{
    i64 element = at - GUARD - (i64)b->lead;
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

void trial_judge(struct trial *t, struct lab_result *out)
{
    const void *before[PLAN_BUFFERS] = {0};
    u32 *result = NULL;
    out->verdict = LAB_RIGHT;
    for (u32 i = 0; i < t->plan.nbuffers && out->verdict == LAB_RIGHT; i++) {
        const struct buffer *b = &t->plan.buffers[i];
        u64 bytes = image_elements(b) * 4;
        u32 *after = ls_realloc(NULL, bytes);
        if (!after || !ok(t, t->lab->cuda.to_host(after, t->device[i], bytes))) {
            out->verdict = LAB_FAILED;
            snprintf(out->text, sizeof out->text, "cannot read the results back");
        } else {
            i64 at = disturbed(b, t->before[i], after);
            if (at >= 0)
                say_disturbed(b, i, at, out);
        }
        before[i] = payload(b, t->before[i]);
        if (i == t->plan.output)
            result = after;
        else
            ls_free(after);
    }
    if (out->verdict == LAB_RIGHT) {
        struct check c = {0};
        t->family->check(t->rung, &t->shape, before, payload(&t->plan.buffers[t->plan.output], result), &c);
        out->check = c;
        if (c.wrong)
            say_wrong(&c, out);
    }
    ls_free(result);
}

/* ---- time ---- */

static int by_value(const void *a, const void *b)
{
    f32 x = *(const f32 *)a, y = *(const f32 *)b;
    return (x > y) - (x < y);
}

/* The median of 20 launches after 3 that warm up; the contents of in-place buffers do not change the time. */
bool trial_time(struct trial *t, double *milliseconds)
{
    enum { WARM = 3, TIMES = 20 };
    struct lab_cuda *c = &t->lab->cuda;
    CUevent begin = NULL, end = NULL;
    f32 times[TIMES];
    bool good = ok(t, c->event_create(&begin, 0)) && ok(t, c->event_create(&end, 0));
    for (u32 i = 0; good && i < WARM + TIMES; i++) {
        f32 ms = 0;
        good = ok(t, c->event_record(begin, NULL)) && start(t) && ok(t, c->event_record(end, NULL)) &&
               ok(t, c->event_synchronize(end)) && ok(t, c->event_elapsed(&ms, begin, end));
        if (i >= WARM)
            times[i - WARM] = ms;
    }
    if (begin)
        c->event_destroy(begin);
    if (end)
        c->event_destroy(end);
    if (good) {
        qsort(times, TIMES, sizeof times[0], by_value);
        *milliseconds = ((double)times[TIMES / 2 - 1] + times[TIMES / 2]) / 2;
    }
    return good;
}

void trial_end(struct trial *t)
{
    struct lab_cuda *c = &t->lab->cuda;
    for (u32 i = 0; i < PLAN_BUFFERS; i++) {
        if (t->device[i])
            c->free(t->device[i]);
        ls_free(t->before[i]);
    }
    if (t->module)
        c->module_unload(t->module);
}
