/* values.c - numbers of a plan that are no counters of the device: what the host asked for, what the model of the link
 * makes of it, and what clocks read. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "lab/trial.h"

/* VALUE(id, name, unit, kind): in the order in which tables and files have them. */
#define VALUES(VALUE)                                                                                                  \
    VALUE(launches, "lockstep__launches.sum", "", COUNTED)                                                             \
    VALUE(copies_htod, "lockstep__copies_htod.sum", "", COUNTED)                                                       \
    VALUE(copies_dtoh, "lockstep__copies_dtoh.sum", "", COUNTED)                                                       \
    VALUE(bytes_htod, "lockstep__bytes_htod.sum", "byte", COUNTED)                                                     \
    VALUE(bytes_dtoh, "lockstep__bytes_dtoh.sum", "byte", COUNTED)                                                     \
    VALUE(waits, "lockstep__host_waits.sum", "", COUNTED)                                                              \
    VALUE(allocations, "lockstep__allocations.sum", "", COUNTED)                                                       \
    VALUE(critical_path, "lockstep__critical_path.us", "us", MODELLED)                                                 \
    VALUE(copy_time, "lockstep__copy_time.us", "us", MODELLED)                                                         \
    VALUE(kernel_time, "lockstep__kernel_time.us", "us", MODELLED)                                                     \
    VALUE(overlap, "lockstep__overlap.pct", "%", MODELLED)                                                             \
    VALUE(host_clock, "lockstep__host_clock.us", "us", MEASURED)                                                       \
    VALUE(event_time, "lockstep__event_time.us", "us", MEASURED)                                                       \
    VALUE(clock_ratio, "lockstep__clock_ratio.pct", "%", MEASURED)                                                     \
    VALUE(cycles_per_step, "lockstep__cycles_per_step", "cycle", MODELLED)

enum value_id {
#define VALUE(id, name, unit, kind) VALUE_##id,
    VALUES(VALUE)
#undef VALUE
        VALUE_COUNT
};

static const struct lab_value kinds[] = {
#define VALUE(id, name, unit, kind) {name, unit, 0, METRIC_##kind},
    VALUES(VALUE)
#undef VALUE
};

static void count_copy(const struct plan *p, const struct step *s, double v[VALUE_COUNT])
{
    enum buffer_place to = p->buffers[s->to].place, from = p->buffers[s->from].place;
    double bytes = (double)s->count * buffer_element(p->buffers[s->to].type);
    if (to == PLACE_DEVICE && from != PLACE_DEVICE) {
        v[VALUE_copies_htod]++;
        v[VALUE_bytes_htod] += bytes;
    } else if (to != PLACE_DEVICE && from == PLACE_DEVICE) {
        v[VALUE_copies_dtoh]++;
        v[VALUE_bytes_dtoh] += bytes;
    }
}

static void count_step(const struct plan *p, const struct step *s, double v[VALUE_COUNT])
{
    switch (s->kind) {
    case STEP_LAUNCH:
        v[VALUE_launches]++;
        break;
    case STEP_COPY:
        count_copy(p, s, v);
        break;
    case STEP_SYNC:
        v[VALUE_waits]++;
        break;
    case STEP_ALLOC:
        v[VALUE_allocations]++;
        break;
    default:
        break;
    }
}

/* Between the plan's first two marks, on the host's clock; between its first two events; and their ratio. Plans without
 * marks have no use for them. */
static void read_clocks(struct trial *t, double v[VALUE_COUNT])
{
    f32 milliseconds = 0;
    for (u32 i = VALUE_critical_path; i < VALUE_COUNT; i++)
        v[i] = NAN; /* those of the model: plan_link.c */
    if (t->marks[0] == 0 || t->marks[1] == 0)
        return;
    v[VALUE_host_clock] = (t->marks[1] - t->marks[0]) * 1e6;
    if (!t->events[0] || !t->events[1] ||
        t->lab->cuda.event_elapsed(&milliseconds, t->events[0], t->events[1]) != CUDA_SUCCESS)
        return;
    v[VALUE_event_time] = (double)milliseconds * 1e3;
    v[VALUE_clock_ratio] = 100 * v[VALUE_host_clock] / v[VALUE_event_time];
}

void lab_values(struct trial *t, struct arena *mem, struct lab_result *out)
{
    double v[VALUE_COUNT] = {0};
    read_clocks(t, v);
    if (out->check.cycles_per_step > 0)
        v[VALUE_cycles_per_step] = out->check.cycles_per_step;
    for (u32 i = 0; i < t->plan.steps.len; i++)
        count_step(&t->plan, &t->plan.steps.at[i], v);
    out->values = arena_array(mem, struct lab_value, VALUE_COUNT);
    out->nvalues = VALUE_COUNT;
    for (u32 i = 0; i < VALUE_COUNT; i++) {
        out->values[i] = kinds[i];
        out->values[i].value = v[i];
    }
    if (t->lab->request.gpu) /* its clock is no model */
        out->values[VALUE_cycles_per_step].kind = METRIC_MEASURED;
}

void lab_value_set(struct lab_result *out, const char *name, double v)
{
    for (u32 i = 0; i < out->nvalues; i++)
        if (strcmp(out->values[i].name, name) == 0)
            out->values[i].value = v;
}

const struct lab_value *lab_value_info(u32 i) { return i < VALUE_COUNT ? &kinds[i] : NULL; }

bool lab_value_known(const char *name)
{
    for (u32 i = 0; i < VALUE_COUNT; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return true;
    return false;
}

double lab_value_of(const struct lab_result *r, const char *name)
{
    for (u32 i = 0; i < r->nvalues; i++)
        if (strcmp(r->values[i].name, name) == 0)
            return r->values[i].value;
    return r->report ? meter_value_of(r->report, name) : NAN;
}
