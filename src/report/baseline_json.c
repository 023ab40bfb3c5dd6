/* baseline_json.c - a comparison as one JSON document. A number that is not known is null. */
#include <jansson.h>
#include <math.h>

#include "model/interval.h"
#include "report/baseline_object.h"

static json_t *number(double v) { return isfinite(v) ? json_real(v) : json_null(); }

static json_t *side_of(const struct baseline_side *s)
{
    json_t *stalls = json_object();
    for (u32 r = 0; r < STALL_COUNT && stall_cycles(s->sum.n); r++)
        json_object_set_new(stalls, stall_name((enum stall_reason)r),
                            json_integer((json_int_t)s->sum.n[stall_event((enum stall_reason)r)]));
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "status", s->status, "time_ns", number(s->ns), "low_ns",
                     number(s->low_ns), "high_ns", number(s->high_ns), "stalls", stalls);
}

static json_t *changes_of(const struct baseline_kernel *k)
{
    struct baseline_change changes[BASELINE_CHANGES];
    const u32 n = baseline_changes(k, changes);
    json_t *all = json_array();
    for (u32 i = 0; i < n; i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:o, s:o}", "metric", changes[i].name, "label",
                                             changes[i].label, "unit", changes[i].unit, "old", number(changes[i].was),
                                             "new", number(changes[i].is)));
    return all;
}

static json_t *kernel_of(const struct baseline_kernel *k, enum kernel_base base)
{
    char name[4096];
    const double ratio = baseline_ratio(k);
    const struct ratio_interval i = baseline_interval(k);
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "kernel",
                     kernel_name(k->side[BASELINE_NEW].kernel, base, name, sizeof name), "launches", (int)k->launches,
                     "ratio", number(ratio), "low", number(ratio == 1 ? 1 : i.low), "high",
                     number(ratio == 1 ? 1 : i.high), "old", side_of(&k->side[BASELINE_OLD]), "new",
                     side_of(&k->side[BASELINE_NEW]), "moved", changes_of(k));
}

static json_t *rest_of(const struct baseline *b, u32 side, enum kernel_base base)
{
    char name[4096];
    json_t *all = json_array();
    for (u32 i = 0; i < b->nrest[side]; i++)
        json_array_append_new(all, json_pack("{s:s, s:i}", "kernel",
                                             kernel_name(b->rest[side][i].kernel, base, name, sizeof name), "launches",
                                             (int)b->rest[side][i].launches));
    return all;
}

json_t *baseline_object(const struct baseline *b, enum kernel_base name)
{
    json_t *kernels = json_array();
    for (u32 i = 0; i < b->n; i++)
        json_array_append_new(kernels, kernel_of(&b->kernels[i], name));
    return json_pack("{s:s, s:s, s:i, s:o, s:o, s:o}", "old", b->files[BASELINE_OLD], "new", b->files[BASELINE_NEW],
                     "pairs_measured", (int)baseline_pairs(b), "kernels", kernels, "only_old",
                     rest_of(b, BASELINE_OLD, name), "only_new", rest_of(b, BASELINE_NEW, name));
}

bool baseline_json(FILE *out, const struct baseline *b, enum kernel_base name)
{
    json_t *root = baseline_object(b, name);
    const bool good = root && !json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(root);
    fputc('\n', out);
    return good;
}
