/* gate_lines.c - which lines of two versions of a kernel belong together: a longest common subsequence of their texts, so that
 * lines may have moved; between those that are alike, what was taken out and what was put in belong together in their order,
 * since a line that was edited is both. */
#include <string.h>

#include "report/gate/gate.h"

struct aligner {
    struct arena *mem;
    const struct gate_kernel *old, *now;
    u32 *longest; /* [i * (now->nlines + 1) + k]: of the lines from i and from k on */
    struct gate_line_pair *out;
    u32 n;
};

static bool same_file(const struct gate_line *a, const struct gate_line *b)
{
    return (!a->file && !b->file) ||
           (a->file && b->file && !strcmp(check_base_name(a->file), check_base_name(b->file)));
}

static bool alike(const struct gate_line *a, const struct gate_line *b)
{
    if (!same_file(a, b))
        return false;
    return a->text && b->text ? !strcmp(a->text, b->text) : a->line == b->line;
}

static u32 *longest(const struct aligner *a, u32 i, u32 k) { return &a->longest[i * (a->now->nlines + 1) + k]; }

static void measure(struct aligner *a)
{
    const u32 n = a->old->nlines, m = a->now->nlines;
    a->longest = arena_array(a->mem, u32, (size_t)(n + 1) * (m + 1));
    for (u32 i = n; i-- > 0;)
        for (u32 k = m; k-- > 0;) {
            const u32 down = *longest(a, i + 1, k), right = *longest(a, i, k + 1);
            *longest(a, i, k) = alike(&a->old->lines[i], &a->now->lines[k]) ? 1 + *longest(a, i + 1, k + 1)
                                : down > right                              ? down
                                                                            : right;
        }
}

/* Lines [i0, i1) became lines [k0, k1). Where these are more, the first ones are new: so the first of what was put in is told of. */
static void put_gap(struct aligner *a, u32 i0, u32 i1, u32 k0, u32 k1)
{
    for (; k1 - k0 > i1 - i0 && i0 < i1; k0++)
        a->out[a->n++] = (struct gate_line_pair){NULL, &a->now->lines[k0]};
    while (i0 < i1 || k0 < k1) {
        const struct gate_line *old = i0 < i1 ? &a->old->lines[i0] : NULL, *now = k0 < k1 ? &a->now->lines[k0] : NULL;
        const bool both = old && now && same_file(old, now);
        i0 += old != NULL;
        k0 += both || !old;
        a->out[a->n++] = (struct gate_line_pair){old, both || !old ? now : NULL};
    }
}

struct gate_line_pair *gate_lines(struct arena *mem, const struct gate_kernel *old, const struct gate_kernel *now,
                                  u32 *n)
{
    struct aligner a = {.mem = mem, .old = old, .now = now};
    u32 i = 0, k = 0, i0 = 0, k0 = 0;
    a.out = arena_array(mem, struct gate_line_pair, old->nlines + now->nlines + 1);
    measure(&a);
    while (i < old->nlines && k < now->nlines) {
        if (alike(&old->lines[i], &now->lines[k])) {
            put_gap(&a, i0, i, k0, k);
            a.out[a.n++] = (struct gate_line_pair){&old->lines[i++], &now->lines[k++]};
            i0 = i;
            k0 = k;
        } else if (*longest(&a, i + 1, k) >= *longest(&a, i, k + 1)) {
            i++;
        } else {
            k++;
        }
    }
    put_gap(&a, i0, old->nlines, k0, now->nlines);
    *n = a.n;
    return a.out;
}
