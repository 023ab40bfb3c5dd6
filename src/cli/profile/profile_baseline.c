/* profile_baseline.c - `lockstep profile --baseline OLD ...`: what was profiled, compared with an earlier report. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/profile/profile_command.h"

static int by_sequence(const void *a, const void *b)
{
    const struct meter_report *x = *(const struct meter_report *const *)a, *y = *(const struct meter_report *const *)b;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

struct baseline_profile profile_side(struct arena *mem, const struct session *s, const char *file)
{
    const struct meter_report **all = arena_array(mem, const struct meter_report *, s->n + 1);
    for (u32 i = 0; i < s->n; i++)
        all[i] = s->reports[i];
    if (s->n)
        qsort(all, s->n, sizeof *all, by_sequence);
    return (struct baseline_profile){file, all, s->n};
}

/* Some names of a profile's kernels, for the message that there is none in common. */
static const char *some_names(struct arena *mem, const struct baseline *b, u32 side)
{
    enum { SOME = 5 };
    const char *text = "";
    char name[4096];
    for (u32 i = 0; i < b->nrest[side] && i < SOME; i++)
        text = arena_printf(mem, "%s%s%s", text, i ? ", " : "",
                            kernel_name(b->rest[side][i].kernel, KERNEL_FUNCTION, name, sizeof name));
    return b->nrest[side] > SOME ? arena_printf(mem, "%s, ...", text) : *text ? text : "no kernels";
}

static const char *device_of(const struct session *s) { return s->n ? s->reports[0]->device : NULL; }

/* Times of different GPUs differ for more reasons than the program. */
static void say_devices(const struct profile *p, FILE *out, const struct session *old, const struct session *newer)
{
    const char *a = device_of(old), *b = device_of(newer);
    if (!p->json && a && b && strcmp(a, b) != 0)
        fprintf(out, "==WARNING== The older report is of another GPU: %s, not %s.\n", a, b);
}

static bool compare(struct profile *p, FILE *out, struct arena *mem, const struct session *old,
                    const struct session *newer)
{
    const struct baseline_profile profiles[BASELINE_SIDES] = {
        profile_side(mem, old, p->baseline), profile_side(mem, newer, p->import ? p->import : p->program[0])};
    struct baseline b;
    if (!baseline_make(mem, profiles, &b)) {
        fprintf(stderr, "lockstep profile: %s and %s have no kernel in common: %s; %s\n", b.files[BASELINE_OLD],
                b.files[BASELINE_NEW], some_names(mem, &b, BASELINE_OLD), some_names(mem, &b, BASELINE_NEW));
        return false;
    }
    say_devices(p, out, old, newer);
    if (p->json)
        return baseline_json(out, &b, p->page.name);
    baseline_text(out, mem, &b, p->page.name, p->page.base_units);
    return true;
}

static bool print(struct profile *p, FILE *out, const struct session *old, const struct session *newer)
{
    struct arena mem = ARENA("baseline");
    if (setjmp(mem.oom)) {
        fputs("lockstep profile: out of memory\n", stderr);
        arena_free(&mem);
        return false;
    }
    const bool good = compare(p, out, &mem, old, newer);
    arena_free(&mem);
    return good;
}

bool profile_compare(struct profile *p, FILE *out, const struct session *newer)
{
    struct session old = {0};
    int status;
    const bool good = profile_read(p, p->baseline, &old, &status) && print(p, out, &old, newer);
    session_free(&old);
    return good;
}
