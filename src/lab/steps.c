/* steps.c - carries out a plan's steps through the driver, and times them. */
#include <stdlib.h>
#include <string.h>

#include "lab/trial.h"

/* Where a buffer's element is for the driver: its device address, or the host's of pageable memory. */
static CUdeviceptr place_of(const struct trial *t, u32 buffer, u64 element)
{
    const struct buffer *b = &t->plan.buffers[buffer];
    CUdeviceptr base = t->device[buffer] ? t->device[buffer] : (CUdeviceptr)(uintptr_t)t->host[buffer];
    return base + payload_at(t, b) + element * buffer_element(b->type);
}

static u64 argument(const struct trial *t, const struct plan_arg *a)
{
    if (a->kind == ARG_BUFFER)
        return place_of(t, a->index, a->value);
    if (a->kind == ARG_TEXTURE)
        return t->textures[a->index];
    if (a->kind == ARG_MAP)
        return t->maps + a->index * sizeof(CUtensorMap);
    return a->value;
}

/* More than 48 KiB of dynamic shared memory must be asked for. */
static bool prepare(struct trial *t, const struct launch *l, CUfunction *f)
{
    struct lab_cuda *c = &t->lab->cuda;
    return trial_ok(t, c->module_function(f, t->module, l->kernel)) &&
           (l->dynamic_shared <= 48 * 1024 ||
            trial_ok(t,
                     c->function_set(*f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)l->dynamic_shared))) &&
           (l->carveout < 0 ||
            trial_ok(t, c->function_set(*f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, l->carveout)));
}

static bool start_clusters(struct trial *t, const struct launch *l, CUfunction f, CUstream stream, void **args)
{
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                 .value.clusterDim = {l->cluster[0], l->cluster[1], l->cluster[2]}};
    const CUlaunchConfig config = {.gridDimX = l->grid[0],
                                   .gridDimY = l->grid[1],
                                   .gridDimZ = l->grid[2],
                                   .blockDimX = l->block[0],
                                   .blockDimY = l->block[1],
                                   .blockDimZ = l->block[2],
                                   .sharedMemBytes = l->dynamic_shared,
                                   .hStream = stream,
                                   .attrs = &cluster,
                                   .numAttrs = 1};
    return trial_ok(t, t->lab->cuda.launch_ex(&config, f, args, NULL));
}

static bool start(struct trial *t, const struct launch *l, CUstream stream)
{
    struct lab_cuda *c = &t->lab->cuda;
    u64 values[PLAN_ARGS];
    void *args[PLAN_ARGS];
    CUfunction f;
    for (u32 i = 0; i < l->nargs; i++) {
        values[i] = argument(t, &l->args[i]);
        args[i] = &values[i];
    }
    if (!prepare(t, l, &f))
        return false;
    if (l->cluster[0])
        return start_clusters(t, l, f, stream, args);
    if (l->cooperative)
        return trial_ok(t, c->launch_cooperative(f, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                                                 l->block[2], l->dynamic_shared, stream, args));
    return trial_ok(t, c->launch(f, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
                                 l->dynamic_shared, stream, args, NULL));
}

static bool prefetch(struct trial *t, const struct step *s, CUstream stream)
{
    const struct buffer *b = &t->plan.buffers[s->to];
    CUmemLocation where = {.type = s->value ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
                           .id = s->value ? 0 : t->lab->cuda.device};
    return trial_ok(t,
                    t->lab->cuda.prefetch(place_of(t, s->to, 0), b->count * buffer_element(b->type), where, 0, stream));
}

/* The host reads all of a buffer, so that managed pages come to it. */
static void touch(const struct trial *t, u32 buffer)
{
    const struct buffer *b = &t->plan.buffers[buffer];
    const volatile u8 *at = t->host[buffer] + payload_at(t, b);
    for (u64 i = 0; i < b->count * buffer_element(b->type); i += 64)
        (void)at[i];
}

/* Scratch allocations of STEP_ALLOC, the last on top. */
struct scratch {
    CUdeviceptr at[64];
    u32 n;
};

static bool allocate(struct trial *t, struct scratch *scratch, u64 bytes)
{
    LS_BUG_ON(scratch->n == LS_ARRAY_LEN(scratch->at));
    if (!trial_ok(t, t->lab->cuda.alloc(&scratch->at[scratch->n], bytes)))
        return false;
    scratch->n++;
    return true;
}

static bool release(struct trial *t, struct scratch *scratch)
{
    LS_BUG_ON(scratch->n == 0);
    return trial_ok(t, t->lab->cuda.free(scratch->at[--scratch->n]));
}

static bool copy(struct trial *t, const struct step *s, CUstream stream)
{
    u64 bytes = s->count * buffer_element(t->plan.buffers[s->to].type);
    return trial_ok(
        t, t->lab->cuda.copy_async(place_of(t, s->to, s->to_at), place_of(t, s->from, s->from_at), bytes, stream));
}

static bool poke(struct trial *t, const struct step *s)
{
    const struct buffer *b = &t->plan.buffers[s->to];
    u32 size = buffer_element(b->type);
    memcpy(t->host[s->to] + payload_at(t, b) + s->to_at * size, &s->value, size);
    return true;
}

static bool carry_out(struct trial *t, const struct step *s, struct scratch *scratch)
{
    struct lab_cuda *c = &t->lab->cuda;
    CUstream stream = t->streams[s->stream];
    switch (s->kind) {
    case STEP_LAUNCH:
        return start(t, s->launch, stream);
    case STEP_COPY:
        return copy(t, s, stream);
    case STEP_SET:
        return trial_ok(t, c->set_async(place_of(t, s->to, s->to_at), (unsigned char)s->value,
                                        s->count * buffer_element(t->plan.buffers[s->to].type), stream));
    case STEP_PREFETCH:
        return prefetch(t, s, stream);
    case STEP_RECORD:
        return trial_ok(t, c->event_record(t->events[s->to], stream));
    case STEP_WAIT:
        return trial_ok(t, c->stream_wait(stream, t->events[s->to], 0));
    case STEP_SYNC:
        return trial_ok(t, s->stream ? c->stream_synchronize(stream) : c->synchronize());
    case STEP_POKE:
        return poke(t, s);
    case STEP_MARK:
        t->marks[s->to] = lab_clock();
        return true;
    case STEP_ALLOC:
        return allocate(t, scratch, s->count);
    case STEP_FREE:
        return release(t, scratch);
    case STEP_TOUCH:
        touch(t, s->to);
        return true;
    }
    return false;
}

bool trial_steps(struct trial *t)
{
    struct scratch scratch = {.n = 0};
    bool good = true;
    for (u32 i = 0; good && i < t->plan.steps.len; i++)
        good = carry_out(t, &t->plan.steps.at[i], &scratch);
    while (good && scratch.n)
        good = release(t, &scratch);
    return good;
}

bool trial_run(struct trial *t) { return trial_steps(t) && trial_ok(t, t->lab->cuda.synchronize()); }

/* ---- time ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Launches alone are timed by events; what the host does in between (copies, waits, other streams) by its clock. */
static bool on_host_clock(const struct plan *p)
{
    for (u32 i = 0; i < p->steps.len; i++)
        if (p->steps.at[i].kind != STEP_LAUNCH || p->steps.at[i].stream)
            return true;
    return false;
}

static bool time_once(struct trial *t, bool host, CUevent begin, CUevent end, double *ms)
{
    struct lab_cuda *c = &t->lab->cuda;
    f32 elapsed = 0;
    double from = lab_clock();
    if (host) {
        bool good = trial_run(t);
        *ms = (lab_clock() - from) * 1e3;
        return good;
    }
    bool good = trial_ok(t, c->event_record(begin, NULL)) && trial_steps(t) &&
                trial_ok(t, c->event_record(end, NULL)) && trial_ok(t, c->event_synchronize(end)) &&
                trial_ok(t, c->event_elapsed(&elapsed, begin, end));
    *ms = elapsed;
    return good;
}

/* The median of 20 runs after 3 that warm up; the contents of in-place buffers do not change the time. */
bool trial_time(struct trial *t, double *milliseconds)
{
    enum { WARM = 3, TIMES = 20 };
    struct lab_cuda *c = &t->lab->cuda;
    CUevent begin = NULL, end = NULL;
    double times[WARM + TIMES];
    bool host = on_host_clock(&t->plan);
    bool good = trial_ok(t, c->event_create(&begin, 0)) && trial_ok(t, c->event_create(&end, 0));
    for (u32 i = 0; good && i < WARM + TIMES; i++)
        good = time_once(t, host, begin, end, &times[i]);
    if (begin)
        c->event_destroy(begin);
    if (end)
        c->event_destroy(end);
    if (good) {
        qsort(times + WARM, TIMES, sizeof times[0], by_value);
        *milliseconds = (times[WARM + TIMES / 2 - 1] + times[WARM + TIMES / 2]) / 2;
    }
    return good;
}
